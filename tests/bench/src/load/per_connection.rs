//! A connection for each request: opened, asked once, read to the server's end of it.

use std::time::Instant;

use super::{
    Measured, Target,
    socket::{BUFFER, Progress, Ready, Socket},
    window::{Phase, Tally, Window},
};
use crate::fault::Fault;

const TURN_MS: i64 = 20;

struct Slot {
    socket: Socket,
    is_answered: bool,
}

struct Run<'t> {
    target: &'t Target<'t>,
    slots: Vec<Option<Slot>>,
    ready: Ready,
    buffer: Vec<u8>,
    tally: Tally,
}

pub(super) fn run(target: &Target<'_>, mut window: Window<'_>) -> Result<Measured, Fault> {
    let ready = Ready::new(target.connections)?;
    let mut run = Run { target, slots: Vec::new(), ready, buffer: vec![0; BUFFER], tally: Tally::new() };
    run.slots.resize_with(target.connections, || None);
    let failure = run.turns(&mut window)?.err();
    window.close(run.tally, failure)
}

impl Run<'_> {
    /// Ends when the span is over and all answers are there. The inner error is the server's.
    fn turns(&mut self, window: &mut Window<'_>) -> Result<Result<(), String>, Fault> {
        let mut indices = Vec::with_capacity(self.target.connections);
        loop {
            let now = Instant::now();
            let phase = window.turn(now, &mut self.tally)?;
            if phase == Phase::Tail && self.slots.iter().all(Option::is_none) {
                return Ok(Ok(()));
            }
            if window.is_over(now) {
                return Ok(Err("answers are missing at the end".to_owned()));
            }
            if phase != Phase::Tail
                && let Err(failure) = self.open(now)?
            {
                return Ok(Err(failure));
            }
            indices.clear();
            indices.extend(self.ready.wait(TURN_MS)?);
            let now = Instant::now();
            if let Some(failure) = indices.iter().find_map(|index| self.read(*index, now).err()) {
                return Ok(Err(failure));
            }
        }
    }

    /// Opens a connection in each free slot and asks.
    fn open(&mut self, now: Instant) -> Result<Result<(), String>, Fault> {
        for index in 0..self.slots.len() {
            if self.slots[index].is_some() {
                continue;
            }
            let mut socket = Socket::connect(self.target.address, now)?;
            self.tally.requests += 1;
            if let Err(failure) = socket.send(self.target.request, self.target.answer_bytes, now) {
                return Ok(Err(failure));
            }
            self.ready.add(&socket, index)?;
            self.slots[index] = Some(Slot { socket, is_answered: false });
        }
        Ok(Ok(()))
    }

    fn read(&mut self, index: usize, now: Instant) -> Result<(), String> {
        let Some(slot) = &mut self.slots[index] else { return Ok(()) };
        if !slot.is_answered {
            let Progress::Complete { wrong } = slot.socket.read(&mut self.buffer, self.target.answer_bytes)? else { return Ok(()) };
            slot.is_answered = true;
            self.tally.wrong += wrong;
        }
        if slot.socket.has_ended()?.is_some() {
            self.tally.answers += 1;
            self.tally.latency.add(now.saturating_duration_since(slot.socket.since), 1);
            self.slots[index] = None;
        }
        Ok(())
    }
}
