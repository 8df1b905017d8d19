//! `redirect`: another location, constant or rendered from the request. The body is empty.

use semantics::{
    head::Scheme,
    template::{self, Part, Subject},
};

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
    /// 300, 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Parts of the location.
    pub parts: &'static [Part<'static>],
    /// The request's query is not kept.
    pub drops_query: bool,
}

/// The one host that a vhost with several names wants to be called by.
#[derive(Clone, Copy, Debug)]
pub struct Canonical {
    /// In normal form, without port.
    pub host: &'static str,
    /// 301, 302, 307 or 308.
    pub status: u16,
}

/// Sends a request for another host to the canonical one: same scheme, the port of the request's Host if it has one, path and query in normal form.
pub fn canonical<'a>(exchange: Exchange<'a>, canonical: &Canonical) -> Step<'a> {
    let head = exchange.head;
    let mut buffer = Buffer::take();
    buffer.push_status_line(canonical.status);
    buffer.extend_from_slice(b"content-length: 0\r\nlocation: ");
    buffer.extend_from_slice(match head.scheme {
        Scheme::Http => b"http://",
        Scheme::Https => b"https://",
    });
    buffer.extend_from_slice(canonical.host.as_bytes());
    if let Some(port) = head.port {
        buffer.push(b':');
        buffer.push_number(port.into());
    }
    // `OPTIONS *` asks for no path.
    buffer.extend_from_slice(if head.path.text == "*" { b"/" } else { head.path.text.as_bytes() });
    if let Some(query) = head.query {
        buffer.push(b'?');
        buffer.extend_from_slice(query.as_bytes());
    }
    buffer.extend_from_slice(b"\r\n");
    Step::Ready(Response::Rendered(Rendered::new(canonical.status, buffer, 0)))
}

/// A location that depends on nothing of the request.
pub fn prebuilt<'a>(_exchange: Exchange<'a>, answer: &Answer) -> Step<'a> {
    Step::Ready(Response::Prebuilt(*answer))
}

/// Renders the location; one that holds a control byte, or that is written as a path and would lead to another host, is not sent: 400.
pub fn to<'a>(exchange: Exchange<'a>, target: &'static Target) -> Step<'a> {
    rendered(exchange, (target.status, target.drops_query), target.parts)
}

/// The same with status and parts that stand in no static.
pub fn rendered<'a>(exchange: Exchange<'a>, (status, drops_query): (u16, bool), parts: &[Part<'_>]) -> Step<'a> {
    let mut buffer = Buffer::take();
    buffer.push_status_line(status);
    buffer.extend_from_slice(b"content-length: 0\r\nlocation: ");
    let captures = exchange.slot.captures.borrow();
    let subject = Subject { head: exchange.head, captures: &captures, status, request_id: exchange.slot };
    if !template::location(parts, &subject, drops_query, &mut buffer) {
        drop(captures);
        return builtin::bad_request(exchange);
    }
    buffer.extend_from_slice(b"\r\n");
    Step::Ready(Response::Rendered(Rendered::new(status, buffer, 0)))
}
