//! What a worker does with a connection that comes: serve it, hand it over, or turn it away.
//!
//! Over a limit it is told so: 64 at a time for each worker, each for one second at most (its socket and no more is held, whatever the client does). Whoever comes
//! while so many are being told is closed without a word, which is counted.

use std::{
    cell::Cell,
    io,
    net::IpAddr,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    task,
    time::timeout,
};

use super::{
    inbox::{self, Handed, Inbox},
    tcp,
};
use crate::{
    engine::h1::{self, Arrived, H1, Transport},
    fault::Fault,
    rooms::Spread,
    unix,
    worker::{Counters, Hold, Worker},
};

mod accept;

pub(crate) use self::accept::empty;

/// Connections over a limit that are told so at the same time, for each worker.
const TURNED_AWAY_MAX: usize = 64;
/// How long telling one of them may take, until the client has closed: the answer is sent at once, but a reset behind it would take it back.
const TURNED_AWAY_SPAN: Duration = Duration::from_secs(1);

/// A worker's door.
pub(crate) struct Door {
    pub(crate) engine: Rc<H1>,
    pub(crate) worker: Rc<Worker>,
    /// By worker; none where there is one worker.
    pub(crate) inboxes: Arc<[Inbox]>,
    /// Where it is told why nothing could be accepted.
    pub(crate) accept_errors: mpsc::Sender<io::Error>,
    /// Held once more by each connection that is being turned away.
    turned_away: Rc<()>,
    /// No connection changes hands any more.
    is_closing: Cell<bool>,
}

/// A listening socket of a runtime.
pub(crate) trait Queue: Sized {
    /// What it accepts.
    type Stream: Handable;
    /// When its connections go to other workers.
    const SPREAD: Spread;

    /// The next connection and its other end.
    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(Self::Stream, IpAddr)>>;

    /// Closes it, and gives what is queued until then. The socket itself is asked: readiness may not have been told yet.
    fn close(self, each: impl FnMut(Self::Stream, IpAddr)) -> io::Result<()>;
}

/// A stream that can leave its runtime.
pub(crate) trait Handable: Transport {
    /// Leaves it. Nothing may have been read.
    fn leave(self) -> io::Result<inbox::Stream>;
}

/// A listening socket, for each kind.
#[derive(Debug)]
pub(crate) enum Listening {
    Tcp(tcp::Listener),
    Unix(unix::Listener),
}

impl Door {
    pub(crate) fn new(engine: Rc<H1>, worker: Rc<Worker>, inboxes: Arc<[Inbox]>, accept_errors: mpsc::Sender<io::Error>) -> Self {
        Self { engine, worker, inboxes, accept_errors, turned_away: Rc::new(()), is_closing: Cell::new(false) }
    }

    /// Accepts from the listener with that number until `stop` changes, then what is queued, then closes it.
    pub(crate) async fn accept(self: Rc<Self>, listening: Listening, number: usize, stop: watch::Receiver<bool>) -> io::Result<()> {
        match listening {
            Listening::Tcp(queue) => accept::accept(&self, queue, number, stop).await,
            Listening::Unix(queue) => accept::accept(&self, queue, number, stop).await,
        }
    }

    /// Takes in what others hand over, forever; nothing where there is one worker.
    pub(crate) async fn take_in(self: Rc<Self>) {
        match self.inboxes.get(self.worker.number()) {
            None => std::future::pending().await,
            Some(inbox) => loop {
                let handed = inbox.next().await;
                self.take(handed);
            },
        }
    }

    /// Takes in what others have handed over until now; from here on they keep theirs.
    pub(crate) fn take_in_rest(&self) {
        if let Some(inbox) = self.inboxes.get(self.worker.number()) {
            for handed in inbox.close() {
                self.take(handed);
            }
        }
    }

    pub(super) fn admit<S: Handable>(&self, stream: S, arrived: Arrived, spread: Spread) {
        match self.worker.hold(arrived.client, spread) {
            Err(fault) => self.turn_away(stream, arrived, fault),
            Ok(hold) => match self.inbox(&hold) {
                None => self.serve(stream, arrived, hold),
                Some(inbox) => self.hand_over(stream, arrived, hold, inbox),
            },
        }
    }

    /// Where a connection is put that another worker has given room; `None`: it stays here.
    fn inbox(&self, hold: &Hold) -> Option<&Inbox> {
        if hold.worker() == self.worker.number() || self.is_closing.get() {
            return None;
        }
        let inbox = self.inboxes.get(hold.worker()).filter(|inbox| inbox.has_room());
        if inbox.is_none() {
            Counters::add(&self.worker.counters.kept);
        }
        inbox
    }

    fn hand_over<S: Handable>(&self, stream: S, arrived: Arrived, hold: Hold, inbox: &Inbox) {
        // What can't leave its runtime is a dead socket.
        let Ok(stream) = stream.leave() else { return };
        match inbox.put(Handed { stream, arrived, hold }) {
            Ok(()) => Counters::add(&self.worker.counters.handed_over),
            Err(handed) => self.take(handed),
        }
    }

    /// Serves a connection that no runtime knows yet.
    fn take(&self, Handed { stream, arrived, hold }: Handed) {
        match stream {
            inbox::Stream::Tcp(stream) => {
                if let Ok(stream) = tcp::join(stream) {
                    self.serve(stream, arrived, hold);
                }
            }
            inbox::Stream::Unix(stream) => {
                if let Ok(stream) = unix::join(stream) {
                    self.serve(stream, arrived, hold);
                }
            }
        }
    }

    fn serve<S: Transport>(&self, stream: S, arrived: Arrived, hold: Hold) {
        let permit = self.worker.admit(hold);
        task::spawn_local(h1::serve(Rc::clone(&self.engine), stream, arrived, permit));
    }

    fn turn_away<S: Transport>(&self, stream: S, arrived: Arrived, fault: Fault) {
        if Rc::strong_count(&self.turned_away) > TURNED_AWAY_MAX {
            Counters::add(&self.worker.counters.closed_without_a_word);
            return;
        }
        let (engine, worker, place) = (Rc::clone(&self.engine), Rc::clone(&self.worker), Rc::clone(&self.turned_away));
        task::spawn_local(async move {
            let _ = timeout(TURNED_AWAY_SPAN, h1::turn_away(engine, stream, arrived, fault)).await;
            // It is no connection of this worker's: if there is none, the tick sleeps, which does this for others.
            worker.recorder.flush();
            drop(place);
        });
    }
}
