//! The control thread's loop: signals come in, the server is told; what workers have to say goes to the error log.

use std::{
    future::poll_fn,
    sync::atomic::Ordering,
    task::{Context, Poll, ready},
};

use super::{
    error_log::ErrorLog,
    server::Server,
    signals::{Signals, Told},
};
use crate::{settings::Settings, worker::Counters};

/// Everything that the control thread owns.
pub(crate) struct Control {
    pub(crate) settings: &'static Settings,
    pub(crate) server: Server,
    pub(crate) signals: Signals,
    pub(crate) error_log: ErrorLog,
}

/// What the control thread wakes for.
enum Event {
    /// A worker has ended.
    Ended,
    /// A signal has come.
    Told(Told),
}

/// A worker has ended without being told to.
pub(crate) struct Died;

impl Control {
    /// Serves until a signal asks for the end, and then drains. A second signal cuts the drain short.
    pub(crate) async fn run(&mut self) -> Result<(), Died> {
        loop {
            match poll_fn(|context| self.poll(context)).await {
                Event::Ended => {
                    self.error_log.say("a worker ended without being told to");
                    return Err(Died);
                }
                Event::Told(Told::End) => break,
                Event::Told(Told::Dump) => self.dump(),
                Event::Told(Told::Reopen) => self.reopen(),
            }
        }
        let seconds = self.settings.timeouts.drain.as_secs();
        self.error_log.say(&format!("draining, {seconds} s at most; another signal ends it at once"));
        self.server.start_drain();
        while self.server.is_running() {
            match poll_fn(|context| self.poll(context)).await {
                Event::Ended => {}
                Event::Told(Told::End) => break,
                Event::Told(Told::Dump) => self.dump(),
                Event::Told(Told::Reopen) => self.reopen(),
            }
        }
        Ok(())
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        if let Poll::Ready(told) = self.signals.poll(context) {
            return Poll::Ready(Event::Told(told));
        }
        ready!(self.server.poll_ended(context));
        Poll::Ready(Event::Ended)
    }

    /// Opens all logs anew.
    fn reopen(&mut self) {
        self.error_log.reopen();
    }

    /// Says how the counters stand: one line `name value` for each, of all workers together.
    fn dump(&self) {
        for (name, of) in Counters::ALL {
            let sum: u64 = self.server.counters().iter().map(|counters| of(counters).load(Ordering::Relaxed)).sum();
            self.error_log.say(&format!("{name} {sum}"));
        }
    }
}
