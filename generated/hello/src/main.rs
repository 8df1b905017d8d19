//! Site `hello`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Delivery, Exchange, Hosts, Limits, Listener, ListenerOptions, Manifest, Settings,
    Site, Step, Timeouts, Value, Workers, respond,
};

mod default;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Hello, &SETTINGS)
}

struct Hello;

impl Site for Hello {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => default::vhost(exchange),
            _ => respond::misdirected(exchange),
        }
    }
}

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0],
    names: &[],
    default: Some(0),
};

static SETTINGS: Settings = Settings {
    listeners: &[
        Listener {
            name: "127.0.0.1:8080",
            address: Value::Text("127.0.0.1:8080"),
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
        body_bytes: 16 * 1024 * 1024,
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
        site: "hello",
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
