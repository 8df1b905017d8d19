//! A server from its start to its end: what it says, what it waits for and how long, how many it takes, how it drains.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::End,
    server::Server,
    site::{Profile, build, scratch, write},
    tools::run,
};
use rustix::process::Signal;

const HEAD: &str = "GET / HTTP/1.1\r\nhost: any.test\r\n";

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/timeouts/site.kdl", Profile::Dev, &[]));

fn start(name: &str) -> Server {
    Server::start(&BINARY, &scratch(name))
}

/// Measures a wait that a timeout of one second ends: not before, and not long after (the wheel is coarse, the machine is shared).
#[track_caller]
fn takes_a_second(since: Instant) {
    let waited = since.elapsed();
    assert!(waited > Duration::from_millis(900) && waited < Duration::from_secs(8), "{waited:?}");
}

#[test]
fn head_that_does_not_end_is_answered_with_408() {
    let server = start("head");
    let mut client = server.client();
    let since = Instant::now();
    let answer = client.send(HEAD).answer();
    takes_a_second(since);
    assert_eq!((answer.status, answer.field("connection")), (408, Some("close")));
    client.end();
}

#[test]
fn connection_without_a_byte_is_closed() {
    let server = start("fresh");
    let since = Instant::now();
    assert_eq!(server.client().end(), End::Closed);
    takes_a_second(since);
}

#[test]
fn idle_connection_is_closed_without_an_answer() {
    let server = start("idle");
    let mut client = server.client();
    client.ask(format!("{HEAD}\r\n"));
    let since = Instant::now();
    assert_eq!(client.end(), End::Closed);
    takes_a_second(since);
}

#[test]
fn body_that_does_not_come_ends_the_connection() {
    let server = start("body");
    let mut client = server.client();
    let since = Instant::now();
    let answer = client.send("POST / HTTP/1.1\r\nhost: any.test\r\ncontent-length: 5\r\n\r\nhe").answer();
    // Who does not need the body may answer without it; the connection can't be kept either way.
    assert!(matches!(answer.status, 200 | 408), "{}", answer.status);
    client.end();
    takes_a_second(since);
}

#[test]
fn client_that_does_not_read_is_given_up() {
    let directory = scratch("write");
    fs::create_dir_all(directory.join("tree"))
        .and_then(|()| fs::write(directory.join("tree/large.bin"), vec![b'x'; 64 << 20]))
        .expect("a writable directory");
    let server = Server::start(&BINARY, &directory);
    let mut client = server.client();
    client.send("GET /root/large.bin HTTP/1.1\r\nhost: any.test\r\n\r\n");
    // While it stalls, others are served, until all places are taken by such as it.
    assert_eq!(server.client().ask(format!("{HEAD}connection: close\r\n\r\n")).status, 200);
    let mut others: Vec<_> = (0..3).map(|_| server.client()).collect();
    for other in &mut others {
        other.send("GET /root/large.bin HTTP/1.1\r\nhost: any.test\r\n\r\n");
        assert!(other.begin_answer() < 64 << 20);
    }
    assert_eq!(server.client().answer().status, 503);
    let since = Instant::now();
    // It is reset: nothing waits in the kernel for it, so that of what it had not taken little arrives.
    let body = client.rest_after_silence(Duration::from_secs(4));
    assert!(body < 64 << 20, "all of it arrived");
    assert_eq!(others[0].finish_reading(), End::Reset);
    assert!(since.elapsed() < Duration::from_secs(20));
    // Behind the write timeout their places are free again.
    assert_eq!(server.client().ask(format!("{HEAD}\r\n")).status, 200);
}

#[test]
fn connections_over_the_limit_are_told_so() {
    let server = start("limit");
    let mut kept: Vec<_> = (0..4).map(|_| server.client()).collect();
    for client in &mut kept {
        assert_eq!(client.ask(format!("{HEAD}\r\n")).status, 200);
    }
    let mut over = server.client();
    let answer = over.answer();
    assert_eq!((answer.status, answer.field("connection")), (503, Some("close")));
    over.end();
    assert_eq!(kept[0].ask(format!("{HEAD}connection: close\r\n\r\n")).status, 200);
    kept[0].end();
    // Its place is free now, or as soon as the worker has seen the close: a refusal in between is told and tried again.
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.client().ask(format!("{HEAD}\r\n")).status != 200 {
        assert!(Instant::now() < deadline, "no place within 10 s");
    }
}

#[test]
fn drain_finishes_an_answer_in_flight_and_ends_with_success() {
    let directory = scratch("drain");
    let body = vec![b'x'; 24 << 20];
    fs::create_dir_all(directory.join("tree"))
        .and_then(|()| fs::write(directory.join("tree/large.bin"), &body))
        .expect("a writable directory");
    let mut server = Server::start(&BINARY, &directory);
    let address = server.address();
    let (mut busy, mut idle) = (server.client(), server.client());
    idle.ask(format!("{HEAD}\r\n"));
    busy.send("GET /root/large.bin HTTP/1.1\r\nhost: any.test\r\n\r\n");
    let begun = busy.begin_answer();
    server.terminate();
    server.wait_for_line("draining");
    assert_eq!(idle.end(), End::Closed, "an idle connection is closed");
    assert_eq!(busy.take(body.len() - begun).map(|rest| rest.len()).ok(), Some(body.len() - begun));
    busy.end();
    let (status, lines) = server.wait();
    assert!(status.success(), "{status}: {lines:?}");
    assert!(TcpStream::connect(address).is_err(), "somebody still listens");
}

#[test]
fn hangup_is_an_order_to_drain() {
    let mut server = start("hangup");
    server.signal(Signal::HUP);
    server.wait_for_line("draining");
    let (status, lines) = server.wait();
    assert!(status.success(), "{status}: {lines:?}");
}

#[test]
fn drain_ends_what_does_not_end_by_itself() {
    let directory = scratch("drain-late");
    fs::create_dir_all(directory.join("tree"))
        .and_then(|()| fs::write(directory.join("tree/large.bin"), vec![b'x'; 64 << 20]))
        .expect("a writable directory");
    let server = Server::start(&BINARY, &directory);
    let mut busy = server.client();
    busy.send("GET /root/large.bin HTTP/1.1\r\nhost: any.test\r\n\r\n");
    busy.begin_answer();
    let since = Instant::now();
    let (status, _) = server.stop();
    assert!(status.success(), "{status}");
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
}

#[test]
fn drain_answers_requests_that_have_arrived() {
    let server = start("arrived");
    let mut client = server.client();
    client.ask(format!("{HEAD}\r\n"));
    client.send(format!("{HEAD}\r\n{HEAD}\r\n"));
    assert_eq!((client.answer().status, client.answer().status), (200, 200));
    let (status, _) = server.stop();
    assert!(status.success(), "{status}");
}

#[test]
fn signal_asks_for_the_counters_and_they_are_said() {
    let mut server = start("dump");
    // Logs are opened anew, of which there are none: nothing is said, and the next signal finds the server well.
    server.signal(Signal::USR1);
    assert_eq!(server.client().ask(format!("{HEAD}\r\n")).status, 200);
    server.signal(Signal::USR2);
    assert_eq!(server.wait_for_line(": accepted "), "timeouts: accepted 1");
    assert_eq!(server.wait_for_line(": requests "), "timeouts: requests 1");
    assert!(server.stop().0.success());
}

#[test]
fn files_of_the_process_are_for_its_owner_alone() {
    let server = start("umask");
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("a running process");
    assert!(status.lines().any(|line| line == "Umask:\t0077"), "{status}");
}

#[test]
fn address_in_use_is_said_and_fails() {
    let server = start("in-use");
    let taken = server.address();
    let text = format!(
        "site \"second\" language=1 {{\n    listen \"{taken}\"\n}}\nvhost default=#true {{ route \"/\" {{ respond 200 \"second\\n\" }} }}\n"
    );
    let binary = build(write("in-use", &[("site.kdl", &text)]), Profile::Dev, &[]);
    let output = Command::new(&binary).output().expect("a binary that starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("address in use") && said.contains(&taken.to_string()), "{said}");
}

#[test]
fn version_names_all_that_the_binary_was_made_of() {
    let output = run(Command::new(&*BINARY).arg("--version"));
    let text = String::from_utf8(output.stdout).expect("text");
    for key in ["site", "sources", "plan", "compiler", "runtime", "lockfile", "rustc"] {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(key)), "no {key}:\n{text}");
    }
    let hashes = text.split_whitespace().filter(|word| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit())).count();
    assert_eq!(hashes, 5, "a sha-256 for each of sources, plan, compiler, runtime and lockfile:\n{text}");
}

#[test]
fn unknown_argument_is_said_and_fails() {
    let output = Command::new(&*BINARY).arg("--daemon").output().expect("a binary that starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--daemon"));
}

#[test]
fn check_says_whether_it_could_serve() {
    run(Command::new(Path::new(&*BINARY)).arg("--check"));
}

#[test]
fn check_says_why_it_could_not_serve_and_fails() {
    // With standard input, output and errors all that it may open is open.
    let output = Command::new("sh").args(["-c", "ulimit -n 3; exec \"$0\" --check"]).arg(&*BINARY).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("listener `") && said.contains("Too many open files"), "{said}");
}
