//! An answer that is cut anywhere says what the whole one says; and what kiln takes and sends on of it hyper's client reads as the same answer.

use std::{
    future::Future,
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use http_body_util::{BodyExt, Empty};
use hyper::{
    Request,
    body::Bytes,
    client::conn::http1,
    rt::{Read, ReadBufCursor, Write},
};
use semantics::{
    chunked::{Decoder, Progress},
    edits::Edits,
    head::{Fields, ScanLimits},
    method::Method,
    reply::{self, Asked, Framing, Reply},
    trailers,
};

const LIMITS: ScanLimits = ScanLimits { head_bytes: 512, fields: 12 };

/// What is understood of an answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Whether its end was seen, where its end is not the connection's.
    pub(crate) is_complete: bool,
}

/// The first byte says what was asked.
pub(crate) fn check(bytes: &[u8]) {
    let Some((&choice, answer)) = bytes.split_first() else { return };
    let asked = Asked {
        method: if choice & 1 == 0 { Method::GET } else { Method::HEAD },
        upgrade: if choice & 2 == 0 { None } else { Some("websocket") },
    };
    let mut table = Vec::new();
    let whole = reply::scan(answer, LIMITS, asked, &mut Vec::new());
    for cut in 0..answer.len().min(600) {
        match reply::scan(&answer[..cut], LIMITS, asked, &mut table) {
            Ok(None) => {}
            early => assert_eq!(early, whole, "cut at {cut}: {:?}", String::from_utf8_lossy(answer)),
        }
    }
    let Ok(Some(reply)) = reply::scan(answer, LIMITS, asked, &mut table) else { return };
    assert!(reply.head_bytes <= answer.len() && answer[..reply.head_bytes].ends_with(b"\r\n\r\n"));
    if reply.is_interim() || reply.is_switch() {
        return;
    }
    let ours = by_kiln(&reply, &answer[reply.head_bytes..]);
    let sent_on = sent_on(&reply, answer, Fields::new(answer, &table), &ours);
    let shown = (String::from_utf8_lossy(answer), String::from_utf8_lossy(&sent_on));
    // Hyper may refuse what kiln takes; and go on where kiln has cut the body off, but not with what the client gets of it.
    if let Some(theirs) = by_hyper(&sent_on, asked.method) {
        assert_eq!((theirs.status, theirs.is_complete), (ours.status, ours.is_complete), "{shown:?}");
        assert!(theirs.body == ours.body || !ours.is_complete, "{shown:?}: {theirs:?} {ours:?}");
    }
    if ours.is_complete
        && let Some(theirs) = by_hyper(answer, asked.method)
    {
        assert_eq!(theirs, ours, "{shown:?}");
    }
    let again = reply::scan(&sent_on, reply::LIMITS, asked, &mut table).ok().flatten().unwrap_or_else(|| panic!("{shown:?}"));
    assert_eq!((again.status, again.framing), (reply.status, reply.framing), "{shown:?}");
    assert_eq!(by_kiln(&again, &sent_on[again.head_bytes..]), ours, "{shown:?}");
}

/// As kiln reads it.
pub(crate) fn by_kiln(reply: &Reply, bytes: &[u8]) -> Answered {
    let (body, is_complete) = match reply.framing {
        Framing::Empty => (Vec::new(), true),
        Framing::Length(length) => {
            let bytes = bytes.get(..usize::try_from(length).unwrap_or(usize::MAX)).unwrap_or(bytes);
            (bytes.to_vec(), bytes.len() as u64 == length)
        }
        Framing::ToTheEnd => (bytes.to_vec(), true),
        Framing::Chunked => chunks(bytes),
    };
    Answered { status: reply.status, body, is_complete }
}

fn chunks(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let (mut decoder, mut body, mut lines) = (Decoder::of_answer(), Vec::new(), Vec::new());
    loop {
        match decoder.advance_keeping(rest, &mut lines) {
            Ok(Progress::Data { skip, data }) => {
                body.extend_from_slice(&rest[skip..skip + data]);
                rest = &rest[skip + data..];
            }
            Ok(Progress::End { .. }) => {
                let mut out = b"0\r\n".to_vec();
                trailers::push_to_client(&lines, [&Edits::NONE; 2], &mut out);
                out.extend_from_slice(b"\r\n");
                let end = out.len();
                assert_eq!(Decoder::default().advance(&out), Ok(Progress::End { skip: end }), "{:?}", String::from_utf8_lossy(&out));
                return (body, true);
            }
            Ok(Progress::More { .. }) | Err(_) => return (body, false),
        }
    }
}

/// What the client of a kept connection gets.
fn sent_on(reply: &Reply, answer: &[u8], fields: Fields<'_>, ours: &Answered) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {} X\r\n", reply.status).into_bytes();
    assert_eq!(fields.iter().count(), answer[..reply.head_bytes].windows(2).filter(|end| end == b"\r\n").count() - 2);
    reply::append_fields(reply, fields, &mut out);
    if reply.framing == Framing::Chunked {
        out.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
        if !ours.body.is_empty() {
            out.extend_from_slice(format!("{:x}\r\n", ours.body.len()).as_bytes());
            out.extend_from_slice(&ours.body);
            out.extend_from_slice(b"\r\n");
        }
        if ours.is_complete {
            out.extend_from_slice(b"0\r\n\r\n");
        }
    } else {
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&ours.body);
    }
    out
}

/// As hyper's client reads it; `None` where it refuses the head.
pub(crate) fn by_hyper(bytes: &[u8], method: Method) -> Option<Answered> {
    let request = Request::builder().method(method.name()?).uri("/").body(Empty::<Bytes>::new()).ok()?;
    let wire = Wire { output: 0, input: bytes.to_vec(), read: 0 };
    let exchange = async {
        let (mut sender, connection) = http1::handshake(wire).await.ok()?;
        let answer = async {
            let (parts, mut body) = sender.send_request(request).await.ok()?.into_parts();
            let mut answered = Answered { status: parts.status.as_u16(), body: Vec::new(), is_complete: true };
            while let Some(frame) = body.frame().await {
                match frame {
                    Ok(frame) => answered.body.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
                    Err(_) => answered.is_complete = false,
                }
            }
            Some(answered)
        };
        let (mut connection, mut answer) = (pin!(connection), pin!(answer));
        std::future::poll_fn(|context| {
            let _ = connection.as_mut().poll(context);
            answer.as_mut().poll(context)
        })
        .await
    };
    let mut exchange = pin!(exchange);
    // Nothing of it waits for anything: pending means that it wants another turn.
    for _ in 0..10_000 {
        if let Poll::Ready(answered) = exchange.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return answered;
        }
    }
    panic!("hyper waits: {:?}", String::from_utf8_lossy(bytes));
}

/// A server that answers what has been asked, all at once, and ends.
struct Wire {
    output: usize,
    input: Vec<u8>,
    read: usize,
}

impl Read for Wire {
    fn poll_read(mut self: Pin<&mut Self>, _context: &mut Context<'_>, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        if self.output == 0 {
            return Poll::Pending;
        }
        let bytes = into.remaining().min(self.input.len() - self.read);
        into.put_slice(&self.input[self.read..self.read + bytes]);
        self.read += bytes;
        Poll::Ready(Ok(()))
    }
}

impl Write for Wire {
    fn poll_write(mut self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.output += bytes.len();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
