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
pub fn prebuilt<'a>(_exchange: Exchange<'a>, answer: &'static Answer) -> Step<'a> {
    Step::Ready(Response::Prebuilt(*answer))
}

/// Renders the body for this request; statuses that have no body (204, 304) get none.
pub fn template<'a>(exchange: Exchange<'a>, template: &'static Template) -> Step<'a> {
    let mut buffer = Buffer::take();
    let may_have_body = status::may_have_body(template.status);
    if may_have_body {
        let captures = exchange.slot.captures.get();
        let subject = Subject { head: exchange.head, captures: &captures, status: template.status };
        template::render(template.body, &subject, Place::Value, &mut buffer);
    }
    let body_bytes = buffer.len();
    buffer.push_status_line(template.status);
    if may_have_body && !template.content_type.is_empty() {
        buffer.push_field("content-type", template.content_type);
    }
    if may_have_body {
        buffer.push_number_field("content-length", body_bytes as u64);
    }
    Step::Ready(Response::Rendered(Rendered::new(template.status, buffer, body_bytes)))
}
