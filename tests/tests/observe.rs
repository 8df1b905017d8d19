//! What a process writes down of exchanges: the access log, its rotation, request ids, the dump of counters.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::Client,
    server::Server,
    site::{Profile, build, scratch},
};
use rustix::{
    fs::{OFlags, fcntl_setfl},
    process::{Pid, Signal, kill_process},
};

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/observe/site.kdl", Profile::Dev, &[]));

/// A server in a directory of its own that has no log yet.
fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(&format!("observe-{name}"));
    for file in fs::read_dir(&directory).expect("a directory of ours").flatten() {
        drop(fs::remove_file(file.path()));
    }
    (Server::start(&BINARY, &directory), directory)
}

/// One line of the log: its fields by the names that the site gives them.
struct Line(Vec<String>);

impl Line {
    const FIELDS: &[&str] = &[
        "method", "target", "status", "bytes", "sent", "received", "duration", "outcome", "cause", "vhost", "route", "agent", "referer",
        "id", "time",
    ];

    fn get(&self, name: &str) -> &str {
        let position = Self::FIELDS.iter().position(|field| *field == name).expect("a field of the site's template");
        &self.0[position]
    }

    fn gets(&self, names: &[&str]) -> String {
        names.iter().map(|name| self.get(name)).collect::<Vec<_>>().join(" ")
    }
}

fn lines(file: &Path) -> Vec<Line> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert!(text.is_empty() || text.ends_with('\n'), "the last line is torn");
    text.lines()
        .map(|line| {
            let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            assert_eq!(fields.len(), Line::FIELDS.len(), "{line:?}");
            Line(fields)
        })
        .collect()
}

/// Ends the server, after which its log is whole.
fn logged(server: Server, directory: &Path) -> Vec<Line> {
    let (status, said) = server.stop();
    assert!(status.success(), "{status}: {said:?}");
    lines(&directory.join("access.log"))
}

#[test]
fn exchange_is_one_line_with_what_was_sent() {
    let (server, directory) = start("line");
    let mut client = server.client();
    assert_eq!(client.get("observe.test", "/r/1?a=b", "").status, 200);
    assert_eq!(client.get("observe.test", "/quiet", "").status, 204);
    assert_eq!(client.ask("HEAD /r/2 HTTP/1.1\r\nhost: observe.test\r\n\r\n").status, 200);
    assert_eq!(client.ask("POST //r/3 HTTP/1.1\r\nhost: observe.test\r\ncontent-length: 5\r\n\r\nabcde").status, 200);
    assert_eq!(client.get("elsewhere.test", "/r/4", "").status, 421);
    assert_eq!(client.get("observe.test", "/none", "").status, 404);
    client.send("GET /gone HTTP/1.1\r\nhost: observe.test\r\n\r\n").end();
    let lines = logged(server, &directory);
    let shown: Vec<String> = lines
        .iter()
        .map(|line| line.gets(&["method", "target", "status", "bytes", "received", "outcome", "cause", "vhost", "route"]))
        .collect();
    let none = lines[4].get("bytes");
    assert_eq!(
        shown,
        [
            "GET /r/1?a=b 200 3 0 complete - observe.test /r/{number}".to_owned(),
            "HEAD /r/2 200 0 0 complete - observe.test /r/{number}".to_owned(),
            "POST //r/3 200 3 5 complete - observe.test /r/{number}".to_owned(),
            format!("GET /r/4 421 {} 0 complete - - -", lines[3].get("bytes")),
            format!("GET /none 404 {none} 0 complete - observe.test -"),
            "GET /gone 0 0 0 aborted abort observe.test /gone".to_owned(),
        ]
    );
    for line in &lines {
        let (bytes, sent): (u64, u64) = (line.get("bytes").parse().unwrap(), line.get("sent").parse().unwrap());
        assert!(bytes <= sent, "{:?}", line.0);
        assert!(line.get("duration").parse::<f64>().unwrap() < 10.0 && line.get("time").ends_with('Z'), "{:?}", line.0);
    }
}

#[test]
fn answer_that_the_client_leaves_is_aborted() {
    let (server, directory) = start("aborted");
    fs::create_dir_all(directory.join("tree")).unwrap();
    let length: u64 = 256 << 20;
    File::create(directory.join("tree/large.bin")).and_then(|file| file.set_len(length)).unwrap();
    let mut client = server.client();
    client.send("GET /root/large.bin HTTP/1.1\r\nhost: observe.test\r\n\r\n");
    client.begin_answer();
    drop(client);
    let lines = logged(server, &directory);
    fs::remove_file(directory.join("tree/large.bin")).unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].gets(&["status", "outcome", "cause", "route"]), "200 aborted client-gone /root/*");
    let (bytes, sent): (u64, u64) = (lines[0].get("bytes").parse().unwrap(), lines[0].get("sent").parse().unwrap());
    assert!(0 < bytes && bytes < length && bytes < sent, "{bytes} {sent}");
}

#[test]
fn file_that_shrinks_while_it_is_sent_is_the_cause() {
    let (server, directory) = start("shrunk");
    fs::create_dir_all(directory.join("tree")).unwrap();
    let file = File::create(directory.join("tree/large.bin")).unwrap();
    file.set_len(256 << 20).unwrap();
    let mut client = server.client();
    client.send("GET /root/large.bin HTTP/1.1\r\nhost: observe.test\r\n\r\n");
    client.begin_answer();
    file.set_len(0).unwrap();
    client.rest().unwrap();
    let lines = logged(server, &directory);
    assert_eq!(lines[0].gets(&["status", "outcome", "cause"]), "200 aborted body-broken-off");
}

#[test]
fn pipe_that_nobody_reads_stops_neither_answers_nor_the_end() {
    let mut command = Command::new(&*BINARY);
    command.env("OBSERVED", "stdout").current_dir(scratch("observe-unread"));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a site's binary");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line for the listener");
    let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).and_then(|address| address.parse().ok());
    let mut client = Client::connect(address.expect("an address"));
    for _ in 0..100 {
        client.send("GET /r/1 HTTP/1.1\r\nhost: observe.test\r\n\r\n".repeat(100));
        (0..100).for_each(|_| assert_eq!(client.answer().status, 200));
    }
    let since = Instant::now();
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a process of ours");
    while child.try_wait().expect("a child of ours").is_none() {
        assert!(since.elapsed() < Duration::from_secs(20), "it waits for the pipe");
        thread::yield_now();
    }
    assert!(since.elapsed() > Duration::from_secs(1), "the pipe took all of it: the test is blind");
}

#[test]
fn error_output_that_nobody_reads_stops_no_signal() {
    let (_reader, mut writer) = io::pipe().expect("a pipe");
    fcntl_setfl(&writer, OFlags::NONBLOCK).expect("a pipe");
    while writer.write(&[b'x'; 4096]).is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).expect("a pipe");
    let mut command = Command::new(&*BINARY);
    command.env("OBSERVED", "/dev/null").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(writer);
    let mut child = command.spawn().expect("a site's binary");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("a line for the listener");
    let since = Instant::now();
    for signal in [Signal::USR2, Signal::TERM] {
        kill_process(Pid::from_child(&child), signal).expect("a process of ours");
    }
    while child.try_wait().expect("a child of ours").is_none() {
        if since.elapsed() > Duration::from_secs(20) {
            drop(child.kill());
            panic!("it waits for the pipe");
        }
        thread::yield_now();
    }
}

#[test]
fn lines_that_a_full_disk_never_takes_are_told_at_the_end() {
    let mut command = Command::new(&*BINARY);
    command.env("OBSERVED", "/dev/full").current_dir(scratch("observe-full"));
    let server = Server::start_command(&mut command);
    let mut client = server.client();
    (0..5).for_each(|_| assert_eq!(client.get("observe.test", "/r/1", "").status, 200));
    drop(client);
    let (status, said) = server.stop();
    assert!(status.success() && said.iter().any(|line| line.contains("5 lines of the access log were lost")), "{status}: {said:?}");
}

#[test]
fn faults_are_lines_with_their_names() {
    let (server, directory) = start("faults");
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(9000));
    for (bytes, status) in [
        ("GET / HTTP/1.1\r\nhost: a\r\nx y: z\r\n\r\n", 400),
        ("GET /r/1 HTTP/1.1\r\nhost: observe.test\r\n", 408),
        ("GET / HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n", 417),
        (&long, 414),
        ("CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n", 501),
        ("GET / HTTP/2.0\r\nhost: a\r\n\r\n", 505),
    ] {
        assert_eq!(server.client().send(bytes).answer().status, status, "{bytes:?}");
    }
    let shown: Vec<String> =
        logged(server, &directory).iter().map(|line| line.gets(&["method", "target", "status", "outcome", "cause"])).collect();
    let expected = [
        "- - 400 complete bad-request",
        "- - 408 complete head-timed-out",
        "- - 414 complete uri-too-long",
        "- - 417 complete expectation-failed",
        "- - 501 complete not-implemented",
        "- - 505 complete version-not-supported",
    ];
    // Two workers log.
    assert_eq!(shown.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected.into_iter().collect());
}

#[test]
fn client_can_neither_inject_nor_have_its_secrets_logged() {
    let (server, directory) = start("injected");
    let mut client = server.client();
    let fields = "user-agent: a\tb\"\\ \u{e4}\u{7f0}\r\nreferer: https://u:s3cret@a.test/?code=s3cret&x=1\r\ncookie: sid=s3cret\r\n";
    client.get("observe.test", "/r/1?token=s3cret&VOUCHER=s3cret&next=%2Fa%3Fkey%3Ds3cret&b=2", fields);
    // Refused before they are targets: nothing of them is written.
    for target in ["/r/\"2\\", "/r/%0A3\n?%09", "/r/\u{1b}[2J"] {
        assert_eq!(server.client().get("observe.test", target, "").status, 400);
    }
    client.get("observe.test", "/r/%0A3?%09\"", "");
    let lines = logged(server, &directory);
    assert!(lines.iter().all(|line| !line.0.concat().contains("s3cret")));
    assert_eq!(lines.len(), 5);
    // Two workers log.
    let first = lines.iter().find(|line| line.get("target").starts_with("/r/1")).expect("a line of the first request");
    assert_eq!(first.get("target"), "/r/1?token=[redacted]&VOUCHER=[redacted]&next=[redacted]&b=2");
    assert_eq!(first.get("referer"), "https://[redacted]@a.test/?code=[redacted]&x=1");
    assert!(first.get("agent").starts_with("a\\x09b\\x22\\x5C \\xC3\\xA4"), "{}", first.get("agent"));
    let targets: BTreeSet<&str> = lines.iter().map(|line| line.get("target")).filter(|target| *target != first.get("target")).collect();
    assert_eq!(targets, BTreeSet::from(["-", "/r/%0A3?%09\\x22"]));
}

#[test]
fn rotation_under_load_loses_and_tears_nothing() {
    const CLIENTS: usize = 4;
    const REQUESTS: usize = 4000;
    let (server, directory) = start("rotated");
    let address = server.address();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            thread::spawn(move || {
                let mut client = Client::connect(address);
                for request in (0..REQUESTS).step_by(4) {
                    let ask = |request| format!("GET /r/{number}-{request} HTTP/1.1\r\nhost: observe.test\r\n\r\n");
                    client.send((request..request + 4).map(ask).collect::<String>());
                    (0..4).for_each(|_| assert_eq!(client.answer().status, 200));
                }
            })
        })
        .collect();
    let log = directory.join("access.log");
    let mut moved = Vec::new();
    while clients.iter().any(|client| !client.is_finished()) {
        // Moved once it has been opened anew.
        if moved.len() < 8 && fs::metadata(&log).is_ok_and(|file| file.len() > 0) {
            moved.push(directory.join(format!("access.log.{}", moved.len())));
            fs::rename(&log, &moved[moved.len() - 1]).unwrap();
            server.signal(Signal::USR1);
        }
        thread::yield_now();
    }
    clients.into_iter().for_each(|client| client.join().unwrap());
    let last = logged(server, &directory);
    assert!(moved.len() > 1, "moved {} times", moved.len());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in moved.iter().flat_map(|file| lines(file)).chain(last) {
        assert_eq!(line.gets(&["status", "outcome"]), "200 complete");
        *seen.entry(line.get("target").to_owned()).or_default() += 1;
    }
    assert_eq!(seen.len(), CLIENTS * REQUESTS);
    assert!(seen.values().all(|&times| times == 1));
}

#[test]
fn request_id_is_one_in_head_body_and_log_and_never_twice() {
    const REQUESTS: usize = 10_000;
    let (server, directory) = start("ids");
    let mut client = server.client();
    let mut ids = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS / 100 {
        client.send("GET /id HTTP/1.1\r\nhost: observe.test\r\n\r\n".repeat(100));
        for _ in 0..100 {
            let answer = client.answer();
            let id = String::from_utf8(answer.body.clone()).unwrap();
            assert_eq!(answer.field("x-request-id"), Some(&*id));
            ids.push(id);
        }
    }
    assert!(ids.iter().all(|id| id.len() == 64 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))));
    let in_log: Vec<String> = logged(server, &directory).iter().map(|line| line.get("id").to_owned()).collect();
    assert_eq!(in_log, ids);
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>().len(), REQUESTS);
}

#[test]
fn signal_asks_for_the_counters() {
    let (mut server, _) = start("dump");
    let mut client = server.client();
    (0..3).for_each(|number| drop(client.get("observe.test", &format!("/r/{number}"), "")));
    client.get("observe.test", "/none", "");
    client.get("elsewhere.test", "/", "");
    server.client().send("GET / HTTP/9.9\r\n\r\n").answer();
    server.signal(Signal::USR2);
    let route = server.wait_for_line("vhost observe.test route /r/{number}: ");
    assert!(route.contains("requests 3, 1xx 0, 2xx 3, ") && route.ends_with("received 0 B, sent 9 B"), "{route}");
    assert!(server.wait_for_line("vhost observe.test: ").contains("requests 4, 1xx 0, 2xx 3, 3xx 0, 4xx 1, "));
    assert!(server.wait_for_line("no vhost: ").contains(" 4xx 1, "));
    for line in ["requests 5", "fault-version-not-supported 1", "fault-bad-request 0", "lost-lines 0", "access-log-failures 0"] {
        assert!(server.wait_for_line(line).ends_with(line), "{line}");
    }
}

#[test]
fn log_that_cannot_be_opened_ends_the_start_with_advice() {
    for arguments in [&["--check"][..], &[]] {
        let mut command = Command::new(&*BINARY);
        let output = command.args(arguments).env("OBSERVED", "/").output().expect("a site's binary");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && said.contains("can't open the access log /: it is a directory; name a file in it"),
            "{said}"
        );
    }
}
