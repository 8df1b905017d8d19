//! Answers that kiln makes itself, for every site: faults, refusals, what no route takes.
//!
//! All are `text/plain` and say `STATUS Reason`. They are rendered while this crate is compiled: nothing here allocates, but the `allow` field of a
//! 405 goes to a pooled buffer. Generated code reaches them as `runtime::respond`.

use semantics::{method::Methods, status::reason};

use crate::{
    answer::Answer,
    buffer::Buffer,
    errors,
    exchange::Exchange,
    response::{Rendered, Response},
    step::Step,
};

/// 421: no vhost has that host.
pub fn misdirected(exchange: Exchange<'_>) -> Step<'_> {
    refused(exchange, 421)
}

/// 404: no route takes the path, or nothing is there.
pub fn not_found(exchange: Exchange<'_>) -> Step<'_> {
    refused(exchange, 404)
}

/// 400: the request means nothing that could be answered.
pub fn bad_request(exchange: Exchange<'_>) -> Step<'_> {
    refused(exchange, 400)
}

/// 405 with the methods that the path's routes take (RFC 9110 §15.5.6).
pub fn method_not_allowed(exchange: Exchange<'_>, methods: Methods) -> Step<'_> {
    let answer = errors::answer(exchange.slot, 405);
    let mut buffer = Buffer::take();
    buffer.extend_from_slice(answer.body);
    buffer.extend_from_slice(answer.head);
    buffer.extend_from_slice(b"allow: ");
    let mut separator: &[u8] = b"";
    for name in methods.iter().filter_map(|method| method.name()) {
        buffer.extend_from_slice(separator);
        buffer.extend_from_slice(name.as_bytes());
        separator = b", ";
    }
    buffer.extend_from_slice(b"\r\n");
    Step::Ready(Response::Rendered(Rendered::new(answer.status, buffer, answer.body.len())))
}

/// Any 4xx or 5xx, as the scope's error pages or [`builtin`] have it.
pub fn refused(exchange: Exchange<'_>, status: u16) -> Step<'_> {
    Step::Ready(refusal(&exchange, status))
}

/// The same for features.
pub(crate) fn refusal(exchange: &Exchange<'_>, status: u16) -> Response {
    Response::Prebuilt(*errors::answer(exchange.slot, status))
}

/// Closes the connection without an answer.
pub fn abort(_exchange: Exchange<'_>) -> Step<'_> {
    Step::Ready(Response::Abort)
}

/// The answer of an error status, 400 to 599; that of 500 for any other number, which only a bug can ask for.
pub fn builtin(status: u16) -> &'static Answer {
    let index = status.checked_sub(FIRST).map_or(usize::MAX, usize::from);
    ANSWERS.get(index).unwrap_or(&ANSWERS[(500 - FIRST) as usize])
}

/// The lowest error status.
const FIRST: u16 = 400;
/// Error statuses in all, registered or not.
const COUNT: usize = 200;
const FIELDS: &[u8] = b"content-type: text/plain; charset=utf-8\r\ncontent-length: ";

static ANSWERS: [Answer; COUNT] = answers();
/// Head and body of every answer, one after the other.
static TEXT: [u8; TEXT_BYTES] = text();
const TEXT_BYTES: usize = {
    let mut bytes = 0;
    let mut index = 0;
    while index < COUNT {
        bytes += head_bytes(index) + body_bytes(index);
        index += 1;
    }
    bytes
};

const fn status(index: usize) -> u16 {
    FIRST + index as u16
}

/// `404 Not Found` and a line feed; without a blank where the code has no reason.
const fn body_bytes(index: usize) -> usize {
    match reason(status(index)).len() {
        0 => 4,
        length => 3 + 1 + length + 1,
    }
}

const fn head_bytes(index: usize) -> usize {
    let length_digits = if body_bytes(index) < 10 { 1 } else { 2 };
    b"HTTP/1.1 404 \r\n".len() + reason(status(index)).len() + FIELDS.len() + length_digits + b"\r\n".len()
}

const fn answers() -> [Answer; COUNT] {
    let mut answers = [Answer { status: 0, head: b"", body: b"" }; COUNT];
    let mut rest: &'static [u8] = &TEXT;
    let mut index = 0;
    while index < COUNT {
        let (head, behind) = rest.split_at(head_bytes(index));
        let (body, behind) = behind.split_at(body_bytes(index));
        answers[index] = Answer { status: status(index), head, body };
        rest = behind;
        index += 1;
    }
    answers
}

const fn text() -> [u8; TEXT_BYTES] {
    let mut text = Text { bytes: [0; TEXT_BYTES], end: 0 };
    let mut index = 0;
    while index < COUNT {
        let reason = reason(status(index)).as_bytes();
        text.add(b"HTTP/1.1 ");
        text.add_number(status(index) as usize);
        text.add(b" ");
        text.add(reason);
        text.add(b"\r\n");
        text.add(FIELDS);
        text.add_number(body_bytes(index));
        text.add(b"\r\n");
        text.add_number(status(index) as usize);
        if !reason.is_empty() {
            text.add(b" ");
            text.add(reason);
        }
        text.add(b"\n");
        index += 1;
    }
    text.bytes
}

/// Text that grows while this crate is compiled.
struct Text {
    bytes: [u8; TEXT_BYTES],
    end: usize,
}

impl Text {
    const fn add(&mut self, bytes: &[u8]) {
        let mut index = 0;
        while index < bytes.len() {
            self.bytes[self.end] = bytes[index];
            self.end += 1;
            index += 1;
        }
    }

    const fn add_number(&mut self, number: usize) {
        if number >= 10 {
            self.add_number(number / 10);
        }
        self.add(&[b'0' + (number % 10) as u8]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_of_registered_status_says_reason() {
        let answer = builtin(404);
        assert_eq!(answer.status, 404);
        assert_eq!(answer.head, b"HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 14\r\n");
        assert_eq!(answer.body, b"404 Not Found\n");
    }

    #[test]
    fn builtin_of_unregistered_status_has_empty_reason() {
        let answer = builtin(499);
        assert_eq!(answer.head, b"HTTP/1.1 499 \r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 4\r\n");
        assert_eq!(answer.body, b"499\n");
    }

    #[test]
    fn builtin_of_no_error_status_is_500() {
        for status in [0, 200, 399, 600, u16::MAX] {
            assert_eq!(builtin(status).status, 500);
        }
    }

    #[test]
    fn builtin_length_is_that_of_its_body() {
        for status in 400..600 {
            let answer = builtin(status);
            let length = format!("content-length: {}\r\n", answer.body.len());
            assert!(String::from_utf8_lossy(answer.head).ends_with(&length), "{status}");
            assert_eq!(answer.status, status);
        }
    }
}
