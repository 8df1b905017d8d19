//! `files`: the calls of handlers, trees and roots, and what is said of them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use semantics::negotiate::Codings;

use super::value;
use crate::{
    emit::{globals::Globals, literal},
    plan::{Embed, Rules, Value},
};

/// A file of `embed` or `files`; `rest` is the parameter that names it, `miss` the handler for what has none.
pub(in crate::emit) fn file(module: &str, of: &Ident, rest: Option<u64>, miss: Option<&Ident>) -> TokenStream {
    let (module, at) = (format_ident!("{module}"), at(rest));
    match miss {
        None => quote!(#module::file(exchange, &#of, #module::#at)),
        Some(miss) => quote!(#module::file_or(exchange, &#of, #module::#at, #miss)),
    }
}

fn at(rest: Option<u64>) -> TokenStream {
    match rest.map(literal::count) {
        None => quote!(At::Path),
        Some(index) => quote!(At::Capture(#index)),
    }
}

/// A directory of the host.
pub(in crate::emit) fn root(name: &Ident, directory: &Value, rules: &Rules, globals: &Globals) -> TokenStream {
    let root = root_value(directory, rules, globals);
    quote!(static #name: files::Root = #root;)
}

/// `files::Root { .. }`.
pub(in crate::emit) fn root_value(directory: &Value, rules: &Rules, globals: &Globals) -> TokenStream {
    let (directory, rules) = (value(directory, globals), self::rules(rules));
    quote!(files::Root { directory: #directory, rules: #rules })
}

/// An embedded tree, by its number in the blob, and what is said of it.
pub(in crate::emit) fn tree(visibility: &TokenStream, name: &Ident, embed: &Embed) -> TokenStream {
    let (number, rules) = (literal::count(embed.tree.into()), rules(&embed.rules));
    quote!(#visibility static #name: embed::Tree = embed::Tree::new(assets::BLOB, #number, #rules);)
}

/// `Rules { tried: &[Tried { before: "", behind: ".html" }], ..Rules::NEW }`: what differs from the default alone.
fn rules(rules: &Rules) -> TokenStream {
    let default = Rules::new(semantics::files::Rules::NEW.index);
    let tried = rules.tried.iter().map(|tried| {
        let (before, behind) = (literal::text(&tried.before), literal::text(&tried.behind));
        quote!(Tried { before: #before, behind: #behind })
    });
    let index = literal::text(&rules.index);
    let spa = rules.spa.as_deref().map(literal::text);
    let immutable = rules.immutable.iter().map(|glob| literal::text(glob));
    let precompressed = codings(rules.precompressed);
    let (serves_hidden, lists, follows_links, is_encoded) = (rules.serves_hidden, rules.lists, rules.follows_links, rules.is_encoded);
    let fields = [
        (rules.index != default.index, quote!(index: #index)),
        (rules.tried != default.tried, quote!(tried: &[#(#tried),*])),
        (rules.spa != default.spa, quote!(spa: Some(#spa))),
        (rules.immutable != default.immutable, quote!(immutable: &[#(#immutable),*])),
        (serves_hidden != default.serves_hidden, quote!(serves_hidden: #serves_hidden)),
        (lists != default.lists, quote!(lists: #lists)),
        (rules.precompressed != default.precompressed, quote!(precompressed: #precompressed)),
        (follows_links != default.follows_links, quote!(follows_links: #follows_links)),
        (is_encoded != default.is_encoded, quote!(is_encoded: #is_encoded)),
    ];
    let fields: Vec<_> = fields.into_iter().filter(|(is_said, _)| *is_said).map(|(_, field)| field).collect();
    if fields.is_empty() { quote!(Rules::NEW) } else { quote!(Rules { #(#fields,)* ..Rules::NEW }) }
}

/// A set of codings as an expression.
fn codings(codings: Codings) -> TokenStream {
    match codings {
        Codings::ALL => quote!(Codings::ALL),
        Codings::IDENTITY => quote!(Codings::IDENTITY),
        _ => {
            let named = codings.coded().map(|coding| format_ident!("{coding:?}"));
            quote!(Codings::of(&[#(Coding::#named),*]))
        }
    }
}
