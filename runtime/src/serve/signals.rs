//! What the process is told by signals.
//!
//! SIGTERM and SIGINT: drain. SIGUSR1: open the logs anew. SIGUSR2: say how the counters stand. They are caught from the start on, whatever happens then.

use std::{
    io,
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
    caught: [(Signal, Told); 4],
}

impl Signals {
    /// Catches them. Must be called inside of the control thread's runtime.
    pub(crate) fn new() -> io::Result<Self> {
        let caught = |kind: SignalKind, told| signal(kind).map(|signal| (signal, told));
        Ok(Self {
            caught: [
                caught(SignalKind::terminate(), Told::End)?,
                caught(SignalKind::interrupt(), Told::End)?,
                caught(SignalKind::user_defined1(), Told::Reopen)?,
                caught(SignalKind::user_defined2(), Told::Dump)?,
            ],
        })
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
