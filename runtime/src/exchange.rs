//! One request and what is being done with it, until its answer's last byte.

use std::{cell::Cell, mem};

use semantics::{
    edits::Edits,
    head::Head,
    method::{Method, Methods},
    pattern::{self, Captures},
};

use crate::request_body::RequestBody;

/// Sends informational answers (100, 103) ahead of the final one.
pub trait Interim {
    /// Queues `HTTP/1.1 <status>` with `fields` (lines with CRLF).
    fn send(&self, status: u16, fields: &[u8]);
}

/// What the engine keeps for an exchange while its handler runs, in the scratch of the worker.
#[derive(Debug, Default)]
pub struct Slot {
    /// Set by [`Exchange::edited`]; applied by the engine while it writes the head.
    pub(crate) edits: Cell<Option<&'static Edits<'static>>>,
    /// Of the pattern that matched last.
    pub(crate) captures: Cell<Captures>,
}

/// One request on its way through generated code: borrowed head, owned body.
pub struct Exchange<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) slot: &'a Slot,
    pub(crate) body: RequestBody,
    pub(crate) interim: &'a dyn Interim,
}

impl Slot {
    /// Forgets the last exchange.
    pub(crate) fn reset(&self) {
        self.edits.set(None);
        self.captures.set(Captures::default());
    }
}

impl<'a> Exchange<'a> {
    /// For engines, and for tests of handlers.
    pub fn new(head: &'a Head<'a>, slot: &'a Slot, body: RequestBody, interim: &'a dyn Interim) -> Self {
        Self { head, slot, body, interim }
    }

    /// The request's head.
    pub fn head(&self) -> &'a Head<'a> {
        self.head
    }

    /// The host in normal form.
    pub fn host(&self) -> &'a str {
        self.head.host
    }

    /// The path in normal form.
    pub fn path(&self) -> &'a str {
        self.head.path.text
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.head.method
    }

    /// Whether `methods` has this request's method.
    pub fn is(&self, methods: Methods) -> bool {
        methods.contains(self.head.method)
    }

    /// Whether the canonical `pattern` takes the path; its parameters are kept for templates.
    pub fn matches(&self, pattern: &str) -> bool {
        let mut captures = Captures::default();
        let is_match = pattern::matches(pattern, self.path(), &mut captures);
        if is_match {
            self.slot.captures.set(captures);
        }
        is_match
    }

    /// The request's body: the first call gets it, a later one an empty one.
    pub fn take_body(&mut self) -> RequestBody {
        mem::replace(&mut self.body, RequestBody::Empty)
    }

    /// Where informational answers go.
    pub fn interim(&self) -> &'a dyn Interim {
        self.interim
    }

    /// The header edits of the scope that has been chosen; a later call replaces an earlier one.
    #[must_use]
    pub fn edited(self, edits: &'static Edits<'static>) -> Self {
        self.slot.edits.set(Some(edits));
        self
    }

    /// The path holds `%2F` or `%5C`: a route refuses that unless it says `path "keep"` or `"raw"`.
    pub fn has_encoded_separator(&self) -> bool {
        self.head.path.has_encoded_slash || self.head.path.has_encoded_backslash
    }

    /// The path holds `%2F`: what `files` refuses.
    pub fn has_encoded_slash(&self) -> bool {
        self.head.path.has_encoded_slash
    }
}
