//! Values that stand inside constants: templates, texts that are known at start, sets of networks; and the statics of late values, maps and
//! regexes.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::cidr::{Prefix, Ranges};

use crate::{
    emit::{globals::Globals, literal},
    plan::{Late, LateSource, Map, MapForm, Part, Regex, RegexForm, Value},
};

/// `&[Part::Text("/new/"), Part::Parameter(0)]`.
pub(in crate::emit) fn parts(parts: &[Part], globals: &Globals) -> TokenStream {
    let parts = parts.iter().map(|part| self::part(part, globals));
    quote!(&[#(#parts),*])
}

pub(super) fn part(part: &Part, globals: &Globals) -> TokenStream {
    let named = |variant: TokenStream, name: &str| {
        let name = literal::text(name);
        quote!(Part::#variant(#name))
    };
    match part {
        Part::ClientIp => quote!(Part::ClientIp),
        Part::Cookie(name) => named(quote!(Cookie), name),
        Part::Header(name) => named(quote!(Header), name),
        Part::Host => quote!(Part::Host),
        Part::Late(id) => {
            let late = globals.late(*id);
            quote!(Part::Late(&#late))
        }
        Part::Map(id) => {
            let map = globals.map(*id);
            quote!(Part::Map(&#map))
        }
        Part::Method => quote!(Part::Method),
        Part::Parameter(index) => {
            let index = literal::count((*index).into());
            quote!(Part::Parameter(#index))
        }
        Part::Path => quote!(Part::Path),
        Part::Query => quote!(Part::Query),
        Part::QueryValue(name) => named(quote!(QueryValue), name),
        Part::RequestId => quote!(Part::RequestId),
        Part::Scheme => quote!(Part::Scheme),
        Part::Status => quote!(Part::Status),
        Part::Target => quote!(Part::Target),
        Part::Text(text) => named(quote!(Text), text),
    }
}

/// `Value::Text("..")`, `Value::Late(&STAFF_KEY)`.
pub(in crate::emit) fn value(value: &Value, globals: &Globals) -> TokenStream {
    match value {
        Value::Late(id) => {
            let late = globals.late(*id);
            quote!(Value::Late(&#late))
        }
        Value::Text(text) => {
            let text = literal::text(text);
            quote!(Value::Text(#text))
        }
    }
}

/// `static OFFICE_CLIENTS: Networks<'static> = ..;`.
pub(in crate::emit) fn networks_static(name: &Ident, prefixes: &[Prefix]) -> TokenStream {
    let networks = networks(prefixes);
    quote!(static #name: Networks<'static> = #networks;)
}

/// A set of networks as the ranges it comes to.
pub(super) fn networks(prefixes: &[Prefix]) -> TokenStream {
    let Ranges { v4, v6 } = Ranges::build(prefixes);
    let v4 = v4.into_iter().map(|(first, last)| pair(literal::address_v4(first), literal::address_v4(last)));
    let v6 = v6.into_iter().map(|(first, last)| pair(literal::address_v6(first), literal::address_v6(last)));
    quote!(Networks { v4: &[#(#v4),*], v6: &[#(#v6),*] })
}

fn pair(first: proc_macro2::Literal, last: proc_macro2::Literal) -> TokenStream {
    quote!((#first, #last))
}

/// A value that is read at start.
pub(in crate::emit) fn late(name: &Ident, late: &Late) -> TokenStream {
    let source = match &late.source {
        LateSource::Env { name, default } => {
            let name = literal::text(name);
            let default = optional_text(default.as_deref());
            quote!(Late::env(#name, #default))
        }
        LateSource::File { path } => {
            let path = literal::text(path);
            quote!(Late::file(#path))
        }
    };
    quote!(pub static #name: Late<'static> = #source;)
}

/// A map and what it is asked for.
pub(in crate::emit) fn map(name: &Ident, map: &Map, globals: &Globals) -> TokenStream {
    let rows = match &map.form {
        MapForm::Blob(_) => quote!(Rows::Blob(assets::#name)),
        MapForm::Inline => {
            let rows = map.rows.iter().map(|(key, value)| pair(literal::text(key), literal::text(value)));
            quote!(Rows::Inline(&[#(#rows),*]))
        }
    };
    let (from, default) = (parts(&map.from, globals), optional_text(map.default.as_deref()));
    quote! {
        pub static #name: MapLookup<'static> = MapLookup { from: #from, map: Map { rows: #rows, default: #default } };
    }
}

fn optional_text(text: Option<&str>) -> TokenStream {
    match text.map(literal::text) {
        None => quote!(None),
        Some(text) => quote!(Some(#text)),
    }
}

/// A regex; `file` gives the path of its automaton for a name's ending.
pub(in crate::emit) fn regex(name: &Ident, regex: &Regex, file: &dyn Fn(&str) -> String) -> TokenStream {
    match &regex.form {
        RegexForm::Capturing { .. } => {
            let (forward, reverse, text) = (file("forward.dfa"), file("reverse.dfa"), literal::text(&regex.text));
            quote!(pub static #name: Capturing<'static> = Capturing::new(include_bytes!(#forward), include_bytes!(#reverse), #text);)
        }
        RegexForm::Matching { .. } => {
            let automaton = file("dfa");
            quote!(pub static #name: Regex<'static> = Regex::new(include_bytes!(#automaton));)
        }
    }
}
