//! What a site under test says of itself, unless its test says something else: one worker, any port, bounds that nothing here meets.

use std::time::Duration;

use runtime::{Delivery, Limits, Listener, ListenerOptions, Manifest, Settings, Timeouts, Value, Workers};

const WAIT: Duration = Duration::from_secs(10);

pub(crate) const SETTINGS: Settings = Settings {
    listeners: &[Listener { name: "test", address: Value::Text("127.0.0.1:0"), options: ListenerOptions::DEFAULT }],
    workers: Workers::Count(1),
    limits: Limits {
        connections: 100,
        connections_per_client: None,
        requests: 65_536,
        memory_bytes: None,
        head_bytes: 32 * 1024,
        fields: 100,
        body_bytes: 1024 * 1024,
    },
    timeouts: Timeouts { head: WAIT, body: WAIT, idle: WAIT, write: WAIT, drain: WAIT },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest { site: "test", lines: b"" },
    errors: None,
    upstreams: &[],
    trusted_proxies: None,
    late: &[],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};
