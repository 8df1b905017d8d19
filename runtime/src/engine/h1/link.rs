//! What a connection's task and the handle on its request's body share: the stream, its deadlines, informational answers that wait to be sent.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    io::{self, IoSlice},
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use semantics::status;
use tokio::io::{AsyncReadExt, ReadBuf};

use super::{Arrived, Departure, H1, Transport, input::Input, work::Work};
use crate::{
    buffer::{self, PIECE_BYTES},
    clock,
    deadlines::{Pacing, Timer, Wait},
    exchange::{Interim, Served},
    record::Records,
    response::FilePiece,
    worker::Counters,
};

/// Bytes of informational answers that may wait; more are dropped.
pub(crate) const INTERIM_BYTES_MAX: usize = 16 * 1024;

/// How long a client that sends no more is held to wait for its answer, which is not there or does not go on. Most that end have closed, and some have shut their
/// sending side only (docs/decisions/0015-proxy.md).
pub(crate) const ENDED: Duration = Duration::from_millis(500);

/// The connection can't be used any more: reset, or too little progress within the write timeout.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Gone;

/// One connection.
pub(crate) struct Link<S> {
    pub(crate) engine: Rc<H1>,
    pub(crate) arrived: Arrived,
    stream: RefCell<S>,
    /// The last read found nothing: whoever reads again has been woken, mostly because bytes have come.
    awaits_bytes: Cell<bool>,
    /// That bytes have come was forgotten while the client's departure was waited for: until the stream says that it is empty it is read without asking whether some have.
    has_forgotten: Cell<bool>,
    pub(crate) timer: Timer,
    /// Of a write that waits for room.
    pacing: Pacing,
    /// More of the running request's body may come.
    pub(crate) awaits_body: Cell<bool>,
    interim: RefCell<Vec<u8>>,
    has_interim: Cell<bool>,
    /// The final answer has not begun, and the client's version knows informational ones.
    takes_interim: Cell<bool>,
    pub(crate) records: Records,
}

impl<S: Transport> Link<S> {
    pub(crate) fn new(engine: Rc<H1>, stream: S, arrived: Arrived) -> Self {
        let timer = engine.worker.deadlines.register();
        Self {
            engine,
            arrived,
            stream: RefCell::new(stream),
            awaits_bytes: Cell::new(false),
            has_forgotten: Cell::new(false),
            timer,
            pacing: Pacing::default(),
            awaits_body: Cell::new(false),
            interim: RefCell::default(),
            has_interim: Cell::new(false),
            takes_interim: Cell::new(false),
            records: Records::new(),
        }
    }

    /// From now on the task that awaits this is woken at the deadlines.
    pub(crate) fn attach(&self) -> impl Future<Output = ()> {
        poll_fn(|context| {
            self.timer.attach(context.waker());
            Poll::Ready(())
        })
    }

    /// The next read need not ask first.
    fn reads_now(&self) -> bool {
        self.awaits_bytes.replace(false) || self.has_forgotten.get()
    }

    /// Reads once into `input`, which must have room.
    pub(crate) fn poll_fill(&self, context: &mut Context<'_>, input: &mut Input) -> Poll<Result<usize, Gone>> {
        let mut stream = self.stream.borrow_mut();
        if self.reads_now() {
            if let Some(filled) = input.fill_now(&*stream) {
                return Poll::Ready(filled.map_err(|_reset| Gone));
            }
            self.has_forgotten.set(false);
        }
        let filled = input.poll_fill(&mut *stream, context);
        self.awaits_bytes.set(filled.is_pending());
        filled.map_err(|_reset| Gone)
    }

    /// Reads once into what `into` has room for without growing, which is something.
    pub(crate) fn poll_receive_into(&self, context: &mut Context<'_>, into: &mut Vec<u8>) -> Poll<Result<usize, Gone>> {
        let mut stream = self.stream.borrow_mut();
        if self.reads_now() {
            match stream.receive_into_now(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.has_forgotten.set(false),
                received => return Poll::Ready(received.map_err(|_reset| Gone)),
            }
        }
        let received = pin!(stream.read_buf(into)).poll(context);
        self.awaits_bytes.set(received.is_pending());
        received.map_err(|_reset| Gone)
    }

    /// The answer is waited for, and nothing is to be written: ready when there is nobody to get it. `has_ended` is of this wait, and tells that the client sends no
    /// more: as that may be all that it means, the wait then has a moment.
    pub(crate) fn poll_departure(&self, context: &mut Context<'_>, has_ended: &mut bool) -> Poll<Gone> {
        if *has_ended {
            return if self.timer.is_due(Wait::Read) { Poll::Ready(Gone) } else { Poll::Pending };
        }
        let departure = self.stream.borrow().poll_departure(context, &self.has_forgotten);
        match departure {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Departure::Reset) => return Poll::Ready(Gone),
            // Whoever reads the body will meet its end.
            Poll::Ready(Departure::Ended) if self.awaits_body.get() => {}
            Poll::Ready(Departure::Ended) => {
                *has_ended = true;
                self.timer.set(Wait::Read, self.engine.due(clock::ticks(ENDED)));
            }
        }
        Poll::Pending
    }

    /// Reads once into `room`, which is not empty; 0: the client sends no more.
    pub(crate) fn poll_receive(&self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<Result<usize, Gone>> {
        let mut stream = self.stream.borrow_mut();
        if self.reads_now() {
            match stream.receive_now(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.has_forgotten.set(false),
                received => return Poll::Ready(received.map_err(|_reset| Gone)),
            }
        }
        let mut room = ReadBuf::new(room);
        let received = Pin::new(&mut *stream).poll_read(context, &mut room);
        self.awaits_bytes.set(received.is_pending());
        received.map_ok(|()| room.filled().len()).map_err(|_reset| Gone)
    }

    /// Writes `head` and then `body`, from byte `written` of both on, with as few calls as the socket lets it. `written` tells how far it came.
    pub(crate) fn poll_write(&self, context: &mut Context<'_>, head: &[u8], body: &[u8], written: &mut usize) -> Poll<Result<(), Gone>> {
        let before = *written;
        let done = self.poll_push(context, (head, body), written, |stream, first, second| stream.send_now(first, second));
        self.paced(done, written.saturating_sub(before))
    }

    /// The same for a head whose body follows at once.
    pub(crate) fn poll_write_more(&self, context: &mut Context<'_>, head: &[u8], written: &mut usize) -> Poll<Result<(), Gone>> {
        if head.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let before = *written;
        let done = self.poll_push(context, (head, b""), written, |stream, first, _| stream.send_more_now(first));
        self.paced(done, written.saturating_sub(before))
    }

    /// Sends from a file what the socket takes. Neither the write nor its wait is over before [`Self::end_write`].
    pub(crate) fn poll_send_file(&self, context: &mut Context<'_>, piece: &FilePiece<'_>) -> Poll<io::Result<usize>> {
        self.poll_now(context, |stream| stream.send_file_now(piece))
    }

    /// The same for what `read` puts into the thread's piece of memory, behind `head` from byte `written` on. It reads only when the stream takes something; `None`: it could not.
    pub(crate) fn poll_send_copy(
        &self,
        context: &mut Context<'_>,
        (head, written): (&[u8], &mut usize),
        mut read: impl FnMut(&mut [u8]) -> Option<usize>,
    ) -> Poll<io::Result<Option<usize>>> {
        let mut is_read = true;
        let head = head.get(*written..).unwrap_or_default();
        let sent = ready!(self.poll_now(context, |stream| {
            buffer::with_piece(|memory| {
                let Some(body) = read(memory).and_then(|bytes| memory.get(..bytes)) else {
                    is_read = false;
                    return Ok(0);
                };
                if head.is_empty() { stream.send_now(body, b"") } else { stream.send_now(head, body) }
            })
        }))?;
        *written += sent.min(head.len());
        Poll::Ready(Ok(is_read.then_some(sent.saturating_sub(head.len()))))
    }

    /// Waits until the stream takes something of what `send` sends.
    fn poll_now(&self, context: &mut Context<'_>, mut send: impl FnMut(&S) -> io::Result<usize>) -> Poll<io::Result<usize>> {
        let stream = self.stream.borrow();
        while stream.poll_writable(context)?.is_ready() {
            match send(&stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => {
                    let bytes = *result.as_ref().unwrap_or(&0);
                    self.records.send(bytes);
                    self.pacing.add(bytes);
                    return Poll::Ready(result);
                }
            }
        }
        drop(stream);
        self.paced(Poll::Pending, 0).map(|_gone| Err(io::ErrorKind::TimedOut.into()))
    }

    /// All is written, or what comes next has to be waited for, and not for the client.
    pub(crate) fn end_write(&self) {
        self.records.settle(&self.engine.worker);
        self.pacing.end(&self.timer, Wait::Write);
    }

    /// What becomes of a write that came so far: the client has to take enough.
    fn paced(&self, done: Poll<Result<(), Gone>>, bytes: usize) -> Poll<Result<(), Gone>> {
        if done.is_ready() {
            self.end_write();
            return done;
        }
        self.pacing.add(bytes);
        let engine = &self.engine;
        if self.pacing.may_wait(&self.timer, Wait::Write, engine.waits.write, engine.worker.clock.tick()) {
            return Poll::Pending;
        }
        Counters::add(&engine.worker.counters.timeouts);
        self.records.fail("write-timed-out");
        self.reset();
        Poll::Ready(Err(Gone))
    }

    /// Writes the output and empties it; begins again where the last call ended.
    pub(crate) fn poll_out(&self, context: &mut Context<'_>, work: &mut Work) -> Poll<Result<(), Gone>> {
        if work.out.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let Work { out, written, .. } = work;
        ready!(self.poll_write(context, out, b"", written))?;
        out.clear();
        *written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_push(
        &self,
        context: &mut Context<'_>,
        (head, body): (&[u8], &[u8]),
        written: &mut usize,
        send_now: impl Fn(&S, &[u8], &[u8]) -> io::Result<usize>,
    ) -> Poll<Result<(), Gone>> {
        let mut stream = self.stream.borrow_mut();
        while *written < head.len() + body.len() {
            let head_rest = head.get(*written..).unwrap_or_default();
            let body_rest = body.get(written.saturating_sub(head.len())..).unwrap_or_default();
            let body_rest = body_rest.get(..PIECE_BYTES).unwrap_or(body_rest);
            let (first, second) = if head_rest.is_empty() { (body_rest, head_rest) } else { (head_rest, body_rest) };
            let result = match send_now(&stream, first, second) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(Pin::new(&mut *stream).poll_write_vectored(context, &[IoSlice::new(first), IoSlice::new(second)]))
                }
                result => result,
            };
            match result {
                Ok(0) | Err(_) => return Poll::Ready(Err(Gone)),
                Ok(bytes) => {
                    *written += bytes;
                    self.records.send(bytes);
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// When the connection is dropped, it is seen to have been broken off.
    pub(crate) fn reset(&self) {
        self.stream.borrow().reset();
    }

    /// Ends the sending direction: the client sees the end of the stream behind the last answer.
    pub(crate) fn poll_shutdown(&self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_shutdown(context).map(|_closed| ())
    }

    /// From here to [`Self::take_interim`]'s last call informational answers are taken.
    pub(crate) fn open_interim(&self, is_known: bool) {
        self.takes_interim.set(is_known);
    }

    /// Moves waiting informational answers to `out`; `is_last` ends taking them.
    pub(crate) fn take_interim(&self, out: &mut Vec<u8>, is_last: bool) {
        if is_last {
            self.takes_interim.set(false);
        }
        if self.has_interim.replace(false) {
            out.append(&mut self.interim.borrow_mut());
        }
    }
}

impl<S> Interim for Link<S> {
    fn send(&self, status: u16, fields: &[u8]) {
        let mut interim = self.interim.borrow_mut();
        if !self.takes_interim.get() || interim.len() + fields.len() > INTERIM_BYTES_MAX {
            return;
        }
        self.has_interim.set(true);
        interim.extend_from_slice(b"HTTP/1.1 ");
        interim.extend(digits(status));
        interim.push(b' ');
        interim.extend_from_slice(status::reason(status).as_bytes());
        interim.extend_from_slice(b"\r\n");
        interim.extend_from_slice(fields);
        interim.extend_from_slice(b"\r\n");
    }

    fn served(&self) -> Option<Served<'_>> {
        Some(Served { worker: &self.engine.worker })
    }
}

/// The three digits of a status.
fn digits(status: u16) -> [u8; 3] {
    [status / 100 % 10, status / 10 % 10, status % 10].map(|digit| b'0' + digit as u8)
}
