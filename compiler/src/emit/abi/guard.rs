//! The function of a guard and the questions that it asks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use semantics::guard::Protocol;

use super::value;
use crate::{
    emit::{globals::Globals, literal},
    plan::Value,
};

/// `fn x_when(exchange: &Exchange<'_>) -> bool`; the head has a name where a question of the condition is about it.
pub(in crate::emit) fn guard(visibility: &TokenStream, name: &Ident, reads_head: bool, condition: &TokenStream) -> TokenStream {
    let head = reads_head.then(|| quote!(let head = exchange.head();));
    quote! {
        #visibility fn #name(exchange: &Exchange<'_>) -> bool {
            #head
            #condition
        }
    }
}

/// A question of a guard about the head: `guard::path(head, &["/a/*"])`.
pub(in crate::emit) fn guard_texts(leaf: &str, texts: &[String]) -> TokenStream {
    let leaf = format_ident!("{leaf}");
    let texts = texts.iter().map(|text| literal::text(text));
    quote!(guard::#leaf(head, &[#(#texts),*]))
}

/// A question about something named: `guard::header(head, "x-a", &["1"])`, `guard::header_late(..)` where a value is known at start only.
pub(in crate::emit) fn guard_values(leaf: &str, name: &str, values: &[Value], globals: &Globals) -> TokenStream {
    let name = literal::text(name);
    let text = |value: &Value| match value {
        Value::Late(_) => None,
        Value::Text(text) => Some(literal::text(text)),
    };
    if let Some(texts) = values.iter().map(text).collect::<Option<Vec<_>>>() {
        let leaf = format_ident!("{leaf}");
        return quote!(guard::#leaf(head, #name, &[#(#texts),*]));
    }
    let (leaf, values) = (format_ident!("{leaf}_late"), values.iter().map(|value| self::value(value, globals)));
    quote!(guard::#leaf(head, #name, &[#(#values),*]))
}

/// `guard::protocol(head, &[guard::Protocol::H1])`.
pub(in crate::emit) fn guard_protocol(protocols: &[Protocol]) -> TokenStream {
    let protocols = protocols.iter().map(|protocol| match protocol {
        Protocol::H1 => quote!(guard::Protocol::H1),
        Protocol::H2 => quote!(guard::Protocol::H2),
        Protocol::H3 => quote!(guard::Protocol::H3),
    });
    quote!(guard::protocol(head, &[#(#protocols),*]))
}

/// Whether the client's address is in one of the networks.
pub(in crate::emit) fn guard_client(networks: &Ident) -> TokenStream {
    quote!(guard::client_ip(head, &#networks))
}

/// Whether a row of the map has the request's key.
pub(in crate::emit) fn guard_map(map: &Ident) -> TokenStream {
    quote!(exchange.has_row(&#map))
}

/// Whether the path matches the regex.
pub(in crate::emit) fn guard_regex(regex: &Ident) -> TokenStream {
    quote!(exchange.matches_regex(&#regex))
}

/// The same, and its groups become parameters behind so many.
pub(in crate::emit) fn guard_captures(regex: &Ident, before: u64) -> TokenStream {
    let before = literal::count(before);
    quote!(exchange.captures_regex(&#regex, #before))
}
