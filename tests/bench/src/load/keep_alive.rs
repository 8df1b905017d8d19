//! Connections that stay: the next requests when the answers to the last ones are there, or when they are due.

use std::time::{Duration, Instant};

use super::{
    Measured, Target,
    socket::{BUFFER, Progress, Ready, Socket},
    window::{Phase, Tally, Window},
};
use crate::fault::Fault;

/// How long a closed loop waits at most before it looks at the clock.
const TURN_MS: i64 = 20;

struct Run<'t> {
    target: &'t Target<'t>,
    /// The requests that go out in one piece.
    piece: Vec<u8>,
    depth: usize,
    sockets: Vec<Socket>,
    /// Sockets without a request.
    idle: Vec<usize>,
    buffer: Vec<u8>,
    tally: Tally,
}

pub(super) fn run(target: &Target<'_>, depth: usize, rate: Option<f64>, mut window: Window<'_>) -> Result<Measured, Fault> {
    let mut ready = Ready::new(target.connections)?;
    let mut run = Run::open(target, depth)?;
    for (index, socket) in run.sockets.iter().enumerate() {
        ready.add(socket, index)?;
    }
    let failure = run.turns(rate, &mut ready, &mut window)?.err();
    window.close(run.tally, failure)
}

impl<'t> Run<'t> {
    fn open(target: &'t Target<'t>, depth: usize) -> Result<Self, Fault> {
        let now = Instant::now();
        let sockets = (0..target.connections).map(|_| Socket::connect(target.address, now)).collect::<Result<Vec<_>, _>>()?;
        let idle = (0..target.connections).rev().collect();
        Ok(Self { target, piece: target.request.repeat(depth), depth, sockets, idle, buffer: vec![0; BUFFER], tally: Tally::new() })
    }

    /// Ends when the span is over and all answers are there. The inner error is the server's.
    fn turns(&mut self, rate: Option<f64>, ready: &mut Ready, window: &mut Window<'_>) -> Result<Result<(), String>, Fault> {
        let begin = Instant::now();
        // A pace is kept to better by looking at the clock all the time than by a timer.
        let wait = if rate.is_some() { 0 } else { TURN_MS };
        loop {
            let now = Instant::now();
            let phase = window.turn(now, &mut self.tally)?;
            if phase == Phase::Tail && self.idle.len() == self.sockets.len() {
                return Ok(Ok(()));
            }
            if window.is_over(now) {
                return Ok(Err("answers are missing at the end".to_owned()));
            }
            if phase != Phase::Tail
                && let Err(failure) = self.send_due(rate, begin, now)
            {
                return Ok(Err(failure));
            }
            let mut then = None;
            for index in ready.wait(wait)? {
                let now = *then.get_or_insert_with(Instant::now);
                let is_closed = rate.is_none() && phase != Phase::Tail;
                if let Err(failure) = self.read(index, now, is_closed) {
                    return Ok(Err(failure));
                }
            }
        }
    }

    /// Sends on idle sockets: on all, or as many as the rate asks for.
    fn send_due(&mut self, rate: Option<f64>, begin: Instant, now: Instant) -> Result<(), String> {
        while let Some(index) = self.idle.pop() {
            let since = rate.map_or(now, |rate| begin + Duration::from_secs_f64(self.tally.requests as f64 / rate));
            if since > now {
                self.idle.push(index);
                break;
            }
            if rate.is_some() {
                self.tally.lateness.add(now - since, 1);
            }
            self.send(index, since)?;
        }
        Ok(())
    }

    fn send(&mut self, index: usize, since: Instant) -> Result<(), String> {
        self.tally.requests += self.depth as u64;
        self.sockets[index].send(&self.piece, self.depth * self.target.answer_bytes, since)
    }

    fn read(&mut self, index: usize, now: Instant, is_closed: bool) -> Result<(), String> {
        let socket = &mut self.sockets[index];
        let Progress::Complete { wrong } = socket.read(&mut self.buffer, self.target.answer_bytes)? else { return Ok(()) };
        if self.idle.contains(&index) {
            return Err("something came without a request".to_owned());
        }
        self.tally.wrong += wrong;
        self.tally.answers += self.depth as u64;
        self.tally.latency.add(now.saturating_duration_since(socket.since), self.depth as u64);
        if is_closed {
            self.send(index, now)
        } else {
            self.idle.push(index);
            Ok(())
        }
    }
}
