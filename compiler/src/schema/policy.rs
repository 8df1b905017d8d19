//! Policies: words that tune an answer in `site`, `vhost`, `group` and `route`, outer scopes first.

use super::{Argument, Block, Count, Kind, LATE_DEFAULT, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

/// Where a policy stands.
const POLICY: &[Scope] = &[Scope::Site, Scope::Vhost, Scope::Group, Scope::Route];

/// Where a header rule stands.
const RULE: &[Scope] = &[Scope::Headers, Scope::OnlyHeaders, Scope::RequestHeaders, Scope::UpstreamHeaders];

pub(super) const WORDS: &[Word] = &[
    policy(
        "headers",
        Scope::Headers,
        "Edits the headers of every answer of the scope, errors and 304 included.",
        r#"headers {
    set "x-content-type-options" "nosniff"
    default "cache-control" "max-age=300"
    add "link" "</style.css>; rel=preload; as=style"
    remove "x-powered-by"
}"#,
    ),
    policy(
        "request-headers",
        Scope::RequestHeaders,
        "Edits the headers that an upstream gets.",
        r#"request-headers { set "x-client" "{client-ip}"; remove "cookie" }"#,
    ),
    policy(
        "upstream-headers",
        Scope::UpstreamHeaders,
        "Edits the headers that came from an upstream, before `headers` do.",
        r#"upstream-headers { remove "x-powered-by"; only status=404 { remove "set-cookie" } }"#,
    ),
    rule("set", "The header has exactly this value; drops outer rules of that name.", r#"headers { set "x-frame-options" "DENY" }"#),
    rule(
        "add",
        "One more line of the header; drops nothing.",
        r#"headers { add "link" "</next>; rel=next"; add "link" "</prev>; rel=prev" }"#,
    ),
    rule(
        "default",
        "The value where there is none of that name; drops outer rules of that name.",
        r#"headers { default "cache-control" "no-cache" }"#,
    ),
    Word {
        name: "remove",
        scopes: RULE,
        arguments: &[many("names")],
        repeat: Repeat::Many,
        doc: "No header of these names, or of the names that begin as `\"x-*\"` says; drops outer rules of those names.",
        example: r#"headers { remove "server" "x-debug-*" }"#,
        ..Word::NEW
    },
    Word {
        name: "reset",
        scopes: &[Scope::Headers, Scope::RequestHeaders, Scope::UpstreamHeaders],
        doc: "Drops all rules of outer scopes.",
        example: r#"route "/plain" {
    headers { reset; set "x-only" "this one" }
    respond 200 "no header of an outer scope\n"
}"#,
        ..Word::NEW
    },
    Word {
        name: "only",
        scopes: &[Scope::Headers, Scope::UpstreamHeaders],
        properties: &[Property {
            name: "status",
            kind: Kind::Status,
            is_required: true,
            doc: "The status that an answer must have.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Required(Scope::OnlyHeaders),
        repeat: Repeat::Many,
        doc: "Rules for answers with one status; an inner rule drops an outer one only where it holds for all of its statuses.",
        example: r#"headers {
    only status=404 { set "cache-control" "no-store" }
}"#,
        ..Word::NEW
    },
    policy(
        "errors",
        Scope::Errors,
        "Pages for what kiln itself answers with an error status (what an upstream answers is `intercept`'s); an inner page wins over an outer one of its status.",
        r#"errors { page 404 file="public/index.html" }"#,
    ),
    Word {
        name: "page",
        scopes: &[Scope::Errors],
        arguments: &[Argument { name: "status", kind: Kind::Status, count: Count::Many }],
        properties: &[Property {
            name: "file",
            kind: Kind::Text,
            is_required: true,
            doc: "The page, read at build time; relative to the file that names it.",
            since: Since::Version("0.1.0"),
        }],
        repeat: Repeat::Many,
        doc: "The file that is the body of answers with these statuses, 400 to 599.",
        example: r#"errors { page 502 503 504 file="public/index.html" }"#,
        ..Word::NEW
    },
    Word {
        name: "limit-body",
        scopes: POLICY,
        arguments: &[Argument { name: "size", kind: Kind::Size(0, 1 << 40), count: Count::One }],
        default: Some(inherit::BODY),
        doc: "Bytes of a request's body; more is answered with 413. Replaces an outer one, and `body` of the site's `limits`.",
        example: r#"limit-body "1MiB"
route "/upload" { methods "PUT"; limit-body "100MiB"; respond 204 }"#,
        ..Word::NEW
    },
    policy(
        "access",
        Scope::Access,
        "Who is let in by address; the first rule that holds the client decides. Others get 403. Outer rules must allow as well.",
        r#"access { refuse "10.9.0.0/16"; allow "10.0.0.0/8" }"#,
    ),
    networks(
        "allow",
        "Networks that are let in; where a list has one, all others are kept out.",
        r#"access { allow "10.0.0.0/8" "2001:db8::/32" }"#,
    ),
    networks("refuse", "Networks that are kept out.", r#"access { refuse "192.0.2.0/24" }"#),
    Word {
        name: "replace",
        scopes: &[Scope::Access],
        doc: "Sets the rules of outer scopes aside.",
        example: r#"access { allow "10.0.0.0/8" }
route "/public" { access { replace }; respond 200 }"#,
        ..Word::NEW
    },
    policy(
        "cors",
        Scope::Cors,
        "What scripts of other origins may ask for; preflights are answered. Replaces an outer one.",
        r#"cors { origin "https://partner.example"; methods "PUT"; max-age "1h" }"#,
    ),
    Word {
        name: "origin",
        scopes: &[Scope::Cors],
        arguments: &[many("origin")],
        is_required: true,
        doc: "Origins that may ask, such as `https://partner.example`, or `*` for every one.",
        example: r#"cors { origin "https://partner.example" "http://localhost:3000" }"#,
        ..Word::NEW
    },
    cors_list("methods", &[many("method")], "Methods beside GET, HEAD and POST, or `*`.", r#"cors { origin "*"; methods "PUT" "DELETE" }"#),
    cors_list(
        "headers",
        &[many("name")],
        "Request headers beside those that are always allowed, or `*`.",
        r#"cors { origin "*"; headers "x-requested-with" }"#,
    ),
    cors_list(
        "expose",
        &[many("name")],
        "Headers of the answer that scripts may read, or `*`.",
        r#"cors { origin "*"; expose "x-total" }"#,
    ),
    Word {
        name: "max-age",
        scopes: &[Scope::Cors],
        arguments: &[Argument { name: "duration", kind: Kind::Duration, count: Count::One }],
        doc: "How long a browser may remember the answer to a preflight; its own time (5 s) without it.",
        example: r#"cors { origin "*"; max-age "1h" }"#,
        ..Word::NEW
    },
    Word {
        name: "credentials",
        scopes: &[Scope::Cors],
        doc: "Requests may bring cookies and other credentials.",
        example: r#"cors { origin "https://partner.example"; credentials }"#,
        ..Word::NEW
    },
    Word {
        name: "encode",
        scopes: POLICY,
        arguments: &[
            Argument { name: "is-encoded", kind: Kind::Bool, count: Count::Optional },
            Argument { name: "coding", kind: Kind::Choice(&["zstd", "br", "gzip"]), count: Count::Any },
        ],
        properties: &[Property {
            name: "min",
            kind: Kind::Size(0, 1 << 30),
            is_required: false,
            doc: "Bytes below which a body is left alone; 512B where nothing is said.",
            since: Since::Version("0.1.0"),
        }],
        doc: "Compresses answers that are text, in the coding that the client prefers of these, the first of equals; `#false`: nothing. Replaces an outer one. \
              Leaves alone what is compressed already (embedded files are), parts of files, and what says `cache-control: no-transform`.",
        example: r#"encode "zstd" "br" "gzip" min="1KiB"
route "/raw" { encode #false; respond 200 "as it is\n" }"#,
        ..Word::NEW
    },
    Word {
        name: "log",
        scopes: POLICY,
        arguments: &[Argument { name: "is-written", kind: Kind::Bool, count: Count::One }],
        doc: "Whether exchanges are written to the access log of the site; replaces an outer one.",
        example: r#"site "demo" language=1 {
    listen "127.0.0.1:8080"
    access-log "stdout"
}
vhost "shop.example" {
    route "/healthz" { log #false; respond 200 "ok\n" }
}"#,
        ..Word::NEW
    },
];

const fn policy(name: &'static str, inside: Scope, doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: POLICY, block: Block::Required(inside), doc, example, ..Word::NEW }
}

const fn rule(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    const ARGUMENTS: &[Argument] = &[
        Argument { name: "name", kind: Kind::Text, count: Count::One },
        Argument { name: "value", kind: Kind::LateText, count: Count::One },
    ];
    const PROPERTIES: &[Property] = &[LATE_DEFAULT];
    Word { name, scopes: RULE, arguments: ARGUMENTS, properties: PROPERTIES, repeat: Repeat::Many, doc, example, ..Word::NEW }
}

const fn networks(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    const ARGUMENTS: &[Argument] = &[many("network")];
    Word { name, scopes: &[Scope::Access], arguments: ARGUMENTS, repeat: Repeat::Many, doc, example, ..Word::NEW }
}

const fn cors_list(name: &'static str, arguments: &'static [Argument], doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::Cors], arguments, doc, example, ..Word::NEW }
}

const fn many(name: &'static str) -> Argument {
    Argument { name, kind: Kind::Text, count: Count::Many }
}
