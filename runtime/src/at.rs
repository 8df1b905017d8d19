//! Which part of a request's path names a file: shared by the features that serve files.

use semantics::files::{self, slash_location};

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
pub(crate) enum Wanted {
    /// 404: a name that is never served.
    Absent,
    /// The file of that name, decoded and relative; the index is named already.
    Name(Buffer),
    /// 308 to the path with a last slash: the route's bare prefix.
    Slash,
}

/// Reads the name from the exchange's path.
pub(crate) fn wanted(exchange: &Exchange<'_>, at: At, index: &str) -> Wanted {
    let path = exchange.path();
    let captures = exchange.slot.captures.get();
    let below = match at {
        At::Capture(_) if captures.is_bare_prefix() => return Wanted::Slash,
        At::Capture(number) => captures.get(number, path),
        At::Path => match path.strip_prefix('/') {
            Some(below) => below,
            None => return Wanted::Absent,
        },
    };
    let mut name = Buffer::take();
    if files::name(below, index, &mut name) { Wanted::Name(name) } else { Wanted::Absent }
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
