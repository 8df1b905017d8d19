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
    builtin::{self, refusal},
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

/// Answers with the file that the path names, else with 404. The route takes GET and HEAD only and has refused `%2F`.
pub fn file<'a>(exchange: Exchange<'a>, tree: &'static Tree, at: At) -> Step<'a> {
    file_or(exchange, tree, at, builtin::not_found)
}

/// The same, and `miss` where there is no file, or for another method than GET and HEAD.
pub fn file_or<'a>(exchange: Exchange<'a>, tree: &'static Tree, at: At, miss: for<'x> fn(Exchange<'x>) -> Step<'x>) -> Step<'a> {
    if !exchange.is(Methods::GET_HEAD) {
        return miss(exchange);
    }
    let asset = match named(&exchange, tree, at) {
        Some(asset) => asset,
        None => match searched(&exchange, tree, at) {
            InTree::File(asset) => asset,
            InTree::Listing | InTree::Nothing => return miss(exchange),
            InTree::Slash => return Step::Ready(at::slash_redirect(&exchange)),
        },
    };
    Step::Ready(answer(&exchange, &asset))
}

/// The file that has the path's own name.
#[inline]
fn named(exchange: &Exchange<'_>, tree: &Tree, at: At) -> Option<Asset<'static>> {
    let Wanted::Name(name) = at::wanted(exchange, at, &tree.rules) else { return None };
    match tree.tree.find(&name) {
        Entry::File(asset) => Some(asset),
        Entry::Absent | Entry::Directory => None,
    }
}

/// What there is where no file has that name; a listing is a file of the tree.
#[cold]
fn searched(exchange: &Exchange<'_>, tree: &Tree, at: At) -> InTree<'static> {
    let mut name = Buffer::take();
    match files::in_tree(&tree.tree, &tree.rules, at::below(exchange, at), &mut name) {
        InTree::Listing => embed_listing::find(&tree.tree, &mut name, exchange.head).map_or(InTree::Nothing, InTree::File),
        found => found,
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
