//! What the engine's tests play on: a stream that hands out what a test wrote and keeps what it was given, a small site, a worker.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::{Future, poll_fn},
    io::{self, IoSlice},
    net::{IpAddr, Ipv4Addr},
    pin::Pin,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{tunnel, unmeasured};
use crate::{
    Answer, Delivery, Exchange, Limits, Listener, ListenerOptions, Manifest, Settings, Site, Step, Timeouts, Value, Workers,
    buffer::PIECE_BYTES,
    builtin,
    engine::h1::{self, Arrived, Departure, H1, Transport},
    later::Later,
    response::Response,
    rooms::Spread,
    worker::{Shares, Worker},
};

/// One end of a connection, seen from both sides.
#[derive(Clone, Default)]
pub(super) struct Script(Rc<RefCell<Wire>>);

#[derive(Default)]
struct Wire {
    /// What the client has sent: each is one read. An empty one is the end of its stream.
    reads: VecDeque<Vec<u8>>,
    /// What the engine has written: each is one call.
    writes: Vec<Vec<u8>>,
    /// Bytes that the client still takes.
    room: usize,
    is_shut: bool,
    /// The client is gone.
    is_gone: bool,
    is_reset: bool,
    is_dropped: bool,
}

impl AsyncRead for Script {
    fn poll_read(self: Pin<&mut Self>, _context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut wire = self.0.borrow_mut();
        let Some(mut bytes) = wire.reads.pop_front() else { return Poll::Pending };
        assert!(into.remaining() > 0, "a read without room");
        let rest = bytes.split_off(bytes.len().min(into.remaining()));
        into.put_slice(&bytes);
        if !rest.is_empty() {
            wire.reads.push_front(rest);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Script {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(self: Pin<&mut Self>, _context: &mut Context<'_>, pieces: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let mut wire = self.0.borrow_mut();
        let mut bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
        bytes.truncate(wire.room);
        if bytes.is_empty() {
            return Poll::Pending;
        }
        let count = bytes.len();
        wire.room -= count;
        wire.writes.push(bytes);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().is_shut = true;
        Poll::Ready(Ok(()))
    }
}

/// A connection in a worker of its own.
pub(super) struct Stage {
    pub(super) worker: Rc<Worker>,
    script: Script,
    task: Pin<Box<dyn Future<Output = ()>>>,
    future_bytes: usize,
    is_over: bool,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self::with(&SETTINGS)
    }

    pub(super) fn with(settings: &'static Settings) -> Self {
        let shares = Shares { requests: settings.limits.requests, memory_bytes: settings.limits.memory_bytes };
        Self::beside(&Rc::new(Worker::alone(8).with_shares(shares)), settings)
    }

    /// One more connection of the worker.
    pub(super) fn beside(worker: &Rc<Worker>, settings: &'static Settings) -> Self {
        Self::of_site(&Play, worker, settings)
    }

    /// The same with another site.
    pub(super) fn of_site(site: &'static dyn Site, worker: &Rc<Worker>, settings: &'static Settings) -> Self {
        let script = Script::default();
        script.0.borrow_mut().room = usize::MAX;
        let engine = Rc::new(H1::new(site, settings, Rc::clone(worker)));
        let hold = worker.hold(IpAddr::V4(Ipv4Addr::LOCALHOST), Spread::Above).unwrap();
        let permit = worker.admit(hold);
        let task = h1::serve(engine, Ears(script.clone()), Arrived { client: IpAddr::V4(Ipv4Addr::LOCALHOST), listener: 0 }, permit);
        let future_bytes = size_of_val(&task);
        let mut stage = Self { worker: Rc::clone(worker), script, task: Box::pin(task), future_bytes, is_over: false };
        stage.poll();
        stage
    }

    /// Lets the connection do what it can.
    pub(super) fn poll(&mut self) {
        if !self.is_over {
            self.is_over = self.task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        }
    }

    /// The client sends one piece.
    pub(super) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.script.0.borrow_mut().reads.push_back(bytes.as_ref().to_vec());
        self.poll();
    }

    /// The client sends several pieces before the engine looks.
    pub(super) fn send_all(&mut self, pieces: &[&[u8]]) {
        self.script.0.borrow_mut().reads.extend(pieces.iter().map(|piece| piece.to_vec()));
        self.poll();
    }

    /// The client has no more to send.
    pub(super) fn end(&mut self) {
        self.send("");
    }

    /// Pieces that the client has sent and the engine has not read.
    pub(super) fn unread(&self) -> usize {
        self.script.0.borrow().reads.len()
    }

    /// The client resets the connection.
    pub(super) fn go(&mut self) {
        self.script.0.borrow_mut().is_gone = true;
        self.poll();
    }

    /// From now on the client takes only so many bytes.
    pub(super) fn set_room(&self, bytes: usize) {
        self.script.0.borrow_mut().room = bytes;
    }

    /// So many ticks pass.
    pub(super) fn pass(&mut self, ticks: u32) {
        self.worker.clock.advance(ticks);
        self.worker.deadlines.advance(self.worker.clock.tick());
        self.poll();
    }

    /// Bytes of the connection's task.
    pub(super) fn future_bytes(&self) -> usize {
        self.future_bytes
    }

    /// What the engine has written since the last call, as it is.
    pub(super) fn raw(&self) -> Vec<u8> {
        std::mem::take(&mut self.script.0.borrow_mut().writes).concat()
    }

    /// How many `date` lines the engine has written since the last call.
    pub(super) fn dates(&self) -> usize {
        String::from_utf8_lossy(&self.raw()).matches("\r\ndate: ").count()
    }

    /// What the engine has written since the last call, one text for each write, `date` lines left out.
    pub(super) fn writes(&self) -> Vec<String> {
        let writes = std::mem::take(&mut self.script.0.borrow_mut().writes);
        writes.iter().map(|bytes| without_date(&String::from_utf8_lossy(bytes))).collect()
    }

    /// Bytes of each write since the last call.
    pub(super) fn sizes(&self) -> Vec<usize> {
        std::mem::take(&mut self.script.0.borrow_mut().writes).iter().map(Vec::len).collect()
    }

    /// All of it as one text.
    pub(super) fn answers(&self) -> String {
        without_date(&String::from_utf8_lossy(&self.raw()))
    }

    /// The statuses of the final answers.
    pub(super) fn statuses(&self) -> Vec<u16> {
        let answers = self.answers();
        answers.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.get(..3)?.parse().ok()).filter(|&status| status >= 200).collect()
    }

    /// The sending side is shut: the client sees the end.
    pub(super) fn is_closed(&self) -> bool {
        let wire = self.script.0.borrow();
        wire.is_shut || wire.is_dropped
    }

    /// What the client has not taken is thrown away.
    pub(super) fn is_reset(&self) -> bool {
        self.script.0.borrow().is_reset
    }

    /// The connection's task has ended.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn count(&self, of: impl FnOnce(&crate::worker::Counters) -> &AtomicU64) -> u64 {
        of(&self.worker.counters).load(Ordering::Relaxed)
    }
}

/// The engine's end: its drop closes the connection.
struct Ears(Script);

impl Drop for Ears {
    fn drop(&mut self) {
        self.0.0.borrow_mut().is_dropped = true;
    }
}

impl Transport for Ears {
    fn reset(&self) {
        self.0.0.borrow_mut().is_reset = true;
    }

    fn poll_departure(&self, _context: &mut Context<'_>, _has_forgotten: &Cell<bool>) -> Poll<Departure> {
        let wire = self.0.0.borrow();
        match wire.is_gone {
            true => Poll::Ready(Departure::Reset),
            false if wire.reads.iter().any(Vec::is_empty) => Poll::Ready(Departure::Ended),
            false => Poll::Pending,
        }
    }
}

impl AsyncRead for Ears {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for Ears {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, pieces: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

pub(super) fn without_date(text: &str) -> String {
    text.split_inclusive("\r\n").filter(|line| !line.starts_with("date: ")).collect()
}

pub(super) const fn settings(limits: Limits) -> Settings {
    Settings {
        listeners: &[Listener { name: "test", address: Value::Text("127.0.0.1:0"), options: ListenerOptions::DEFAULT }],
        workers: Workers::Count(1),
        limits,
        timeouts: Timeouts {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            write: Duration::from_secs(20),
            drain: Duration::from_secs(30),
        },
        delivery: Delivery::Bytes(64 * 1024),
        manifest: Manifest { site: "test", lines: b"" },
        errors: None,
        upstreams: &[],
        trusted_proxies: None,
        late: &[],
        regexes: &[],
        access_log: None,
        error_log: None,
        places: "",
    }
}

/// Ticks of the settings' timeouts, and one for the tick that is running.
pub(super) const HEAD_TICKS: u32 = 10 * 4 + 1;
pub(super) const BODY_TICKS: u32 = 30 * 4 + 1;
pub(super) const IDLE_TICKS: u32 = 75 * 4 + 1;
pub(super) const WRITE_TICKS: u32 = 20 * 4 + 1;

pub(super) static SETTINGS: Settings = settings(Limits {
    connections: 8,
    connections_per_client: None,
    requests: 65_536,
    memory_bytes: None,
    head_bytes: 32 * 1024,
    fields: 100,
    body_bytes: 1024 * 1024,
});
pub(super) static SMALL: Settings = settings(Limits {
    connections: 8,
    connections_per_client: None,
    requests: 65_536,
    memory_bytes: None,
    head_bytes: 256,
    fields: 4,
    body_bytes: 100,
});

/// The site of the play.
pub(super) struct Play;

static HELLO: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", body: b"hello" };
static EMPTY: Answer = Answer { status: 204, head: b"HTTP/1.1 204 No Content\r\n", body: b"" };
pub(super) static LARGE: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n", body: &[b'x'; 65_536] };
/// A body one byte longer than what one call takes.
pub(super) static HUGE: Answer =
    Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 589825\r\n", body: &[b'x'; PIECE_BYTES + 1] };
static INLINE: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 16384\r\n", body: &[b'x'; 16_384] };

impl Site for Play {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match exchange.path() {
            "/" => Step::Ready(Response::Prebuilt(HELLO)),
            "/waits" => Step::Later(Later::new(waits())),
            "/waits-beside" => Step::Later(Later::new(waits_beside(exchange))),
            "/empty" => Step::Ready(Response::Prebuilt(EMPTY)),
            "/inline" => Step::Ready(Response::Prebuilt(INLINE)),
            "/large" => Step::Ready(Response::Prebuilt(LARGE)),
            "/huge" => Step::Ready(Response::Prebuilt(HUGE)),
            "/limited" if exchange.exceeds_body(50) => Step::Ready(Response::Prebuilt(*builtin::builtin(413))),
            "/limited" => Step::Later(Later::new(length(exchange))),
            "/abort" => Step::Ready(Response::Abort),
            "/panic" => panic!("a handler panics"),
            "/later" => Step::Later(Later::new(later())),
            "/later-abort" => Step::Later(Later::new(later_abort())),
            "/later-panic" => Step::Later(Later::new(later_panic())),
            "/hints" => Step::Later(Later::new(hints(exchange))),
            "/length" => Step::Later(Later::new(length(exchange))),
            "/leisurely" => Step::Later(Later::new(leisurely(exchange))),
            "/switch" => tunnel::answer(),
            "/roomy" => Step::Later(Later::new(roomy(exchange))),
            "/some" => Step::Later(Later::new(some(exchange))),
            path if path.starts_with("/open") => unmeasured::answer(path),
            _ => Step::Ready(Response::Prebuilt(*builtin::builtin(404))),
        }
    }
}

/// Pending once; nobody wakes it but the test.
async fn rest() {
    let mut has_rested = false;
    poll_fn(|_| if std::mem::replace(&mut has_rested, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

async fn later() -> Response {
    rest().await;
    Response::Prebuilt(HELLO)
}

thread_local! {
    /// Handlers that wait.
    pub(super) static WAITING: Cell<usize> = const { Cell::new(0) };
    /// They are to answer.
    pub(super) static MAY_ANSWER: Cell<bool> = const { Cell::new(false) };
}

/// Until it may answer.
async fn waits() -> Response {
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            WAITING.set(WAITING.get() - 1);
        }
    }
    WAITING.set(WAITING.get() + 1);
    let _waits = Waits;
    poll_fn(|_| if MAY_ANSWER.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    Response::Prebuilt(HELLO)
}

/// The same, and of the body it reads the first piece only.
async fn waits_beside(mut exchange: Exchange<'_>) -> Response {
    let mut body = exchange.take_body();
    let _ = poll_fn(|context| body.poll_read(context, &mut Vec::new())).await;
    waits().await
}

async fn later_abort() -> Response {
    rest().await;
    Response::Abort
}

async fn later_panic() -> Response {
    rest().await;
    panic!("a handler panics later")
}

async fn hints(exchange: Exchange<'_>) -> Response {
    exchange.interim().send(103, b"link: </a.css>\r\n");
    rest().await;
    Response::Prebuilt(HELLO)
}

/// Answers 200 to an empty body, 201 to `abc`, 202 to anything else, the fault's status where reading fails.
async fn length(mut exchange: Exchange<'_>) -> Response {
    let mut body = exchange.take_body();
    let mut bytes = Vec::new();
    loop {
        match poll_fn(|context| body.poll_read(context, &mut bytes)).await {
            Ok(0) => break,
            Ok(_) => {}
            Err(fault) => return Response::Prebuilt(*builtin::builtin(fault.status())),
        }
    }
    let (status, head): (_, &[u8]) = match &*bytes {
        b"" => (200, b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n"),
        b"abc" => (201, b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n"),
        _ => (202, b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n"),
    };
    Response::Prebuilt(Answer { status, head, body: b"" })
}

/// Reads the body and rests behind each piece; answers with the fault's status where reading fails.
async fn leisurely(mut exchange: Exchange<'_>) -> Response {
    let mut body = exchange.take_body();
    let mut bytes = Vec::new();
    loop {
        match poll_fn(|context| body.poll_read(context, &mut bytes)).await {
            Ok(0) => return Response::Prebuilt(HELLO),
            Ok(_) => rest().await,
            Err(fault) => return Response::Prebuilt(*builtin::builtin(fault.status())),
        }
    }
}

thread_local! {
    /// What [`roomy`] has read,
    pub(super) static READ: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// and how many bytes each time.
    pub(super) static READS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// The lines that stood behind it.
    pub(super) static TRAILERS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reads the body with room for 64 KiB at a time.
async fn roomy(mut exchange: Exchange<'_>) -> Response {
    let mut body = exchange.take_body();
    loop {
        let mut bytes = Vec::with_capacity(65_536);
        match poll_fn(|context| body.poll_read(context, &mut bytes)).await {
            Ok(0) => {
                TRAILERS.with_borrow_mut(|lines| body.push_trailer_lines(lines));
                return Response::Prebuilt(HELLO);
            }
            Ok(read) => {
                assert_eq!(read, bytes.len());
                READS.with_borrow_mut(|reads| reads.push(read));
                READ.with_borrow_mut(|all| all.append(&mut bytes));
            }
            Err(fault) => return Response::Prebuilt(*builtin::builtin(fault.status())),
        }
    }
}

/// Reads the body's first piece and drops the rest.
async fn some(mut exchange: Exchange<'_>) -> Response {
    let mut body = exchange.take_body();
    let mut bytes = Vec::new();
    let _ = poll_fn(|context| body.poll_read(context, &mut bytes)).await;
    Response::Prebuilt(HELLO)
}
