//! One request's answer: view of the head, the site's handler, framing, and what becomes of a body that nobody read.

use std::{
    future::poll_fn,
    net::IpAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use semantics::head::{self, Arrival, Scanned, Scheme, Version};

use super::{
    Transport,
    close::{End, flush},
    inbound::Inbound,
    input::Input,
    link::Link,
    outbound,
    work::Work,
    write::{self, Body, Frame, Persistence},
};
use crate::{
    builtin::builtin, exchange::Exchange, fault::Fault, request_body::RequestBody, response::Response, site::Site, step::Step,
    worker::Counters,
};

/// Bytes of a body that nobody wants which are read so that the connection can be kept; a longer rest closes it.
pub(crate) const UNWANTED_BYTES_MAX: u64 = 64 * 1024;

/// Answers one request, whose head is at the front of the input. The answer is in `work.out` afterwards, or written.
pub(crate) async fn answer<S: Transport>(link: &Rc<Link<S>>, client: IpAddr, work: &mut Work, scanned: &Scanned) -> Result<(), End> {
    let Work { input, out, table, scratch, slot } = work;
    let worker = &link.engine.worker;
    Counters::add(&worker.counters.requests);
    slot.reset();
    link.open_interim(scanned.version == Version::Http11);
    let inbound = Inbound::new(link, scanned, input.unread().get(scanned.head_bytes..).unwrap_or_default())?;
    let (mut response, body, persistence) = {
        let arrival = Arrival { client, scheme: Scheme::Http };
        let head = head::view(input.unread(), scanned, table, scratch, arrival).map_err(Fault::Head)?;
        let request_body = inbound.as_ref().map_or(RequestBody::Empty, |inbound| RequestBody::stream(Rc::clone(inbound) as _));
        let step = handle(link.engine.site, Exchange { head: &head, slot, body: request_body, interim: &**link });
        let response = match step {
            Some(Step::Later(later)) => outbound::wait(link, later, out).await?,
            Some(Step::Ready(response)) => Some(response),
            None => None,
        };
        let has_panicked = response.is_none();
        let response = response.unwrap_or_else(|| panicked(&worker.counters));
        if response.is_abort() {
            flush(link, out).await?;
            return Err(End::Drop);
        }
        let mut keeps = scanned.is_persistent && !has_panicked && !worker.is_draining();
        if let Some(inbound) = &inbound {
            keeps &= settle(link, inbound, out).await?;
        }
        let persistence = Persistence::of(keeps, scanned.version);
        link.take_interim(out, true);
        let frame = Frame { head: &head, slot, date_line: worker.clock.date_line(), persistence };
        let (body, unsent) = write::answer(&response, frame, out);
        if unsent > 0 {
            Counters::add_many(&worker.counters.unsent_fields, unsent.into());
        }
        (response, body, persistence)
    };
    match body {
        Body::Apart => outbound::write(link, out, response.ready_body()).await?,
        Body::Done => {}
        Body::Streamed => outbound::stream(link, &mut response, out).await?,
    }
    drop(response);
    match inbound {
        None => input.consume(scanned.head_bytes),
        Some(inbound) => {
            let is_over = inbound.is_done() || (persistence != Persistence::Close && finish(link, &inbound, out).await?);
            if !is_over {
                flush(link, out).await?;
                return Err(End::Linger);
            }
            inbound.swap_input(input);
        }
    }
    if persistence == Persistence::Close {
        return Err(last(link, input, out).await);
    }
    Ok(())
}

/// What the site says; `None` if it panicked.
fn handle<'a>(site: &'static dyn Site, exchange: Exchange<'a>) -> Option<Step<'a>> {
    // The exchange is gone after a panic, and a site is constant data: nothing broken can be seen.
    catch_unwind(AssertUnwindSafe(|| site.handle(exchange))).ok()
}

fn panicked(counters: &Counters) -> Response {
    Counters::add(&counters.panics);
    Response::Prebuilt(*builtin(Fault::Panicked.status()))
}

/// Decides before the head is written whether the connection can be kept although the handler left some of the body.
///
/// A chunked body is read up to a bound first: while its framing is in doubt the answer is, too.
async fn settle<S: Transport>(link: &Link<S>, inbound: &Rc<Inbound<S>>, out: &mut Vec<u8>) -> Result<bool, End> {
    if inbound.has_failed() || inbound.awaits_continue() {
        return Ok(false);
    }
    // The answer streams and still reads the body: `finish` will see.
    let is_read_on = Rc::strong_count(inbound) > 1;
    if is_read_on || inbound.is_done() || inbound.drop_arrived()? {
        return Ok(true);
    }
    match inbound.left() {
        Some(left) => Ok(left <= UNWANTED_BYTES_MAX),
        None => {
            flush(link, out).await?;
            drop_rest(inbound).await
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
    drop_rest(inbound).await.map_err(|_fault| End::Linger)
}

/// Drops the rest of the body; `false` if it is over [`UNWANTED_BYTES_MAX`].
async fn drop_rest<S: Transport>(inbound: &Inbound<S>) -> Result<bool, End> {
    let mut dropped = 0;
    while dropped <= UNWANTED_BYTES_MAX {
        match poll_fn(|context| inbound.poll_drop(context)).await? {
            0 => return Ok(true),
            bytes => dropped += bytes as u64,
        }
    }
    Ok(false)
}

/// Writes the last answer. The client is listened to for a while only if it has sent more than was answered.
async fn last<S: Transport>(link: &Link<S>, input: &Input, out: &mut Vec<u8>) -> End {
    match flush(link, out).await {
        Ok(()) if input.is_empty() => End::Drop,
        Ok(()) => End::Linger,
        Err(gone) => gone.into(),
    }
}
