//! `redirect`: another location, constant or rendered from the request. The body is empty.

use semantics::template::{self, Part, Subject};

use crate::{
    answer::Answer,
    buffer::Buffer,
    builtin,
    exchange::Exchange,
    response::{Rendered, Response},
    step::Step,
};

/// Where to, as rendered for each request.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Parts of the location.
    pub parts: &'static [Part<'static>],
    /// The request's query is not kept.
    pub drops_query: bool,
}

/// A location that depends on nothing of the request.
pub fn prebuilt<'a>(_exchange: Exchange<'a>, answer: &'static Answer) -> Step<'a> {
    Step::Ready(Response::Prebuilt(*answer))
}

/// Renders the location; one that holds a control byte is not sent: 400.
pub fn to<'a>(exchange: Exchange<'a>, target: &'static Target) -> Step<'a> {
    let mut buffer = Buffer::take();
    buffer.push_status_line(target.status);
    buffer.extend_from_slice(b"content-length: 0\r\nlocation: ");
    let captures = exchange.slot.captures.get();
    let subject = Subject { head: exchange.head, captures: &captures, status: target.status };
    if !template::location(target.parts, &subject, target.drops_query, &mut buffer) {
        return builtin::bad_request(exchange);
    }
    buffer.extend_from_slice(b"\r\n");
    Step::Ready(Response::Rendered(Rendered::new(target.status, buffer, 0)))
}
