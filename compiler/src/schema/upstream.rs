//! `upstream` and the words in its blocks.

use super::{Argument, Block, Count, Kind, LATE_DEFAULT, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

/// What a request may be sent again after, beside statuses.
pub const RETRIED: &[&str] = &["connect", "first-byte-timeout", "reset-before-response"];

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "upstream",
        scopes: &[Scope::Top],
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::One }],
        block: Block::Required(Scope::Upstream),
        repeat: Repeat::Many,
        doc: "A named set of endpoints that `proxy` sends requests to.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000" weight=2
    endpoint "10.0.0.6:3000"
    endpoint "10.0.1.7:3000" backup=#true
    eject after=3 for="10s"
    retry 2 { on "connect" "reset-before-response" "503" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "endpoint",
        arguments: &[Argument { name: "address", kind: Kind::LateText, count: Count::One }],
        properties: &[
            property("weight", Kind::Integer(1, 10_000), "Its part of the requests: its weight of the sum of all weights; 1 without it."),
            property("backup", Kind::Bool, "It is asked only where no other endpoint is in rotation."),
            LATE_DEFAULT,
        ],
        repeat: Repeat::Many,
        is_required: true,
        doc: "One address of the upstream: a numeric address and port, or `unix:` and the absolute path of a socket.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000" weight=2
    endpoint "[fd00::5]:3000"
    endpoint "unix:/run/app.sock"
    endpoint (env)"FALLBACK" default="10.0.1.7:3000" backup=#true
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..UPSTREAM
    },
    Word {
        name: "balance",
        arguments: &[Argument { name: "strategy", kind: Kind::Text, count: Count::One }],
        default: Some(inherit::BALANCE),
        doc: "How an endpoint is picked: `\"round-robin\"` takes them in turn, by weight.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    endpoint "10.0.0.6:3000"
    balance "round-robin"
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..UPSTREAM
    },
    Word {
        name: "pool",
        block: Block::Required(Scope::Pool),
        doc: "Idle connections kept to each endpoint for the next request.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    pool { idle-connections 128; idle-timeout "20s"; requests-per-connection 10000; connection-age "30m" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..UPSTREAM
    },
    Word {
        name: "idle-connections",
        arguments: &[Argument { name: "count", kind: Kind::Integer(0, 4096), count: Count::One }],
        default: Some(inherit::IDLE_CONNECTIONS),
        doc: "Idle connections kept to each endpoint, for the whole process: its workers share them, and each may keep one. 0: none is used twice.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    pool { idle-connections 256 }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..POOL
    },
    Word {
        name: "idle-timeout",
        arguments: DURATION,
        default: Some(inherit::POOL_IDLE_TIMEOUT),
        doc: "How long an idle connection is kept; less than the endpoint itself keeps it.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    pool { idle-timeout "4s" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..POOL
    },
    Word {
        name: "requests-per-connection",
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 1_000_000_000), count: Count::One }],
        default: Some(inherit::REQUESTS_PER_CONNECTION),
        doc: "Requests sent over one connection before it is closed.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    pool { requests-per-connection 1000 }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..POOL
    },
    Word {
        name: "connection-age",
        arguments: DURATION,
        default: Some(inherit::CONNECTION_AGE),
        doc: "The age at which a connection is not used again.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    pool { connection-age "10m" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..POOL
    },
    Word {
        name: "timeouts",
        block: Block::Required(Scope::UpstreamTimeouts),
        doc: "How long the server waits for an endpoint; what a `proxy` says of it counts there alone.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    timeouts { connect "1s"; first-byte "10s"; between-bytes "30s"; total "5m"; tunnel-idle "10m" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
    route "/reports/*" { proxy "app" { timeouts { first-byte "2m" } } }
}"#,
        scopes: &[Scope::Upstream, Scope::Proxy],
        ..Word::NEW
    },
    timeout(
        "connect",
        inherit::CONNECT_TIMEOUT,
        "Until a connection stands; else 504.",
        r#"route "/*" { proxy "http://10.0.0.5:3000" { timeouts { connect "500ms" } } }"#,
    ),
    timeout(
        "first-byte",
        inherit::FIRST_BYTE_TIMEOUT,
        "From the last byte of the request to the first one of the answer; else 504.",
        r#"route "/*" { proxy "http://10.0.0.5:3000" { timeouts { first-byte "5s" } } }"#,
    ),
    timeout(
        "between-bytes",
        inherit::BETWEEN_BYTES_TIMEOUT,
        "Between two pieces of the answer, or of the request while it is taken; else the exchange is given up.",
        r#"route "/*" { proxy "http://10.0.0.5:3000" { timeouts { between-bytes "20s" } } }"#,
    ),
    Word {
        name: "total",
        scopes: &[Scope::UpstreamTimeouts],
        arguments: &[Argument { name: "duration", kind: Kind::DurationOrOff, count: Count::One }],
        default: Some(inherit::TOTAL_TIMEOUT),
        doc: "For the whole exchange, up to the last byte of the answer; `\"off\"` sets no bound. A tunnel is not counted.",
        example: r#"route "/*" { proxy "http://10.0.0.5:3000" { timeouts { total "1m" } } }"#,
        ..Word::NEW
    },
    timeout(
        "tunnel-idle",
        inherit::TUNNEL_IDLE_TIMEOUT,
        "How long an upgraded connection may be without a byte either way.",
        r#"route "/ws" { proxy "http://10.0.0.5:3000" { upgrade "websocket"; timeouts { tunnel-idle "10m" } } }"#,
    ),
    Word {
        name: "eject",
        arguments: &[Argument { name: "is-ejected", kind: Kind::Bool, count: Count::Optional }],
        properties: &[
            property("after", Kind::Integer(1, 1_000_000), "Failures in a row; 5 without it."),
            property("for", Kind::Duration, "How long the endpoint gets no requests; 30s without it."),
        ],
        doc: "Takes an endpoint that fails out of rotation; `#false`: never. What fails are connections, answers that do not come in time and those that can't \
              be read; statuses do not count. Where all are out, all are asked. An upstream with several endpoints ejects by itself.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    endpoint "10.0.0.6:3000"
    eject after=3 for="10s"
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..UPSTREAM
    },
    Word {
        name: "retry",
        arguments: &[Argument { name: "times", kind: Kind::Integer(0, 10), count: Count::One }],
        properties: &[property(
            "budget",
            Kind::Text,
            "The part of all requests that may be retries, such as `\"20%\"`, which it is without it.",
        )],
        block: Block::Optional(Scope::Retry),
        doc: "Sends a failed request again, at most so often, to another endpoint where there is one: only where nothing of it was sent, or where the method is safe \
              (such as GET, HEAD, OPTIONS). An upstream with several endpoints retries once by itself; `retry 0` never.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    endpoint "10.0.0.6:3000"
    retry 2 budget="10%"
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..UPSTREAM
    },
    Word {
        name: "on",
        scopes: &[Scope::Retry],
        arguments: &[Argument { name: "failure", kind: Kind::Text, count: Count::Many }],
        default: Some(inherit::RETRIED),
        doc: "What a request is sent again after: `\"connect\"` (its timeout included), `\"reset-before-response\"`, `\"first-byte-timeout\"`, or an answer's status, such as `\"503\"`.",
        example: r#"upstream "app" {
    endpoint "10.0.0.5:3000"
    endpoint "10.0.0.6:3000"
    retry 2 { on "connect" "503" }
}
vhost "shop.example" {
    route "/*" { proxy "app" }
}"#,
        ..Word::NEW
    },
];

const DURATION: &[Argument] = &[Argument { name: "duration", kind: Kind::Duration, count: Count::One }];

/// The defaults of a word in `upstream`.
const UPSTREAM: Word = Word { scopes: &[Scope::Upstream], ..Word::NEW };

/// The defaults of a word in `pool`.
const POOL: Word = Word { scopes: &[Scope::Pool], ..Word::NEW };

const fn timeout(name: &'static str, default: &'static str, doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::UpstreamTimeouts], arguments: DURATION, default: Some(default), doc, example, ..Word::NEW }
}

const fn property(name: &'static str, kind: Kind, doc: &'static str) -> Property {
    Property { name, kind, is_required: false, doc, since: Since::Version("0.1.0") }
}
