//! The fields that an upstream's connection depends on, judged as their lines are read (RFC 9112 §6, §9.3).

use crate::{
    head::{HeadFault, Notes, Span, content_length, is, is_name, members},
    method::Method,
    reply::Framing,
};

/// What the fields of a head have said so far.
#[derive(Debug, Default)]
pub(super) struct Facts {
    length: Option<u64>,
    is_chunked: bool,
    closes: bool,
    keeps_alive: bool,
    has_date: bool,
    names_fields: bool,
    names_upgrade: bool,
    upgrade: Option<Span>,
}

/// What all of them together say.
pub(super) struct Conclusion {
    pub(super) framing: Framing,
    pub(super) is_persistent: bool,
    pub(super) has_date: bool,
    pub(super) keeps_length: bool,
    pub(super) names_fields: bool,
}

impl Notes for Facts {
    #[inline(always)]
    fn may_read(line: &[u8], length: usize) -> bool {
        // The first letters of the names by their length.
        const FIRST: [u8; 18] = *b"\0\0\0\0d\0\0u\0\0c\0\0\0c\0\0t";
        match (line.first(), FIRST.get(length)) {
            (Some(first), Some(wanted)) => first | 0x20 == *wanted,
            _ => false,
        }
    }

    #[inline(never)]
    fn read(&mut self, name: &[u8], value: &[u8], place: Span) -> Result<(), HeadFault> {
        match name.len() {
            4 if is(name, b"date") => {
                self.has_date = true;
                Ok(())
            }
            7 if is(name, b"upgrade") => refuse_if(self.upgrade.replace(place).is_some()),
            10 if is(name, b"connection") => self.connection(value),
            14 if is(name, b"content-length") => {
                let length = content_length(value).ok_or(HeadFault::BadRequest)?;
                refuse_if(self.is_chunked || self.length.replace(length).is_some())
            }
            17 if is(name, b"transfer-encoding") => {
                // Any other coding hides where the body ends, or what it is.
                let is_first = !self.is_chunked && self.length.is_none();
                self.is_chunked = true;
                refuse_if(!is_first || !value.eq_ignore_ascii_case(b"chunked"))
            }
            _ => Ok(()),
        }
    }
}

fn refuse_if(is_bad: bool) -> Result<(), HeadFault> {
    if is_bad { Err(HeadFault::BadRequest) } else { Ok(()) }
}

impl Facts {
    /// Where the value of its one Upgrade is.
    pub(super) fn upgrade(&self) -> Option<Span> {
        self.upgrade
    }

    /// Connection has the option `upgrade`.
    pub(super) fn names_upgrade(&self) -> bool {
        self.names_upgrade
    }

    /// Options that name a field which frames are refused: whoever strips what is named here reads another answer than we do.
    fn connection(&mut self, value: &[u8]) -> Result<(), HeadFault> {
        // What most servers send.
        if value == b"keep-alive" {
            self.keeps_alive = true;
            return Ok(());
        }
        for option in members(value) {
            let is = |other: &[u8]| option.eq_ignore_ascii_case(other);
            refuse_if(is(b"content-length") || is(b"transfer-encoding"))?;
            self.closes |= is(b"close");
            self.keeps_alive |= is(b"keep-alive");
            self.names_upgrade |= is(b"upgrade");
            self.names_fields |= is_name(option);
        }
        Ok(())
    }

    /// RFC 9112 §6.3 in its order; `None`: in doubt.
    pub(super) fn conclude(&self, method: Method, status: u16, is_http11: bool) -> Option<Conclusion> {
        let is_framed = self.is_chunked || self.length.is_some();
        // No such answer, and no such coding, in HTTP/1.0; and nothing frames what has no body.
        if (status < 200 && (is_framed || !is_http11)) || (self.is_chunked && !is_http11) {
            return None;
        }
        let framing = match (status, self.length) {
            (..200 | 204 | 304, _) => Framing::Empty,
            _ if method == Method::HEAD => Framing::Empty,
            _ if self.is_chunked => Framing::Chunked,
            (_, Some(0)) => Framing::Empty,
            (_, Some(length)) => Framing::Length(length),
            (_, None) => Framing::ToTheEnd,
        };
        // Something may follow a 204 that says so. To the client it is no body, but the connection is spent.
        let is_doubtful = status == 204 && (self.is_chunked || self.length.is_some_and(|length| length > 0));
        let is_kept = !self.closes && (is_http11 || self.keeps_alive);
        Some(Conclusion {
            framing,
            is_persistent: is_kept && !is_doubtful && framing != Framing::ToTheEnd && status != 101,
            has_date: self.has_date,
            keeps_length: self.length.is_some() && status != 204,
            names_fields: self.names_fields,
        })
    }
}
