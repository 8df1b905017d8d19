//! `when` as one boolean function: leaves are the runtime's, composition is Rust's.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::abi;
use crate::{model::Text, plan::Guard};

/// `fn x_when(exchange: &Exchange<'_>) -> bool`.
pub(super) fn function(name: &Ident, guard: &Guard) -> TokenStream {
    let condition = condition(guard);
    let head = reads_head(guard).then(|| quote!(let head = exchange.head();));
    quote! {
        fn #name(exchange: &Exchange<'_>) -> bool {
            #head
            #condition
        }
    }
}

fn condition(guard: &Guard) -> TokenStream {
    match guard {
        Guard::All(guards) => joined(guards, &quote!(&&), &quote!(true)),
        Guard::Any(guards) => joined(guards, &quote!(||), &quote!(false)),
        Guard::Header { name, values } => abi::guard_leaf("header", Some(name), &known(values)),
        Guard::Host(patterns) => abi::guard_leaf("host", None, patterns),
        Guard::Method(methods) => {
            let methods = abi::methods(*methods);
            quote!(exchange.is(#methods))
        }
        Guard::Not(guard) => {
            let operand = operand(guard);
            quote!(!#operand)
        }
        Guard::Path(patterns) => abi::guard_leaf("path", None, patterns),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => unreachable!("resolve gives none of these yet"),
    }
}

fn known(values: &[Text]) -> Vec<String> {
    values.iter().filter_map(Text::known).map(str::to_owned).collect()
}

fn joined(guards: &[Guard], operator: &TokenStream, of_none: &TokenStream) -> TokenStream {
    match guards {
        [] => of_none.clone(),
        [guard] => condition(guard),
        [first, rest @ ..] => {
            let first = operand(first);
            let rest = rest.iter().map(operand);
            quote!(#first #(#operator #rest)*)
        }
    }
}

/// A condition that stands beside an operator: in parentheses where it has operators of its own.
fn operand(guard: &Guard) -> TokenStream {
    let is_compound = matches!(guard, Guard::All(guards) | Guard::Any(guards) if guards.len() > 1);
    let condition = condition(guard);
    if is_compound { quote!((#condition)) } else { condition }
}

fn reads_head(guard: &Guard) -> bool {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => guards.iter().any(reads_head),
        Guard::Header { .. } | Guard::Host(_) | Guard::Path(_) => true,
        Guard::Method(_) => false,
        Guard::Not(guard) => reads_head(guard),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => unreachable!("resolve gives none of these yet"),
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use semantics::method::Methods;

    use super::*;

    fn text(guard: &Guard) -> String {
        let function = function(&Ident::new("x_when", Span::call_site()), guard);
        prettyplease::unparse(&syn::parse2(function).unwrap())
    }

    #[test]
    fn guard_nested_keeps_its_parentheses() {
        let header = |name: &str| Guard::Header { name: name.to_owned(), values: vec![Text::Known("1".to_owned())] };
        let either = Guard::Any(vec![Guard::Path(vec!["/x/*".to_owned()]), Guard::Method(Methods::GET_HEAD)]);
        let guard = Guard::All(vec![header("x-a"), Guard::Not(Box::new(either.clone())), either, header("x-b")]);
        insta::assert_snapshot!(text(&guard), @r##"
        fn x_when(exchange: &Exchange<'_>) -> bool {
            let head = exchange.head();
            guard::header(head, "x-a", &["1"])
                && !(guard::path(head, &["/x/*"]) || exchange.is(Methods::GET_HEAD))
                && (guard::path(head, &["/x/*"]) || exchange.is(Methods::GET_HEAD))
                && guard::header(head, "x-b", &["1"])
        }
        "##);
    }

    #[test]
    fn guard_of_methods_alone_has_no_unused_head() {
        insta::assert_snapshot!(text(&Guard::Not(Box::new(Guard::Method(Methods::GET_HEAD)))), @r##"
        fn x_when(exchange: &Exchange<'_>) -> bool {
            !exchange.is(Methods::GET_HEAD)
        }
        "##);
    }
}
