//! What is logged and counted of exchanges, whatever becomes of them.

use std::{
    rc::Rc,
    sync::{
        Arc,
        mpsc::{Receiver, sync_channel},
    },
};

use semantics::{
    late::Value,
    log::{self, Format, Part, Quoting},
    template,
};

use super::{
    stage::{Play, SETTINGS, Stage, WRITE_TICKS},
    tunnel,
};
use crate::{
    AccessLog, Exchange, Settings, Site, Step,
    access_log::{BUFFERS_MAX, Log, Message, Places},
    later::Later,
    metrics::{self, Counts, Metrics},
    record::Recorder,
    worker::Worker,
};

static LOG: AccessLog = AccessLog { file: Value::Text("stderr"), format: FORMAT };

static RECORDED: Settings = Settings { access_log: Some(&LOG), places: "\t\na.example\t\na.example\t/placed", ..SETTINGS };

const FORMAT: Format<'static> = Format { parts: PARTS, quoting: Quoting::Text, redacted: log::REDACTED };

const PARTS: &[Part<'static>] = &[
    Part::Template(template::Part::Method),
    SPACE,
    Part::WrittenTarget,
    SPACE,
    Part::Template(template::Part::Status),
    SPACE,
    Part::BodyBytes,
    SPACE,
    Part::SentBytes,
    SPACE,
    Part::ReceivedBytes,
    SPACE,
    Part::Outcome,
    SPACE,
    Part::Cause,
    SPACE,
    Part::Vhost,
    SPACE,
    Part::Route,
];
const SPACE: Part<'static> = Part::Template(template::Part::Text(" "));

/// The play, and routes that are placed or not logged.
struct Placed;

impl Site for Placed {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match exchange.path() {
            "/placed" => Play.handle(exchange.placed(1).placed(2)),
            "/never" => Step::Later(Later::new(std::future::pending())),
            "/unlogged" => Play.handle(exchange.unlogged(true)),
            _ => Play.handle(exchange),
        }
    }
}

/// A worker whose log ends here.
struct Desk {
    worker: Rc<Worker>,
    counts: Arc<Counts>,
    logged: Receiver<Message>,
}

impl Desk {
    fn new() -> Self {
        let (full, logged) = sync_channel(BUFFERS_MAX);
        let counts = Counts::new(&RECORDED);
        let log = Log::new(&LOG, Places::new(RECORDED.places, Quoting::Text), full, Arc::default());
        let recorder = Recorder::new(log, Metrics::new(Arc::clone(&counts)));
        Self { worker: Rc::new(Worker::alone(8).with_recorder(recorder)), counts, logged }
    }

    fn connection(&self) -> Stage {
        Stage::of_site(&Placed, &self.worker, &RECORDED)
    }

    /// The lines since the last call, and with them what has been sent in all where `SENT` stands.
    fn lines(&self) -> Vec<String> {
        self.worker.recorder.flush();
        let buffers = self.logged.try_iter().map(|message| match message {
            Message::Lines(bytes, ..) => String::from_utf8(bytes).unwrap(),
            Message::Reopen | Message::Stop => panic!("no lines"),
        });
        buffers.collect::<String>().lines().map(str::to_owned).collect()
    }

    fn counted(&self) -> Vec<String> {
        metrics::lines(&RECORDED, std::slice::from_ref(&self.counts))
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n")
}

#[test]
fn answer_is_logged_when_it_is_sent() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/"));
    let sent = stage.raw().len();
    assert_eq!(desk.lines(), [format!("GET / 200 5 {sent} 0 complete - - -")]);
    stage.send("HEAD //x?token=a HTTP/1.1\r\nhost: a\r\n\r\n");
    let sent = stage.raw().len();
    assert_eq!(desk.lines(), [format!("HEAD //x?token=[redacted] 404 0 {sent} 0 complete - - -")]);
    drop(stage);
    assert!(desk.lines().is_empty(), "once");
}

#[test]
fn requests_in_one_piece_are_logged_in_order() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send([get("/1"), get("/empty"), get("/placed"), get("/unlogged")].concat());
    let targets: Vec<String> = desk.lines().iter().map(|line| line.split(' ').take(3).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(targets, ["GET /1 404", "GET /empty 204", "GET /placed 404"]);
    drop(stage);
}

#[test]
fn place_is_the_last_that_was_chosen() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/placed") + &get("/"));
    let lines = desk.lines();
    assert!(lines[0].ends_with(" complete - a.example /placed"), "{lines:?}");
    assert!(lines[1].ends_with(" complete - - -"), "{lines:?}");
}

#[test]
fn answers_that_a_client_does_not_take_are_aborted_with_what_it_took() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/"));
    let each = stage.raw().len();
    stage.set_room(each + 7);
    stage.send(get("/").repeat(3));
    assert_eq!(desk.lines().len(), 1, "of the first request");
    stage.pass(WRITE_TICKS);
    stage.pass(WRITE_TICKS);
    assert!(stage.is_over());
    assert_eq!(
        desk.lines(),
        [
            format!("GET / 200 5 {each} 0 complete - - -"),
            "GET / 200 0 7 0 aborted write-timed-out - -".to_owned(),
            "GET / 200 0 0 0 aborted write-timed-out - -".to_owned(),
        ]
    );
}

#[test]
fn long_body_that_breaks_off_counts_what_was_sent() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/large"));
    let head = stage.raw().len() - 65_536;
    assert_eq!(desk.lines(), [format!("GET /large 200 65536 {} 0 complete - - -", head + 65_536)]);
    stage.set_room(head + 1000);
    stage.send(get("/large"));
    drop(stage);
    assert_eq!(desk.lines(), [format!("GET /large 200 1000 {} 0 aborted stopped - -", head + 1000)]);
}

#[test]
fn body_without_a_length_counts_its_pieces_and_not_their_framing() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    for path in ["/open", "/open/known", "/open/rests"] {
        stage.send(get(path));
        for _ in 0..4 {
            stage.poll();
        }
        let sent = stage.raw().len();
        assert_eq!(desk.lines(), [format!("GET {path} 200 20 {sent} 0 complete - - -")]);
    }
    stage.send("HEAD /open HTTP/1.1\r\nhost: a\r\n\r\n");
    let head = stage.raw().len();
    assert_eq!(desk.lines(), [format!("HEAD /open 200 0 {head} 0 complete - - -")]);
    stage.send("GET /open HTTP/1.0\r\nhost: a\r\n\r\n");
    let sent = stage.raw().len();
    assert_eq!(desk.lines(), [format!("GET /open 200 20 {sent} 0 complete - - -")]);
}

#[test]
fn body_without_a_length_that_breaks_off_counts_what_was_sent() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/open/empty"));
    let head = stage.raw().len() - 5;
    desk.lines();
    // Head, `3`, `abc`, `11`, 17 bytes, `0`, each with what stands around it.
    for path in ["/open", "/open/known"] {
        for (sent, body) in
            [(0, 0), (2, 0), (3, 0), (4, 1), (6, 3), (7, 3), (12, 3), (13, 4), (28, 19), (29, 20), (30, 20), (33, 20), (35, 20)]
        {
            let mut stage = desk.connection();
            stage.set_room(head + sent);
            stage.send(get(path));
            drop(stage);
            assert_eq!(desk.lines(), [format!("GET {path} 200 {body} {} 0 aborted stopped - -", head + sent)]);
        }
    }
    let mut stage = desk.connection();
    stage.send(get("/open/broken"));
    stage.poll();
    assert_eq!(desk.lines(), [format!("GET /open/broken 200 3 {} 0 aborted body-broken-off - -", head + 8)]);
}

#[test]
fn fault_without_an_exchange_is_logged_by_its_name() {
    let desk = Desk::new();
    for (bytes, line) in [
        ("GET / HTTP/1.1\r\nhost: a\r\nx y\r\n\r\n", "- - 400 "),
        ("GET / HTTP/3.0\r\n\r\n", "- - 505 "),
        ("CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n", "- - 501 "),
    ] {
        let mut stage = desk.connection();
        stage.send(bytes);
        let lines = desk.lines();
        assert!(lines.len() == 1 && lines[0].starts_with(line), "{lines:?}");
        let cause = ["bad-request", "version-not-supported", "not-implemented"]
            .iter()
            .any(|name| lines[0].ends_with(&format!(" complete {name} - -")));
        assert!(cause, "{lines:?}");
    }
    let mut stage = desk.connection();
    stage.send("GET / HT");
    stage.pass(super::stage::HEAD_TICKS);
    assert!(desk.lines()[0].contains(" complete head-timed-out "));
}

#[test]
fn panic_and_abort_are_logged() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/panic"));
    assert!(desk.lines()[0].contains("GET /panic 500 "), "the line is there before the connection ends");
    let mut stage = desk.connection();
    stage.send(get("/") + &get("/abort"));
    let lines = desk.lines();
    assert!(lines[0].contains(" complete - "), "{lines:?}");
    assert_eq!(lines[1], "GET /abort 0 0 0 0 aborted abort - -");
}

#[test]
fn body_of_a_request_is_counted_until_it_is_over() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send("POST /length HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n");
    stage.send("1\r\nc\r\n0\r\n\r\n");
    assert!(desk.lines()[0].contains(" 3 complete "));
    stage.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab");
    assert!(desk.lines().is_empty(), "the rest of the body is still to come");
    stage.send("cde");
    assert!(desk.lines()[0].contains(" 5 complete "));
}

#[test]
fn request_whose_client_goes_before_its_answer_is_aborted() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.set_room(3);
    stage.send(get("/") + &get("/never"));
    stage.pass(WRITE_TICKS);
    stage.pass(WRITE_TICKS);
    assert!(stage.is_over());
    let lines = desk.lines();
    assert_eq!(lines, ["GET / 200 0 3 0 aborted write-timed-out - -", "GET /never 0 0 0 0 aborted write-timed-out - -"]);
}

#[test]
fn places_count_what_exchanges_have_become() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/placed").repeat(2) + &get("/"));
    assert_eq!(desk.counted().len(), 3);
    assert!(
        desk.counted()[2].starts_with("vhost a.example route /placed: requests 2, 1xx 0, 2xx 0, 3xx 0, 4xx 2, "),
        "{:?}",
        desk.counted()
    );
    stage.set_room(1);
    stage.send(get("/placed"));
    assert!(desk.counted()[2].contains("requests 2, "), "not before it is sent");
    drop(stage);
    assert!(desk.counted()[2].contains("requests 3, ") && desk.counted()[2].contains("aborted 1, "), "{:?}", desk.counted());
}

#[test]
fn lines_of_a_long_batch_are_bounded() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    for _ in 0..20 {
        stage.send(get("/empty").repeat(200));
    }
    assert_eq!(desk.lines().len(), 4000);
}

#[test]
fn tunnel_is_one_exchange_with_all_of_its_bytes() {
    let switch = "GET /switch HTTP/1.1\r\nhost: a\r\nupgrade: echo\r\n\r\n";
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send([switch, "early"].concat());
    stage.send("late");
    tunnel::reply(&mut stage, "reply");
    assert!(desk.lines().is_empty());
    let head_bytes = stage.raw().len() - 5;
    tunnel::reply(&mut stage, "");
    stage.end();
    assert_eq!(desk.lines(), [format!("GET /switch 101 5 {} 9 complete - - -", head_bytes + 5)]);

    let mut stage = desk.connection();
    stage.send(switch);
    tunnel::reply(&mut stage, "some");
    stage.pass(tunnel::IDLE_TICKS);
    assert_eq!(desk.lines(), [format!("GET /switch 101 4 {} 0 aborted tunnel-idle-timed-out - -", head_bytes + 4)]);
}

#[test]
fn answer_that_was_taken_back_is_not_logged() {
    let desk = Desk::new();
    let mut stage = desk.connection();
    stage.send(get("/open/faulty-at-once") + &get("/"));
    let lines = desk.lines();
    assert!(lines.len() == 2 && lines[0].starts_with("GET /open/faulty-at-once 502 "), "{lines:?}");
    assert!(lines[0].contains(" complete upstream-reset ") && lines[1].starts_with("GET / 200 5 "), "{lines:?}");
}
