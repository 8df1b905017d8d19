//! Answers that are known at build time: status line, fields and body, byte for byte as the binary sends them.
//!
//! `emit` prints them as constants and `evaluate` gives them to `explain` and `test`, so that both say the same. The engine adds `date`,
//! `connection` and the empty line. Field order: content-type, content-length, content-encoding, etag, last-modified, vary, location, allow.
//! The runtime has its own table for the errors it makes itself; a test holds the two together.

use semantics::method::Methods;

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
    let content_type = content_type.or((!body.is_empty()).then_some(TEXT));
    prebuilt(status, body, content_type, &[])
}

/// What kiln itself says with an error status: the status and its reason as plain text.
pub fn builtin(status: u16) -> Prebuilt {
    prebuilt(status, &builtin_body(status), Some(TEXT), &[])
}

/// 405 with the methods that would have been taken.
pub fn method_not_allowed(methods: Methods) -> Prebuilt {
    prebuilt(405, &builtin_body(405), Some(TEXT), &[("allow", &allow(methods))])
}

/// A redirect without a body; `location` is sent as it is.
pub fn redirect(status: u16, location: &str) -> Prebuilt {
    prebuilt(status, b"", None, &[("location", location)])
}

/// Whether an answer of that status can have a body and a content length (RFC 9110 §6.4.1, §8.6).
pub const fn may_have_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

/// Value of an `allow` field: the methods in the order of their numbers.
pub fn allow(methods: Methods) -> String {
    methods.iter().filter_map(semantics::method::Method::name).collect::<Vec<_>>().join(", ")
}

/// `HTTP/1.1 404 Not Found\r\n`; the blank before an empty reason stays (RFC 9112 §4).
pub fn status_line(status: u16) -> String {
    format!("HTTP/1.1 {status} {}\r\n", reason(status))
}

fn prebuilt(status: u16, body: &[u8], content_type: Option<&str>, more: &[(&str, &str)]) -> Prebuilt {
    let mut head = status_line(status);
    if let Some(content_type) = content_type {
        head.push_str(&format!("content-type: {content_type}\r\n"));
    }
    if may_have_body(status) {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for (name, value) in more {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    Prebuilt { status, head: head.into_bytes(), body: body.to_vec() }
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

/// The reason phrase that IANA's registry of status codes has; empty where it has none.
pub const fn reason(status: u16) -> &'static str {
    match status {
        100..=199 => informational(status),
        200..=299 => success(status),
        300..=399 => redirection(status),
        400..=499 => client_error(status),
        500..=599 => server_error(status),
        _ => "",
    }
}

const fn informational(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        101 => "Switching Protocols",
        102 => "Processing",  // RFC 2518
        103 => "Early Hints", // RFC 8297
        104 => "Upload Resumption Supported",
        _ => "",
    }
}

const fn success(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        207 => "Multi-Status",     // RFC 4918
        208 => "Already Reported", // RFC 5842
        226 => "IM Used",          // RFC 3229
        _ => "",
    }
}

const fn redirection(status: u16) -> &'static str {
    match status {
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        305 => "Use Proxy",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        _ => "",
    }
}

const fn client_error(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",                          // RFC 4918
        424 => "Failed Dependency",               // RFC 4918
        425 => "Too Early",                       // RFC 8470
        426 => "Upgrade Required",                // RFC 9110 §15.5.22
        428 => "Precondition Required",           // RFC 6585
        429 => "Too Many Requests",               // RFC 6585
        431 => "Request Header Fields Too Large", // RFC 6585
        451 => "Unavailable For Legal Reasons",   // RFC 7725
        _ => "",
    }
}

const fn server_error(status: u16) -> &'static str {
    match status {
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        506 => "Variant Also Negotiates", // RFC 2295
        507 => "Insufficient Storage",    // RFC 4918
        508 => "Loop Detected",           // RFC 5842
        510 => "Not Extended",            // RFC 2774
        511 => "Network Authentication Required",
        _ => "",
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
