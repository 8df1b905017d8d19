//! Site `app`, written by kiln from site.kdl. Change the KDL, not this file.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};
use runtime::{
    AccessLog, Delivery, Exchange, ForwardingFields, Hosts, Limits, Listener,
    ListenerOptions, Manifest, Networks, Settings, Site, Step, Timeouts, Trust, Value,
    Workers, log, respond,
};
use crate::encodings::SITE_ENCODE;
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::{ACCESS_LOG, LISTEN, OPERATIONS};

mod app_example;
mod default;
mod encodings;
mod error_pages;
mod headers;
mod late_values;
mod upstreams;

const _: () = assert!(runtime::ABI == 5);

fn main() -> ExitCode {
    runtime::serve(&App, &SETTINGS)
}

struct App;

impl Site for App {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match LISTENER_HOSTS[exchange.listener()].find(exchange.host()) {
            Some(0) => app_example::vhost(exchange),
            Some(1) => default::vhost(exchange),
            _ => {
                respond::misdirected(
                    exchange
                        .edited(&SITE_HEADERS)
                        .encoded(&SITE_ENCODE)
                        .with_errors(&SITE_ERRORS),
                )
            }
        }
    }
}

static LISTENER_HOSTS: [&Hosts<'static>; 2] = [&PUBLIC_HOSTS, &OPERATIONS_HOSTS];

static PUBLIC_HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0, 1, 2],
    names: &[("app.example", 0), ("www.app.example", 0)],
    default: None,
};

static OPERATIONS_HOSTS: Hosts<'static> = Hosts {
    seed: 0,
    slots: &[0, 0],
    names: &[],
    default: Some(1),
};

/// `trusted-proxies` 127.0.0.0/8 10.0.0.0/8
static TRUSTED_PROXIES: Trust<'static> = Trust {
    networks: Networks {
        v4: &[(0x0a00_0000, 0x0aff_ffff), (0x7f00_0000, 0x7fff_ffff)],
        v6: &[],
    },
    fields: ForwardingFields::Either,
};

/// `access-log` (env)ACCESS_LOG
static ACCESS_LOG_: AccessLog = AccessLog {
    file: Value::Late(&ACCESS_LOG),
    format: log::Format {
        parts: log::JSON_PROXIED,
        quoting: log::Quoting::Json,
        redacted: log::Redacted {
            fields: &[
                "api-key",
                "authorization",
                "connect.sid",
                "cookie",
                "jsessionid",
                "phpsessid",
                "private-token",
                "proxy-authorization",
                "set-cookie",
                "x-access-token",
                "x-amz-security-token",
                "x-api-key",
                "x-auth-token",
                "x-csrf-token",
                "x-xsrf-token",
                "reset_token",
                "_app_session",
            ],
            keys: &[
                "access_token",
                "api_key",
                "apikey",
                "auth",
                "client_secret",
                "code",
                "id_token",
                "jwt",
                "key",
                "otp",
                "passwd",
                "password",
                "pwd",
                "refresh_token",
                "samlresponse",
                "secret",
                "session",
                "sessionid",
                "sid",
                "sig",
                "signature",
                "ticket",
                "token",
                "x-amz-security-token",
                "x-amz-signature",
                "x-goog-signature",
                "reset_token",
                "_app_session",
            ],
        },
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
        connections: 16_384,
        connections_per_client: Some(256),
        requests: 8192,
        memory_bytes: Some(512 * 1024 * 1024),
        head_bytes: 32 * 1024,
        fields: 100,
        body_bytes: 64 * 1024 * 1024,
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
        site: "app",
        lines: include_bytes!("../manifest.txt"),
    },
    errors: Some(&SITE_ERRORS),
    upstreams: &[&upstreams::APP_UPSTREAM],
    trusted_proxies: Some(&TRUSTED_PROXIES),
    late: &[
        &late_values::LISTEN,
        &late_values::OPERATIONS,
        &late_values::ACCESS_LOG,
        &late_values::UPLOADS,
        &late_values::APP,
        &late_values::APP_SPARE,
    ],
    regexes: &[],
    access_log: Some(&ACCESS_LOG_),
    error_log: None,
    places: include_str!("../places.txt"),
};
