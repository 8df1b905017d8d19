//! Constant data that a site hands to [`crate::serve`].

use std::{fmt::Debug, time::Duration};

use semantics::{
    client::Trust,
    late::{Late, Value},
};

use crate::answer::Errors;

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
    /// What `--version` prints.
    pub manifest: Manifest,
    /// Pages for faults that come before a vhost is chosen (feature `errors`).
    pub errors: Option<&'static Errors>,
    /// Whose word on the client's address counts (feature `trusted-proxies`).
    pub trusted_proxies: Option<&'static Trust<'static>>,
    /// Values that are read before the listeners are bound (feature `late`).
    pub late: &'static [&'static Late<'static>],
    /// What is read once before the first request (feature `regex`).
    pub regexes: &'static [&'static dyn Embedded],
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
    /// `address:port`, numeric.
    pub address: Value<'static>,
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
    /// Bytes of one request head.
    pub head_bytes: u32,
    /// Field lines of one request head.
    pub fields: u16,
    /// Bytes of one request body.
    pub body_bytes: u64,
}

/// Spans after which waiting ends.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From a head's first byte to its last.
    pub head: Duration,
    /// Between two reads of a request body.
    pub body: Duration,
    /// From an answer's last byte to the next head's first.
    pub idle: Duration,
    /// Between two writes that make progress.
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
