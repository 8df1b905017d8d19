//! One request's answer: scan and view of the head, the site's handler, framing, and what becomes of a body that nobody read.
//!
//! What lives across an await is memory of every connection: so facts are taken out of the scan, and what can be asked for again is not kept.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use semantics::head::{self, Arrival, FieldSpan, Framing, Head, Scheme, Scratch, Version};

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
use crate::{exchange::Exchange, fault::Fault, request_body::RequestBody, step::Step, worker::Counters};

/// Bytes of a body that nobody wants which are read so that the connection can be kept; a longer rest closes it.
pub(crate) const UNWANTED_BYTES_MAX: u64 = 64 * 1024;

/// A request with a complete, valid head.
struct Request<'a, S> {
    head: Head<'a>,
    head_bytes: usize,
    inbound: Option<Rc<Inbound<S>>>,
    is_persistent: bool,
}

/// Answers the request at the front of the input. The answer is in `work.out` afterwards, or written. `false`: no complete head is there.
pub(crate) async fn answer<S: Transport>(link: &Rc<Link<S>>, work: &mut Work) -> Result<bool, End> {
    let Work { input, out, table, scratch, slot } = work;
    let Some(Request { head, head_bytes, inbound, is_persistent }) = Request::next(link, input, table, scratch)? else {
        return Ok(false);
    };
    slot.reset();
    link.open_interim(head.version == Version::Http11);
    let body = inbound.as_ref().map_or(RequestBody::Empty, |inbound| RequestBody::stream(Rc::clone(inbound) as _));
    let mut response = match handle(link, Exchange { head: &head, slot, body, interim: &**link })? {
        Step::Ready(response) => response,
        step @ Step::Later(_) => outbound::wait(link, step, out).await?,
    };
    if response.is_abort() {
        return Err(End::Close);
    }
    let mut keeps = is_persistent && !link.engine.worker.is_draining();
    if let Some(inbound) = &inbound {
        keeps &= settle(link, inbound, out).await?;
    }
    link.take_interim(out, true);
    let persistence = Persistence::of(keeps, head.version);
    match write::answer(&link.engine.worker, &response, &Frame { head: &head, slot, persistence }, out) {
        Body::Apart => outbound::write(link, out, response.ready_body()).await?,
        Body::Done => {}
        Body::Streamed => outbound::stream(link, &mut response, out).await?,
    }
    drop(response);
    match inbound {
        None => input.consume(head_bytes),
        Some(inbound) => {
            let is_over = inbound.is_done() || (keeps && finish(link, &inbound, out).await?);
            if !is_over {
                return Err(End::Linger);
            }
            inbound.swap_input(input);
        }
    }
    match keeps {
        true => Ok(true),
        false if input.is_empty() => Err(End::Close),
        // What was sent behind the last request must not reset its answer.
        false => Err(End::Linger),
    }
}

impl<'a, S: Transport> Request<'a, S> {
    /// Scans and views the head at the front of `input`.
    fn next(link: &Rc<Link<S>>, input: &'a Input, table: &'a mut Vec<FieldSpan>, scratch: &'a mut Scratch) -> Result<Option<Self>, Fault> {
        let unread = input.unread();
        let Some(scanned) = head::scan(unread, link.engine.scan_limits, table).map_err(Fault::Head)? else {
            return Ok(None);
        };
        Counters::add(&link.engine.worker.counters.requests);
        let arrival = Arrival { client: link.client, scheme: Scheme::Http };
        let head = head::view(unread, &scanned, table, scratch, arrival).map_err(Fault::Head)?;
        let inbound = match scanned.framing {
            Framing::Empty => None,
            Framing::Chunked | Framing::Length(_) => {
                Some(Inbound::new(link, &scanned, unread.get(scanned.head_bytes..).unwrap_or_default())?)
            }
        };
        Ok(Some(Self { head, head_bytes: scanned.head_bytes, inbound, is_persistent: scanned.is_persistent }))
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
