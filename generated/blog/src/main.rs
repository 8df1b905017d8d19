//! Site `blog`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Answer, Delivery, Errors, Exchange, ForwardingFields, Hosts, Limits, Listener,
    ListenerOptions, Manifest, Networks, Settings, Site, Step, Timeouts, Trust, Value,
    Workers, respond,
};
use crate::headers::SITE_HEADERS;
use crate::late_values::LISTEN;

mod blog_example;
mod headers;
mod late_values;
mod maps;
mod regexes;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Blog, &SETTINGS)
}

struct Blog;

impl Site for Blog {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => blog_example::vhost(exchange),
            _ => {
                respond::misdirected(
                    exchange.edited(&SITE_HEADERS).with_errors(&SITE_ERRORS),
                )
            }
        }
    }
}

/// `errors` of the site
static SITE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 400,
            head: b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 405,
            head: b"HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 413,
            head: b"HTTP/1.1 413 Content Too Large\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 421,
            head: b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
    ],
};

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0, 0, 0, 3, 0, 1, 2],
    names: &[("blog.example", 0), ("www.blog.example", 0), ("blog.old.example", 0)],
    default: None,
};

/// `trusted-proxies` 127.0.0.0/8 ::1/128
static TRUSTED_PROXIES: Trust<'static> = Trust {
    networks: Networks {
        v4: &[(0x7f00_0000, 0x7fff_ffff)],
        v6: &[
            (
                0x0000_0000_0000_0000_0000_0000_0000_0001,
                0x0000_0000_0000_0000_0000_0000_0000_0001,
            ),
        ],
    },
    fields: ForwardingFields::XForwarded,
};

static SETTINGS: Settings = Settings {
    listeners: &[
        Listener {
            name: "LISTEN",
            address: Value::Late(&LISTEN),
            options: ListenerOptions::DEFAULT,
        },
    ],
    workers: Workers::PerCore,
    limits: Limits {
        connections: 16_384,
        connections_per_client: None,
        requests: 65_536,
        memory_bytes: None,
        head_bytes: 16 * 1024,
        fields: 64,
        body_bytes: 4 * 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(10),
        body: Duration::from_secs(10),
        idle: Duration::from_secs(75),
        write: Duration::from_secs(30),
        drain: Duration::from_secs(30),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest {
        site: "blog",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: Some(&SITE_ERRORS),
    upstreams: &[],
    trusted_proxies: Some(&TRUSTED_PROXIES),
    late: &[&late_values::LISTEN],
    regexes: &[&regexes::YEAR_MONTH_SLUG_IF_REGEX_REGEX],
    access_log: None,
    error_log: None,
    places: "",
};
