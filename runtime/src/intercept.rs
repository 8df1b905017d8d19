//! `intercept`: answers of an upstream that something else takes the place of (feature `proxy-intercept`; without it `intercept/absent.rs` stands here).
//!
//! What was intercepted is never sent, but for the fields that describe a file which an upstream has named (`accel`). Never: an answer of kiln's own that is none of the proxy's.

use std::cell::RefCell;

use semantics::{
    head::Fields,
    path::{self, Path},
};

use crate::{answer::Answer, buffer::Buffer, exchange::Exchange, exchange::Slot, step::Step};

/// What the head of an answer by [`Then::Accel`] takes over from the upstream's, in place of its own (as nginx does for X-Accel-Redirect).
const INHERITED: [&str; 5] = ["cache-control", "content-disposition", "content-type", "expires", "set-cookie"];

/// Answers that something else takes the place of.
#[derive(Clone, Copy, Debug)]
pub struct Intercept {
    /// Which.
    pub when: When,
    /// What.
    pub then: Then,
}

/// Which answers.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Those with that field (lower case), which the client never sees.
    Field(&'static str),
    /// Those with one of these statuses.
    Statuses(&'static [u16]),
}

/// What takes the place of an answer.
#[derive(Clone, Copy, Debug)]
pub enum Then {
    /// What that handler gives for the path in the field's value, in its normal form and without a query; 502 where it is none.
    Accel(for<'a> fn(Exchange<'a>, &str) -> Step<'a>),
    /// What that handler gives.
    Handler(for<'a> fn(Exchange<'a>) -> Step<'a>),
    /// That answer.
    Page(&'static Answer),
}

/// What was chosen.
#[derive(Debug)]
pub(crate) struct Chosen {
    then: Then,
    /// The field's value.
    value: Buffer,
}

/// Field lines that an answer's head takes over.
#[derive(Debug, Default)]
pub(crate) struct Inherited {
    lines: RefCell<Option<Buffer>>,
}

impl Inherited {
    /// Forgets the last exchange.
    pub(crate) fn clear(&self) {
        self.lines.take();
    }

    /// Appends to the head that begins at `start` what it takes over, in place of its own lines of these names. A refusal takes over nothing.
    pub(crate) fn push(&self, status: u16, start: usize, out: &mut Vec<u8>) {
        let kept = self.lines.borrow();
        let Some(lines) = kept.as_ref().filter(|_| status < 400) else { return };
        for name in INHERITED.iter().filter(|name| first_of(lines, 0, name).is_some()) {
            while let Some((at, end)) = first_of(out, start, name) {
                out.drain(at..end);
            }
        }
        out.extend_from_slice(lines);
    }
}

/// The first case that an answer is of: `received` are its fields, none where the fault is kiln's.
pub(crate) fn choose(intercepts: &[Intercept], status: u16, received: Option<Fields<'_>>, slot: &Slot) -> Option<Chosen> {
    let (intercept, value) = intercepts.iter().find_map(|intercept| match intercept.when {
        When::Field(name) => received.and_then(|fields| fields.first(name)).map(|value| (intercept, value)),
        When::Statuses(statuses) => statuses.contains(&status).then_some((intercept, &b""[..])),
    })?;
    let mut kept = Buffer::take();
    kept.extend_from_slice(value);
    if matches!(intercept.then, Then::Accel(_))
        && let Some(fields) = received
    {
        keep(fields, slot);
    }
    Some(Chosen { then: intercept.then, value: kept })
}

/// Notes what the head of a file's answer takes over.
fn keep(received: Fields<'_>, slot: &Slot) {
    let mut lines = Buffer::take();
    for (name, value) in received.iter().filter(|(name, _)| INHERITED.iter().any(|kept| name.eq_ignore_ascii_case(kept))) {
        lines.extend_from_slice(name.as_bytes());
        lines.extend_from_slice(b": ");
        lines.extend_from_slice(value);
        lines.extend_from_slice(b"\r\n");
    }
    *slot.inherited.lines.borrow_mut() = Some(lines);
}

impl Chosen {
    /// The answer; `None`: the field names no path.
    pub(crate) fn answer(self, exchange: Exchange<'_>) -> Option<Step<'_>> {
        Some(match self.then {
            Then::Accel(handler) => {
                let raw = self.value.split(|&byte| byte == b'?').next().unwrap_or_default();
                let mut scratch = Buffer::take();
                let Path { text, .. } = path::normalize(raw, &mut scratch).ok()?;
                handler(exchange, text)
            }
            Then::Handler(handler) => handler(exchange),
            Then::Page(answer) => Step::Ready(crate::response::Response::Prebuilt(*answer)),
        })
    }
}

/// Where the first line of that name begins and ends, from `at` on.
fn first_of(lines: &[u8], mut at: usize, name: &str) -> Option<(usize, usize)> {
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
        let end = at + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        let is_named = rest.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name.as_bytes()));
        if is_named && rest.get(name.len()) == Some(&b':') {
            return Some((at, end));
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_over_in_place_of_those_of_the_same_names() {
        let kept = Inherited::default();
        let mut lines = Buffer::take();
        lines.extend_from_slice(b"Content-Type: a/b\r\nset-cookie: x=1\r\nset-cookie: y=2\r\n");
        *kept.lines.borrow_mut() = Some(lines);
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n";
        let pushed = |status| {
            let mut out = [b"before".as_slice(), head].concat();
            kept.push(status, 6, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            pushed(200),
            "beforeHTTP/1.1 200 OK\r\ncontent-length: 2\r\nContent-Type: a/b\r\nset-cookie: x=1\r\nset-cookie: y=2\r\n"
        );
        assert_eq!(pushed(404).as_bytes(), [b"before".as_slice(), head].concat());
        kept.clear();
        assert_eq!(pushed(200).as_bytes(), [b"before".as_slice(), head].concat());
    }
}
