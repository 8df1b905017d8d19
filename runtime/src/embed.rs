//! `files` with `embed`: answers from the trees inside the binary, every head prebuilt but those of parts. No system call, no allocation.
//!
//! Which file answers, and which coding, condition and range decide, is said by `semantics::files`, the same for the compiler's evaluator.

use semantics::{
    blob::{self, Asset, Entry, Form},
    files::{self, InTree, Rules, Selected},
    method::Methods,
    partial,
    ranges::Ranged,
};

pub use crate::at::At;
use crate::{
    answer::Answer,
    at::{self, Wanted},
    buffer::Buffer,
    builtin::refusal,
    embed_listing, encode,
    exchange::Exchange,
    ranged::{self, SentParts},
    response::{Response, Slice},
    step::Step,
};

/// One embedded tree: a `static` of generated code.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    tree: blob::Tree<'static>,
    rules: Rules<'static>,
}

impl Tree {
    /// The tree `number` of `blob`, and what its site says of it.
    pub const fn new(blob: &'static [u8], number: u32, rules: Rules<'static>) -> Self {
        Self { tree: blob::Tree::new(blob, number), rules }
    }
}

/// Answers with the file that the path names. The route takes GET and HEAD only and has refused `%2F`.
pub fn file<'a>(exchange: Exchange<'a>, tree: &'static Tree, at: At) -> Step<'a> {
    let response = found(&exchange, tree, at);
    Step::Ready(response.unwrap_or_else(|| refusal(&exchange, 404)))
}

/// The same, and `miss` where there is no file, or for another method than GET and HEAD.
pub fn file_or<'a>(exchange: Exchange<'a>, tree: &'static Tree, at: At, miss: for<'x> fn(Exchange<'x>) -> Step<'x>) -> Step<'a> {
    if !exchange.is(Methods::GET_HEAD) {
        return miss(exchange);
    }
    match found(&exchange, tree, at) {
        Some(response) => Step::Ready(response),
        None => miss(exchange),
    }
}

/// The answer; `None` where there is no file.
#[inline]
fn found(exchange: &Exchange<'_>, tree: &Tree, at: At) -> Option<Response> {
    let name = match at::wanted(exchange, at, &tree.rules) {
        Wanted::Absent => return None,
        Wanted::Name(name) => name,
        Wanted::Prefix => return searched(exchange, tree, at),
    };
    match tree.tree.find(&name) {
        Entry::File(asset) => Some(answer(exchange, &asset)),
        Entry::Absent | Entry::Directory => searched(exchange, tree, at),
    }
}

/// The same where no file has the path's own name.
#[cold]
fn searched(exchange: &Exchange<'_>, tree: &Tree, at: At) -> Option<Response> {
    let mut name = Buffer::take();
    match files::in_tree(&tree.tree, &tree.rules, at::below(exchange, at), &mut name) {
        InTree::File(asset) => Some(answer(exchange, &asset)),
        InTree::Listing => embed_listing::find(&tree.tree, &mut name, exchange.head).map(|asset| answer(exchange, &asset)),
        InTree::Nothing => None,
        InTree::Slash => Some(at::slash_redirect(exchange)),
    }
}

/// Answers with a file.
#[inline]
fn answer(exchange: &Exchange<'_>, asset: &Asset<'static>) -> Response {
    match files::select(asset, exchange.head) {
        Selected::Full(form) => full(exchange, &form),
        Selected::NotModified(form) => {
            encode::leave(exchange.slot);
            Response::Prebuilt(Answer { status: 304, head: form.not_modified(), body: b"" })
        }
        Selected::PreconditionFailed => refusal(exchange, 412),
        Selected::Ranged(form) => ranged(exchange, &form),
    }
}

/// In the form that was chosen at build, which no other takes the place of.
#[inline]
fn full(exchange: &Exchange<'_>, form: &Form<'static>) -> Response {
    encode::leave(exchange.slot);
    Response::Prebuilt(Answer { status: 200, head: form.head(), body: form.body() })
}

/// Answers a request with a Range.
#[cold]
fn ranged(exchange: &Exchange<'_>, form: &Form<'static>) -> Response {
    let (full_head, body) = (form.head(), form.body());
    let length = body.len() as u64;
    let parts = match files::ranged(form, exchange.head) {
        Ranged::Parts(parts) => parts,
        Ranged::Unsatisfiable => return ranged::unsatisfiable(exchange, length),
        Ranged::Whole => return full(exchange, form),
    };
    encode::leave(exchange.slot);
    let Some(part) = parts.single() else {
        return Response::Parts(Box::new(SentParts::new(full_head, parts, length, Box::new(body))));
    };
    let mut head = Buffer::take();
    partial::head(full_head, part, length, &mut head);
    Response::Slice(Slice { head, body: body.get(part.first as usize..=part.last as usize).unwrap_or_default() })
}
