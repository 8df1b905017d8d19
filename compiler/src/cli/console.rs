//! What kiln says while it works: stage lines, a bar on a terminal, faults and summaries. Standard error for all of it; results go to standard output.

use std::{
    env,
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use super::{Color, Failure};
use crate::diagnostic::render::Style;

/// Column of the time in a stage line, counted from the text.
const TIME_COLUMN: usize = 60;
const BAR_CELLS: usize = 24;

/// Where kiln talks to.
pub(super) struct Console {
    is_coloured: bool,
    is_terminal: bool,
    /// A bar stands in the current line.
    has_bar: bool,
    began: Instant,
    stage_began: Instant,
}

impl Console {
    pub(super) fn new(color: Color, began: Instant) -> Self {
        let is_terminal = io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let is_coloured = match color {
            Color::Always => true,
            Color::Auto => is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            Color::Never => false,
        };
        Self { is_coloured, is_terminal, has_bar: false, began, stage_began: began }
    }

    pub(super) fn style(&self) -> Style {
        if self.is_coloured { Style::Colour } else { Style::Plain }
    }

    /// Time since the command began.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Counts time from now on: another round of the command begins.
    pub(super) fn restart(&mut self) {
        self.began = Instant::now();
        self.stage_began = self.began;
    }

    /// Rendered diagnostics, as they are.
    pub(super) fn diagnostics(&mut self, rendered: &str) {
        self.say(rendered);
    }

    /// `kiln: 2 errors in 3 files (38 ms)`.
    pub(super) fn summary(&mut self, summary: &str) {
        let millis = self.began.elapsed().as_millis();
        self.say(&format!("{summary} ({millis} ms)\n"));
    }

    /// The end of a stage: its name, what it did and how long it took since the one before.
    pub(super) fn stage(&mut self, name: &str, what: &str) {
        let seconds = self.stage_began.elapsed().as_secs_f64();
        let name = self.painted(&format!("{name:<8}"), "1");
        self.say(&format!("  {name} {what:<TIME_COLUMN$} {seconds:>6.2} s\n"));
        self.stage_began = Instant::now();
    }

    /// A line about what is going on.
    pub(super) fn note(&mut self, name: &str, what: &str) {
        let name = self.painted(&format!("{name:<8}"), "1");
        self.say(&format!("  {name} {what}\n"));
    }

    /// `done` of `all`, redrawn in place; nothing where there is no terminal.
    pub(super) fn bar(&mut self, what: &str, done: usize, all: usize) {
        if !self.is_terminal {
            return;
        }
        let filled = BAR_CELLS * done.min(all) / all.max(1);
        let bar = format!("{}{}", "=".repeat(filled), " ".repeat(BAR_CELLS - filled));
        self.clear_bar();
        self.write(&format!("  compile  [{bar}] {done}/{all} {what}"));
        self.has_bar = true;
    }

    /// Says that something went wrong that is not the site's fault.
    pub(super) fn fault(&mut self, what: impl std::fmt::Display) -> Failure {
        let error = self.painted("error", "1;31");
        self.say(&format!("{error}: {what}\n"));
        Failure::Machine
    }

    /// Text for standard output. A reader that has gone away ends the command in silence.
    pub(super) fn result(&mut self, text: &str) -> Result<(), Failure> {
        self.clear_bar();
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|_| Failure::Machine)
    }

    fn say(&mut self, text: &str) {
        self.clear_bar();
        self.write(text);
    }

    fn clear_bar(&mut self) {
        if std::mem::take(&mut self.has_bar) {
            self.write("\r\x1b[2K");
        }
    }

    /// Nothing can be said about an error on standard error.
    fn write(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        drop(stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()));
    }

    fn painted(&self, text: &str, code: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// `3 files`, `1 file`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
