//! Site `static`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Delivery, Edits, Exchange, Hosts, Limits, Listener, ListenerOptions, Manifest,
    Settings, Site, Step, Timeouts, Value, Workers, respond,
};

mod static_example;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Static, &SETTINGS)
}

struct Static;

impl Site for Static {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => static_example::vhost(exchange),
            _ => respond::misdirected(exchange.edited(&SITE_HEADERS)),
        }
    }
}

/// `headers` of the site
static SITE_HEADERS: Edits<'static> = Edits {
    appended: b"x-content-type-options: nosniff\r\nreferrer-policy: strict-origin-when-cross-origin\r\n",
    rules: &[],
};

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0, 0, 0, 4, 2, 3, 1],
    names: &[
        ("static.example", 0),
        ("www.static.example", 0),
        ("localhost", 0),
        ("127.0.0.1", 0),
    ],
    default: None,
};

static SETTINGS: Settings = Settings {
    listeners: &[
        Listener {
            name: "127.0.0.1:8080",
            address: Value::Text("127.0.0.1:8080"),
            options: ListenerOptions::DEFAULT,
        },
    ],
    workers: Workers::Count(2),
    limits: Limits {
        connections: 4096,
        connections_per_client: None,
        requests: 65_536,
        memory_bytes: None,
        head_bytes: 16 * 1024,
        fields: 64,
        body_bytes: 64 * 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(10),
        body: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        write: Duration::from_secs(30),
        drain: Duration::from_secs(20),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest {
        site: "static",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: None,
    upstreams: &[],
    trusted_proxies: None,
    late: &[],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};
