//! `files` with `embed`: answers from the trees inside the binary, every head prebuilt. No system call, no allocation.
//!
//! Which file, coding and condition decide is `semantics::files::select`, the same for the compiler's evaluator. Ranges come later.

use semantics::{
    blob,
    files::{self, Selected},
};

pub use crate::at::At;
use crate::{
    answer::Answer,
    at::{self, Wanted},
    builtin::refusal,
    exchange::Exchange,
    response::Response,
    step::Step,
};

/// One embedded tree: a `static` of generated code.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    tree: blob::Tree<'static>,
    index: &'static str,
}

impl Tree {
    /// The tree `number` of `blob`; `index` is the name of a directory's file.
    pub const fn new(blob: &'static [u8], number: u32, index: &'static str) -> Self {
        Self { tree: blob::Tree::new(blob, number), index }
    }
}

/// Answers with the file that the path names. The route takes GET and HEAD only and has refused `%2F`.
pub fn file<'a>(exchange: Exchange<'a>, tree: &'static Tree, at: At) -> Step<'a> {
    let name = match at::wanted(&exchange, at, tree.index) {
        Wanted::Absent => return Step::Ready(refusal(&exchange, 404)),
        Wanted::Name(name) => name,
        Wanted::Slash => return Step::Ready(at::slash_redirect(&exchange)),
    };
    let response = match files::select(&tree.tree, &name, exchange.head) {
        Selected::Absent => refusal(&exchange, 404),
        Selected::Directory => at::slash_redirect(&exchange),
        Selected::Full(form) => Response::Prebuilt(Answer { status: 200, head: form.head(), body: form.body() }),
        Selected::NotModified(form) => Response::Prebuilt(Answer { status: 304, head: form.not_modified(), body: b"" }),
        Selected::PreconditionFailed => refusal(&exchange, 412),
    };
    Step::Ready(response)
}
