//! What generated code names in the runtime: the only place of the compiler that knows, together with `abi/site.rs`.
//!
//! Functions are named after what they print and give expressions; [`imports`] gives the `use` items for exactly the names that a file's items hold.
//! A change here is a change of `runtime::ABI`.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::{format_ident, quote};
use semantics::{
    edits::Action,
    method::{Method, Methods},
};

pub(super) use self::site::*;
use super::literal;
use crate::plan::{Edit, Edits, Part};

mod site;

/// The number that generated code asserts `runtime::ABI` to be.
pub const ABI: u32 = 1;

/// Types of the runtime's root.
const TYPES: &[&str] = &[
    "Answer",
    "Edit",
    "EditAction",
    "Edits",
    "Exchange",
    "Hosts",
    "Limits",
    "Listener",
    "Manifest",
    "Method",
    "Methods",
    "Part",
    "Routes",
    "Settings",
    "Site",
    "Step",
    "Timeouts",
    "Workers",
];
/// Modules of the runtime's root: named with `::` behind them.
const MODULES: &[&str] = &["embed", "files", "guard", "redirect", "respond", "table"];

pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name) || matches!(name, "Duration" | "ExitCode")
}

pub(super) fn is_module(name: &str) -> bool {
    MODULES.contains(&name)
}

/// The `use` items that `items` need: std's and the runtime's names that occur in them.
pub(super) fn imports<'t>(items: impl IntoIterator<Item = &'t TokenStream>) -> Vec<TokenStream> {
    let mut found = BTreeSet::new();
    items.into_iter().for_each(|item| collect(item.clone(), &mut found));
    let mut uses = Vec::new();
    let std: Vec<_> = [("Duration", quote!(time::Duration)), ("ExitCode", quote!(process::ExitCode))]
        .into_iter()
        .filter(|(name, _)| found.contains(*name))
        .map(|(_, path)| path)
        .rev()
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

/// Types, and module names that a path goes through, but not those behind another path's `::`.
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
                if !is_behind_path && (is_type(&name) || is_path && is_module(&name)) {
                    found.insert(name);
                }
                is_behind_path = false;
            }
            TokenTree::Punct(punct) => is_behind_path = punct.as_char() == ':' && (is_behind_path || punct.spacing() == Spacing::Joint),
            TokenTree::Literal(_) => is_behind_path = false,
        }
    }
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

/// `&EDITS` given to the exchange.
pub(super) fn edited(edits: &TokenStream) -> TokenStream {
    quote!(exchange.edited(#edits))
}

/// The edits that change nothing: what undoes a vhost's.
pub(super) fn no_edits() -> TokenStream {
    quote!(&Edits::NONE)
}

/// 421; `exchange` is the expression that gives the exchange, here and below.
pub(super) fn misdirected(exchange: &TokenStream) -> TokenStream {
    quote!(respond::misdirected(#exchange))
}

/// 404.
pub(super) fn not_found() -> TokenStream {
    quote!(respond::not_found(exchange))
}

/// 400.
pub(super) fn bad_request() -> TokenStream {
    quote!(respond::bad_request(exchange))
}

/// 405.
pub(super) fn method_not_allowed(methods: &TokenStream) -> TokenStream {
    quote!(respond::method_not_allowed(exchange, #methods))
}

/// A built-in error answer.
pub(super) fn refused(exchange: &TokenStream, status: u16) -> TokenStream {
    let status = literal::count(status.into());
    quote!(respond::refused(#exchange, #status))
}

/// No answer at all.
pub(super) fn abort(exchange: &TokenStream) -> TokenStream {
    quote!(respond::abort(#exchange))
}

/// The answer of an `Answer`.
pub(super) fn respond_prebuilt(exchange: &TokenStream, answer: &Ident) -> TokenStream {
    quote!(respond::prebuilt(#exchange, &#answer))
}

/// A rendered body.
pub(super) fn respond_template(exchange: &TokenStream, template: &Ident) -> TokenStream {
    quote!(respond::template(#exchange, &#template))
}

/// A constant redirect.
pub(super) fn redirect_prebuilt(exchange: &TokenStream, answer: &Ident) -> TokenStream {
    quote!(redirect::prebuilt(#exchange, &#answer))
}

/// A rendered redirect.
pub(super) fn redirect_to(exchange: &TokenStream, target: &Ident) -> TokenStream {
    quote!(redirect::to(#exchange, &#target))
}

/// A file in the binary; `rest` is the parameter that names it.
pub(super) fn embed_file(exchange: &TokenStream, tree: &Ident, rest: Option<u64>) -> TokenStream {
    let at = at(rest);
    quote!(embed::file(#exchange, &#tree, embed::#at))
}

/// A file of the host.
pub(super) fn files_file(exchange: &TokenStream, root: &Ident, rest: Option<u64>) -> TokenStream {
    let at = at(rest);
    quote!(files::file(#exchange, &#root, files::#at))
}

fn at(rest: Option<u64>) -> TokenStream {
    match rest.map(literal::count) {
        None => quote!(At::Path),
        Some(index) => quote!(At::Capture(#index)),
    }
}

/// A prebuilt answer.
pub(super) fn answer(name: &Ident, answer: &crate::answer::Prebuilt) -> TokenStream {
    let (status, head, body) = (literal::count(answer.status.into()), literal::bytes(&answer.head), literal::bytes(&answer.body));
    quote!(static #name: Answer = Answer { status: #status, head: #head, body: #body };)
}

/// A body to be rendered.
pub(super) fn template(name: &Ident, status: u16, content_type: &str, body: &[Part]) -> TokenStream {
    let (status, content_type, body) = (literal::count(status.into()), literal::text(content_type), parts(body));
    quote!(static #name: respond::Template = respond::Template { status: #status, content_type: #content_type, body: #body };)
}

/// A location to be rendered.
pub(super) fn target(name: &Ident, status: u16, target: &[Part], drops_query: bool) -> TokenStream {
    let (status, parts) = (literal::count(status.into()), parts(target));
    quote!(static #name: redirect::Target = redirect::Target { status: #status, parts: #parts, drops_query: #drops_query };)
}

/// A directory of the host.
pub(super) fn root(name: &Ident, directory: &str, index: &str) -> TokenStream {
    let (directory, index) = (literal::text(directory), literal::text(index));
    quote!(static #name: files::Root = files::Root { directory: #directory, index: #index };)
}

/// An embedded tree, by its number in the blob, and the name of a directory's file.
pub(super) fn tree(visibility: &TokenStream, name: &Ident, number: u32, index: &str) -> TokenStream {
    let (number, index) = (literal::count(number.into()), literal::text(index));
    quote!(#visibility static #name: embed::Tree = embed::Tree::new(assets::BLOB, #number, #index);)
}

/// Merged header edits.
pub(super) fn edits(visibility: &TokenStream, name: &Ident, edits: &Edits) -> TokenStream {
    let (appended, rules) = (literal::bytes(&edits.appended), edits.rules.iter().map(edit));
    quote!(#visibility static #name: Edits<'static> = Edits { appended: #appended, rules: &[#(#rules),*] };)
}

fn edit(edit: &Edit) -> TokenStream {
    let action = match edit.action {
        Action::Add => quote!(Add),
        Action::Default => quote!(Default),
        Action::Remove => quote!(Remove),
        Action::Set => quote!(Set),
    };
    let (name, value, only) =
        (literal::text(&edit.name), parts(&edit.value), edit.only.iter().map(|status| literal::count((*status).into())));
    quote!(Edit { action: EditAction::#action, name: #name, value: #value, only: &[#(#only),*] })
}

/// `&[Part::Text("/new/"), Part::Parameter(0)]`.
fn parts(parts: &[Part]) -> TokenStream {
    let parts = parts.iter().map(part);
    quote!(&[#(#parts),*])
}

fn part(part: &Part) -> TokenStream {
    let named = |variant: TokenStream, name: &str| {
        let name = literal::text(name);
        quote!(Part::#variant(#name))
    };
    match part {
        Part::ClientIp => quote!(Part::ClientIp),
        Part::Header(name) => named(quote!(Header), name),
        Part::Host => quote!(Part::Host),
        Part::Method => quote!(Part::Method),
        Part::Parameter(index) => {
            let index = literal::count((*index).into());
            quote!(Part::Parameter(#index))
        }
        Part::Path => quote!(Part::Path),
        Part::Query => quote!(Part::Query),
        Part::QueryValue(name) => named(quote!(QueryValue), name),
        Part::Scheme => quote!(Part::Scheme),
        Part::Status => quote!(Part::Status),
        Part::Target => quote!(Part::Target),
        Part::Text(text) => named(quote!(Text), text),
    }
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

/// One question of a guard about the head: `guard::header(head, "x-a", &["1"])`.
pub(super) fn guard_leaf(leaf: &str, name: Option<&str>, values: &[String]) -> TokenStream {
    let leaf = format_ident!("{leaf}");
    let name = name.map(literal::text).into_iter();
    let values = values.iter().map(|value| literal::text(value));
    quote!(guard::#leaf(head, #(#name,)* &[#(#values),*]))
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
