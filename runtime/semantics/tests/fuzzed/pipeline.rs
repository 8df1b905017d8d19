//! Requests behind each other, read by kiln and by hyper: what kiln takes hyper reads as the same requests, or refuses. Where two parsers read one stream in two
//! ways, one of them can be made to answer what the other has never seen.

use std::{
    cell::RefCell,
    convert::Infallible,
    future::Future,
    io,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll, Waker},
};

use http_body_util::{BodyExt, Empty};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    rt::{Read, ReadBufCursor, Write},
    server::conn::http1,
    service::service_fn,
};
use semantics::{
    chunked::{Decoder, Progress},
    head::{self, Framing, ScanLimits},
};

const LIMITS: ScanLimits = ScanLimits { head_bytes: 16 << 10, fields: 90 };

/// What both have understood of one request.
#[derive(Debug, PartialEq)]
pub(crate) struct Understood {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) fields: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn check(bytes: &[u8]) {
    let ours = by_kiln(bytes);
    let theirs = by_hyper(bytes);
    for (number, request) in ours.iter().enumerate() {
        // It has refused this one, or has said so much before it got here: nothing of what follows is read there.
        let Some(other) = theirs.get(number) else { return };
        assert_eq!(request, other, "request {number} of {:?}", String::from_utf8_lossy(bytes));
    }
}

/// Complete requests up to the first that is refused, incomplete or the last of its connection.
pub(crate) fn by_kiln(bytes: &[u8]) -> Vec<Understood> {
    let (mut rest, mut requests, mut table) = (bytes, Vec::new(), Vec::new());
    while let Ok(Some(scanned)) = head::scan(rest, LIMITS, &mut table) {
        let text = |span: head::Span| String::from_utf8_lossy(span.of(rest)).into_owned();
        let name = |field: &head::FieldSpan| text(field.name).to_ascii_lowercase();
        let fields = sorted(table.iter().map(|field| (name(field), field.value.of(rest).to_vec())));
        let behind = &rest[scanned.head_bytes..];
        let Some((body, next)) = body(scanned.framing, behind) else { break };
        requests.push(Understood { method: text(scanned.method_span), target: text(scanned.target), fields, body });
        if !scanned.is_persistent {
            break;
        }
        rest = next;
    }
    requests
}

/// Of two fields of one name the order counts; of others hyper does not keep it.
fn sorted(fields: impl Iterator<Item = (String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by(|(one, _), (other, _)| one.cmp(other));
    fields
}

pub(crate) fn body(framing: Framing, bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    match framing {
        Framing::Empty => Some((Vec::new(), bytes)),
        Framing::Length(length) => {
            let (body, next) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
            Some((body.to_vec(), next))
        }
        Framing::Chunked => {
            let (mut decoder, mut body, mut rest) = (Decoder::default(), Vec::new(), bytes);
            loop {
                match decoder.advance(rest).ok()? {
                    Progress::Data { skip, data } => {
                        body.extend_from_slice(&rest[skip..skip + data]);
                        rest = &rest[skip + data..];
                    }
                    Progress::End { skip } => return Some((body, &rest[skip..])),
                    Progress::More { .. } => return None,
                }
            }
        }
    }
}

/// Requests whose body arrived whole at a server of hyper.
pub(crate) fn by_hyper(bytes: &[u8]) -> Vec<Understood> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let service = service_fn(|request: Request<Incoming>| {
        let seen = Rc::clone(&seen);
        async move {
            let (parts, body) = request.into_parts();
            let fields = sorted(parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())));
            let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
            if let Ok(body) = body.collect().await {
                seen.borrow_mut().push(Understood { method: parts.method.to_string(), target, fields, body: body.to_bytes().to_vec() });
            }
            Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
        }
    });
    let mut builder = http1::Builder::new();
    let connection = builder.half_close(true).header_read_timeout(None).serve_connection(Wire { input: bytes.to_vec(), read: 0 }, service);
    let mut connection = pin!(connection);
    // Nothing of it waits for anything: pending means that it wants another turn.
    for _ in 0..10_000 {
        if connection.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            break;
        }
    }
    seen.take()
}

/// A client that has sent all and takes all.
struct Wire {
    input: Vec<u8>,
    read: usize,
}

impl Read for Wire {
    fn poll_read(mut self: Pin<&mut Self>, _context: &mut Context<'_>, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let bytes = into.remaining().min(self.input.len() - self.read);
        into.put_slice(&self.input[self.read..self.read + bytes]);
        self.read += bytes;
        Poll::Ready(Ok(()))
    }
}

impl Write for Wire {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
