//! What the server writes down: the access log, the log of errors, counters.

use super::{Defaulted, Part, Text};

/// Where and how exchanges are written down.
#[derive(Clone, Debug)]
pub struct AccessLog {
    /// `stdout`, `stderr` or a path.
    pub file: Text,
    pub format: Defaulted<LogFormat>,
    /// Query keys, cookies and fields whose values are not written, beside those of the language; in lower case, each once.
    pub redacted: Vec<String>,
}

/// What a line looks like.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LogFormat {
    /// NCSA's, with referrer and user agent.
    Combined,
    /// NCSA's.
    Common,
    /// One object.
    Json,
    /// A line of the site's own.
    Template(Vec<LogPart>),
}

/// The owned twin of [`semantics::log::Part`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LogPart {
    Attempts,
    BodyBytes,
    Cause,
    ConnectDuration,
    Duration,
    Endpoint,
    FirstByteDuration,
    Outcome,
    Protocol,
    ReceivedBytes,
    Route,
    SentBytes,
    Template(Part),
    Time,
    TimeCommon,
    Upstream,
    UpstreamStatus,
    Vhost,
    WrittenTarget,
}

/// What is counted apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Metrics {
    /// What no route of a vhost took is counted for the vhost.
    pub per_vhost: Defaulted<bool>,
    pub per_route: Defaulted<bool>,
}

/// When answers are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Delivery {
    /// At so many bytes.
    Bytes(u32),
    /// As many together as the runtime gathers.
    Coalesce,
    /// Each for itself.
    Immediate,
}
