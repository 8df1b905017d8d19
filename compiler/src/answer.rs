//! Answers that are known at build time: status line, fields and body, byte for byte as the binary sends them.
//!
//! `emit` prints them as constants and `evaluate` gives them to `explain` and `test`, so that both say the same. The engine adds `date`,
//! `connection` and the empty line. Field order: content-type, content-length, content-range, accept-ranges,
//! content-encoding, etag, last-modified, cache-control, vary, location, allow.
//! The runtime renders the errors it makes itself in the same way; the oracle holds the two together.

pub use semantics::status::reason;
use semantics::{
    date, files,
    method::{Method, Methods},
    negotiate::Coding,
    partial,
    status::may_have_body,
};

use crate::plan::ErrorPage;

/// What a text has that names no content type.
pub const TEXT: &str = "text/plain; charset=utf-8";

/// The owned twin of the runtime's `Answer`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Prebuilt {
    pub status: u16,
    /// Status line and field lines, each with CRLF; without `date`, `connection` and the empty line.
    pub head: Vec<u8>,
    /// Left out by the engine for HEAD.
    pub body: Vec<u8>,
}

impl Prebuilt {
    /// The field lines of the head: all behind the status line.
    pub fn fields(&self) -> &[u8] {
        let line_end = self.head.iter().position(|byte| *byte == b'\n').map_or(self.head.len(), |at| at + 1);
        &self.head[line_end..]
    }
}

/// An answer of the site's own text. An empty body has a content type only if one is given; 1xx, 204 and 304 have neither body nor length.
pub fn respond(status: u16, body: &[u8], content_type: Option<&str>) -> Prebuilt {
    let body = if may_have_body(status) { body } else { b"" };
    prebuilt(status, body, content_type.unwrap_or_else(|| default_content_type(status, body.is_empty())), &[])
}

/// The content type of a `respond` that names none; empty: no such field. A body that is rendered for each request counts as not empty.
pub const fn default_content_type(status: u16, is_empty: bool) -> &'static str {
    if may_have_body(status) && !is_empty { TEXT } else { "" }
}

/// What kiln itself says with an error status: the status and its reason as plain text.
pub fn builtin(status: u16) -> Prebuilt {
    prebuilt(status, &builtin_body(status), TEXT, &[])
}

/// A page of the site's instead of [`builtin`].
pub fn page(page: &ErrorPage) -> Prebuilt {
    page_of(page.status, &page.content_type, &page.body)
}

/// A page for a status.
pub fn page_of(status: u16, content_type: &str, body: &[u8]) -> Prebuilt {
    prebuilt(status, body, content_type, &[])
}

/// What kiln itself says under a scope: its page for the status, else [`builtin`]; for 405 with the methods that would have been taken.
pub fn own(status: u16, written: Option<&ErrorPage>, methods: Option<Methods>) -> Prebuilt {
    let mut answer = written.map_or_else(|| builtin(status), page);
    if let Some(methods) = methods {
        answer.head.extend_from_slice(format!("allow: {}\r\n", allow(methods)).as_bytes());
    }
    answer
}

/// The same where an upstream has failed: the built-in text names the fault, as the access log does.
pub fn fault(status: u16, written: Option<&ErrorPage>, name: &str) -> Prebuilt {
    let body = [&builtin_body(status)[..], name.as_bytes(), b"\n"].concat();
    written.map_or_else(|| prebuilt(status, &body, TEXT, &[]), page)
}

/// What [`own`] says with 416, and of how many bytes nothing was to be had.
pub fn unsatisfiable(written: Option<&ErrorPage>, length: u64) -> Prebuilt {
    let mut answer = own(416, written, None);
    partial::push_unsatisfied(length, &mut answer.head);
    answer
}

/// 405 with the methods that would have been taken.
pub fn method_not_allowed(methods: Methods) -> Prebuilt {
    own(405, None, Some(methods))
}

/// A preflight's answer; the policy's fields come behind.
pub fn preflight() -> Prebuilt {
    prebuilt(204, b"", "", &[])
}

/// A redirect without a body; `location` is sent as it is.
pub fn redirect(status: u16, location: impl AsRef<[u8]>) -> Prebuilt {
    prebuilt(status, b"", "", &[("location", location.as_ref())])
}

/// What a file that was read at build time is sent with, in one of its codings.
#[derive(Clone, Copy, Debug)]
pub struct AssetForm<'a> {
    pub content_type: &'a str,
    pub coding: Coding,
    /// With its quotes.
    pub etag: &'a str,
    /// Bytes of the body in that coding.
    pub bytes: u64,
    /// The file exists in more than one coding.
    pub is_negotiated: bool,
    /// It never changes under its name.
    pub is_immutable: bool,
    /// Seconds since 1970, where the answer says when the file was changed.
    pub modified: Option<u64>,
}

impl AssetForm<'_> {
    /// Status line and fields of its 200.
    pub fn head(&self) -> Vec<u8> {
        let mut head = status_line(200);
        head.push_str(&format!("content-type: {}\r\ncontent-length: {}\r\naccept-ranges: bytes\r\n", self.content_type, self.bytes));
        if self.coding != Coding::Identity {
            head.push_str(&format!("content-encoding: {}\r\n", self.coding.name()));
        }
        self.push_validators(head)
    }

    /// Status line and fields of its 304: what a cache may have to update (RFC 9110 §15.4.5).
    pub fn not_modified(&self) -> Vec<u8> {
        self.push_validators(status_line(304))
    }

    fn push_validators(&self, mut head: String) -> Vec<u8> {
        head.push_str(&format!("etag: {}\r\n", self.etag));
        if let Some(modified) = self.modified {
            let mut text = [0; 29];
            date::write(modified, &mut text);
            head.push_str(&format!("last-modified: {}\r\n", String::from_utf8_lossy(&text)));
        }
        if self.is_immutable {
            head.push_str(files::IMMUTABLE);
        }
        if self.is_negotiated {
            head.push_str("vary: accept-encoding\r\n");
        }
        head.into_bytes()
    }
}

/// Value of an `allow` field: the methods in the order of their numbers.
pub fn allow(methods: Methods) -> String {
    methods.iter().filter_map(Method::name).collect::<Vec<_>>().join(", ")
}

/// `HTTP/1.1 404 Not Found\r\n`; the blank before an empty reason stays (RFC 9112 §4).
pub fn status_line(status: u16) -> String {
    format!("HTTP/1.1 {status} {}\r\n", reason(status))
}

fn prebuilt(status: u16, body: &[u8], content_type: &str, more: &[(&str, &[u8])]) -> Prebuilt {
    let mut head = status_line(status);
    if !content_type.is_empty() {
        head.push_str(&format!("content-type: {content_type}\r\n"));
    }
    if may_have_body(status) {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    let mut head = head.into_bytes();
    for (name, value) in more {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    Prebuilt { status, head, body: body.to_vec() }
}

fn builtin_body(status: u16) -> Vec<u8> {
    if !may_have_body(status) {
        return Vec::new();
    }
    match reason(status) {
        "" => format!("{status}\n").into_bytes(),
        reason => format!("{status} {reason}\n").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Prebuilt, builtin, redirect, respond};

    fn text(answer: &Prebuilt) -> String {
        format!("{}\n{}", String::from_utf8_lossy(&answer.head), String::from_utf8_lossy(&answer.body))
    }

    #[test]
    fn respond_text_has_default_content_type() {
        let answer = respond(200, b"ok\n", None);
        assert_eq!(text(&answer), "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n\nok\n");
        assert!(answer.fields().starts_with(b"content-type"));
    }

    #[test]
    fn respond_empty_has_length_only() {
        assert_eq!(text(&respond(200, b"", None)), "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\n");
    }

    #[test]
    fn respond_no_content_has_no_length() {
        assert_eq!(text(&respond(204, b"ignored", None)), "HTTP/1.1 204 No Content\r\n\n");
    }

    #[test]
    fn builtin_unknown_status_has_empty_reason() {
        let expected = "HTTP/1.1 499 \r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 4\r\n\n499\n";
        assert_eq!(text(&builtin(499)), expected);
    }

    #[test]
    fn redirect_has_location_after_length() {
        assert_eq!(text(&redirect(308, "/a")), "HTTP/1.1 308 Permanent Redirect\r\ncontent-length: 0\r\nlocation: /a\r\n\n");
    }
}
