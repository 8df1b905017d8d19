//! Status codes: their reason phrases and whether an answer of theirs has a body.
//!
//! Source: IANA's registry of HTTP status codes. The runtime renders heads with it, the compiler prints prebuilt ones with it.

/// The reason phrase that the registry has for `status`; empty where it has none (the blank before it stays, RFC 9112 §4).
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

/// Whether an answer of that status can have a body and a content length (RFC 9110 §6.4.1, §8.6).
pub const fn may_have_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
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
        506 => "Variant Also Negotiates",         // RFC 2295
        507 => "Insufficient Storage",            // RFC 4918
        508 => "Loop Detected",                   // RFC 5842
        510 => "Not Extended",                    // RFC 2774
        511 => "Network Authentication Required", // RFC 6585
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_of_registered_codes_is_the_registry_s() {
        let expected = [
            (103, "Early Hints"),
            (200, "OK"),
            (308, "Permanent Redirect"),
            (421, "Misdirected Request"),
            (505, "HTTP Version Not Supported"),
        ];
        for (status, text) in expected {
            assert_eq!(reason(status), text);
        }
    }

    #[test]
    fn reason_of_unregistered_codes_is_empty() {
        for status in [0, 99, 199, 299, 306, 418, 499, 509, 599, 600, u16::MAX] {
            assert_eq!(reason(status), "", "{status}");
        }
    }
}
