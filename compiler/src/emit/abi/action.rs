//! What handlers call to answer, and the constants that these calls name.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::parts;
use crate::{
    answer::Prebuilt,
    emit::{globals::Globals, literal},
    plan::{CanonicalHost, Part},
};

/// 421; `exchange` is an expression.
pub(in crate::emit) fn misdirected(exchange: &TokenStream) -> TokenStream {
    quote!(respond::misdirected(#exchange))
}

/// 404.
pub(in crate::emit) fn not_found() -> TokenStream {
    quote!(respond::not_found(exchange))
}

/// 400.
pub(in crate::emit) fn bad_request() -> TokenStream {
    quote!(respond::bad_request(exchange))
}

/// 400 for paths with an encoded separator; files read `%5C` as part of a name.
pub(in crate::emit) fn separators_check(is_file: bool) -> TokenStream {
    let (question, bad_request) = (if is_file { quote!(has_encoded_slash) } else { quote!(has_encoded_separator) }, bad_request());
    quote!(if exchange.#question() { return #bad_request; })
}

/// 405.
pub(in crate::emit) fn method_not_allowed(methods: &TokenStream) -> TokenStream {
    quote!(respond::method_not_allowed(exchange, #methods))
}

/// A built-in error answer.
pub(in crate::emit) fn refused(status: u16) -> TokenStream {
    let status = literal::count(status.into());
    quote!(respond::refused(exchange, #status))
}

/// No answer at all.
pub(in crate::emit) fn abort() -> TokenStream {
    quote!(respond::abort(exchange))
}

/// The answer of an `Answer`.
pub(in crate::emit) fn respond_prebuilt(answer: &Ident) -> TokenStream {
    quote!(respond::prebuilt(exchange, &#answer))
}

/// A rendered body.
pub(in crate::emit) fn respond_template(template: &Ident) -> TokenStream {
    quote!(respond::template(exchange, &#template))
}

/// A constant redirect.
pub(in crate::emit) fn redirect_prebuilt(answer: &Ident) -> TokenStream {
    quote!(redirect::prebuilt(exchange, &#answer))
}

/// A rendered redirect.
pub(in crate::emit) fn redirect_to(target: &Ident) -> TokenStream {
    quote!(redirect::to(exchange, &#target))
}

/// Sends every other host to the canonical one.
pub(in crate::emit) fn redirect_canonical(host: &str, canonical: &Ident) -> TokenStream {
    let host = literal::text(host);
    quote!(if exchange.host() != #host { return redirect::canonical(exchange, &#canonical); })
}

/// Matching once more with another path, by the vhost's own function.
pub(in crate::emit) fn rewrite(target: &Ident, vhost: &Ident) -> TokenStream {
    quote!(rewrite::restart(exchange, &#target, #vhost))
}

/// The choice between the handlers of a split's shares; the last one takes what is left.
pub(in crate::emit) fn split_pick(split: &Ident, shares: &[Ident]) -> TokenStream {
    let (last, others) = shares.split_last().expect("a split has shares");
    let arms = others.iter().enumerate().map(|(index, share)| {
        let index = literal::count(index as u64);
        quote!(#index => #share(exchange),)
    });
    quote!(match split::pick(&exchange, &#split) { #(#arms)* _ => #last(exchange), })
}

/// A prebuilt answer.
pub(in crate::emit) fn answer(name: &Ident, answer: &Prebuilt) -> TokenStream {
    let body = literal::bytes(&answer.body);
    let answer = answer_value(answer, &quote!(#body));
    quote!(static #name: Answer = #answer;)
}

/// `Answer { .. }` with a body that is an expression.
pub(super) fn answer_value(answer: &Prebuilt, body: &TokenStream) -> TokenStream {
    let (status, head) = (literal::count(answer.status.into()), literal::bytes(&answer.head));
    quote!(Answer { status: #status, head: #head, body: #body })
}

/// A body to be rendered.
pub(in crate::emit) fn template(name: &Ident, (status, content_type): (u16, &str), body: &[Part], globals: &Globals) -> TokenStream {
    let (status, content_type, body) = (literal::count(status.into()), literal::text(content_type), parts(body, globals));
    quote!(static #name: respond::Template = respond::Template { status: #status, content_type: #content_type, body: #body };)
}

/// A location to be rendered.
pub(in crate::emit) fn target(name: &Ident, (status, drops_query): (u16, bool), target: &[Part], globals: &Globals) -> TokenStream {
    let (status, parts) = (literal::count(status.into()), parts(target, globals));
    quote!(static #name: redirect::Target = redirect::Target { status: #status, parts: #parts, drops_query: #drops_query };)
}

/// The host that all others are sent to.
pub(in crate::emit) fn canonical(name: &Ident, canonical: &CanonicalHost) -> TokenStream {
    let (host, status) = (literal::text(&canonical.host), literal::count(canonical.status.value.into()));
    quote!(static #name: redirect::Canonical = redirect::Canonical { host: #host, status: #status };)
}

/// A path to be rendered and matched.
pub(in crate::emit) fn rewrite_target(name: &Ident, target: &[Part], globals: &Globals) -> TokenStream {
    let (count, parts) = (literal::count(target.len() as u64), target.iter().map(|part| super::part(part, globals)));
    quote!(static #name: [Part<'static>; #count] = [#(#parts),*];)
}

/// What a split goes by.
pub(in crate::emit) fn split(name: &Ident, by: &[Part], (salt, weights): (&str, &[u32]), globals: &Globals) -> TokenStream {
    let (by, salt) = (parts(by, globals), literal::text(salt));
    let weights = weights.iter().map(|weight| literal::count((*weight).into()));
    quote!(static #name: split::Split = split::Split { by: #by, salt: #salt, weights: &[#(#weights),*] };)
}
