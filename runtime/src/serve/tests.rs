//! What the tests of this module serve: settings.

use std::time::Duration;

use crate::{
    Delivery, Limits, Listener, ListenerOptions, Manifest, Settings, Site, Step, Timeouts, Value, Workers, builtin, response::Response,
};

pub(super) const SETTINGS: Settings = Settings {
    listeners: &[Listener { name: "public", address: Value::Text("127.0.0.1:0"), options: ListenerOptions::DEFAULT }],
    workers: Workers::Count(1),
    limits: Limits {
        connections: 1024,
        connections_per_client: None,
        requests: 65_536,
        memory_bytes: None,
        head_bytes: 32 * 1024,
        fields: 100,
        body_bytes: 1024 * 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(10),
        body: Duration::from_secs(10),
        idle: Duration::from_secs(10),
        write: Duration::from_secs(10),
        drain: Duration::from_secs(10),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest { site: "test", lines: b"" },
    errors: None,
    trusted_proxies: None,
    late: &[],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};
