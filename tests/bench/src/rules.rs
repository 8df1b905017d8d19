//! When a sample is invalid. These rules stand before any sample is taken, and no other sample is left out.

use std::{fmt, fs, io};

use crate::{pin, plan::Bench, server::Server};

/// The rule that a sample broke.
#[derive(Clone, Debug, PartialEq)]
pub enum Invalid {
    /// The server, or the generator, was not on its core.
    Affinity,
    /// A process or thread of the server ended, came or is another one.
    Identity,
    /// The answer before or after it was not the known one.
    Payload(String),
    /// Others used the cores: neither side had its own for itself. Parts of a core.
    Starved { server: f64, generator: f64 },
    /// The cgroup was throttled for so many seconds.
    Throttled(f64),
}

/// What is looked at before a sample, and compared after it.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    throttled: f64,
}

impl Watch {
    /// Begins.
    pub fn begin() -> Self {
        Self { throttled: throttled() }
    }

    /// The first rule that was broken since; `utilization` is that of server and generator, `None` where neither is meant to be busy.
    pub fn end(self, server: &Server, utilization: Option<(f64, f64)>, seconds: f64, bench: &Bench) -> Result<(), Invalid> {
        if !server.is_same() {
            return Err(Invalid::Identity);
        }
        if !are_in_place(server).unwrap_or(false) {
            return Err(Invalid::Affinity);
        }
        let throttled = throttled() - self.throttled;
        if throttled > bench.throttled_above * seconds {
            return Err(Invalid::Throttled(throttled));
        }
        match utilization {
            Some((server, generator)) if server < bench.starved_below && generator < bench.starved_below => {
                Err(Invalid::Starved { server, generator })
            }
            _ => Ok(()),
        }
    }
}

fn are_in_place(server: &Server) -> io::Result<bool> {
    Ok(server.is_in_place()? && pin::is_pinned(0, pin::GENERATOR)?)
}

/// Seconds for which this machine's cgroup was throttled, where there is one.
pub fn throttled() -> f64 {
    let (own, root) = ("/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu.stat");
    let text = fs::read_to_string(root).or_else(|_| fs::read_to_string(own)).unwrap_or_default();
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).and_then(|value| value.trim().parse::<f64>().ok());
    let seconds = value("throttled_usec ").map(|micros| micros / 1e6);
    seconds.or_else(|| value("throttled_time ").map(|nanos| nanos / 1e9)).unwrap_or(0.0)
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Affinity => formatter.write_str("affinity: a thread was not held to its core"),
            Self::Identity => formatter.write_str("identity: the server's processes or threads are not those that answered first"),
            Self::Payload(what) => write!(formatter, "payload: {what}"),
            Self::Starved { server, generator } => {
                write!(formatter, "starved: the server used {server:.2} of its core and the generator {generator:.2}")
            }
            Self::Throttled(seconds) => write!(formatter, "throttled: {seconds:.3} s"),
        }
    }
}
