//! The smallest site, written by hand: what the engine costs when the site costs nothing. `GET /r` is answered with 12 bytes, `/s1k` with 1,040,
//! `/s64k` with 65,536. Used by the gates of docs/benchmarks.md; the address comes from no flag: 127.0.0.1:8105, one worker.
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Duration};

use runtime::{
    Answer, Delivery, Exchange, Limits, Listener, ListenerOptions, Manifest, Settings, Site, Step, Timeouts, Value, Workers, respond,
};

fn main() -> ExitCode {
    runtime::serve(&Bare, &SETTINGS)
}

struct Bare;

impl Site for Bare {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match exchange.path() {
            "/r" => respond::prebuilt(exchange, &SMALL),
            "/s1k" => respond::prebuilt(exchange, &MIDDLE),
            "/s64k" => respond::prebuilt(exchange, &LARGE),
            _ => respond::not_found(exchange),
        }
    }
}

static SMALL: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 12\r\n",
    body: b"Hello world\n",
};
static MIDDLE: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 1040\r\netag: \"6569a5f8-410\"\r\nvary: accept-encoding\r\n",
    body: &[b'x'; 1040],
};
static LARGE: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 65536\r\netag: \"6569a5f8-10000\"\r\nvary: accept-encoding\r\n",
    body: &[b'x'; 65_536],
};

static SETTINGS: Settings = Settings {
    listeners: &[Listener { name: "public", address: Value::Text("127.0.0.1:8105"), options: ListenerOptions::DEFAULT }],
    workers: Workers::Count(1),
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
    manifest: Manifest { site: "bare", lines: b"" },
    errors: None,
    upstreams: &[],
    trusted_proxies: None,
    late: &[],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};
