//! `rewrite`: matching starts once more with another path (feature `rewrite`; without it `rewrite/absent.rs` stands here).
//!
//! What the next path is, `semantics::rewrite` says. Nothing of the first route counts any more: edits, error pages, CORS, parameters. A second restart is
//! answered with 500, so that no request can go round for ever. Costs one allocation: the head that is matched from now on must outlive this call.

use std::cell::RefCell;

use semantics::{
    head::Head,
    path::Path,
    rewrite::{self, REWRITES_MAX, RewriteFault, Room},
    template::{Part, Subject},
};

use crate::{
    buffer::Buffer,
    builtin,
    exchange::{Exchange, Slot},
    later::Later,
    step::Step,
};

thread_local! {
    /// Where targets are rendered: as long as the longest target.
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Where an exchange is matched after its restart; lives in the slot until the answer's head is written, because header templates read it.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// The path in normal form, and behind it the query.
    text: Buffer,
    path_bytes: usize,
    has_query: bool,
    has_encoded_slash: bool,
    has_encoded_backslash: bool,
}

/// Asks `next`, the vhost's own function, once more: with the rendered target's path, and its query or the request's.
pub fn restart<'a>(exchange: Exchange<'a>, target: &'static [Part<'static>], next: for<'b> fn(Exchange<'b>) -> Step<'b>) -> Step<'a> {
    let slot = exchange.slot;
    let rewritten = match rewritten(&exchange, target) {
        Ok(rewritten) => slot.rewritten.get_or_init(|| rewritten),
        Err(fault) => return builtin::refused(exchange, fault.status()),
    };
    slot.restart();
    Step::Later(Later::new(async move {
        let head = rewritten.head(exchange.head);
        match next(Exchange { head: &head, ..exchange }) {
            Step::Ready(response) => response,
            Step::Later(later) => later.await,
        }
    }))
}

/// The head that an exchange is matched by: the one that was sent, or that of its restart.
#[cfg_attr(not(feature = "headers"), expect(dead_code, reason = "only header templates are rendered after the handler"))]
pub(crate) fn matched<'h>(slot: &'h Slot, sent: &Head<'h>) -> Head<'h> {
    slot.rewritten.get().map_or(*sent, |rewritten| rewritten.head(sent))
}

fn rewritten(exchange: &Exchange<'_>, target: &[Part<'_>]) -> Result<Rewritten, RewriteFault> {
    let captures = exchange.slot.captures.borrow();
    let subject = Subject { head: exchange.head, captures: &captures, status: 0, request_id: exchange.slot };
    let before = if exchange.slot.rewritten.get().is_some() { REWRITES_MAX } else { 0 };
    ROOM.with_borrow_mut(|room| {
        let found = rewrite::rewrite(target, &subject, before, room)?;
        let mut text = Buffer::take();
        text.extend_from_slice(found.path.text.as_bytes());
        text.extend_from_slice(found.query.unwrap_or_default().as_bytes());
        Ok(Rewritten {
            text,
            path_bytes: found.path.text.len(),
            has_query: found.query.is_some(),
            has_encoded_slash: found.path.has_encoded_slash,
            has_encoded_backslash: found.path.has_encoded_backslash,
        })
    })
}

impl Rewritten {
    fn head<'h>(&'h self, sent: &Head<'h>) -> Head<'h> {
        // Both were text a moment ago, and the path is ASCII.
        let text = str::from_utf8(&self.text).unwrap_or_default();
        let (path, query) = text.split_at_checked(self.path_bytes).unwrap_or_default();
        let path = Path { text: path, has_encoded_slash: self.has_encoded_slash, has_encoded_backslash: self.has_encoded_backslash };
        rewrite::Rewritten { path, query: self.has_query.then_some(query) }.head(sent)
    }
}
