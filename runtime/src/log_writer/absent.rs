//! The site has no access log (feature `access-log` is off): nothing is opened and no thread runs.

use std::{io, sync::Arc};

use crate::{access_log::Log, settings::Settings, worker::Counters};

/// No thread.
#[derive(Debug)]
pub(crate) struct LogWriter;

#[expect(clippy::needless_pass_by_ref_mut, reason = "as with a log")]
impl LogWriter {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self
    }

    /// Nothing.
    pub(crate) fn start(_settings: &'static Settings, _workers: usize) -> io::Result<Self> {
        Ok(Self)
    }

    /// No log.
    pub(crate) fn of_worker(&self, _counters: &Arc<Counters>) -> Log {
        Log
    }

    /// Nothing.
    pub(crate) fn reopen(&self) {}

    /// None.
    pub(crate) fn failures(&self) -> u64 {
        0
    }

    /// At once.
    pub(crate) fn finish(&mut self) -> u64 {
        0
    }
}

/// Nothing can be wrong.
pub(crate) fn check(_settings: &'static Settings) -> io::Result<()> {
    Ok(())
}
