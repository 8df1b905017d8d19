//! `kiln run --watch`: builds and swaps the site at every change. The old one goes on until the new one says that it listens (docs/decisions/0007).
//!
//! One thread does the work; others only tell it what happened: files that changed, signals, a site that ended.

mod changes;
mod page;
mod server;
mod sockets;

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use self::{
    changes::Changes,
    page::{Page, State},
    server::Server,
    sockets::Sockets,
};
use super::{
    Checked, Console, Failure, Outcome, SiteFile,
    build::{self, Profile},
    report,
};
use crate::{
    Compilation,
    diagnostic::render::{self, Style},
    dump, fingerprint,
};

/// How long nothing must change before a change counts: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// Changes that never pause count after so many quiet times all the same.
const QUIET_TIMES_MAX: u32 = 20;

/// What the working thread is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Event {
    /// Something that the site is made of may have changed.
    Changed,
    /// The process of that number has ended.
    Ended(u64),
    /// A signal: the end.
    Stop,
}

struct Watch<'w> {
    site: &'w SiteFile,
    profile: Profile,
    events: Sender<Event>,
    changes: Changes,
    page: Page,
    sockets: Sockets,
    running: Option<Server>,
    /// Told to drain.
    draining: Vec<Server>,
    /// What runs, or did not start: the same is not built again.
    built: String,
    servers: u64,
}

/// Watches until a signal ends it.
pub(super) fn run(site: &SiteFile, profile: Profile, console: &mut Console) -> Outcome {
    let (events, told) = channel();
    let page = Page::serve().map_err(|error| console.fault(format!("no page for diagnostics: {error}")))?;
    let changes = Changes::new(events.clone()).map_err(|error| console.fault(format!("files cannot be watched: {error}")))?;
    signals(events.clone()).map_err(|error| console.fault(format!("signals cannot be taken: {error}")))?;
    console.note("watch", &format!("{} shows what is wrong with the site", page.url()));
    let mut watch = Watch {
        site,
        profile,
        events,
        changes,
        page,
        sockets: Sockets::default(),
        running: None,
        draining: Vec::new(),
        built: String::new(),
        servers: 0,
    };
    watch.turn(console)?;
    while let Ok(event) = told.recv() {
        match event {
            Event::Changed => {
                if watch.is_stopped_before_quiet(&told, console) {
                    break;
                }
                console.restart();
                watch.turn(console)?;
            }
            Event::Ended(number) => watch.ended(number, console),
            Event::Stop => break,
        }
    }
    watch.end(&told);
    Ok(())
}

fn signals(events: Sender<Event>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || signals.forever().try_for_each(|_| events.send(Event::Stop)));
    Ok(())
}

impl Watch<'_> {
    /// Compiles; builds and swaps if there is something new.
    fn turn(&mut self, console: &mut Console) -> Outcome {
        let (mut compilation, cache) = super::compiled(self.site, console)?;
        self.changes.watch(&compilation.inputs);
        let new = compilation.plan.as_ref().map(|plan| {
            let sources = fingerprint::sources(&compilation.sources, plan);
            fingerprint::sha256(format!("{sources}{}", dump::text(plan)).as_bytes())
        });
        if new.as_ref() == Some(&self.built) {
            return Ok(());
        }
        report::say(self.site, &compilation, console);
        self.built = new.unwrap_or_default();
        let Some(plan) = compilation.plan.take() else {
            self.show(State::Wrong, diagnostics(&compilation));
            self.say_who_serves(console);
            return Ok(());
        };
        let checked = Checked { compilation, plan, cache };
        self.show(State::Building, diagnostics(&checked.compilation));
        match self.swap(&checked, console) {
            Ok(()) => self.show(State::Serving, diagnostics(&checked.compilation)),
            Err(said) => {
                console.fault(&said);
                self.show(State::Wrong, said);
                self.say_who_serves(console);
            }
        }
        Ok(())
    }

    /// Builds the site and puts it in the place of the running one.
    fn swap(&mut self, checked: &Checked, console: &mut Console) -> Result<(), String> {
        let out = super::run::binary(checked, self.site);
        let artifact = build::build(checked, self.site, self.profile, (&out, false), console).map_err(|failure| match failure {
            Failure::Machine | Failure::Site => "the site cannot be built; the terminal says why".to_owned(),
        })?;
        let passed = self.sockets.bind(&checked.plan)?;
        self.servers += 1;
        let new = Server::start(&artifact.path, &passed, self.servers, self.events.clone())?;
        if let Some(old) = self.running.replace(new) {
            old.terminate();
            self.draining.push(old);
        }
        self.sockets.keep(&checked.plan);
        for url in super::run::urls(&checked.plan) {
            console.note("serve", &url);
        }
        Ok(())
    }

    /// Waits until no more changes come, or a signal does.
    fn is_stopped_before_quiet(&mut self, told: &Receiver<Event>, console: &mut Console) -> bool {
        for _ in 0..QUIET_TIMES_MAX {
            match told.recv_timeout(QUIET) {
                Ok(Event::Changed) => {}
                Ok(Event::Ended(number)) => self.ended(number, console),
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
        false
    }

    fn ended(&mut self, number: u64, console: &mut Console) {
        self.draining.retain(|server| server.number() != number);
        if self.running.as_ref().is_some_and(|server| server.number() == number) {
            self.running = None;
            self.built.clear();
            console.fault("the site has ended by itself");
            self.show(State::Wrong, "the site has ended by itself; change it to start it again".to_owned());
        }
    }

    fn show(&self, state: State, text: String) {
        self.page.show(state, self.running.is_some(), text);
    }

    fn say_who_serves(&self, console: &mut Console) {
        let who = if self.running.is_some() { "the site as it was before goes on" } else { "nothing is served yet" };
        console.note("watch", who);
    }

    /// Lets what runs finish what is in flight; a second signal ends it at once.
    fn end(mut self, told: &Receiver<Event>) {
        self.draining.extend(self.running.take().inspect(Server::terminate));
        while !self.draining.is_empty() {
            match told.recv() {
                Ok(Event::Changed) => {}
                Ok(Event::Ended(number)) => self.draining.retain(|server| server.number() != number),
                Ok(Event::Stop) | Err(_) => break,
            }
        }
    }
}

/// As the terminal shows them, without colours; nothing where there are none.
fn diagnostics(compilation: &Compilation) -> String {
    render::render(&compilation.diagnostics, &compilation.sources, Style::Plain)
}
