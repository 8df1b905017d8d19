//! Processes of a site that follow each other on one Unix socket, under load: no request fails. (For TCP, with a compiled site: `tests/tests/sockets.rs`.)
//!
//! This program is the server, too: it starts itself again with the socket passed (LISTEN_FDS), which is why it has no test harness.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    env, fs,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use runtime::{Answer, Exchange, Limits, Listener, ListenerOptions, Settings, Site, Step, Timeouts, Value, Workers, response::Response};
use rustix::process::{Pid, Signal, kill_process};
use settings::SETTINGS;

const NAME: &str = "swap_on_a_unix_socket_fails_no_request";
const SWAPS: usize = 20;
/// LISTEN_PID is the process's own number, which the shell has and the server that it becomes.
const PASSED: &str = "export LISTEN_PID=$$; exec \"$0\"";
const WAIT: Duration = Duration::from_secs(30);

struct Small;

impl Site for Small {
    fn handle<'a>(&'a self, _exchange: Exchange<'a>) -> Step<'a> {
        Step::Ready(Response::Prebuilt(HELLO))
    }
}

static HELLO: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", body: b"hello" };

static SWAPPED: Settings = Settings {
    // The socket that is passed has its name; nothing is bound here.
    listeners: &[Listener { name: "local", address: Value::Text("unix:/nonexistent/socket"), options: ListenerOptions::DEFAULT }],
    workers: Workers::Count(2),
    limits: Limits { connections: 500, ..SETTINGS.limits },
    timeouts: Timeouts { head: WAIT, body: WAIT, idle: WAIT, write: WAIT, drain: Duration::from_secs(20) },
    ..SETTINGS
};

fn main() -> ExitCode {
    if env::var_os("LISTEN_FDS").is_some() {
        return runtime::serve(&Small, &SWAPPED);
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let filters = arguments.iter().filter(|argument| !argument.starts_with('-')).collect::<Vec<_>>();
    if arguments.iter().any(|argument| argument == "--list")
        || !(filters.is_empty() || filters.iter().any(|filter| NAME.contains(filter.as_str())))
    {
        return ExitCode::SUCCESS;
    }
    swap_on_a_unix_socket_fails_no_request();
    ExitCode::SUCCESS
}

fn swap_on_a_unix_socket_fails_no_request() {
    let path = env::temp_dir().join(format!("kiln-swap-{}", std::process::id()));
    // It is there only where an earlier run was cut short.
    drop(fs::remove_file(&path));
    let socket = UnixListener::bind(&path).expect("a socket");
    let seen = Seen::default();
    let (mut running, mut loaded) = (start(&socket), 0);
    thread::scope(|scope| {
        let _over = Over(&seen.is_over);
        for _ in 0..2 {
            scope.spawn(|| seen.clients(&path, false));
            scope.spawn(|| seen.clients(&path, true));
        }
        for _ in 0..SWAPS {
            let next = start(&socket);
            let before = seen.answered.load(Ordering::Relaxed);
            end(std::mem::replace(&mut running, next));
            loaded += usize::from(seen.answered.load(Ordering::Relaxed) > before);
        }
    });
    // Where much else runs, a drain may be over before a client has its turn.
    assert!(loaded > 0, "no load while they drained");
    end(running);
    assert!(path.exists(), "the file is of who has bound the socket");
    fs::remove_file(&path).expect("our own file");
    let (answered, sent_again) = (seen.answered.into_inner(), seen.sent_again.into_inner());
    drop(writeln!(std::io::stderr(), "    {SWAPS} swaps: {answered} answers, {sent_again} requests sent again"));
    assert!(sent_again <= answered / 1000, "{sent_again} of {answered} sent again");
}

/// Starts a server on the socket and waits until it serves.
fn start(socket: &UnixListener) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", PASSED]).arg(env::current_exe().expect("this program")).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env("LISTEN_FDS", "1").env("LISTEN_FDNAMES", "local");
    let parent_fd = socket.try_clone().expect("a descriptor").into();
    command.fd_mappings(vec![FdMapping { parent_fd, child_fd: 3 }]).expect("a free number");
    let mut child = command.spawn().expect("a shell");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.contains("listening on unix:"), "{line}");
    child
}

/// Asks it to drain and waits for its end.
fn end(mut child: Child) {
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a process");
    let status = child.wait().expect("a child of ours");
    assert!(status.success(), "{status}");
}

/// Ends the clients, also where the test fails: it would wait for them else.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
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
    /// Asks until it is over, on one connection after the other: `keeps` uses each for as long as the server lets it.
    fn clients(&self, path: &Path, keeps: bool) {
        let line = if keeps { "" } else { "connection: close\r\n" };
        let request = format!("GET / HTTP/1.1\r\nhost: a\r\n{line}\r\n");
        while !self.is_over.load(Ordering::Relaxed) {
            let mut stream = UnixStream::connect(path).expect("somebody listens");
            stream.set_read_timeout(Some(WAIT)).expect("a socket");
            let mut is_fresh = true;
            while let Some(closes) = self.ask(&mut stream, &request, is_fresh) {
                is_fresh = false;
                if closes || self.is_over.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
    }

    /// Whether the answer says that the connection closes; `None` where it had closed before.
    fn ask(&self, stream: &mut UnixStream, request: &str, is_fresh: bool) -> Option<bool> {
        let sent = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"hello") {
            match stream.read(&mut byte) {
                Ok(1) => answer.push(byte[0]),
                ended => {
                    let is_end = !matches!(&ended, Err(error) if error.kind() != ErrorKind::ConnectionReset);
                    assert!(is_end && answer.is_empty() && !is_fresh, "no answer: {sent:?} {ended:?} {answer:?}");
                    self.sent_again.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        self.answered.fetch_add(1, Ordering::Relaxed);
        Some(answer.contains("connection: close"))
    }
}
