//! Asking endpoints, one after the other, until one has answered or none may be asked any more.

use std::task::{Context, Poll, ready};

use semantics::{
    edits::Edits,
    forward::{self, Forwarded, Hop, TargetFault},
    head::{Fields, Head},
    reply::{self, Asked, Reply},
    retry::Cause,
    template::Subject,
    upgrade,
};

use super::{
    state::{Phase, State},
    upload::{Progress, Stopped},
    watch::For,
};
use crate::{
    buffer::{BUFFER_BYTES_MAX, Buffer},
    exchange::{Interim, Slot},
    fault::Fault,
    intercept::{self, Chosen},
    response::Response,
    switch,
    upstream::Lease,
    worker::Counters,
};

/// Informational answers that one exchange may bring; with more of them its upstream is in doubt.
const INTERIMS_MAX: u32 = 64;

/// The exchange that is answered.
pub(super) struct Ask<'a> {
    pub(super) head: &'a Head<'a>,
    pub(super) slot: &'a Slot,
    pub(super) interim: &'a dyn Interim,
}

/// What has come of an exchange.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The answer's head is there.
    Answered,
    /// There will be none.
    Failed(Fault),
    /// The answer is there, and something else takes its place.
    Intercepted(Chosen),
    /// The answer is there, and what follows is not HTTP.
    Switched(Response),
}

/// An attempt that came to nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) fault: Fault,
    /// `None`: it would come to nothing elsewhere, too, or must not be asked again.
    pub(super) cause: Option<Cause>,
    /// The endpoint has failed.
    pub(super) is_of_endpoint: bool,
}

impl Failure {
    fn new(fault: Fault, cause: Cause) -> Self {
        Self { fault, cause: Some(cause), is_of_endpoint: true }
    }

    /// The endpoint has answered, with a status that another one is asked for. What it does is no failure.
    fn unwanted(status: u16) -> Self {
        Self { fault: Fault::UpstreamReset, cause: Some(Cause::Status(status)), is_of_endpoint: false }
    }

    /// The endpoint's, and nobody else is asked.
    fn endpoint(fault: Fault) -> Self {
        Self { fault, cause: None, is_of_endpoint: true }
    }

    /// Whatever is asked next, nothing else would come of it.
    fn last(fault: Fault) -> Self {
        Self { fault, cause: None, is_of_endpoint: false }
    }
}

impl State {
    /// Goes on until there is an answer, or a fault in its place.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, ask: &Ask<'_>) -> Poll<Outcome> {
        if self.phase == Phase::Idle {
            self.watch.attach(context.waker());
            if self.upload.is_large() {
                self.grant = Some(self.worker.memory.charge(BUFFER_BYTES_MAX));
            }
        }
        loop {
            let done = match self.phase {
                Phase::Idle => self.start(ask),
                Phase::Connecting => ready!(self.poll_connected(context, ask)),
                Phase::Asking => match ready!(self.poll_reply(context, ask)) {
                    Ok(outcome) => return Poll::Ready(outcome),
                    Err(failure) => Err(failure),
                },
            };
            if let Err(failure) = done
                && !self.tries_again(ask, failure)
            {
                return Poll::Ready(Outcome::Failed(failure.fault));
            }
        }
    }

    /// Chooses an endpoint and a connection.
    fn start(&mut self, ask: &Ask<'_>) -> Result<(), Failure> {
        let (upstream, worker) = (self.proxy.upstream, &self.worker);
        let clock = &worker.clock;
        let (endpoint, place) = match self.lease.take() {
            // Once more, by another connection.
            Some((lease, place)) if self.wants_new => (lease, place),
            _ => {
                let chosen = worker.pools.choose(upstream, &self.table.tried, clock.process_tick());
                let (place, endpoint) = chosen.ok_or_else(|| Failure::last(Fault::UpstreamNoEndpoint))?;
                (Lease::new(endpoint), place)
            }
        };
        let passage = &ask.slot.passage;
        passage.endpoint.set(Some(endpoint.endpoint()));
        passage.attempts.set(passage.attempts.get() + 1);
        let kept = match self.wants_new {
            true => None,
            // What can't be asked a second time is not sent to a connection that may be gone.
            false => worker.pools.take(upstream, place, !self.is_repeatable(ask), clock.tick()),
        };
        self.is_kept = kept.is_some();
        self.phase = if self.is_kept { Phase::Asking } else { Phase::Connecting };
        self.opened = 0;
        let connection = match kept {
            Some(connection) => Ok(connection),
            None => {
                self.opened = worker.recorder.now(clock);
                endpoint.endpoint().open(clock.tick())
            }
        };
        self.lease = Some((endpoint, place));
        self.connection = Some(connection.map_err(|_refused| Failure::new(Fault::UpstreamConnectFailed, Cause::Connect))?);
        if self.is_kept { self.write_head(ask) } else { Ok(()) }
    }

    /// Makes the request's head for this endpoint.
    fn write_head(&mut self, ask: &Ask<'_>) -> Result<(), Failure> {
        let Some((lease, _)) = &self.lease else { return Err(Failure::last(Fault::UpstreamNoEndpoint)) };
        let hop = Hop {
            endpoint: lease.endpoint().authority(),
            trust: self.worker.trusted_proxies,
            framing: self.upload.framing(),
            expects_continue: self.upload.awaits_continue(),
            is_last: self.proxy.upstream.pool.idle_connections == 0,
        };
        let captures = ask.slot.captures.borrow();
        let subject = Subject { head: ask.head, captures: &captures, status: 0, request_id: ask.slot };
        let policy = &self.proxy.policy;
        let mut unsent = 0;
        let written =
            self.upload.set_head(|out| forward::head(policy, &subject, &hop, out).map(|forwarded: Forwarded| unsent = forwarded.unsent));
        if unsent > 0 {
            Counters::add_many(&self.worker.counters.unsent_fields, unsent.into());
        }
        if let Some(connection) = &mut self.connection {
            connection.requests += 1;
        }
        written.map_err(|TargetFault| Failure::last(Fault::UpstreamTarget))
    }

    fn poll_connected(&mut self, context: &mut Context<'_>, ask: &Ask<'_>) -> Poll<Result<(), Failure>> {
        let Some(connection) = &self.connection else { return Poll::Ready(Err(Failure::last(Fault::UpstreamConnectFailed))) };
        let connected = connection.poll_connected(context);
        Poll::Ready(match connected {
            Poll::Pending => return self.waits(For::Connection),
            Poll::Ready(Ok(())) => {
                self.watch.end();
                let took = self.worker.recorder.now(&self.worker.clock).saturating_sub(self.opened);
                ask.slot.passage.connect_microseconds.set(took);
                self.phase = Phase::Asking;
                self.write_head(ask)
            }
            Poll::Ready(Err(_refused)) => Err(Failure::new(Fault::UpstreamConnectFailed, Cause::Connect)),
        })
    }

    /// Sends the request and reads the answer's head, whichever can go on.
    fn poll_reply(&mut self, context: &mut Context<'_>, ask: &Ask<'_>) -> Poll<Result<Outcome, Failure>> {
        loop {
            let progress = self.drive_upload(context).map_err(Failure::last)?;
            let Some(connection) = &self.connection else { return Poll::Ready(Err(Failure::last(Fault::UpstreamReset))) };
            match self.download.poll_head(context, connection) {
                Poll::Pending if progress == Progress::AwaitsContinue && self.watch.is_due_for(For::Continue) => self.upload.go_on(),
                Poll::Pending => return self.waits_for_reply(progress),
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Err(self.broken())),
                Poll::Ready(Ok(_)) => {
                    self.watch.end();
                    if let Some(outcome) = self.scan(ask)? {
                        return Poll::Ready(Ok(outcome));
                    }
                }
            }
        }
    }

    fn waits_for_reply(&mut self, progress: Progress) -> Poll<Result<Outcome, Failure>> {
        let has_begun = !self.download.unread().is_empty();
        self.waits(match progress {
            Progress::AwaitsClient => For::Nothing,
            Progress::AwaitsContinue => For::Continue,
            Progress::AwaitsEndpoint => For::Bytes,
            Progress::Sent if has_begun => For::Bytes,
            Progress::Sent => For::FirstByte,
        })
    }

    /// Sends what can be sent. That the endpoint takes no more is no fault yet: it may have answered.
    pub(super) fn drive_upload(&mut self, context: &mut Context<'_>) -> Result<Progress, Fault> {
        let Some(connection) = self.connection.as_ref().filter(|_| !self.is_deaf) else { return Ok(Progress::Sent) };
        let before = self.upload.sent_bytes();
        let driven = self.upload.drive(context, connection);
        if self.upload.sent_bytes() > before {
            self.watch.end();
        }
        match driven {
            Ok(progress) => Ok(progress),
            Err(Stopped::Body(fault)) => Err(fault),
            Err(Stopped::Endpoint(_gone)) => {
                self.is_deaf = true;
                Ok(Progress::Sent)
            }
        }
    }

    /// The connection ended before the answer's head did.
    fn broken(&self) -> Failure {
        let has_begun = !self.download.unread().is_empty() || self.interims > 0;
        Failure::new(Fault::UpstreamReset, if self.is_kept && !has_begun { Cause::Stale } else { Cause::Reset })
    }

    /// Reads the answer's head out of what has come; `None`: more must come.
    fn scan(&mut self, ask: &Ask<'_>) -> Result<Option<Outcome>, Failure> {
        let in_doubt = Failure::endpoint(Fault::UpstreamFraming);
        while self.download.may_scan() {
            let asked = Asked { method: ask.head.method, upgrade: self.upgrade(ask) };
            let scanned = reply::scan(self.download.unread(), reply::LIMITS, asked, &mut self.table.fields);
            let Some(reply) = scanned.map_err(|_fault| in_doubt)? else { return Ok(None) };
            if !reply.is_interim() {
                return self.answer(ask, &reply).map(Some);
            }
            self.interims += 1;
            if self.interims > INTERIMS_MAX {
                return Err(in_doubt);
            }
            self.pass_on(ask, &reply);
            self.download.skip(reply.head_bytes);
        }
        Ok(None)
    }

    /// The protocol that is asked for.
    fn upgrade<'h>(&self, ask: &Ask<'h>) -> Option<&'h str> {
        upgrade::asked(self.proxy.policy.upgrades, ask.head, self.upload.framing())
    }

    /// An informational answer goes to the client; 100 is for whoever sends the body.
    fn pass_on(&mut self, ask: &Ask<'_>, reply: &Reply) {
        if reply.status == 100 {
            self.upload.go_on();
            return;
        }
        let mut lines = Buffer::take();
        let edits = [self.proxy.upstream_edits, ask.slot.edits.get().unwrap_or(&Edits::NONE)];
        reply::append_interim(reply, Fields::new(self.download.unread(), &self.table.fields), edits, &mut lines);
        ask.interim.send(reply.status, &lines);
    }

    /// Takes over the answer, or what takes its place.
    fn answer(&mut self, ask: &Ask<'_>, reply: &Reply) -> Result<Outcome, Failure> {
        let passage = &ask.slot.passage;
        passage.status.set(reply.status);
        passage.first_byte_microseconds.set(self.worker.recorder.now(&self.worker.clock).saturating_sub(self.begun));
        self.edits = ask.slot.edits.get().unwrap_or(&Edits::NONE);
        if self.spends_retry_for(ask, reply.status) {
            return Err(Failure::unwanted(reply.status));
        }
        let received = Fields::new(self.download.unread(), &self.table.fields);
        // They may still turn out to be none, but they were announced.
        self.is_unmeasured = reply.framing == reply::Framing::Chunked && received.first("trailer").is_some();
        if let Some(chosen) = intercept::choose(self.intercepts, reply.status, Some(received), ask.slot) {
            self.begin_body(reply)?;
            return Ok(Outcome::Intercepted(chosen));
        }
        let captures = ask.slot.captures.borrow();
        let subject = Subject { head: ask.head, captures: &captures, status: reply.status, request_id: ask.slot };
        let mut lines = self.upload.take_memory();
        let appended = reply::append(reply, received, self.proxy.upstream_edits, &subject, &mut lines);
        if appended.unsent > 0 {
            Counters::add_many(&self.worker.counters.unsent_fields, appended.unsent.into());
        }
        if reply.is_switch() {
            return self.switch(reply, (lines, appended.has_date));
        }
        self.begin_body(reply)?;
        if reply.framing == reply::Framing::Chunked && !self.is_unmeasured {
            lines.push_number_field("content-length", self.download.unread().len() as u64);
        }
        (self.lines, self.status, self.has_date) = (Some(lines), reply.status, appended.has_date);
        Ok(Outcome::Answered)
    }

    /// What is behind the head is of the body; lets the connection go where all of it has come.
    fn begin_body(&mut self, reply: &Reply) -> Result<(), Failure> {
        self.is_persistent = reply.is_persistent;
        self.download.begin(reply).map_err(Failure::endpoint)?;
        if self.download.is_whole() {
            self.complete();
        }
        self.is_unmeasured = match reply.framing {
            reply::Framing::Chunked => self.is_unmeasured || !self.download.is_whole() || self.trailer_lines.is_some(),
            reply::Framing::Empty | reply::Framing::Length(_) => false,
            reply::Framing::ToTheEnd => true,
        };
        Ok(())
    }

    /// The connection goes on with another protocol.
    fn switch(&mut self, reply: &Reply, lines: (Buffer, bool)) -> Result<Outcome, Failure> {
        self.watch.end();
        let early = self.download.take_behind(reply.head_bytes);
        let end = self.connection.take().zip(self.lease.take());
        let (connection, (lease, _)) = end.ok_or_else(|| Failure::last(Fault::UpstreamReset))?;
        lease.endpoint().succeed();
        Ok(Outcome::Switched(switch::response(lines, early, (connection, lease), self.proxy.timeouts.tunnel_idle)))
    }

    /// Waits for that before the answer.
    fn waits<T>(&mut self, wanted: For) -> Poll<Result<T, Failure>> {
        self.poll_wait(wanted).map(|fault| {
            Err(match (fault, wanted) {
                (Fault::UpstreamTotalTimedOut, _) => Failure::last(fault),
                (_, For::Connection) => Failure::new(fault, Cause::Connect),
                (_, For::FirstByte) => Failure::new(fault, Cause::FirstByteTimedOut),
                (_, For::Bytes | For::Continue | For::Nothing) => Failure::endpoint(fault),
            })
        })
    }
}
