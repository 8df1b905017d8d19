//! What an exchange holds while it is proxied, in memory of the thread's pool: dropped, it gives everything back at once, and closes a connection on which anything is outstanding.

use std::{cell::RefCell, mem, rc::Rc, task::Poll};

use semantics::{edits::Edits, head::FieldSpan, trailers};

use super::{
    Proxy,
    download::Download,
    spliced::Spliced,
    upload::Upload,
    watch::{For, Watch},
};
use crate::{
    buffer::Buffer,
    fault::Fault,
    intercept::Intercept,
    memory::Grant,
    request_body::RequestBody,
    upstream::{Connection, Lease},
    worker::Worker,
};

/// The boxes are what moves between pool and exchange.
type Spot = Box<Option<State>>;

/// Free ones that a thread keeps.
const STATES_MAX: usize = 64;

thread_local! {
    static POOL: RefCell<Vec<Spot>> = const { RefCell::new(Vec::new()) };
    static TABLES: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

/// Memory whose contents nobody reads anew.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The fields of the last head.
    pub(super) fields: Vec<FieldSpan>,
    /// Places of the endpoints that were asked.
    pub(super) tried: Vec<u16>,
}

/// A state, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    place: Option<Spot>,
}

/// Of one exchange.
#[derive(Debug)]
pub(super) struct State {
    pub(super) proxy: &'static Proxy,
    pub(super) worker: Rc<Worker>,
    /// Answers that something else takes the place of.
    pub(super) intercepts: &'static [Intercept],
    /// The number of the listener.
    pub(super) listener: usize,
    pub(super) watch: Watch,
    pub(super) upload: Upload,
    /// Memory for its large buffer.
    pub(super) grant: Option<Grant>,
    pub(super) download: Download,
    /// What carries the body past memory.
    pub(super) spliced: Spliced,
    pub(super) phase: Phase,
    /// What is asked, and where it stands among its upstream's endpoints.
    pub(super) lease: Option<(Lease, u16)>,
    pub(super) connection: Option<Connection>,
    /// The connection has carried a request before this one.
    pub(super) is_kept: bool,
    /// The next connection is to be a new one.
    pub(super) wants_new: bool,
    /// The endpoint goes on with this connection.
    pub(super) is_persistent: bool,
    /// It takes no more of the request.
    pub(super) is_deaf: bool,
    pub(super) table: Table,
    /// When the exchange began, and the last attempt; 0 where nothing is logged.
    pub(super) begun: u64,
    pub(super) opened: u64,
    pub(super) interims: u32,
    /// The answer's head, as the client gets it.
    pub(super) lines: Option<Buffer>,
    pub(super) status: u16,
    pub(super) has_date: bool,
    /// The body's length was not known with the head, or something follows the body.
    pub(super) is_unmeasured: bool,
    /// Field lines behind the body, as the client gets them.
    pub(super) trailer_lines: Option<Buffer>,
    /// `headers` of the answer.
    pub(super) edits: &'static Edits<'static>,
    /// What went wrong behind the head.
    pub(super) fault: Option<Fault>,
}

/// What is done.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Phase {
    /// The request is sent, the answer's head waited for.
    Asking,
    Connecting,
    /// An endpoint is to be chosen.
    Idle,
}

impl State {
    #[inline(always)]
    fn new(
        (proxy, intercepts): (&'static Proxy, &'static [Intercept]),
        worker: &Rc<Worker>,
        (body, listener): (RequestBody, usize),
    ) -> Self {
        Self {
            proxy,
            worker: Rc::clone(worker),
            intercepts,
            listener,
            watch: Watch::new(worker, &proxy.timeouts),
            upload: Upload::new(body, proxy.policy.edits),
            grant: None,
            download: Download::new(),
            spliced: Spliced::default(),
            phase: Phase::Idle,
            lease: None,
            connection: None,
            is_kept: false,
            wants_new: false,
            is_persistent: false,
            is_deaf: false,
            table: TABLES.with_borrow_mut(Vec::pop).unwrap_or_default(),
            begun: worker.recorder.now(&worker.clock),
            opened: 0,
            interims: 0,
            lines: None,
            status: 0,
            has_date: false,
            is_unmeasured: false,
            trailer_lines: None,
            edits: &Edits::NONE,
            fault: None,
        }
    }

    /// Waits for that of the upstream, and tells when it was too long.
    pub(super) fn poll_wait(&mut self, wanted: For) -> Poll<Fault> {
        if self.watch.is_over() {
            return Poll::Ready(Fault::UpstreamTotalTimedOut);
        }
        match self.watch.wait(wanted, &self.worker, &self.proxy.timeouts) {
            true => Poll::Pending,
            false => Poll::Ready(wanted.fault()),
        }
    }

    /// The connection is not needed any more: it goes to the pool where nothing is outstanding on it, and is closed else. Its endpoint is given free.
    pub(super) fn let_go(&mut self) {
        self.watch.end();
        let is_sent = self.upload.is_sent();
        // Nobody wants the rest, which is for the engine to see.
        self.upload.give_up();
        self.grant = None;
        let connection = self.connection.take();
        let Some((lease, place)) = self.lease.take() else { return };
        if let Some(connection) = connection
            && self.is_persistent
            && is_sent
            && self.download.is_whole()
            && !self.download.is_spent()
        {
            self.worker.pools.give(self.proxy.upstream, place, connection, self.worker.clock.tick());
        }
        drop(lease);
    }

    /// The answer's last byte has come.
    pub(super) fn complete(&mut self) {
        if let Some((lease, _)) = &self.lease {
            lease.endpoint().succeed();
        }
        self.let_go();
        let lines = self.download.take_trailers().map(|received| {
            let mut lines = Buffer::take();
            trailers::push_to_client(&received, [self.proxy.upstream_edits, self.edits], &mut lines);
            lines
        });
        self.trailer_lines = lines.filter(|lines| !lines.is_empty());
    }

    /// Closes the connection, whatever is outstanding.
    pub(super) fn break_off(&mut self) {
        self.is_persistent = false;
        self.let_go();
        self.download = Download::new();
        self.spliced = Spliced::default();
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let mut table = mem::take(&mut self.table);
        table.fields.clear();
        table.tried.clear();
        let _ = TABLES.try_with(|tables| {
            let mut tables = tables.borrow_mut();
            if tables.len() < STATES_MAX {
                tables.push(table);
            }
        });
    }
}

impl Held {
    /// One of an exchange that begins. It is made where it stays.
    pub(super) fn new(of: (&'static Proxy, &'static [Intercept]), worker: &Rc<Worker>, request: (RequestBody, usize)) -> Self {
        let mut place = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        let _ = place.insert(State::new(of, worker, request));
        Self { place: Some(place) }
    }

    pub(super) fn get(&self) -> Option<&State> {
        self.place.as_deref()?.as_ref()
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut State> {
        self.place.as_deref_mut()?.as_mut()
    }

    /// Moves it elsewhere; nothing stays.
    pub(super) fn take(&mut self) -> Self {
        Self { place: self.place.take() }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(mut place) = self.place.take() else { return };
        *place = None;
        // While the thread ends its pool may be gone: it is freed then.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < STATES_MAX {
                pool.push(place);
            }
        });
    }
}
