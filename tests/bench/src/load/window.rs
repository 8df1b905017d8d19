//! The span that counts: CPU times, answers and the clock are read together at both its ends.

use std::{
    io,
    time::{Duration, Instant},
};

use super::{Measured, Meter, Span, histogram::Histogram};
use crate::{fault::Fault, process};

/// After the span, answers that are still due may take so long.
const TAIL: Duration = Duration::from_secs(10);

/// Where a run stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Phase {
    Measured,
    /// No more requests; what was asked for is still read.
    Tail,
    WarmUp,
}

/// What is counted while it runs.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) requests: u64,
    pub(super) answers: u64,
    pub(super) latency: Histogram,
    pub(super) lateness: Histogram,
    /// Answers of another status.
    pub(super) wrong: u64,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    answers: u64,
    server_cpu: u64,
    generator_cpu: u64,
}

pub(super) struct Window<'m> {
    begins: Instant,
    measured: Duration,
    first: Option<Mark>,
    last: Option<Mark>,
    meter: Meter<'m>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { requests: 0, answers: 0, latency: Histogram::new(), lateness: Histogram::new(), wrong: 0 }
    }
}

impl<'m> Window<'m> {
    pub(super) fn new(now: Instant, span: Span, meter: Meter<'m>) -> Self {
        Self { begins: now + span.warm_up, measured: span.measured, first: None, last: None, meter }
    }

    /// To be called once in each turn: takes the marks when their time has come.
    pub(super) fn turn(&mut self, now: Instant, tally: &mut Tally) -> Result<Phase, Fault> {
        if self.first.is_none() && now >= self.begins {
            tally.latency.clear();
            tally.lateness.clear();
            self.first = Some(self.mark(tally)?);
        }
        if self.last.is_none() && self.first.is_some_and(|first| now >= first.at + self.measured) {
            self.last = Some(self.mark(tally)?);
        }
        Ok(match (self.first, self.last) {
            (None, _) => Phase::WarmUp,
            (Some(_), None) => Phase::Measured,
            (Some(_), Some(_)) => Phase::Tail,
        })
    }

    /// Whether answers that are due have not come in time.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now > last.at + TAIL)
    }

    fn mark(&mut self, tally: &Tally) -> Result<Mark, Fault> {
        let mut read = || -> io::Result<_> { Ok(((self.meter)()?, process::own_cpu()?)) };
        let (server_cpu, generator_cpu) = read().map_err(Fault::io("CPU times"))?;
        Ok(Mark { at: Instant::now(), answers: tally.answers, server_cpu, generator_cpu })
    }

    /// What came of it; `failure` is why it ended before its time.
    pub(super) fn close(mut self, tally: Tally, failure: Option<String>) -> Result<Measured, Fault> {
        let last = self.last.map_or_else(|| self.mark(&tally), Ok)?;
        let first = self.first.unwrap_or(last);
        let wrong = (tally.wrong > 0).then(|| format!("{} answers of another status", tally.wrong));
        Ok(Measured {
            answers: last.answers - first.answers,
            elapsed: last.at - first.at,
            server_cpu: Duration::from_nanos(last.server_cpu.saturating_sub(first.server_cpu)),
            generator_cpu: Duration::from_nanos(last.generator_cpu.saturating_sub(first.generator_cpu)),
            latency: tally.latency,
            lateness: tally.lateness,
            failure: failure.or(wrong),
            requests_total: tally.requests,
            answers_total: tally.answers,
        })
    }
}
