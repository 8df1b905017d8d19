//! Many requests, each with a token of its own, through upstreams that misbehave: whoever gets an answer gets that of its own request.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    client::Client,
    proxied::Proxied,
    random::Random,
    upstream::{Peer, Upstream},
};

/// Clients at the same time.
const CLIENTS: usize = 24;
/// Faults behind which nothing new would be learnt.
const FAULTS_MAX: usize = 10;
/// A body that no buffer holds whole, and that is no multiple of one.
const LARGE: usize = 300_007;

/// What an upstream does with a request; its number decides.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Conduct {
    /// The end comes before the end.
    Cut,
    /// A whole answer that nobody asked for stands behind the answer, in the same piece.
    Double,
    /// The same behind a long body.
    DoubleBehindLarge,
    /// The body is longer than its length.
    Longer,
    /// Its chunks are none.
    Misframed,
    Plain,
    Reset,
    /// Pieces with time between them.
    Slow,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Crossing {
    /// Answers that were exact.
    pub exact: usize,
    /// Exchanges that failed as they had to.
    pub failed: usize,
    /// Clients that went away.
    pub aborted: usize,
    /// Answers of other requests, wrong bytes, failures without a cause.
    pub faults: Vec<String>,
}

/// An upstream for [`run`].
pub fn upstream() -> Upstream {
    Upstream::start(|peer| {
        while let Some(heard) = peer.uncounted() {
            let number = heard.target[1..].parse().unwrap_or_else(|_| panic!("no number: {}", heard.target));
            if !answer(peer, number) {
                break;
            }
        }
    })
}

/// Asks so often, one request after the other on connections that are kept, some of which are given up.
pub fn run(proxied: &Proxied, requests: usize) -> Crossing {
    let (next, crossing) = (AtomicUsize::new(0), Mutex::new(Crossing::default()));
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = proxied.client();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_enough = crossing.lock().expect("no panic").faults.len() >= FAULTS_MAX;
                    if number >= requests || is_enough {
                        break;
                    }
                    turn(proxied, &mut client, number, &crossing);
                }
            });
        }
    });
    crossing.into_inner().expect("no panic")
}

/// One request, whose client waits for its answer or goes away.
fn turn(proxied: &Proxied, client: &mut Client, number: usize, crossing: &Mutex<Crossing>) {
    let mut random = Random::new(number as u64);
    client.send(format!("GET /{number} HTTP/1.1\r\nhost: one.test\r\n\r\n"));
    if random.percent(1) {
        // Before the answer, within it or behind it.
        if random.percent(50) {
            crate::client::pause(Duration::from_micros(1 + random.number() % 2_000));
        }
        std::mem::replace(client, proxied.client()).abort();
        crossing.lock().expect("no panic").aborted += 1;
        return;
    }
    let got = client.try_answer(false).map(|answer| (answer.status, answer.body));
    if got.is_err() {
        *client = proxied.client();
    }
    let judged = judge(number, &got);
    let mut crossing = crossing.lock().expect("no panic");
    match judged {
        Ok(true) => crossing.exact += 1,
        Ok(false) => crossing.failed += 1,
        Err(fault) => crossing.faults.push(fault),
    }
}

/// Whether it was exact, or failed as it had to.
fn judge(number: usize, got: &io::Result<(u16, Vec<u8>)>) -> Result<bool, String> {
    let conduct = conduct(number);
    let may_fail = matches!(conduct, Conduct::Cut | Conduct::Misframed | Conduct::Reset);
    match got {
        Ok((200, bytes)) if *bytes == body(number) => Ok(true),
        Ok((502, _)) | Err(_) if may_fail => Ok(false),
        Ok((status, bytes)) => {
            let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
            Err(format!("{number} ({conduct:?}): {status} with {} bytes: {begin:?}", bytes.len()))
        }
        Err(error) => Err(format!("{number} ({conduct:?}): {error}")),
    }
}

fn conduct(number: usize) -> Conduct {
    match Random::new(!(number as u64)).below(1000) {
        0..15 => Conduct::Cut,
        15..45 => Conduct::Double,
        45..50 => Conduct::DoubleBehindLarge,
        50..70 => Conduct::Longer,
        70..85 => Conduct::Misframed,
        85..100 => Conduct::Reset,
        100..120 => Conduct::Slow,
        _ => Conduct::Plain,
    }
}

/// Names its request throughout.
fn body(number: usize) -> Vec<u8> {
    let length = match conduct(number) {
        Conduct::DoubleBehindLarge => LARGE,
        _ => 40 + number % 1_500,
    };
    format!("<{number}>").into_bytes().into_iter().cycle().take(length).collect()
}

/// `false`: the connection ends.
fn answer(peer: &mut Peer, number: usize) -> bool {
    let body = body(number);
    let whole = match number % 3 {
        0 => [format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"]
            .concat(),
        _ => [format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat(),
    };
    let half = whole.len() / 2;
    let stolen = "HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\nsomebody else's";
    match conduct(number) {
        Conduct::Cut => {
            peer.send(&whole[..half]);
            false
        }
        Conduct::Double | Conduct::DoubleBehindLarge => peer.try_send([&whole, stolen.as_bytes()].concat()),
        Conduct::Longer => peer.try_send([&whole, &b"and more"[..]].concat()),
        Conduct::Misframed => {
            peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello world\r\n0\r\n\r\n");
            true
        }
        Conduct::Plain => peer.try_send(whole),
        Conduct::Reset => {
            peer.send(&whole[..half]).reset();
            false
        }
        Conduct::Slow => {
            peer.send(&whole[..half]).pause(Duration::from_millis(2));
            peer.try_send(&whole[half..])
        }
    }
}
