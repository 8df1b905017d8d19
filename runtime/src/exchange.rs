//! One request and what is being done with it, until its answer's last byte.

use std::{
    cell::{Cell, RefCell},
    mem,
    rc::Rc,
};

use semantics::{
    edits::Edits,
    guard,
    head::Head,
    method::{Method, Methods},
    pattern::{self, Captures},
    template::{MapLookup, RequestId, Subject},
};

use crate::{buffer::Buffer, request_body::RequestBody, request_id, worker::Worker};

/// Sends informational answers (100, 103) ahead of the final one.
pub trait Interim {
    /// Queues `HTTP/1.1 <status>` with `fields` (lines with CRLF).
    fn send(&self, status: u16, fields: &[u8]);

    /// Which worker serves the exchange; none where a test calls a handler. It is asked here because whatever takes these answers is of a connection, and that of its worker:
    /// an exchange that waits has room for one reference to both.
    fn served(&self) -> Option<Served<'_>> {
        None
    }
}

/// Who serves an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only what is proxied asks for it"))]
    pub(crate) worker: &'a Rc<Worker>,
}

/// What the engine keeps for an exchange while its handler runs, in the scratch of the worker. Features that are told of by something else than their answer
/// have a field here, which sites without them have not.
#[derive(Debug, Default)]
pub struct Slot {
    /// Set by [`Exchange::edited`]; applied by the engine while it writes the head.
    pub(crate) edits: Cell<Option<&'static Edits<'static>>>,
    /// Of the pattern that was asked last, none where it did not match. Large, so that it is never copied.
    pub(crate) captures: RefCell<Captures>,
    /// Set by `Exchange::shared`; its fields join the answer before the edits.
    #[cfg(feature = "cors")]
    pub(crate) cors: Cell<Option<&'static semantics::cors::Policy<'static>>>,
    /// Set by `Exchange::encoded`; what the answer's body is coded by while it is sent.
    #[cfg(feature = "encode")]
    pub(crate) encoding: Cell<Option<crate::encode::Chosen>>,
    /// Set by `Exchange::with_errors`; read by whatever answers with an error of kiln's own.
    #[cfg(feature = "errors")]
    pub(crate) errors: Cell<Option<&'static crate::answer::Errors>>,
    /// Set by `rewrite::restart`: where the exchange is matched now.
    #[cfg(feature = "rewrite")]
    pub(crate) rewritten: std::cell::OnceCell<crate::rewrite::Rewritten>,
    /// Set by [`Exchange::placed`]: what the exchange is counted by.
    #[cfg(any(feature = "access-log", feature = "metrics"))]
    pub(crate) place: Cell<u32>,
    /// Set by [`Exchange::unlogged`].
    #[cfg(feature = "access-log")]
    pub(crate) is_unlogged: Cell<bool>,
    /// What has come of it at an upstream; set before the answer is given.
    #[cfg(feature = "proxy")]
    pub(crate) passage: crate::upstream::Passage,
    /// Set by an upstream's answer that something else takes the place of.
    #[cfg(feature = "proxy-intercept")]
    pub(crate) inherited: crate::intercept::Inherited,
    /// Made when it is asked for.
    #[cfg(feature = "request-id")]
    pub(crate) request_id: request_id::Id,
}

impl RequestId for Slot {
    fn text(&self) -> &str {
        request_id::of(self)
    }
}

/// One request on its way through generated code: borrowed head, owned body.
pub struct Exchange<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) slot: &'a Slot,
    pub(crate) body: RequestBody,
    pub(crate) interim: &'a dyn Interim,
    pub(crate) listener: usize,
}

impl Slot {
    /// Forgets the last exchange.
    pub(crate) fn reset(&mut self) {
        self.captures.get_mut().clear();
        self.forget_choices();
        #[cfg(feature = "rewrite")]
        self.rewritten.take();
        #[cfg(feature = "request-id")]
        self.request_id.clear();
        #[cfg(feature = "proxy")]
        self.passage.clear();
        #[cfg(feature = "proxy-intercept")]
        self.inherited.clear();
    }

    /// Forgets what was chosen for the exchange, which is matched anew.
    #[cfg(feature = "rewrite")]
    pub(crate) fn restart(&self) {
        self.captures.borrow_mut().clear();
        self.forget_choices();
    }

    fn forget_choices(&self) {
        self.edits.set(None);
        #[cfg(feature = "cors")]
        self.cors.set(None);
        #[cfg(feature = "encode")]
        self.encoding.set(None);
        #[cfg(feature = "errors")]
        self.errors.set(None);
        #[cfg(any(feature = "access-log", feature = "metrics"))]
        self.place.set(0);
        #[cfg(feature = "access-log")]
        self.is_unlogged.set(false);
    }
}

impl Slot {
    /// Appends to the head that begins at `start` the lines that it takes over from an upstream's.
    #[cfg_attr(not(feature = "proxy-intercept"), expect(clippy::unused_self, unused_variables, reason = "it takes over none"))]
    #[inline(always)]
    pub(crate) fn push_inherited(&self, status: u16, start: usize, out: &mut Vec<u8>) {
        #[cfg(feature = "proxy-intercept")]
        self.inherited.push(status, start, out);
    }
}

impl<'a> Exchange<'a> {
    /// For engines, and for tests of handlers. It came by the first listener.
    pub fn new(head: &'a Head<'a>, slot: &'a Slot, body: RequestBody, interim: &'a dyn Interim) -> Self {
        Self { head, slot, body, interim, listener: 0 }
    }

    /// The same exchange, come by the listener of that number.
    #[must_use]
    pub fn by_listener(self, listener: usize) -> Self {
        Self { listener, ..self }
    }

    /// The number of the listener that it came by, in the order of the settings.
    pub fn listener(&self) -> usize {
        self.listener
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
        let captures = &mut *self.slot.captures.borrow_mut();
        let is_match = pattern::matches(pattern, self.path(), captures);
        if !is_match {
            captures.clear();
        }
        is_match
    }

    /// A row of the map (not its default) has the key that this request gives.
    pub fn has_row(&self, lookup: &MapLookup<'_>) -> bool {
        let captures = self.slot.captures.borrow();
        guard::map(lookup, &Subject { head: self.head, captures: &captures, status: 0, request_id: self.slot }, &mut Buffer::take())
    }

    /// Limits the request's body to so many bytes. `true`: it says that it is longer. One that does not say (chunked) fails with
    /// [`Fault::BodyTooLarge`](crate::fault::Fault::BodyTooLarge) where it is read beyond the limit. To be called before anything of it is read.
    pub fn exceeds_body(&self, limit_bytes: u64) -> bool {
        self.body.exceeds(limit_bytes)
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

    /// The exchange is counted by the line of that number in the settings' places; a later call replaces an earlier one.
    #[cfg(any(feature = "access-log", feature = "metrics"))]
    #[must_use]
    pub fn placed(self, place: u32) -> Self {
        self.slot.place.set(place);
        self
    }

    /// The exchange is not written to the access log, unless a later call says so.
    #[cfg(feature = "access-log")]
    #[must_use]
    pub fn unlogged(self, is_unlogged: bool) -> Self {
        self.slot.is_unlogged.set(is_unlogged);
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
