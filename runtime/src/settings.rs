//! Constant data that a site hands to [`crate::serve`].

use std::{fmt::Debug, time::Duration};

use semantics::{
    client::Trust,
    late::{Late, Value},
    log,
};

use crate::{answer::Errors, upstream::Upstream};

/// All of it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Sockets to bind.
    pub listeners: &'static [Listener],
    /// Number of worker threads.
    pub workers: Workers,
    /// Upper bounds, per process.
    pub limits: Limits,
    /// Spans after which waiting ends.
    pub timeouts: Timeouts,
    /// How long answers that are ready wait for others.
    pub delivery: Delivery,
    /// What `--version` prints.
    pub manifest: Manifest,
    /// Pages for faults that come before a vhost is chosen (feature `errors`).
    pub errors: Option<&'static Errors>,
    /// What is proxied to, by number (feature `proxy`).
    pub upstreams: &'static [&'static Upstream],
    /// Whose word on the client's address counts (feature `trusted-proxies`).
    pub trusted_proxies: Option<&'static Trust<'static>>,
    /// Values that are read before the listeners are bound (feature `late`).
    pub late: &'static [&'static Late<'static>],
    /// What is read once before the first request (feature `regex`).
    pub regexes: &'static [&'static dyn Embedded],
    /// Where and how exchanges are written down (feature `access-log`).
    pub access_log: Option<&'static AccessLog>,
    /// The file for what the process has to say once it runs; stderr without it.
    pub error_log: Option<Value<'static>>,
    /// What exchanges are counted by (features `access-log`, `metrics`): a line for each place, its vhost, a tab and its route. Line 0 is where no vhost
    /// is chosen, and a vhost's own line, with nothing behind the tab, is where no route of it is.
    pub places: &'static str,
}

/// When answers are written. Whatever it says, all that is ready is written before the connection waits for more bytes, and before a streamed body is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Delivery {
    /// So many bytes of output are gathered at least, while requests lie in the input.
    Bytes(u32),
    /// Each answer for itself.
    Immediate,
}

/// The access log.
#[derive(Clone, Copy, Debug)]
pub struct AccessLog {
    /// `stdout`, `stderr`, or the path of a file.
    pub file: Value<'static>,
    /// A line without its line end.
    pub format: log::Format<'static>,
}

/// Embedded data that has a form of its own.
pub trait Embedded: Debug + Sync {
    /// Reads it for the first time; `false`: it is not what this version of kiln has written.
    fn is_whole(&self) -> bool;
}

/// One bound socket.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// Its name in logs.
    pub name: &'static str,
    /// `address:port`, numeric; or `unix:` and a path (feature `unix`).
    pub address: Value<'static>,
    /// What it has that most have not.
    pub options: ListenerOptions,
}

/// What a listener may have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ListenerOptions {
    /// The congestion control of its connections; the system's without it.
    pub congestion: Option<&'static str>,
    /// An IPv6 address takes IPv4 clients, too.
    pub is_dual_stack: bool,
    /// Permission bits of a Unix socket's file.
    pub mode: u16,
}

impl ListenerOptions {
    /// What a listener has where nothing is said.
    pub const DEFAULT: Self = Self { congestion: None, is_dual_stack: false, mode: 0o660 };
}

/// How many worker threads run.
#[derive(Clone, Copy, Debug)]
pub enum Workers {
    /// Exactly so many.
    Count(u16),
    /// One for each core that the process may run on.
    PerCore,
}

/// Upper bounds, per process; sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open client connections; divided over workers.
    pub connections: u32,
    /// Of them, those of one client (an IPv6 /64 is one client), except of trusted proxies (feature `client-limit`).
    pub connections_per_client: Option<u32>,
    /// Exchanges that are in flight, other than answers that are ready at once; divided over workers.
    pub requests: u32,
    /// Bytes of buffers; divided over workers (feature `memory`).
    pub memory_bytes: Option<u64>,
    /// Bytes of one request head.
    pub head_bytes: u32,
    /// Field lines of one request head.
    pub fields: u16,
    /// Bytes that are read of one request body: what the largest limit of any route lets in.
    pub body_bytes: u64,
}

/// Spans after which waiting ends.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From a head's first byte to its last.
    pub head: Duration,
    /// In each such span a request body comes to its end or moves by 500 bytes a second, while it is waited for.
    pub body: Duration,
    /// From an answer's last byte to the next head's first.
    pub idle: Duration,
    /// In each such span a client takes 500 bytes a second, while it is waited for.
    pub write: Duration,
    /// From SIGTERM to the end, whatever is still in flight.
    pub drain: Duration,
}

/// Where the binary comes from: lines `key value` as `--version` prints them.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// The site's name.
    pub site: &'static str,
    /// Contents of the package's `manifest.txt`.
    pub lines: &'static [u8],
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Of a site that has nothing.
    pub(crate) const SETTINGS: Settings = Settings {
        listeners: &[],
        workers: Workers::Count(1),
        limits: Limits {
            connections: 8,
            connections_per_client: None,
            requests: 8,
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
}
