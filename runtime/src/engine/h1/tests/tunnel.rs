//! Connections behind a 101: what goes through, how it ends, and who is waited for.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use super::stage::{Stage, WRITE_TICKS};
use crate::{
    buffer::{Buffer, CHUNK_BYTES},
    response::Response,
    step::Step,
    tunnel::{Switched, Tunnel},
};

const UPGRADE: &str = "GET /switch HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n";
const HEAD: &str = "HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n";
/// Ticks of the tunnel's idle timeout, and one for the tick that is running.
pub(super) const IDLE_TICKS: u32 = 5 * 4 + 1;

thread_local! {
    static FAR: Rc<RefCell<Far>> = Rc::default();
}

/// The other end, seen from both sides.
#[derive(Debug, Default)]
struct Far {
    /// What it sends: each is one piece. An empty one is its end.
    sends: VecDeque<Vec<u8>>,
    /// What it has taken,
    taken: Vec<u8>,
    /// and how much it does not take.
    refuses_from: Option<usize>,
    is_broken: bool,
    is_shut: bool,
    is_dropped: bool,
    receives: usize,
}

#[derive(Debug)]
struct Near(Rc<RefCell<Far>>);

impl Tunnel for Near {
    fn poll_receive(&mut self, _context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut far = self.0.borrow_mut();
        if far.is_broken {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let Some(piece) = far.sends.pop_front() else { return Poll::Pending };
        far.receives += 1;
        assert!(piece != b"panic", "the other end panics");
        room[..piece.len()].copy_from_slice(&piece);
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_send(&mut self, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        assert!(!bytes.is_empty());
        let mut far = self.0.borrow_mut();
        let room = far.refuses_from.map_or(bytes.len(), |limit| limit - far.taken.len()).min(bytes.len());
        if room == 0 {
            return Poll::Pending;
        }
        far.taken.extend_from_slice(&bytes[..room]);
        Poll::Ready(Ok(room))
    }

    fn poll_shutdown(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().is_shut = true;
        Poll::Ready(Ok(()))
    }

    fn idle(&self) -> Option<Duration> {
        Some(Duration::from_secs(5))
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.0.borrow_mut().is_dropped = true;
    }
}

/// What the play answers to `/switch`.
pub(super) fn answer() -> Step<'static> {
    let mut head = Buffer::take();
    head.push_status_line(101);
    head.push_field("upgrade", "echo");
    Step::Ready(Response::Switched(Switched::new(head, Box::new(Near(FAR.with(Rc::clone))))))
}

fn far<T>(look: impl FnOnce(&mut Far) -> T) -> T {
    FAR.with(|far| look(&mut far.borrow_mut()))
}

fn switched() -> Stage {
    let mut stage = Stage::new();
    stage.send(UPGRADE);
    assert_eq!(stage.answers(), HEAD);
    stage
}

/// The other end sends one piece.
pub(super) fn reply(stage: &mut Stage, bytes: impl AsRef<[u8]>) {
    far(|far| far.sends.push_back(bytes.as_ref().to_vec()));
    stage.poll();
}

#[test]
fn bytes_go_both_ways_as_they_come() {
    let mut stage = switched();
    stage.send("up 1");
    stage.send("up 2");
    assert_eq!(far(|far| far.taken.clone()), b"up 1up 2");
    reply(&mut stage, "down 1");
    reply(&mut stage, "down 2");
    assert_eq!(stage.writes(), ["down 1", "down 2"]);
    assert!(!stage.is_over());
}

#[test]
fn bytes_behind_the_request_go_first() {
    let mut stage = Stage::new();
    stage.send([UPGRADE, "early"].concat());
    stage.send(" late");
    assert_eq!(far(|far| far.taken.clone()), b"early late");
    assert_eq!(stage.answers(), HEAD);
}

#[test]
fn answers_before_the_switch_go_first() {
    let mut stage = Stage::new();
    stage.send(["GET /empty HTTP/1.1\r\nhost: a\r\n\r\n", UPGRADE, "early"].concat());
    assert_eq!(stage.answers(), ["HTTP/1.1 204 No Content\r\n\r\n", HEAD].concat());
    assert_eq!(far(|far| far.taken.clone()), b"early");
}

#[test]
fn end_of_one_direction_leaves_the_other_open() {
    let mut stage = switched();
    stage.send("last");
    stage.end();
    assert!(far(|far| far.is_shut && !far.is_dropped) && !stage.is_closed());
    reply(&mut stage, "still");
    assert_eq!(stage.answers(), "still");
    reply(&mut stage, "");
    assert!(stage.is_over() && stage.is_closed() && !stage.is_reset() && far(|far| far.is_dropped));

    let mut stage = switched();
    far(|far| *far = Far::default());
    reply(&mut stage, "last");
    reply(&mut stage, "");
    assert!(stage.is_closed() && !stage.is_over() && far(|far| !far.is_shut));
    stage.send("still");
    assert_eq!(far(|far| far.taken.clone()), b"still");
    stage.end();
    assert!(stage.is_over() && far(|far| far.is_shut));
}

#[test]
fn client_that_takes_nothing_keeps_the_other_end_from_being_read() {
    let mut stage = switched();
    stage.set_room(0);
    for _ in 0..5 {
        reply(&mut stage, vec![b'x'; CHUNK_BYTES]);
    }
    assert_eq!(far(|far| far.receives), 1);
    stage.set_room(CHUNK_BYTES + 1);
    stage.poll();
    assert_eq!(far(|far| far.receives), 2);
    stage.set_room(usize::MAX);
    stage.poll();
    assert_eq!(stage.raw().len(), 5 * CHUNK_BYTES);
}

#[test]
fn other_end_that_takes_nothing_keeps_the_client_from_being_read() {
    let mut stage = switched();
    far(|far| far.refuses_from = Some(3));
    stage.send_all(&[b"abcdef", b"ghi", b"jkl"]);
    assert_eq!((far(|far| far.taken.clone()), stage.unread()), (b"abc".to_vec(), 2));
    far(|far| far.refuses_from = None);
    stage.poll();
    assert_eq!((far(|far| far.taken.clone()), stage.unread()), (b"abcdefghijkl".to_vec(), 0));
}

#[test]
fn tunnel_in_which_nothing_moves_is_closed() {
    let mut stage = switched();
    stage.pass(IDLE_TICKS - 1);
    assert!(!stage.is_over());
    stage.send("x");
    stage.pass(IDLE_TICKS - 1);
    reply(&mut stage, "y");
    stage.pass(IDLE_TICKS - 1);
    assert!(!stage.is_over(), "each direction counts");
    stage.pass(1);
    assert!(stage.is_over() && stage.is_closed() && far(|far| far.is_dropped));
    assert_eq!(stage.count(|counters| &counters.timeouts), 1);
}

#[test]
fn client_that_takes_too_little_is_given_up() {
    let mut stage = switched();
    stage.set_room(0);
    reply(&mut stage, "x");
    for _ in 0..WRITE_TICKS {
        stage.send("the other direction moves");
        stage.pass(1);
    }
    assert!(stage.is_over() && stage.is_reset());
}

#[test]
fn other_end_that_breaks_resets_the_client() {
    let mut stage = switched();
    far(|far| far.is_broken = true);
    stage.poll();
    assert!(stage.is_over() && stage.is_reset());
}

#[test]
fn panic_of_the_other_end_is_contained() {
    let mut stage = switched();
    reply(&mut stage, "panic");
    assert!(stage.is_over() && stage.is_closed());
    assert_eq!(stage.count(|counters| &counters.panics), 1);
}

#[test]
fn tunnel_counts_as_an_exchange_and_holds_no_buffers() {
    let mut stage = Stage::new();
    let kept = crate::engine::h1::work::kept();
    stage.send(UPGRADE);
    assert_eq!(crate::engine::h1::work::kept(), kept.max(1));
    assert_eq!(stage.worker.requests(), 1);
    stage.end();
    reply(&mut stage, "");
    assert_eq!(stage.worker.requests(), 0);
}

#[test]
fn request_whose_body_has_not_ended_does_not_switch() {
    let mut stage = Stage::new();
    stage.send(UPGRADE.replace("\r\n\r\n", "\r\ncontent-length: 5\r\n\r\n") + "abc");
    assert_eq!(stage.answers(), "");
    assert!(stage.is_closed() && far(|far| far.taken.is_empty() && far.is_dropped));
    let mut stage = Stage::new();
    stage.send(UPGRADE.replace("\r\n\r\n", "\r\ncontent-length: 3\r\n\r\n") + "abcdef");
    assert_eq!((stage.answers(), far(|far| far.taken.clone())), (HEAD.to_owned(), b"def".to_vec()));
}
