//! What the process is told by signals.
//!
//! SIGTERM, SIGINT and SIGHUP: drain. SIGUSR1: open the logs anew. SIGUSR2: say how the counters stand. They are caught from the start on, whatever happens then.
//! A SIGHUP that whoever started the process has told it to ignore (`nohup`) stays ignored.

use std::{
    fs, io,
    task::{Context, Poll},
};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Told {
    /// Say how the counters stand.
    Dump,
    /// Drain; the second time: end at once.
    End,
    /// Open the logs anew: somebody has moved the files away.
    Reopen,
}

/// The signals that are caught.
#[derive(Debug)]
pub(crate) struct Signals {
    caught: Vec<(Signal, Told)>,
}

impl Signals {
    /// Catches them. Must be called inside of the control thread's runtime.
    pub(crate) fn new() -> io::Result<Self> {
        let caught = |kind: SignalKind, told| signal(kind).map(|signal| (signal, told));
        let mut signals = Self {
            caught: vec![
                caught(SignalKind::terminate(), Told::End)?,
                caught(SignalKind::interrupt(), Told::End)?,
                caught(SignalKind::user_defined1(), Told::Reopen)?,
                caught(SignalKind::user_defined2(), Told::Dump)?,
            ],
        };
        if !fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status)) {
            signals.caught.push(caught(SignalKind::hangup(), Told::End)?);
        }
        Ok(signals)
    }

    /// The next signal.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Told> {
        for (signal, told) in &mut self.caught {
            if signal.poll_recv(context).is_ready() {
                return Poll::Ready(*told);
            }
        }
        Poll::Pending
    }
}

/// Whether a process ignores SIGHUP, by its status (proc_pid_status(5)): the first bit of a mask in hexadecimal digits.
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hangup_is_ignored_where_its_bit_says_so() {
        assert!(ignores_hangup("Name:\tsite\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hangup("SigBlk:\t0000000000000001\nSigIgn:\t0000000000001000\n"));
        assert!(!ignores_hangup("SigIgn:\tnothing\n") && !ignores_hangup(""));
    }
}
