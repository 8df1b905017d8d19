//! Site `multi`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    Delivery, Exchange, Hosts, Limits, Listener, ListenerOptions, Manifest, Settings,
    Site, Step, Timeouts, Value, Workers, respond,
};
use crate::headers::SITE_HEADERS;

mod blog_example;
mod shop_example;
mod any_tenants_example;
mod status_tenants_example;
mod default;
mod headers;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Multi, &SETTINGS)
}

struct Multi;

impl Site for Multi {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match HOSTS.find(exchange.host()) {
            Some(0) => blog_example::vhost(exchange),
            Some(1) => shop_example::vhost(exchange),
            Some(2) => any_tenants_example::vhost(exchange),
            Some(3) => status_tenants_example::vhost(exchange),
            Some(4) => default::vhost(exchange),
            _ => respond::misdirected(exchange.edited(&SITE_HEADERS)),
        }
    }
}

static HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[2, 0, 0, 0, 0, 0, 1, 4, 0, 5, 0, 3, 0, 0, 0, 0],
    names: &[
        ("blog.example", 0),
        ("shop.example", 1),
        ("www.shop.example", 1),
        ("*.tenants.example", 2),
        ("status.tenants.example", 3),
    ],
    default: Some(4),
};

static SETTINGS: Settings = Settings {
    listeners: &[
        Listener {
            name: "public",
            address: Value::Text("127.0.0.1:8080"),
            options: ListenerOptions::DEFAULT,
        },
    ],
    workers: Workers::Count(2),
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
        site: "multi",
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
