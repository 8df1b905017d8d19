//! Sockets that processes share, descriptors that a process runs out of, and where it says so.

use std::{
    env, fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    os::{
        fd::OwnedFd,
        unix::{
            fs::PermissionsExt,
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
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
    server::{Server, deadline},
    site::{Profile, build, scratch},
    tools::note,
};
use rustix::process::Signal;

const GET: &str = "GET / HTTP/1.1\r\nhost: any.test\r\n\r\n";
const CLOSE: &str = "GET / HTTP/1.1\r\nhost: any.test\r\nconnection: close\r\n\r\n";
/// LISTEN_PID is the process's own number, which the shell has and the site that it becomes.
const PASSED: &str = "export LISTEN_PID=$$; exec \"$0\"";
const SWAPS: usize = 20;
const WAIT: Duration = Duration::from_secs(30);

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/sockets/site.kdl", Profile::Dev, &[]));

/// The path of a socket: short, which that of a build directory need not be.
fn socket_path(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("kiln-{name}-{}.sock", std::process::id()));
    // It is there only where an earlier test was cut short.
    drop(fs::remove_file(&path));
    path
}

/// A shell that becomes the site, with this for a script, in a directory without a log.
fn shell(script: &str, directory: &Path, socket: &Path) -> Command {
    // It is not there in the first run.
    drop(fs::remove_file(directory.join("error.log")));
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&*BINARY).current_dir(directory).env("KILN_TEST_SOCKET", format!("unix:{}", socket.display()));
    command
}

/// Starts a process of the site that takes these sockets (sd_listen_fds(3)).
fn start_with(tcp: &TcpListener, unix: &UnixListener) -> Server {
    let mut command = shell(PASSED, &scratch("swap"), Path::new("/nonexistent/socket"));
    command.env("LISTEN_FDS", "2").env("LISTEN_FDNAMES", ":local");
    let sockets: [OwnedFd; 2] = [tcp.try_clone().expect("a descriptor").into(), unix.try_clone().expect("a descriptor").into()];
    let mappings = sockets.into_iter().zip(3..).map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
    command.fd_mappings(mappings.collect()).expect("free numbers");
    Server::start_command(&mut command)
}

/// Asks over a Unix socket, and gives the answer's first line.
fn ask_at(path: &Path) -> String {
    let mut stream = UnixStream::connect(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    stream.set_read_timeout(Some(WAIT)).expect("a socket");
    stream.write_all(CLOSE.as_bytes()).expect("an open connection");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

/// Waits for a line of a log that contains `text`, and gives it.
fn logged(log: &Path, text: &str) -> String {
    let deadline = deadline(WAIT);
    loop {
        let lines = fs::read_to_string(log).unwrap_or_default();
        if let Some(line) = lines.lines().find(|line| line.contains(text)) {
            return line.to_owned();
        }
        assert!(Instant::now() < deadline, "no line with {text:?} but:\n{lines}");
        thread::yield_now();
    }
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
    let path = socket_path("swap");
    let unix = UnixListener::bind(&path).expect("a socket");
    let seen = Seen::default();
    let mut running = start_with(&socket, &unix);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| seen.fresh(address));
            scope.spawn(|| seen.kept(address));
        }
        for _ in 0..SWAPS {
            let next = start_with(&socket, &unix);
            let before = seen.answered.load(Ordering::Relaxed);
            let (status, lines) = std::mem::replace(&mut running, next).stop();
            assert!(status.success(), "{status}: {lines:?}");
            assert!(seen.answered.load(Ordering::Relaxed) > before, "no load while it drained");
            assert_eq!(ask_at(&path), "HTTP/1.1 200 OK");
        }
        seen.is_over.store(true, Ordering::Relaxed);
    });
    let (answered, sent_again) = (seen.answered.into_inner(), seen.sent_again.into_inner());
    note(&format!("{SWAPS} swaps: {answered} answers, {sent_again} requests sent again"));
    assert!(sent_again <= answered / 1000, "{sent_again} of {answered} sent again");
    assert!(running.stop().0.success());
    fs::remove_file(&path).expect("the file of who has bound the socket");
}

#[test]
fn process_without_descriptors_serves_what_is_open_and_accepts_again() {
    let (directory, socket) = (scratch("descriptors"), socket_path("descriptors"));
    let log = directory.join("error.log");
    let server = Server::start_command(&mut shell("ulimit -n 64; exec \"$0\"", &directory, &socket));
    let warning = logged(&log, "may open 64 descriptors");
    assert!(warning.contains("`connections` 500"), "{warning}");
    let mut first = server.client();
    assert_eq!(first.ask(GET).status, 200);
    // More than it can open; what it can't accept stays queued.
    let mut queued: Vec<_> = (0..80).map(|_| server.client()).collect();
    logged(&log, "no connection can be accepted for now");
    assert_eq!(first.ask(GET).status, 200);
    let mut last = queued.pop().expect("a connection");
    drop(queued);
    assert_eq!(last.ask(GET).status, 200);
    server.signal(Signal::USR2);
    let line = logged(&log, ": back-offs ");
    let back_offs: u64 = line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    let said = fs::read_to_string(&log).expect("a log").matches("no connection can be accepted").count() as u64;
    assert!(back_offs > 0 && said <= back_offs, "{line}, said {said} times");
    let (status, lines) = server.stop();
    assert!(status.success(), "{status}: {lines:?}");
}

#[test]
fn error_log_is_private_dated_and_opened_anew() {
    let (directory, socket) = (scratch("error-log"), socket_path("error-log"));
    let (log, moved) = (directory.join("error.log"), directory.join("error.log.1"));
    let server = Server::start_command(&mut shell("exec \"$0\"", &directory, &socket));
    server.signal(Signal::USR2);
    let line = logged(&log, " sockets: accepted 0");
    assert!(line.starts_with("20") && line.get(19..21) == Some("Z "), "{line}");
    assert_eq!(fs::metadata(&log).expect("a log").permissions().mode() & 0o777, 0o600);
    fs::rename(&log, &moved).expect("a writable directory");
    server.signal(Signal::USR1);
    // Of signals that come together the kernel may give the later one first.
    let until = deadline(WAIT);
    while !log.exists() {
        assert!(Instant::now() < until, "no new log");
        thread::yield_now();
    }
    server.signal(Signal::USR2);
    logged(&log, " sockets: accepted 0");
    let (status, lines) = server.stop();
    assert!(status.success(), "{status}: {lines:?}");
    assert!(!lines.iter().any(|line| line.contains("draining")), "{lines:?}");
    logged(&log, "draining");
}

#[test]
fn unix_socket_of_a_site_is_its_own_while_it_runs() {
    let (directory, socket) = (scratch("unix"), socket_path("unix"));
    let server = Server::start_command(&mut shell("exec \"$0\"", &directory, &socket));
    assert_eq!(ask_at(&socket), "HTTP/1.1 200 OK");
    assert_eq!(fs::metadata(&socket).expect("a socket").permissions().mode() & 0o777, 0o660);
    let second = shell("exec \"$0\"", &scratch("unix-second"), &socket).output().expect("a shell");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("listener `local`") && said.contains("address in use"), "{said}");
    assert_eq!(ask_at(&socket), "HTTP/1.1 200 OK");
    assert!(server.stop().0.success());
    assert!(!socket.exists());
}

#[test]
fn unix_socket_of_a_killed_site_is_taken_over() {
    let (directory, socket) = (scratch("killed"), socket_path("killed"));
    // Killed where it is dropped: nothing is cleaned up.
    drop(Server::start_command(&mut shell("exec \"$0\"", &directory, &socket)));
    assert!(socket.exists());
    let server = Server::start_command(&mut shell("exec \"$0\"", &directory, &socket));
    assert_eq!(ask_at(&socket), "HTTP/1.1 200 OK");
    assert!(server.stop().0.success());
    assert!(!socket.exists());
}
