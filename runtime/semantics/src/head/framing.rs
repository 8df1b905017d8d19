//! The fields that the connection itself depends on: Host, framing, persistence, expectations, upgrade (RFC 9110 §7.2, §7.6.1, §7.8, §10.1.1; RFC 9112 §6).
//!
//! Each is judged as its line is read, so that the same bytes give the same fault however they were cut.

use crate::{
    ascii::{is_token, trim},
    head::{Framing, HeadFault, Span, Version, scanner::Notes},
    method::{Method, Methods},
};

/// Methods whose meaning is in a body.
const WITH_BODY: Methods = Methods::of(&[Method::PATCH, Method::POST, Method::PUT]);

/// What the fields of a head have said so far.
#[derive(Default)]
pub(crate) struct Facts {
    host: Option<Span>,
    length: Option<u64>,
    coding: Option<Coding>,
    closes: bool,
    keeps_alive: bool,
    has_upgrade_option: bool,
    has_upgrade: bool,
    expects_continue: bool,
}

/// What a Transfer-Encoding says.
#[derive(Clone, Copy)]
enum Coding {
    Chunked,
    /// One that is not `chunked` alone.
    Refused(HeadFault),
}

/// What the connection does with a request.
pub(crate) struct Conclusion {
    pub(crate) framing: Framing,
    pub(crate) host: Option<Span>,
    pub(crate) is_persistent: bool,
    pub(crate) expects_continue: bool,
    pub(crate) asks_upgrade: bool,
}

impl Notes for Facts {
    #[inline(always)]
    fn may_read(line: &[u8], length: usize) -> bool {
        // The first letters of the names by their length.
        const FIRST: [u8; 18] = *b"\0\0\0\0h\0eu\0\0c\0\0\0c\0\0t";
        match (line.first(), FIRST.get(length)) {
            (Some(first), Some(wanted)) => first | 0x20 == *wanted,
            _ => false,
        }
    }

    #[inline(never)]
    fn read(&mut self, name: &[u8], value: &[u8], place: Span) -> Result<(), HeadFault> {
        match name.len() {
            4 if is(name, b"host") => self.host(value, place),
            6 if is(name, b"expect") => self.expect(value),
            7 if is(name, b"upgrade") => {
                self.has_upgrade = true;
                Ok(())
            }
            10 if is(name, b"connection") => self.connection(value),
            14 if is(name, b"content-length") => self.content_length(value),
            17 if is(name, b"transfer-encoding") => self.transfer_encoding(value),
            _ => Ok(()),
        }
    }
}

impl Facts {
    /// Exactly one line, and not an empty one (RFC 9112 §3.2).
    fn host(&mut self, value: &[u8], place: Span) -> Result<(), HeadFault> {
        if value.is_empty() || self.host.replace(place).is_some() { Err(HeadFault::BadRequest) } else { Ok(()) }
    }

    fn expect(&mut self, value: &[u8]) -> Result<(), HeadFault> {
        self.expects_continue = true;
        if value.eq_ignore_ascii_case(b"100-continue") { Ok(()) } else { Err(HeadFault::ExpectationFailed) }
    }

    /// Options that name a field which frames or routes are refused: whoever strips what is named here (RFC 9110 §7.6.1) reads another request than we do.
    fn connection(&mut self, value: &[u8]) -> Result<(), HeadFault> {
        // What browsers and proxies send.
        if value == b"keep-alive" {
            self.keeps_alive = true;
            return Ok(());
        }
        for option in value.split(|&byte| byte == b',').map(trim) {
            match option.len() {
                4 if option.eq_ignore_ascii_case(b"host") => return Err(HeadFault::BadRequest),
                5 => self.closes |= option.eq_ignore_ascii_case(b"close"),
                7 => self.has_upgrade_option |= option.eq_ignore_ascii_case(b"upgrade"),
                10 => self.keeps_alive |= option.eq_ignore_ascii_case(b"keep-alive"),
                14 if option.eq_ignore_ascii_case(b"content-length") => return Err(HeadFault::BadRequest),
                17 if option.eq_ignore_ascii_case(b"transfer-encoding") => return Err(HeadFault::BadRequest),
                _ => {}
            }
        }
        Ok(())
    }

    /// Once.
    fn content_length(&mut self, value: &[u8]) -> Result<(), HeadFault> {
        let length = content_length(value).ok_or(HeadFault::BadRequest)?;
        if self.length.replace(length).is_some() { Err(HeadFault::BadRequest) } else { Ok(()) }
    }

    /// Exactly `chunked`. 501 for codings that we do not know, 400 for what no client may send.
    fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), HeadFault> {
        let coding = if value.eq_ignore_ascii_case(b"chunked") { Coding::Chunked } else { Coding::Refused(coding_fault(value)) };
        if self.coding.replace(coding).is_some() { Err(HeadFault::BadRequest) } else { Ok(()) }
    }

    /// What all fields together say (RFC 9112 §6.3, §9.3).
    pub(crate) fn conclude(self, method: Method, version: Version) -> Result<Conclusion, HeadFault> {
        let is_http11 = version == Version::Http11;
        if is_http11 && self.host.is_none() {
            return Err(HeadFault::BadRequest);
        }
        let framing = match (self.coding, self.length) {
            // RFC 1945 §8.3 and §7.2.2: there a body without a length ends where the connection does, so its last byte can't be told from a break.
            (None, None) if !is_http11 && WITH_BODY.contains(method) => return Err(HeadFault::LengthRequired),
            (None, None | Some(0)) => Framing::Empty,
            (None, Some(length)) => Framing::Length(length),
            (Some(_), Some(_)) => return Err(HeadFault::BadRequest),
            (Some(_), None) if !is_http11 => return Err(HeadFault::BadRequest),
            (Some(Coding::Chunked), None) => Framing::Chunked,
            (Some(Coding::Refused(fault)), None) => return Err(fault),
        };
        Ok(Conclusion {
            framing,
            host: self.host,
            is_persistent: !self.closes && (is_http11 || self.keeps_alive),
            expects_continue: self.expects_continue && is_http11 && framing != Framing::Empty,
            asks_upgrade: self.has_upgrade && self.has_upgrade_option && is_http11,
        })
    }
}

/// `1*DIGIT`, below 2^63. A list is refused even if its members are equal.
pub(crate) fn content_length(value: &[u8]) -> Option<u64> {
    let mut length = 0_u64;
    for digit in value {
        if !digit.is_ascii_digit() {
            return None;
        }
        length = length.checked_mul(10).and_then(|length| length.checked_add(u64::from(digit - b'0')))?;
    }
    // Above that a signed length or a sum would wrap somewhere behind us.
    if value.is_empty() || length > i64::MAX as u64 { None } else { Some(length) }
}

/// Compares a name of that length with a lower-case one. Names are tokens: of their bytes only a capital becomes a letter by this bit, and none a hyphen.
#[inline(always)]
pub(crate) fn is<const N: usize>(name: &[u8], wanted: &[u8; N]) -> bool {
    name.first_chunk::<N>()
        .is_some_and(|name| name.iter().zip(wanted).fold(true, |is_same, (byte, wanted)| is_same & (byte | 0x20 == *wanted)))
}

fn coding_fault(value: &[u8]) -> HeadFault {
    let members = || value.split(|&byte| byte == b',').map(trim);
    let is_malformed = members().any(|member| !is_token(trim(member.split(|&byte| byte == b';').next().unwrap_or_default())));
    // `chunked` must be there once, last and without parameters (RFC 9112 §6.1): before another coding the end of the body is unknown.
    let is_chunked = |member: &[u8]| {
        member.get(..7).is_some_and(|front| front.eq_ignore_ascii_case(b"chunked"))
            && !member.get(7).is_some_and(|&byte| crate::ascii::is(byte, crate::ascii::TOKEN))
    };
    let chunked = members().filter(|member| is_chunked(member)).count();
    let is_last = members().next_back().is_some_and(|member| member.eq_ignore_ascii_case(b"chunked"));
    if is_malformed || chunked > 1 || (chunked == 1 && !is_last) { HeadFault::BadRequest } else { HeadFault::NotImplemented }
}
