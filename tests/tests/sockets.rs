//! Sockets that processes share, and descriptors that a process runs out of.

use std::{
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::Command,
    sync::{
        LazyLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use command_fds::{CommandFdExt, FdMapping};
use kiln_tests::{
    client::Client,
    server::Server,
    site::{Profile, build, scratch},
    tools::note,
};
use rustix::process::Signal;

const GET: &str = "GET / HTTP/1.1\r\nhost: any.test\r\n\r\n";
const CLOSE: &str = "GET / HTTP/1.1\r\nhost: any.test\r\nconnection: close\r\n\r\n";
/// LISTEN_PID is the process's own number, which the shell has and the site that it becomes.
const PASSED: &str = "export LISTEN_PID=$$; exec \"$0\"";
const SWAPS: usize = 20;

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/sockets/site.kdl", Profile::Dev, &[]));

/// Starts a process of the site that takes these sockets (sd_listen_fds(3)).
fn start_with(socket: &TcpListener) -> Server {
    let mut command = Command::new("sh");
    command.args(["-c", PASSED]).arg(&*BINARY).current_dir(scratch("swap")).env("LISTEN_FDS", "1");
    let parent_fd = socket.try_clone().expect("a descriptor").into();
    command.fd_mappings(vec![FdMapping { parent_fd, child_fd: 3 }]).expect("a free number");
    Server::start_command(&mut command)
}

/// What clients saw.
#[derive(Debug, Default)]
struct Seen {
    answered: AtomicUsize,
    /// A connection that was kept ended between two requests, as a server may do, and the request was sent on another one.
    sent_again: AtomicUsize,
    is_over: AtomicBool,
}

impl Seen {
    /// A connection for each request.
    fn fresh(&self, address: SocketAddr) {
        while !self.is_over.load(Ordering::Relaxed) {
            assert_eq!(Client::connect(address).ask(CLOSE).status, 200);
            self.answered.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A connection for as many requests as the server takes.
    fn kept(&self, address: SocketAddr) {
        let mut client = Client::connect(address);
        let mut is_fresh = true;
        while !self.is_over.load(Ordering::Relaxed) {
            match client.send(GET).try_answer(false) {
                Ok(answer) => {
                    assert_eq!(answer.status, 200);
                    self.answered.fetch_add(1, Ordering::Relaxed);
                    is_fresh = answer.field("connection") == Some("close");
                }
                Err(error) => {
                    assert!(!is_fresh, "a new connection without an answer: {error}");
                    self.sent_again.fetch_add(1, Ordering::Relaxed);
                    is_fresh = true;
                }
            }
            if is_fresh {
                client = Client::connect(address);
            }
        }
    }
}

#[test]
fn swap_fails_no_request() {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("a bound socket");
    let seen = Seen::default();
    let mut running = start_with(&socket);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| seen.fresh(address));
            scope.spawn(|| seen.kept(address));
        }
        for _ in 0..SWAPS {
            let next = start_with(&socket);
            let before = seen.answered.load(Ordering::Relaxed);
            let (status, lines) = std::mem::replace(&mut running, next).stop();
            assert!(status.success(), "{status}: {lines:?}");
            assert!(seen.answered.load(Ordering::Relaxed) > before, "no load while it drained");
        }
        seen.is_over.store(true, Ordering::Relaxed);
    });
    let (answered, sent_again) = (seen.answered.into_inner(), seen.sent_again.into_inner());
    note(&format!("{SWAPS} swaps: {answered} answers, {sent_again} requests sent again"));
    assert!(sent_again <= answered / 1000, "{sent_again} of {answered} sent again");
    assert!(running.stop().0.success());
}

#[test]
fn process_without_descriptors_serves_what_is_open_and_accepts_again() {
    let script = "ulimit -n 64; exec \"$0\"";
    let mut server = Server::start_command(Command::new("sh").args(["-c", script]).arg(&*BINARY).current_dir(scratch("descriptors")));
    let warning = server.wait_for_line("may open 64 descriptors");
    assert!(warning.contains("`connections` 500"), "{warning}");
    let mut first = server.client();
    assert_eq!(first.ask(GET).status, 200);
    // More than it can open; what it can't accept stays queued.
    let mut queued: Vec<_> = (0..80).map(|_| server.client()).collect();
    server.wait_for_line("no connection can be accepted for now");
    assert_eq!(first.ask(GET).status, 200);
    let last = queued.pop().expect("a connection");
    drop(queued);
    let mut last = last;
    assert_eq!(last.ask(GET).status, 200);
    let since = Instant::now();
    server.signal(Signal::USR2);
    let line = server.wait_for_line(": back-offs ");
    let back_offs: u64 = line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!(back_offs > 0 && since.elapsed() < Duration::from_secs(20), "{line}");
    let (status, lines) = server.stop();
    assert!(status.success(), "{status}: {lines:?}");
}
