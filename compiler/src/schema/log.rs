//! What the server writes down: the access log, the log of errors, counters.

use super::{Argument, Block, Count, Kind, LATE_DEFAULT, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "access-log",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "file", kind: Kind::LateText, count: Count::One }],
        properties: &[
            property(
                "format",
                Kind::Choice(&["json", "common", "combined"]),
                "One object a line, which tells of upstreams as well where one was asked, or a line as NCSA's servers wrote it; `\"json\"` without it.",
            ),
            property(
                "template",
                Kind::Text,
                "A line of one's own in the place of `format`; values that are inserted are quoted. Beside the values of other templates it may name `{time}`, `{time-common}`, `{protocol}`, `{written-target}`, `{bytes}` (of the body), `{sent-bytes}` (head and all), `{received-bytes}`, `{duration}`, `{outcome}`, `{cause}`, `{vhost}` and `{route}`; and of what an upstream answers `{upstream}` (its name or URL), `{endpoint}` (the address that was asked last), `{attempts}`, `{connect-duration}`, `{first-byte-duration}` and `{upstream-status}` (`-` or 0 where none was asked). Durations are seconds.",
            ),
            LATE_DEFAULT,
        ],
        block: Block::Optional(Scope::AccessLog),
        doc: "Writes a line for each exchange to `\"stdout\"`, `\"stderr\"` or a file, whose path may be relative to the working directory of the server and which SIGUSR1 opens anew.",
        example: r#"access-log "/var/log/kiln/shop.log" template="{time} {client-ip} {method} {host}{written-target} {status} {sent-bytes} {duration}" {
    redact "voucher" "x-device"
}"#,
        ..Word::NEW
    },
    Word {
        name: "redact",
        scopes: &[Scope::AccessLog],
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::Many }],
        repeat: Repeat::Many,
        doc: "Query keys, cookies and headers whose values are not written, beside those that never are (the plan lists all).",
        example: r#"access-log "stdout" { redact "voucher" "x-device" }"#,
        ..Word::NEW
    },
    Word {
        name: "error-log",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "file", kind: Kind::LateText, count: Count::One }],
        properties: &[LATE_DEFAULT],
        default: Some(inherit::ERROR_LOG),
        doc: "Where the running server says what went wrong: `\"stderr\"` or a file, whose path may be relative to its working directory and which SIGUSR1 opens anew.",
        example: r#"error-log "/var/log/kiln/shop.errors""#,
        ..Word::NEW
    },
    Word {
        name: "metrics",
        scopes: &[Scope::Site],
        properties: &[
            property("per-vhost", Kind::Bool, "Counts what no route of a vhost took for the vhost; `#true` without it."),
            property(
                "per-route",
                Kind::Bool,
                "Counts for each route; `#true` without it. With `#false` its vhost stands for a route, also in the access log.",
            ),
        ],
        doc: "Counts answers by their class, those that broke off, and bytes, for each vhost and route; SIGUSR2 has them said where the server says what went wrong, beside what the endpoints of upstreams have done.",
        example: "metrics",
        ..Word::NEW
    },
];

const fn property(name: &'static str, kind: Kind, doc: &'static str) -> Property {
    Property { name, kind, is_required: false, doc, since: Since::Version("0.1.0") }
}
