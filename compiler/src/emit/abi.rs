//! What generated code names in the runtime: the only place of the compiler that knows, together with the files below `abi/`.
//!
//! Functions are named after what they print and give expressions or items; [`imports`] gives the `use` items for exactly the names that a file's items
//! hold. A change here is a change of `runtime::ABI`.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::{format_ident, quote};
use semantics::method::{Method, Methods};

pub(super) use self::{action::*, files::*, guard::*, log::*, policy::*, proxy::*, record::*, site::*, value::*};
use super::literal;

mod action;
mod files;
mod guard;
mod log;
mod policy;
mod proxy;
mod record;
mod site;
mod value;

/// The number that generated code asserts `runtime::ABI` to be.
pub const ABI: u32 = 5;

/// Types of the runtime's root.
const TYPES: &[&str] = &[
    "AccessLog",
    "Answer",
    "Capturing",
    "Coding",
    "Codings",
    "Delivery",
    "Edit",
    "EditAction",
    "Edits",
    "Encoding",
    "Errors",
    "Exchange",
    "ForwardingFields",
    "Hosts",
    "Late",
    "Limits",
    "Listener",
    "ListenerOptions",
    "Manifest",
    "Map",
    "MapLookup",
    "Method",
    "Methods",
    "Networks",
    "Part",
    "Regex",
    "Routes",
    "Rows",
    "Rules",
    "Settings",
    "Site",
    "Step",
    "Timeouts",
    "Tried",
    "Trust",
    "Value",
    "Workers",
];
/// Modules of the runtime's root: named with `::` behind them.
const MODULES: &[&str] = &[
    "access", "coders", "cors", "embed", "files", "guard", "log", "proxy", "records", "redirect", "respond", "rewrite", "split", "table",
    "upstream",
];

pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name) || matches!(name, "Duration" | "ExitCode")
}

pub(super) fn is_module(name: &str) -> bool {
    MODULES.contains(&name)
}

/// The names in items that an import can bring in: types, modules that a path begins with, and constants.
pub(super) fn names<'t>(items: impl IntoIterator<Item = &'t TokenStream>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    items.into_iter().for_each(|item| collect(item.clone(), &mut found));
    found
}

/// The `use` items for std's and the runtime's names among `found`.
pub(super) fn imports(found: &BTreeSet<String>) -> Vec<TokenStream> {
    let mut uses = Vec::new();
    let std: Vec<_> = [("ExitCode", quote!(process::ExitCode)), ("Duration", quote!(time::Duration))]
        .into_iter()
        .filter(|(name, _)| found.contains(*name))
        .map(|(_, path)| path)
        .collect();
    match std.as_slice() {
        [] => {}
        [path] => uses.push(quote!(use std::#path;)),
        paths => uses.push(quote!(use std::{#(#paths),*};)),
    }
    let runtime: Vec<_> =
        found.iter().filter(|name| is_module(name) || TYPES.contains(&name.as_str())).map(|name| format_ident!("{name}")).collect();
    match runtime.as_slice() {
        [] => {}
        [name] => uses.push(quote!(use runtime::#name;)),
        names => uses.push(quote!(use runtime::{#(#names),*};)),
    }
    uses
}

/// Names that stand behind another path's `::` need no import.
fn collect(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_behind_path = false;
    while let Some(token) = tokens.next() {
        let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':' && next.spacing() == Spacing::Joint);
        match token {
            TokenTree::Group(group) => {
                collect(group.stream(), found);
                is_behind_path = false;
            }
            TokenTree::Ident(name) => {
                let name = name.to_string();
                if !is_behind_path && (is_type(&name) || is_constant(&name) || is_path && is_module(&name)) {
                    found.insert(name);
                }
                is_behind_path = false;
            }
            TokenTree::Punct(punct) => is_behind_path = punct.as_char() == ':' && (is_behind_path || punct.spacing() == Spacing::Joint),
            TokenTree::Literal(_) => is_behind_path = false,
        }
    }
}

fn is_constant(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// `fn main`.
pub(super) fn main(site: &Ident) -> TokenStream {
    quote! {
        fn main() -> ExitCode {
            runtime::serve(&#site, &SETTINGS)
        }
    }
}

/// The compile-time check that package and runtime belong together.
pub(super) fn assertion() -> TokenStream {
    let abi = literal::count(ABI.into());
    quote!(
        const _: () = assert!(runtime::ABI == #abi);
    )
}

/// A handler, or anything that has a handler's type.
pub(super) fn handler(visibility: &TokenStream, name: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        #visibility fn #name(exchange: Exchange<'_>) -> Step<'_> {
            #body
        }
    }
}

/// The type of handlers.
pub(super) fn handler_type() -> TokenStream {
    quote!(for<'a> fn(Exchange<'a>) -> Step<'a>)
}

/// `const UPLOAD_METHODS: Methods = ..;`.
pub(super) fn methods_constant(name: &Ident, methods: Methods) -> TokenStream {
    let methods = self::methods(methods);
    quote!(const #name: Methods = #methods;)
}

/// A set of methods as an expression.
pub(super) fn methods(methods: Methods) -> TokenStream {
    for (known, name) in [(Methods::ANY, quote!(ANY)), (Methods::GET_HEAD, quote!(GET_HEAD)), (Methods::NONE, quote!(NONE))] {
        if methods == known {
            return quote!(Methods::#name);
        }
    }
    let names = methods.iter().filter_map(Method::name).map(|name| format_ident!("{}", name.replace('-', "_")));
    quote!(Methods::of(&[#(Method::#names),*]))
}

/// Both sets of methods.
pub(super) fn union(methods: &TokenStream, more: &TokenStream) -> TokenStream {
    quote!(#methods.union(#more))
}

/// Whether the request has one of the methods.
pub(super) fn is_method(methods: &TokenStream) -> TokenStream {
    quote!(exchange.is(#methods))
}

/// Whether a pattern takes the path.
pub(super) fn matches(pattern: &str) -> TokenStream {
    let pattern = literal::text(pattern);
    quote!(exchange.matches(#pattern))
}

/// The path against literals; `arms` return.
pub(super) fn match_path(arms: &[TokenStream]) -> TokenStream {
    quote!(match exchange.path() { #(#arms)* _ => {} })
}

/// A route of a table: its methods, guard and handler.
pub(super) fn table_route(methods: &TokenStream, guard: Option<&Ident>, handler: &Ident) -> TokenStream {
    let guard = guard.map_or_else(|| quote!(None), |guard| quote!(Some(#guard)));
    quote!(table::Route { methods: #methods, guard: #guard, handler: #handler })
}

/// A vhost's patterns as a table; `blob` is the file with the encoded tree.
pub(super) fn table(name: &Ident, blob: &str, patterns: &[Vec<TokenStream>]) -> TokenStream {
    let patterns = patterns.iter().map(|routes| quote!(&[#(#routes),*]));
    quote! {
        static #name: table::Table = table::Table {
            routes: Routes::new(include_bytes!(#blob)),
            patterns: &[#(#patterns),*],
        };
    }
}

/// The decision by a table.
pub(super) fn table_decide(table: &Ident) -> TokenStream {
    quote!(table::decide(exchange, &#table))
}
