//! Ties site, listeners, engines and workers together: start, signals, drain, end.
//!
//! The main thread is the control thread: it owns the signals and is the only one that may block. Workers are told by a watched value and tell by ending.

mod limits;
mod server;
mod thread;

use std::{
    env,
    future::poll_fn,
    io::{self, Write},
    process::ExitCode,
    task::{Context, Poll},
};

use tokio::{
    runtime::Builder,
    signal::unix::{Signal, SignalKind, signal},
};

pub use self::server::{Server, StartFault};
pub use crate::worker::Counters;
use crate::{
    command::{self, Command, Unknown},
    listen::activation::Passed,
    settings::Settings,
    site::Site,
};

/// The whole life of a site's binary: flags, or serving until a signal ends it. Never returns before.
///
/// Exit codes: 0 after a drain, also one that its timeout cut short; 1 if it could not start or a worker died; 2 for an unknown argument.
pub fn serve(site: &'static dyn Site, settings: &'static Settings) -> ExitCode {
    let name = settings.manifest.site;
    match Command::parse(env::args_os().skip(1)) {
        Ok(Command::Check) => match server::check(settings) {
            Ok(()) => written(writeln!(io::stdout(), "{name}: it could serve here")),
            Err(fault) => failed(name, &fault),
        },
        Ok(Command::Help) => written(command::help(settings, &mut io::stdout().lock())),
        Ok(Command::Serve) => run(site, settings),
        Ok(Command::Version) => written(command::version(settings, &mut io::stdout().lock())),
        Err(Unknown(argument)) => {
            say(name, &format!("unknown argument `{argument}`; --help lists what there is"));
            ExitCode::from(2)
        }
    }
}

fn run(site: &'static dyn Site, settings: &'static Settings) -> ExitCode {
    let name = settings.manifest.site;
    // Before anything is opened, so that every number in what was passed is one of those.
    let passed = Passed::take().map_err(StartFault::Passed);
    let started = passed.and_then(|passed| {
        let control = Builder::new_current_thread().enable_all().build().map_err(StartFault::Control)?;
        // Signals first: one that comes during the start must find its handler.
        let signals = control.block_on(async { Signals::new() }).map_err(StartFault::Control)?;
        Ok((control, signals, Server::start_with(passed, site, settings)?))
    });
    let (control, mut signals, mut server) = match started {
        Ok(started) => started,
        Err(fault) => return failed(name, &fault),
    };
    announce(&server, name);
    let has_signal = poll_fn(|context| match signals.poll(context) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => server.poll_ended(context).map(|()| false),
    });
    if !control.block_on(has_signal) {
        say(name, "a worker ended without being told to");
        return ExitCode::FAILURE;
    }
    say(name, &format!("draining, {} s at most; another signal ends it at once", settings.timeouts.drain.as_secs()));
    server.start_drain();
    control.block_on(poll_fn(|context| match signals.poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => server.poll_all_ended(context),
    }));
    ExitCode::SUCCESS
}

/// What ends a server: SIGTERM and SIGINT.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match (self.terminate.poll_recv(context), self.interrupt.poll_recv(context)) {
            (Poll::Pending, Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(()),
        }
    }
}

/// One line for each listener. A closed stdout is no reason to stop.
fn announce(server: &Server, name: &str) {
    let workers = server.workers();
    let plural = if workers == 1 { "" } else { "s" };
    let mut out = io::stdout().lock();
    for address in server.addresses() {
        let _ = writeln!(out, "{name}: listening on http://{address} ({workers} worker{plural})");
    }
    let _ = out.flush();
}

fn failed(name: &str, fault: &StartFault) -> ExitCode {
    for line in fault.to_string().lines() {
        say(name, line);
    }
    ExitCode::FAILURE
}

/// One line to stderr.
fn say(name: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{name}: {text}");
}

fn written(result: io::Result<()>) -> ExitCode {
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
