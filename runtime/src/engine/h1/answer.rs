//! One request's answer: scan and view of the head, the site's handler, framing, and what becomes of a body that nobody read.
//!
//! [`begin`] is the hot path and no future: what is ready at once is answered there. Everything else goes on in [`complete`].

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use semantics::head::{self, Arrival, Fields, Framing, Head, Scheme, Version};

use super::{
    Transport,
    close::{End, flush},
    inbound::Inbound,
    input::Input,
    link::{Gone, Link},
    outbound,
    tunnel::Traffic,
    work::Work,
    write::{self, Body, Frame},
};
use crate::{
    buffer::CHUNK_BYTES,
    client, encode, errors,
    exchange::{Exchange, Slot},
    fault::Fault,
    memory::Grant,
    record,
    request_body::RequestBody,
    response::Response,
    step::Step,
    worker::{Counters, RequestPermit},
};

/// Bytes of a body that nobody wants which are read so that the connection can be kept; a longer rest closes it.
pub(crate) const UNWANTED_BYTES_MAX: u64 = 64 * 1024;

/// How far [`begin`] came.
pub(crate) enum Begun {
    /// The answer is in the output; the request's head is the first so many bytes of the input.
    Answered(usize),
    /// No complete head has arrived.
    Nothing,
    /// There is more to do than to append an answer.
    Unfinished,
}

/// An exchange whose handler has been called, and what is left to do.
pub(crate) struct Unfinished<'a, S> {
    step: Step<'a>,
    head: &'a Head<'a>,
    slot: &'a Slot,
    out: &'a mut Vec<u8>,
    inbound: Option<Rc<Inbound<S>>>,
    head_bytes: usize,
    is_persistent: bool,
}

/// What an exchange leaves behind.
pub(crate) struct Left<S> {
    /// The connection goes on.
    keeps: bool,
    /// The head is still at the front of the input,
    head_bytes: usize,
    /// and what is behind the request is in its body's input, if it has one.
    inbound: Option<Rc<Inbound<S>>>,
    /// It was the last, and has switched.
    pub(crate) traffic: Option<Traffic>,
}

impl<S: Transport> Left<S> {
    /// A connection that goes on behind a request without a body.
    pub(crate) fn behind(head_bytes: usize) -> Self {
        Self { keeps: true, head_bytes, inbound: None, traffic: None }
    }

    /// Leaves in `input` what is behind the request. `Err` ends the connection.
    pub(crate) fn clear(self, input: &mut Input) -> Result<(), End> {
        match self.inbound {
            None => input.consume(self.head_bytes),
            Some(inbound) => inbound.swap_input(input),
        }
        match self.keeps {
            true => Ok(()),
            false if input.is_empty() => Err(End::Close),
            // What was sent behind the last request must not reset its answer.
            false => Err(End::Linger),
        }
    }
}

/// Answers the request at the front of the input as far as that needs no waiting. Its head is kept in `head_place`, and in `place` what is left to do: both
/// are large, and this way they are never moved.
pub(crate) fn begin<'a, S: Transport>(
    link: &'a Rc<Link<S>>,
    work: &'a mut Work,
    head_place: &'a mut Option<Head<'a>>,
    place: &mut Option<Unfinished<'a, S>>,
) -> Result<Begun, Fault> {
    let Work { input, out, table, scratch, slot, .. } = work;
    let unread = input.unread();
    let worker = &link.engine.worker;
    let Some(scanned) = head::scan(unread, link.engine.scan_limits, table).map_err(Fault::Head)? else {
        return Ok(Begun::Nothing);
    };
    Counters::add(&worker.counters.requests);
    let peer = Arrival::direct(link.arrived.client, Scheme::Http);
    let arrival = client::arrival(peer, link.engine.settings.trusted_proxies, Fields::new(unread, table))?;
    let head = &*head_place.insert(head::view(unread, &scanned, table, scratch, arrival).map_err(Fault::Head)?);
    slot.reset();
    let slot = &*slot;
    link.records.begin(worker);
    link.open_interim(head.version == Version::Http11);
    let inbound = match scanned.framing {
        Framing::Empty => None,
        Framing::Chunked | Framing::Length(_) => Some(Inbound::new(link, &scanned, unread.get(scanned.head_bytes..).unwrap_or_default())),
    };
    let body = inbound.as_ref().map_or(RequestBody::Empty, |inbound| RequestBody::stream(Rc::clone(inbound) as _));
    let (head_bytes, mut is_persistent) = (scanned.head_bytes, scanned.is_persistent && !worker.is_draining());
    let step = handle(link, Exchange::new(head, slot, body, &**link).by_listener(link.arrived.listener)).unwrap_or_else(|fault| {
        is_persistent = false;
        refusal(link, slot, fault)
    });
    match step {
        Step::Ready(mut response) if inbound.is_none() && is_persistent && write::is_short(&response) => {
            link.take_interim(out, true);
            let before = out.len();
            write::answer(worker, &mut response, &mut Frame { head, slot, is_persistent }, out);
            let answer = record::Answer { head, slot, response: &response, before, after: out.len(), apart: Some(0), is_held: false };
            link.records.answer(worker, &answer);
            Ok(Begun::Answered(head_bytes))
        }
        step => {
            *place = Some(Unfinished { step, head, slot, out, inbound, head_bytes, is_persistent });
            Ok(Begun::Unfinished)
        }
    }
}

/// What the site says.
fn handle<'a, S: Transport>(link: &Link<S>, exchange: Exchange<'a>) -> Result<Step<'a>, Fault> {
    let site = link.engine.site;
    // The exchange is gone after a panic, and a site is constant data: nothing broken can be seen.
    catch_unwind(AssertUnwindSafe(|| site.handle(exchange))).map_err(|_panic| panicked(link))
}

/// Counts a panic that was contained.
pub(crate) fn panicked<S>(link: &Link<S>) -> Fault {
    Counters::add(&link.engine.worker.counters.panics);
    Fault::Panicked
}

/// Brings an exchange to its end: the answer is in the output afterwards, or written.
pub(crate) async fn complete<S: Transport>(link: &Link<S>, exchange: &mut Unfinished<'_, S>) -> Result<Left<S>, End> {
    // Held to the last byte, or until the connection is dropped.
    let permit = link.engine.worker.begin_request();
    if permit.is_none() {
        exchange.step = refusal(link, exchange.slot, Fault::RequestLimit);
    }
    let _output = link.engine.worker.memory.charge(exchange.out.capacity());
    let mut settled = outbound::wait(link, &mut exchange.step, exchange.out).await.map(|()| true);
    if let (Ok(_), Some(inbound)) = (&settled, &exchange.inbound) {
        settled = settle(link, inbound, exchange.out).await;
    }
    match settled {
        Ok(keeps) => exchange.is_persistent &= keeps,
        Err(End::Refuse(fault)) => {
            exchange.step = refusal(link, exchange.slot, fault);
            exchange.is_persistent = false;
        }
        Err(end) => {
            link.records.leave(&link.engine.worker, (exchange.head, exchange.slot), "client-gone");
            return Err(end);
        }
    }
    loop {
        let mut grant = exchange.afford(link).await?;
        let earlier_bytes = exchange.out.len();
        let (out, response, body) = exchange.write_head(link, &mut grant)?;
        match body {
            Body::Apart => outbound::write(link, out, response.ready_body()).await?,
            Body::Done => {}
            Body::Chunked | Body::Streamed | Body::ToTheEnd => {
                let streamed = outbound::stream(link, response, out, (body, earlier_bytes)).await;
                if streamed == Err(End::Close) && exchange.takes_back(link) {
                    continue;
                }
                streamed?;
            }
            Body::Tunnel => return exchange.switch(link, permit),
        }
        break;
    }
    // It may hold the request's body.
    exchange.step = Step::Ready(Response::Abort);
    if let Some(inbound) = &exchange.inbound
        && !inbound.is_done()
        && (!exchange.is_persistent || !finish(link, inbound, exchange.out).await?)
    {
        link.records.close(&link.engine.worker);
        return Err(End::Linger);
    }
    if exchange.inbound.is_some() {
        link.records.close(&link.engine.worker);
    }
    Ok(Left { keeps: exchange.is_persistent, head_bytes: exchange.head_bytes, inbound: exchange.inbound.take(), traffic: None })
}

/// The answer of a fault while its exchange lives: what was chosen for the exchange counts, its error pages and edits.
fn refusal<'a, S>(link: &Link<S>, slot: &Slot, fault: Fault) -> Step<'a> {
    link.engine.worker.counters.add_fault(fault);
    link.records.fault(fault);
    Step::Ready(Response::Prebuilt(*errors::answer(slot, fault.status())))
}

impl<S: Transport> Unfinished<'_, S> {
    /// Memory to stream the answer by; what goes from its file to the socket needs none. Where there is none for too long, a refusal takes its place; and at once where a
    /// large body lies in memory already, which would be held while it waits.
    async fn afford(&mut self, link: &Link<S>) -> Result<Grant, Gone> {
        let Step::Ready(response) = &self.step else {
            return Ok(Grant::default());
        };
        if let Some(grant) = encode::afford(response, self.head, self.slot, &link.engine.worker.memory) {
            return Ok(grant);
        }
        let own_bytes = response.own_bytes();
        if own_bytes > CHUNK_BYTES {
            return Ok(link.engine.worker.memory.take_spare_for_whole(own_bytes).unwrap_or_else(|| self.refuse_for_memory(link)));
        }
        if !response.is_streamed() || (S::SENDS_FILES && response.is_in_file()) {
            return Ok(Grant::default());
        }
        if let Some(grant) = link.engine.worker.memory.take(CHUNK_BYTES) {
            return Ok(grant);
        }
        flush(link, self.out).await?;
        Ok(outbound::memory(link, CHUNK_BYTES).await.unwrap_or_else(|_timed_out| self.refuse_for_memory(link)))
    }

    fn refuse_for_memory(&mut self, link: &Link<S>) -> Grant {
        self.step = refusal(link, self.slot, Fault::MemoryTimedOut);
        self.is_persistent = false;
        Grant::default()
    }

    /// Writes the answer's head, and its body if it is short; of the memory it keeps what sending the rest takes. Gives what is left to write.
    fn write_head(&mut self, link: &Link<S>, grant: &mut Grant) -> Result<(&mut Vec<u8>, &mut Response, Body), End> {
        let Step::Ready(response) = &mut self.step else {
            return Err(End::Gone);
        };
        if response.is_abort() {
            link.records.leave(&link.engine.worker, (self.head, self.slot), "abort");
            return Err(End::Close);
        }
        self.is_persistent &= !link.engine.worker.is_draining();
        link.take_interim(self.out, true);
        if response.is_tunnel() && self.inbound.as_ref().is_some_and(|inbound| !inbound.is_done()) {
            // Its rest would be taken for what goes through the tunnel.
            link.records.leave(&link.engine.worker, (self.head, self.slot), "abort");
            return Err(End::Close);
        }
        let mut frame = Frame { head: self.head, slot: self.slot, is_persistent: self.is_persistent };
        let before = self.out.len();
        let body = write::answer(&link.engine.worker, response, &mut frame, self.out);
        self.is_persistent = frame.is_persistent;
        if !response.is_unmeasured() {
            // It may have been taken for an encoder.
            grant.keep(CHUNK_BYTES.max(response.own_bytes()));
        }
        link.records.answer(
            &link.engine.worker,
            &record::Answer {
                head: self.head,
                slot: self.slot,
                response,
                before,
                after: self.out.len(),
                apart: if body == Body::Done { Some(0) } else { response.body_bytes() },
                is_held: self.inbound.is_some() || body == Body::Tunnel,
            },
        );
        Ok((self.out, response, body))
    }

    /// Nothing of the answer has been sent, and its body is not there: what went wrong is answered in its place, if that is known.
    fn takes_back(&mut self, link: &Link<S>) -> bool {
        let fault = match &self.step {
            Step::Ready(response) => response.fault(),
            Step::Later(_) => None,
        };
        if let Some(fault) = fault {
            link.records.take_back();
            self.step = refusal(link, self.slot, fault);
        }
        fault.is_some()
    }

    /// What is left to do behind a 101.
    fn switch(&mut self, link: &Link<S>, permit: Option<RequestPermit>) -> Result<Left<S>, End> {
        let Step::Ready(response) = &mut self.step else {
            return Err(End::Gone);
        };
        let traffic = response.tunnel().map(|opened| Traffic::new(opened, permit));
        if traffic.is_none() {
            link.records.close(&link.engine.worker);
            return Err(End::Gone);
        }
        Ok(Left { keeps: true, head_bytes: self.head_bytes, inbound: self.inbound.take(), traffic })
    }
}

/// Decides before the head is written whether the connection can be kept although the handler left some of the body.
///
/// A chunked body is read up to a bound first: while its framing is in doubt, the answer is, too.
async fn settle<S: Transport>(link: &Link<S>, inbound: &Rc<Inbound<S>>, out: &mut Vec<u8>) -> Result<bool, End> {
    if inbound.has_failed() || inbound.awaits_continue() {
        return Ok(false);
    }
    // The answer streams and still reads the body: `finish` will see.
    let is_read_on = Rc::strong_count(inbound) > 1;
    if is_read_on || inbound.drop_arrived()? {
        return Ok(true);
    }
    match inbound.left() {
        Some(left) => Ok(left <= UNWANTED_BYTES_MAX),
        None => {
            flush(link, out).await?;
            Ok(drop_rest(inbound).await?)
        }
    }
}

/// Reads behind the answer what is left of the body, so that the next request can be found; `false` if that is too much to ask.
async fn finish<S: Transport>(link: &Link<S>, inbound: &Inbound<S>, out: &mut Vec<u8>) -> Result<bool, End> {
    if inbound.has_failed() || inbound.awaits_continue() {
        return Ok(false);
    }
    flush(link, out).await?;
    // The answer is on its way: a fault can't be told any more.
    Ok(drop_rest(inbound).await.unwrap_or(false))
}

/// Drops the rest of the body; `false` if it is over [`UNWANTED_BYTES_MAX`].
async fn drop_rest<S: Transport>(inbound: &Inbound<S>) -> Result<bool, Fault> {
    let mut dropped = 0;
    while dropped <= UNWANTED_BYTES_MAX {
        match poll_fn(|context| inbound.poll_drop(context)).await? {
            0 => return Ok(true),
            bytes => dropped += bytes as u64,
        }
    }
    Ok(false)
}
