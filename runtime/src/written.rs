//! `respond`: answers that the site file writes out, prebuilt or as a template. Generated code reaches them as `runtime::respond`.

use semantics::{
    status,
    template::{self, Part, Place, Subject},
};

use crate::{
    answer::Answer,
    buffer::Buffer,
    exchange::Exchange,
    response::{Rendered, Response},
    step::Step,
};

/// A body that is rendered for each request.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Three digits.
    pub status: u16,
    /// Value of `content-type`; no such field where it is empty.
    pub content_type: &'static str,
    /// Parts of the body.
    pub body: &'static [Part<'static>],
}

/// Constant head and body.
pub fn prebuilt<'a>(_exchange: Exchange<'a>, answer: &Answer) -> Step<'a> {
    Step::Ready(Response::Prebuilt(*answer))
}

/// Renders the body for this request; statuses that have no body (204, 304) get none.
pub fn template<'a>(exchange: Exchange<'a>, template: &'static Template) -> Step<'a> {
    rendered(exchange, (template.status, template.content_type), template.body)
}

/// The same with status, content type and parts that stand in no static.
pub fn rendered<'a>(exchange: Exchange<'a>, (status, content_type): (u16, &str), body: &[Part<'_>]) -> Step<'a> {
    let mut buffer = Buffer::take();
    let may_have_body = status::may_have_body(status);
    if may_have_body {
        let captures = exchange.slot.captures.borrow();
        let subject = Subject { head: exchange.head, captures: &captures, status, request_id: exchange.slot };
        template::render(body, &subject, Place::Value, &mut buffer);
    }
    let body_bytes = buffer.len();
    buffer.push_status_line(status);
    if may_have_body && !content_type.is_empty() {
        buffer.push_field("content-type", content_type);
    }
    if may_have_body {
        buffer.push_number_field("content-length", body_bytes as u64);
    }
    Step::Ready(Response::Rendered(Rendered::new(status, buffer, body_bytes)))
}
