//! `when` as one boolean function: leaves are the runtime's, composition is Rust's.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::cidr::Prefix;

use super::{
    abi,
    file::{File, route_doc},
    globals::Globals,
    names,
};
use crate::plan::{Guard, Plan, RegexForm, Route};

/// One guard while it is printed.
struct Printer<'g> {
    plan: &'g Plan,
    globals: &'g Globals,
    file: &'g mut File,
    /// What its statics are named after.
    handler: String,
    /// The route's parameters so far: those of its pattern, then the groups of each regex.
    parameters: u64,
    /// Statics that stand beside the function.
    beside: Vec<TokenStream>,
}

/// Prints `fn x_when(exchange: &Exchange<'_>) -> bool`.
pub(super) fn print(
    (plan, globals): (&Plan, &Globals),
    file: &mut File,
    (route, guard): (&Route, &Guard),
    (visibility, name, handler): (&TokenStream, &Ident, &Ident),
) {
    let parameters = route.pattern_parameters as u64;
    let mut printer = Printer { plan, globals, file, handler: handler.to_string(), parameters, beside: Vec::new() };
    let condition = printer.condition(guard);
    let beside = printer.beside;
    let function = abi::guard(visibility, name, reads_head(guard), &condition);
    file.documented(&format!("`when` of {}", route_doc(route)), function);
    beside.into_iter().for_each(|item| file.beside(item));
}

impl Printer<'_> {
    fn condition(&mut self, guard: &Guard) -> TokenStream {
        match guard {
            Guard::All(guards) => self.joined(guards, &quote!(&&), &quote!(true)),
            Guard::Any(guards) => self.joined(guards, &quote!(||), &quote!(false)),
            Guard::ClientIp(networks) => {
                let networks = self.networks(networks);
                abi::guard_client(&networks)
            }
            Guard::Cookie { name, values } => abi::guard_values("cookie", name, values, self.globals),
            Guard::Extension(extensions) => abi::guard_texts("extension", extensions),
            Guard::Header { name, values } => abi::guard_values("header", name, values, self.globals),
            Guard::Host(patterns) => abi::guard_texts("host", patterns),
            Guard::Map(id) => abi::guard_map(self.globals.map(*id)),
            Guard::Method(methods) => abi::is_method(&abi::methods(*methods)),
            Guard::Not(guard) => {
                let operand = self.operand(guard);
                quote!(!#operand)
            }
            Guard::Path(patterns) => abi::guard_texts("path", patterns),
            Guard::Protocol(protocols) => abi::guard_protocol(protocols),
            Guard::Query { name, values } => abi::guard_values("query", name, values, self.globals),
            Guard::Regex(id) => {
                let regex = self.globals.regex(*id);
                match &self.plan.regexes[id.0 as usize].form {
                    RegexForm::Capturing { groups, .. } => {
                        let before = self.parameters;
                        self.parameters += groups.len() as u64;
                        abi::guard_captures(regex, before)
                    }
                    RegexForm::Matching { .. } => abi::guard_regex(regex),
                }
            }
        }
    }

    fn joined(&mut self, guards: &[Guard], operator: &TokenStream, of_none: &TokenStream) -> TokenStream {
        match guards {
            [] => of_none.clone(),
            [guard] => self.condition(guard),
            [first, rest @ ..] => {
                let first = self.operand(first);
                let rest: Vec<_> = rest.iter().map(|guard| self.operand(guard)).collect();
                quote!(#first #(#operator #rest)*)
            }
        }
    }

    /// A condition that stands beside an operator: in parentheses where it has operators of its own.
    fn operand(&mut self, guard: &Guard) -> TokenStream {
        let is_compound = matches!(guard, Guard::All(guards) | Guard::Any(guards) if guards.len() > 1);
        let condition = self.condition(guard);
        if is_compound { quote!((#condition)) } else { condition }
    }

    fn networks(&mut self, prefixes: &[Prefix]) -> Ident {
        if let Some(name) = self.file.networks.get(prefixes) {
            return name.clone();
        }
        let name = self.file.scope.claim(&format!("{}_CLIENTS", names::constant(&self.handler)));
        self.beside.push(abi::networks_static(&name, prefixes));
        self.file.networks.insert(prefixes.to_vec(), name.clone());
        name
    }
}

fn reads_head(guard: &Guard) -> bool {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => guards.iter().any(reads_head),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Header { .. }
        | Guard::Host(_)
        | Guard::Path(_)
        | Guard::Protocol(_)
        | Guard::Query { .. } => true,
        Guard::Map(_) | Guard::Method(_) | Guard::Regex(_) => false,
        Guard::Not(guard) => reads_head(guard),
    }
}
