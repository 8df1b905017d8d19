//! The control thread's loop: signals come in, the server is told; what workers have to say goes to the error log.

use std::{
    future::poll_fn,
    io,
    sync::atomic::Ordering,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use super::{
    error_log::ErrorLog,
    server::{GivenUp, Server},
    signals::{Signals, Told},
};
use crate::{clock, fault::Fault, settings::Settings, worker::Counters};

/// Between two lines of what can happen many times a second.
const REPEATED: Duration = Duration::from_secs(1);

/// Everything that the control thread owns.
pub(crate) struct Control {
    pub(crate) settings: &'static Settings,
    pub(crate) server: Server,
    pub(crate) signals: Signals,
    pub(crate) error_log: ErrorLog,
    /// When it was said last that nothing can be accepted.
    pub(crate) back_off_said: Option<Instant>,
}

/// What the control thread wakes for.
enum Event {
    /// Connections can't be accepted for a while.
    AcceptError(io::Error),
    /// This worker has ended.
    Ended(usize),
    /// A signal has come.
    Told(Told),
}

impl Control {
    /// Serves until a signal asks for the end, and then drains. A second signal cuts the drain short. A fault: it has given up.
    pub(crate) async fn run(&mut self) -> Result<(), GivenUp> {
        loop {
            match poll_fn(|context| self.poll(context)).await {
                Event::AcceptError(error) => self.say_accept_error(&error),
                Event::Ended(worker) => self.replace(worker)?,
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
                Event::AcceptError(error) => self.say_accept_error(&error),
                Event::Ended(_worker) => {}
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
        if let Poll::Ready(worker) = self.server.poll_ended(context) {
            return Poll::Ready(Event::Ended(worker));
        }
        self.server.poll_accept_error(context).map(Event::AcceptError)
    }

    /// Nobody has told this worker to end.
    fn replace(&mut self, worker: usize) -> Result<(), GivenUp> {
        let replaced = self.server.replace(worker);
        self.error_log.say(&match &replaced {
            Ok(()) => format!("worker {worker} died and was replaced; its connections were closed"),
            Err(GivenUp::NoThread(error)) => format!("worker {worker} died and cannot be replaced: {error}"),
            Err(GivenUp::TooManyDeaths) => format!("worker {worker} died, the sixth within a minute: giving up"),
        });
        replaced
    }

    fn say_accept_error(&mut self, error: &io::Error) {
        let now = clock::now();
        if self.back_off_said.is_none_or(|said| now.duration_since(said) >= REPEATED) {
            self.back_off_said = Some(now);
            self.error_log.say(&format!(
                "no connection can be accepted for now: {error}; those that are open go on. Raise the limit of descriptors (`ulimit -n`) or lower `connections`"
            ));
        }
    }

    /// Opens all logs anew.
    fn reopen(&mut self) {
        self.error_log.reopen();
        self.server.reopen_log();
    }

    /// Says how the counters stand: one line `name value` for each, of all workers together; then what vhosts and routes have counted.
    fn dump(&self) {
        let sum = |of: &dyn Fn(&Counters) -> u64| -> u64 { self.server.counters().map(of).sum() };
        for (name, of) in Counters::ALL {
            self.error_log.say(&format!("{name} {}", sum(&|counters| of(counters).load(Ordering::Relaxed))));
        }
        for (number, name) in Fault::NAMES.iter().enumerate() {
            let of = |counters: &Counters| counters.faults.get(number).map_or(0, |count| count.load(Ordering::Relaxed));
            self.error_log.say(&format!("fault-{name} {}", sum(&of)));
        }
        for line in self.server.count_lines() {
            self.error_log.say(&line);
        }
        let connections: u32 = self.server.connections().iter().sum();
        self.error_log.say(&format!("connections {connections}"));
    }
}
