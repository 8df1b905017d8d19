//! Scripted upstreams: a listener whose every connection does exactly what a test says, byte by byte.
//!
//! Threads and std sockets, free ports, no sleep: a script waits for bytes, for an end or for what a test tells it, and each wait has a deadline. What a script
//! finds wrong (a request that is not in kiln's form, a wait in vain) fails the test where its upstream is dropped.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::client::WAIT;

mod closed;
mod heard;
mod peer;

pub use self::{
    closed::{Full, Refusing},
    heard::Heard,
    peer::Peer,
};

/// A listener; its scripts end when it is dropped.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    is_over: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

/// What has happened on an upstream.
#[derive(Debug, Default)]
pub struct State {
    /// Connections that were accepted.
    pub opened: usize,
    /// Their scripts, of those that have not ended.
    open: BTreeMap<usize, TcpStream>,
    /// Requests in the order in which their heads ended.
    pub requests: Vec<Heard>,
    /// Requests that were taken and not kept.
    pub uncounted: usize,
    /// What scripts have said by [`Peer::mark`].
    pub marks: Vec<String>,
    faults: Vec<String>,
}

impl State {
    /// Connections whose script has not ended.
    pub fn open(&self) -> usize {
        self.open.len()
    }
}

impl Upstream {
    /// Listens at a free port of 127.0.0.1; each connection is the script's on a thread of its own, and closed behind it.
    pub fn start(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::listen(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port"), script)
    }

    /// The same at an address that is free (again).
    pub fn start_at(address: SocketAddr, script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::listen(TcpListener::bind(address).unwrap_or_else(|error| panic!("{address}: {error}")), script)
    }

    /// Answers each request with these bytes, as long as the other side goes on.
    pub fn answering(answer: impl AsRef<[u8]>) -> Self {
        let answer = answer.as_ref().to_vec();
        Self::start(move |peer| {
            while peer.request().is_some() {
                peer.send(&answer);
            }
        })
    }

    /// Answers each request with 200 and this body.
    pub fn saying(body: &str) -> Self {
        Self::answering(ok(body))
    }

    /// Answers one request of each connection with these bytes, and closes.
    pub fn answering_once(answer: impl AsRef<[u8]>) -> Self {
        let answer = answer.as_ref().to_vec();
        Self::start(move |peer| {
            if peer.request().is_some() {
                peer.send(&answer);
            }
        })
    }

    fn listen(listener: TcpListener, script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().expect("a bound socket");
        let shared = Arc::new(Shared::default());
        let (scripts, of_accepting) = (Arc::new(script), Arc::clone(&shared));
        let accepting = thread::spawn(move || {
            let mut threads = Vec::new();
            while let Ok((stream, _)) = listener.accept() {
                if of_accepting.is_over.load(Ordering::Relaxed) {
                    break;
                }
                threads.retain(|thread: &JoinHandle<()>| !thread.is_finished());
                let (script, shared) = (Arc::clone(&scripts), Arc::clone(&of_accepting));
                let number = shared.enter(&stream);
                threads.push(thread::spawn(move || serve(Peer::new(stream, number, Arc::clone(&shared)), &shared, &*script)));
            }
            threads.into_iter().for_each(|thread| drop(thread.join()));
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes the requests that have come.
    pub fn requests(&self) -> Vec<Heard> {
        std::mem::take(&mut self.shared.state().requests)
    }

    /// The only request that has come; panics where it is not one.
    #[track_caller]
    pub fn request(&self) -> Heard {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "requests: {requests:#?}");
        requests.remove(0)
    }

    /// Connections that were accepted so far.
    pub fn opened(&self) -> usize {
        self.shared.state().opened
    }

    /// Waits until the state is as wanted, and gives what `read` makes of it.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, mut read: impl FnMut(&State) -> Option<T>) -> T {
        self.shared.wait(WAIT, |state| read(state)).unwrap_or_else(|| panic!("in vain for {what} at the upstream"))
    }

    /// Waits until so many connections are open.
    #[track_caller]
    pub fn wait_for_open(&self, count: usize) {
        self.wait_for(&format!("{count} open connections"), |state| (state.open() == count).then_some(()));
    }

    /// Waits until so many requests have come.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) {
        self.wait_for(&format!("{count} requests"), |state| (state.requests.len() >= count).then_some(()));
    }

    /// Waits until a script has said it so often.
    #[track_caller]
    pub fn wait_for_mark(&self, mark: &str, times: usize) {
        let count = |state: &State| state.marks.iter().filter(|said| *said == mark).count();
        self.wait_for(&format!("the mark {mark:?}"), |state| (count(state) >= times).then_some(()));
    }

    /// Lets scripts go on that wait by [`Peer::wait_for_mark`].
    pub fn mark(&self, mark: &str) {
        self.shared.change(|state| state.marks.push(mark.to_owned()));
    }

    /// Ends it: nothing listens any more, and connections are closed, whatever their scripts do.
    pub fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else { return };
        self.shared.is_over.store(true, Ordering::Relaxed);
        // Wakes who accepts; it may be gone already.
        drop(TcpStream::connect_timeout(&self.address, WAIT));
        self.shared.change(|state| state.open.values().for_each(|stream| drop(stream.shutdown(Shutdown::Both))));
        drop(accepting.join());
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.stop();
        let faults = std::mem::take(&mut self.shared.state().faults);
        assert!(faults.is_empty() || thread::panicking(), "upstream {}: {faults:#?}", self.address);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_all();
        changed
    }

    fn wait<T>(&self, span: Duration, mut read: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + span;
        let mut state = self.state();
        loop {
            if let Some(read) = read(&state) {
                return Some(read);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn enter(&self, stream: &TcpStream) -> usize {
        let twin = stream.try_clone().expect("a descriptor");
        self.change(|state| {
            state.opened += 1;
            state.open.insert(state.opened - 1, twin);
            state.opened - 1
        })
    }
}

/// 200 with a body whose length is said.
pub fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn serve(mut peer: Peer, shared: &Shared, script: &(impl Fn(&mut Peer) + ?Sized)) {
    let number = peer.number();
    let done = catch_unwind(AssertUnwindSafe(|| script(&mut peer)));
    drop(peer);
    // The last descriptor of the connection: who sees that it is no longer open finds it closed.
    shared.change(|state| drop(state.open.remove(&number)));
    let Err(why) = done else { return };
    if !shared.is_over.load(Ordering::Relaxed) {
        let text = why.downcast_ref::<String>().cloned().or_else(|| why.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        shared.change(|state| state.faults.push(text.unwrap_or_else(|| "a script panicked".to_owned())));
    }
}
