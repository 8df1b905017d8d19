//! Site `tenants`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    AccessLog, Delivery, Exchange, ForwardingFields, Hosts, Limits, Listener,
    ListenerOptions, Manifest, Networks, Part, Settings, Site, Step, Timeouts, Trust,
    Value, Workers, log, respond,
};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::{LISTEN, OPERATIONS};

mod any_tenants_example;
mod operations_internal;
mod default;
mod shop_customer_example;
mod tenants_example;
mod error_pages;
mod headers;
mod late_values;
mod maps;
mod upstreams;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&Tenants, &SETTINGS)
}

struct Tenants;

impl Site for Tenants {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match LISTENER_HOSTS[exchange.listener()].find(exchange.host()) {
            Some(0) => any_tenants_example::vhost(exchange),
            Some(1) => operations_internal::vhost(exchange),
            Some(2) => default::vhost(exchange),
            Some(3) => shop_customer_example::vhost(exchange),
            Some(4) => tenants_example::vhost(exchange),
            _ => {
                respond::misdirected(
                    exchange.edited(&SITE_HEADERS).with_errors(&SITE_ERRORS),
                )
            }
        }
    }
}

static LISTENER_HOSTS: [&Hosts<'static>; 2] = [&PUBLIC_HOSTS, &OPERATIONS_HOSTS];

static PUBLIC_HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0, 2, 0, 0, 0, 3, 1, 5, 0, 0, 0, 0, 0, 4, 0],
    names: &[
        ("*.tenants.example", 0),
        ("shop.customer.example", 3),
        ("www.customer.example", 3),
        ("tenants.example", 4),
        ("www.tenants.example", 4),
    ],
    default: None,
};

static OPERATIONS_HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[1, 0],
    names: &[("operations.internal", 1)],
    default: Some(2),
};

/// `trusted-proxies` 127.0.0.0/8 10.0.0.0/8
static TRUSTED_PROXIES: Trust<'static> = Trust {
    networks: Networks {
        v4: &[(0x0a00_0000, 0x0aff_ffff), (0x7f00_0000, 0x7fff_ffff)],
        v6: &[],
    },
    fields: ForwardingFields::Either,
};

/// `access-log` "stdout"
static ACCESS_LOG: AccessLog = AccessLog {
    file: Value::Text("stdout"),
    format: log::Format {
        parts: &[
            log::Part::Time,
            log::Part::Template(Part::Text(" ")),
            log::Part::Template(Part::ClientIp),
            log::Part::Template(Part::Text(" ")),
            log::Part::Template(Part::Method),
            log::Part::Template(Part::Text(" ")),
            log::Part::Template(Part::Host),
            log::Part::WrittenTarget,
            log::Part::Template(Part::Text(" ")),
            log::Part::Template(Part::Status),
            log::Part::Template(Part::Text(" ")),
            log::Part::SentBytes,
            log::Part::Template(Part::Text(" ")),
            log::Part::Duration,
            log::Part::Template(Part::Text(" ")),
            log::Part::Outcome,
            log::Part::Template(Part::Text(" ")),
            log::Part::Endpoint,
            log::Part::Template(Part::Text(" ")),
            log::Part::Attempts,
            log::Part::Template(Part::Text(" ")),
            log::Part::ConnectDuration,
            log::Part::Template(Part::Text(" ")),
            log::Part::FirstByteDuration,
            log::Part::Template(Part::Text(" ")),
            log::Part::UpstreamStatus,
        ],
        quoting: log::Quoting::Text,
        redacted: log::REDACTED,
    },
};

static SETTINGS: Settings = Settings {
    listeners: &[
        Listener {
            name: "public",
            address: Value::Late(&LISTEN),
            options: ListenerOptions::DEFAULT,
        },
        Listener {
            name: "operations",
            address: Value::Late(&OPERATIONS),
            options: ListenerOptions::DEFAULT,
        },
    ],
    workers: Workers::PerCore,
    limits: Limits {
        connections: 32_768,
        connections_per_client: None,
        requests: 16_384,
        memory_bytes: None,
        head_bytes: 16 * 1024,
        fields: 80,
        body_bytes: 4 * 1024 * 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(5),
        body: Duration::from_secs(20),
        idle: Duration::from_mins(1),
        write: Duration::from_secs(20),
        drain: Duration::from_secs(30),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest {
        site: "tenants",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: Some(&SITE_ERRORS),
    upstreams: &[
        &upstreams::SHOP_UPSTREAM,
        &upstreams::NEXT_SHOP_UPSTREAM,
        &upstreams::STORE_UPSTREAM,
    ],
    trusted_proxies: Some(&TRUSTED_PROXIES),
    late: &[
        &late_values::LISTEN,
        &late_values::OPERATIONS,
        &late_values::REGION,
        &late_values::OPERATOR_KEY,
        &late_values::SHOP,
        &late_values::NEXT_SHOP,
        &late_values::STORE,
    ],
    regexes: &[],
    access_log: Some(&ACCESS_LOG),
    error_log: None,
    places: include_str!("../places.txt"),
};
