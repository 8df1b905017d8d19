//! Where a worker finds connections that others have accepted and handed over before they read a byte.
//!
//! A worker that dies leaves its inbox to the one that replaces it. Bounded: whoever finds it full keeps the connection. The lock is taken for a connection
//! that changes hands, never for a request; a process with one worker has no inbox.

use std::{
    collections::VecDeque,
    net,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{engine::h1::Arrived, unix, worker::Hold};

/// Connections that may wait in one inbox.
const WAITING_MAX: usize = 256;

/// A connection that changes hands.
#[derive(Debug)]
pub(crate) struct Handed {
    pub(crate) stream: Stream,
    pub(crate) arrived: Arrived,
    pub(crate) hold: Hold,
}

/// A stream that no runtime knows.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(net::TcpStream),
    #[cfg_attr(not(feature = "unix"), expect(dead_code, reason = "there is no value of its type"))]
    Unix(unix::Stream),
}

/// One worker's.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    queue: Mutex<Queue>,
    arrived: Notify,
    /// The worker that looks into it dies.
    #[cfg(test)]
    pub(crate) is_deadly: std::sync::atomic::AtomicBool,
}

#[derive(Debug, Default)]
struct Queue {
    is_closed: bool,
    waiting: VecDeque<Handed>,
}

impl Inbox {
    /// Whether a connection can be put in: it may be full again at once.
    pub(crate) fn has_room(&self) -> bool {
        let queue = self.queue();
        !queue.is_closed && queue.waiting.len() < WAITING_MAX
    }

    /// Puts a connection in; given back where there is no room, or nobody who will look.
    pub(crate) fn put(&self, handed: Handed) -> Result<(), Handed> {
        let mut queue = self.queue();
        if queue.is_closed || queue.waiting.len() >= WAITING_MAX {
            return Err(handed);
        }
        queue.waiting.push_back(handed);
        drop(queue);
        self.arrived.notify_one();
        Ok(())
    }

    /// Waits for the next connection.
    pub(crate) async fn next(&self) -> Handed {
        loop {
            #[cfg(test)]
            assert!(!self.is_deadly.swap(false, std::sync::atomic::Ordering::Relaxed), "a test lets this worker die");
            if let Some(handed) = self.queue().waiting.pop_front() {
                return handed;
            }
            self.arrived.notified().await;
        }
    }

    /// Nothing can be put in any more; gives what is left.
    pub(crate) fn close(&self) -> VecDeque<Handed> {
        let mut queue = self.queue();
        queue.is_closed = true;
        std::mem::take(&mut queue.waiting)
    }

    /// Lets the worker die that looks into it.
    #[cfg(test)]
    pub(crate) fn kill(&self) {
        self.is_deadly.store(true, std::sync::atomic::Ordering::Relaxed);
        self.arrived.notify_one();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing in here panics half way through.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, rc::Rc};

    use super::*;
    use crate::{rooms::Spread, worker::Worker};

    /// Connections to hand over: all of one socket, which is enough to be put somewhere.
    fn connections() -> impl FnMut() -> Handed {
        let listener = net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let worker = Rc::new(Worker::alone(1_000));
        let client = Ipv4Addr::LOCALHOST.into();
        move || Handed {
            stream: Stream::Tcp(stream.try_clone().unwrap()),
            arrived: Arrived { client, listener: 0 },
            hold: worker.hold(client, Spread::Above).unwrap(),
        }
    }

    #[test]
    fn full_inbox_gives_the_connection_back() {
        let (inbox, mut connection) = (Inbox::default(), connections());
        assert!((0..WAITING_MAX).all(|_| inbox.put(connection()).is_ok()));
        assert!(!inbox.has_room());
        assert!(inbox.put(connection()).is_err());
    }

    #[test]
    fn closed_inbox_gives_what_is_left_and_takes_nothing() {
        let (inbox, mut connection) = (Inbox::default(), connections());
        inbox.put(connection()).unwrap();
        assert_eq!(inbox.close().len(), 1);
        assert!(!inbox.has_room());
        assert!(inbox.put(connection()).is_err());
    }
}
