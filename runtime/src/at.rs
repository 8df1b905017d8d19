//! Which part of a request's path names a file: shared by the features that serve files.

use std::ops::Deref;

use semantics::files::{self, Rules, slash_location};

use crate::{
    buffer::Buffer,
    exchange::Exchange,
    response::{Rendered, Response},
};

/// The part of the path that is mapped onto a tree or a root.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum At {
    /// The route's parameter of that number, which is its rest.
    Capture(usize),
    /// The whole path: the route has no rest.
    Path,
}

/// What a request asks a tree or a root for.
pub(crate) enum Wanted<'a> {
    /// A name that is never served.
    Absent,
    /// The file of that name, decoded and relative; the index is named already.
    Name(Name<'a>),
    /// The route's bare prefix: a directory without its slash.
    Prefix,
}

/// A decoded, relative name.
pub(crate) enum Name<'a> {
    /// As it was sent.
    Sent(&'a [u8]),
    /// Decoded, or with the index.
    Written(Buffer),
}

impl Deref for Name<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Sent(name) => name,
            Self::Written(buffer) => buffer,
        }
    }
}

/// The path in normal form below the route; `None`: the route's bare prefix, as [`files::Search`] has it.
pub(crate) fn below<'a>(exchange: &Exchange<'a>, at: At) -> Option<&'a str> {
    let path = exchange.path();
    let captures = exchange.slot.captures.borrow();
    match at {
        At::Capture(_) if captures.is_bare_prefix() => None,
        At::Capture(number) => Some(captures.get(number, path)),
        At::Path => Some(path.strip_prefix('/').unwrap_or(path)),
    }
}

/// Reads the path's own name; where it is not to be answered with, a search begins anew.
pub(crate) fn wanted<'a>(exchange: &Exchange<'a>, at: At, rules: &Rules<'_>) -> Wanted<'a> {
    let Some(below) = below(exchange, at) else { return Wanted::Prefix };
    if files::is_name(below) {
        return if rules.serves(below.as_bytes()) { Wanted::Name(Name::Sent(below.as_bytes())) } else { Wanted::Absent };
    }
    let mut name = Buffer::take();
    if files::name(below, rules, &mut name) { Wanted::Name(Name::Written(name)) } else { Wanted::Absent }
}

/// 308 to the path with a last slash, query kept.
pub(crate) fn slash_redirect(exchange: &Exchange<'_>) -> Response {
    let mut buffer = Buffer::take();
    buffer.push_status_line(308);
    buffer.extend_from_slice(b"content-length: 0\r\nlocation: ");
    slash_location(exchange.head, &mut buffer);
    buffer.extend_from_slice(b"\r\n");
    Response::Rendered(Rendered::new(308, buffer, 0))
}
