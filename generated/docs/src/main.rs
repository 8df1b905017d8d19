//! Site `docs`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Delivery, Exchange, ForwardingFields, Hosts, Limits, Listener, ListenerOptions,
    Manifest, Networks, Settings, Site, Step, Timeouts, Trust, Value, Workers, respond,
};
use crate::headers::SITE_HEADERS;
use crate::late_values::LISTEN;

mod docs_example;
mod headers;
mod late_values;
mod maps;
mod regexes;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Docs, &SETTINGS)
}

struct Docs;

impl Site for Docs {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => docs_example::vhost(exchange),
            _ => respond::misdirected(exchange.edited(&SITE_HEADERS)),
        }
    }
}

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[1, 0, 0, 0, 0, 3, 0, 2],
    names: &[("docs.example", 0), ("www.docs.example", 0), ("docs.old.example", 0)],
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
    fields: ForwardingFields::Forwarded,
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
        body_bytes: 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(10),
        body: Duration::from_secs(30),
        idle: Duration::from_secs(75),
        write: Duration::from_secs(30),
        drain: Duration::from_secs(30),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest {
        site: "docs",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: None,
    upstreams: &[],
    trusted_proxies: Some(&TRUSTED_PROXIES),
    late: &[&late_values::LISTEN, &late_values::DOWNLOADS],
    regexes: &[&regexes::REST_IF_REGEX_REGEX, &regexes::REST_REST_REGEX],
    access_log: None,
    error_log: None,
    places: "",
};
