//! Site `spa`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Delivery, Exchange, ForwardingFields, Hosts, Limits, Listener, ListenerOptions,
    Manifest, Networks, Settings, Site, Step, Timeouts, Trust, Value, Workers, respond,
};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::LISTEN;

mod spa_example;
mod error_pages;
mod headers;
mod late_values;
mod maps;
mod upstreams;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Spa, &SETTINGS)
}

struct Spa;

impl Site for Spa {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => spa_example::vhost(exchange),
            _ => {
                respond::misdirected(
                    exchange.edited(&SITE_HEADERS).with_errors(&SITE_ERRORS),
                )
            }
        }
    }
}

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0, 0, 0, 1, 3, 2, 0],
    names: &[("spa.example", 0), ("staging.spa.example", 0), ("localhost", 0)],
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
    fields: ForwardingFields::Either,
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
        head_bytes: 32 * 1024,
        fields: 100,
        body_bytes: 1024 * 1024,
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
        site: "spa",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: Some(&SITE_ERRORS),
    upstreams: &[&upstreams::API_UPSTREAM],
    trusted_proxies: Some(&TRUSTED_PROXIES),
    late: &[&late_values::LISTEN, &late_values::API],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};
