//! Ties site, listeners, engines and workers together: start, signals, drain, end.
//!
//! The main thread is the control thread: it owns the signals and is the only one that may block. Workers are told by a watched value and tell by ending.

mod control;
mod error_log;
mod limits;
pub(crate) mod log_file;
mod server;
mod signals;
mod start_fault;
#[cfg(test)]
mod tests;
mod thread;

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use tokio::runtime::Builder;

pub(crate) use self::error_log::ErrorLog;
use self::{control::Control, signals::Signals};
pub use self::{server::Server, start_fault::StartFault};
pub use crate::listen::BindFault;
pub use crate::worker::Counters;
use crate::{
    command::{self, Command, Unknown},
    listen::activation::Passed,
    settings::Settings,
    site::Site,
};

/// The whole life of a site's binary: flags, or serving until a signal ends it. Never returns before.
///
/// Exit codes: 0 after a drain, also one that its timeout cut short; 1 if it could not start, or gave up because its workers died; 2 for an unknown argument.
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
            ErrorLog::stderr(name).say(&format!("unknown argument `{argument}`; --help lists what there is"));
            ExitCode::from(2)
        }
    }
}

fn run(site: &'static dyn Site, settings: &'static Settings) -> ExitCode {
    // Before anything is opened, so that every number in what was passed is one of those.
    let passed = Passed::take().map_err(StartFault::Passed);
    limits::keep_files_private();
    let started = passed.and_then(|passed| {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StartFault::Control)?;
        // Signals first: one that comes during the start must find its handler.
        let signals = runtime.block_on(async { Signals::new() }).map_err(StartFault::Control)?;
        server::prepare(settings)?;
        let error_log = server::open_error_log(settings)?;
        let server = Server::start_with(passed, site, settings)?;
        Ok((runtime, Control { settings, server, signals, error_log, back_off_said: None }))
    });
    let (runtime, mut control) = match started {
        Ok(started) => started,
        Err(fault) => return failed(settings.manifest.site, &fault),
    };
    announce(&control.server, settings.manifest.site);
    if let Some(warning) = limits::descriptors_warning(settings.limits.connections, control.server.workers()) {
        control.error_log.say(&warning);
    }
    for socket in control.server.unclaimed() {
        control.error_log.say(&format!("no listener takes the socket {socket} that was passed (LISTEN_FDS): it is closed"));
    }
    let ended = runtime.block_on(control.run());
    let lost = control.server.finish_log();
    if lost > 0 {
        control.error_log.say(&format!("{lost} lines of the access log were lost"));
    }
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One line for each listener. A closed stdout is no reason to stop.
fn announce(server: &Server, name: &str) {
    let workers = server.workers();
    let plural = if workers == 1 { "" } else { "s" };
    let mut out = io::stdout().lock();
    for address in server.listening() {
        let _ = writeln!(out, "{name}: listening on {address} ({workers} worker{plural})");
    }
    let _ = out.flush();
}

fn failed(name: &'static str, fault: &StartFault) -> ExitCode {
    for line in fault.to_string().lines() {
        ErrorLog::stderr(name).say(line);
    }
    ExitCode::FAILURE
}

fn written(result: io::Result<()>) -> ExitCode {
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
