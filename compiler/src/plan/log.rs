//! The access log: where it goes, what stands in a line, and whose values do not.

use super::{Defaulted, Part, Value};

#[derive(Clone, Debug)]
pub struct AccessLog {
    /// `stdout`, `stderr` or a path.
    pub file: Value,
    pub format: Defaulted<LogFormat>,
    /// What the site has redacted beside what always is: in lower case.
    pub redacted: Vec<String>,
}

impl AccessLog {
    /// All names of fields and cookies, and all keys of queries, whose values are not written: those of the language, then those of the site.
    pub fn all_redacted(&self) -> [Vec<&str>; 2] {
        [semantics::log::FIELDS, semantics::log::KEYS].map(|known| {
            let own = self.redacted.iter().map(String::as_str).filter(|name| !known.contains(name));
            known.iter().copied().chain(own).collect()
        })
    }
}

/// What a line looks like.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LogFormat {
    Combined,
    Common,
    Json,
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
