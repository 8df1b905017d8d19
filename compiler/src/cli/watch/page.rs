//! What is wrong with the site, as a page for the browser that loads itself anew when that changes.
//!
//! On a loopback port of its own, for requests that name that very address: no other site's script may read it. Two paths: `/` is the page, `/state?N` answers
//! when the state is not number N any more. Connections, heads and waits are bounded.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

const CONNECTIONS_MAX: usize = 32;
/// Bytes of a request's head.
const HEAD_MAX: u64 = 16 * 1024;
/// How long a question for the next state waits for it.
const WAIT: Duration = Duration::from_secs(20);
const IO_WAIT: Duration = Duration::from_secs(5);
const TEMPLATE: &str = include_str!("page.html");

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum State {
    Building,
    Serving,
    Wrong,
}

pub(super) struct Page {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    shown: Mutex<Shown>,
    changed: Condvar,
    connections: AtomicUsize,
}

#[derive(Debug, Default)]
struct Shown {
    number: u64,
    title: &'static str,
    text: String,
}

impl Page {
    /// Serves from now on.
    pub(super) fn serve() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (address, shared) = (listener.local_addr()?, Arc::new(Shared::default()));
        let page = Self { address, shared: Arc::clone(&shared) };
        page.show(State::Building, false, String::new());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
                    shared.connections.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    // A browser that has gone is no fault of ours.
                    drop(answer(&stream, address, &shared));
                    shared.connections.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        Ok(page)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows a state; `is_served`: some form of the site is being served.
    pub(super) fn show(&self, state: State, is_served: bool, text: String) {
        let title = match (state, is_served) {
            (State::Building, _) => "building",
            (State::Serving, _) => "serving",
            (State::Wrong, true) => "wrong: the site as it was before goes on",
            (State::Wrong, false) => "wrong: nothing is served",
        };
        let mut shown = lock(&self.shared.shown);
        *shown = Shown { number: shown.number + 1, title, text };
        drop(shown);
        self.shared.changed.notify_all();
    }
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(stream: &TcpStream, own: SocketAddr, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(IO_WAIT))?;
    stream.set_write_timeout(Some(IO_WAIT))?;
    let mut lines = BufReader::new(stream.take(HEAD_MAX)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let mut is_own = false;
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let host = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
        is_own |= host.is_some_and(|host| host == own.to_string() || host == format!("localhost:{}", own.port()));
    }
    let target = request.split(' ').nth(1).unwrap_or_default();
    let (status, content_type, body) = match target.split_once('?').unwrap_or((target, "")) {
        _ if !is_own => ("421 Misdirected Request", "text/plain", String::new()),
        ("/", _) => ("200 OK", "text/html; charset=utf-8", page(&lock(&shared.shown))),
        ("/state", known) => ("200 OK", "text/plain", next(shared, known.parse().unwrap_or_default()).to_string()),
        _ => ("404 Not Found", "text/plain", String::new()),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The number of the state as soon as it is another one than `known`.
fn next(shared: &Shared, known: u64) -> u64 {
    let waited = shared.changed.wait_timeout_while(lock(&shared.shown), WAIT, |shown| shown.number == known);
    waited.unwrap_or_else(PoisonError::into_inner).0.number
}

fn page(shown: &Shown) -> String {
    let text = if shown.text.is_empty() { "nothing is wrong" } else { &shown.text };
    TEMPLATE.replace("{number}", &shown.number.to_string()).replace("{title}", shown.title).replace("{text}", &escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(page: &Page, target: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(page.address).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn page_shows_the_state_escaped() {
        let page = Page::serve().unwrap();
        page.show(State::Wrong, true, "error: <b> & more".to_owned());
        let answer = get(&page, "/", &page.address.to_string());
        assert!(answer.contains("goes on") && answer.contains("error: &lt;b&gt; &amp; more"), "{answer}");
    }

    #[test]
    fn state_answers_when_it_is_another() {
        let page = Page::serve().unwrap();
        let host = page.address.to_string();
        assert!(get(&page, "/state?0", &host).ends_with("\r\n\r\n1"));
        let waiting = thread::scope(|scope| {
            let waiting = scope.spawn(|| get(&page, "/state?1", &host));
            page.show(State::Serving, true, String::new());
            waiting.join().unwrap()
        });
        assert!(waiting.ends_with("\r\n\r\n2"), "{waiting}");
    }

    #[test]
    fn other_hosts_are_told_nothing() {
        let page = Page::serve().unwrap();
        assert!(get(&page, "/", "evil.example").starts_with("HTTP/1.1 421 "));
    }
}
