//! The generator against a server of this test, which counts what it is asked: exact counts, and everything that is wrong is seen.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use kiln_bench::{
    answer::prove,
    load::{Measured, Pace, Span, Target, idle, run},
    payload,
    request::{Fields, render},
};

const SPAN: Span = Span { warm_up: Duration::from_millis(20), measured: Duration::from_millis(100) };

/// What this test's server does with the request of that number, from 1.
type Reply = fn(u64, &[u8]) -> Vec<u8>;

/// Answers on connections of any number, each in a thread of its own; gives the number of requests so far.
fn serve(body_bytes: usize, reply: Reply) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound socket");
    let requests = Arc::new(AtomicU64::new(0));
    let counter = requests.clone();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let counter = counter.clone();
            let answer = answer(body_bytes);
            thread::spawn(move || converse(stream, &counter, &answer, reply));
        }
    });
    (address, requests)
}

fn converse(mut stream: TcpStream, counter: &AtomicU64, answer: &[u8], reply: Reply) {
    let mut received = Vec::new();
    let mut part = vec![0; 64 * 1024];
    while let Ok(count) = stream.read(&mut part)
        && count > 0
    {
        received.extend_from_slice(&part[..count]);
        let mut out = Vec::new();
        let mut closes = false;
        while let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            let request: Vec<u8> = received.drain(..end + 4).collect();
            closes |= String::from_utf8_lossy(&request).contains("Connection: close");
            out.extend(reply(counter.fetch_add(1, Ordering::SeqCst) + 1, answer));
        }
        if stream.write_all(&out).is_err() || closes {
            return;
        }
    }
}

fn answer(body_bytes: usize) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {body_bytes}\r\n\r\n").into_bytes();
    answer.extend(payload::body(body_bytes));
    answer
}

fn load(address: SocketAddr, body_bytes: usize, pace: Pace) -> Measured {
    let request = render("/r", Fields::Browser, pace == Pace::PerConnection);
    let target = Target { address, request: &request, answer_bytes: answer(body_bytes).len(), connections: 4 };
    run(&target, pace, SPAN, &mut || Ok(0)).expect("a machine that can")
}

#[track_caller]
fn assert_exact(measured: &Measured, served: &AtomicU64) {
    assert_eq!(measured.failure, None);
    assert!(measured.answers > 0 && measured.answers <= measured.answers_total, "{measured:?}");
    assert_eq!(measured.requests_total, measured.answers_total);
    assert_eq!(served.load(Ordering::SeqCst), measured.answers_total);
    assert!(measured.elapsed >= SPAN.measured);
    assert!(measured.latency.quantile_us(0.5) > 0.0);
}

#[test]
fn keep_alive_counts_every_answer() {
    let (address, served) = serve(12, |_, answer| answer.to_vec());
    assert_exact(&load(address, 12, Pace::Closed { depth: 1 }), &served);
}

#[test]
fn pipeline_counts_every_answer_of_a_piece() {
    let (address, served) = serve(12, |_, answer| answer.to_vec());
    let measured = load(address, 12, Pace::Closed { depth: 16 });
    assert_exact(&measured, &served);
    assert_eq!(measured.answers_total % 16, 0);
}

#[test]
fn large_answers_are_counted_though_they_are_dropped() {
    let (address, served) = serve(1_048_576, |_, answer| answer.to_vec());
    assert_exact(&load(address, 1_048_576, Pace::Closed { depth: 1 }), &served);
}

#[test]
fn connection_per_request_counts_every_answer() {
    let (address, served) = serve(12, |_, answer| answer.to_vec());
    assert_exact(&load(address, 12, Pace::PerConnection), &served);
}

#[test]
fn fixed_rate_sends_as_many_as_are_due() {
    let (address, served) = serve(12, |_, answer| answer.to_vec());
    let began = Instant::now();
    let measured = load(address, 12, Pace::Fixed { rate: 1000.0 });
    assert_exact(&measured, &served);
    // A machine that is busy takes longer; what falls due meanwhile is sent, and no more than that.
    let due = began.elapsed().as_millis() as u64;
    assert!((100..=due + 1).contains(&measured.answers_total), "{} of {due}", measured.answers_total);
}

#[test]
fn other_status_is_counted_and_fails() {
    let (address, _) = serve(12, |number, answer| match number {
        10 => String::from_utf8_lossy(answer).replace(" 200 OK", " 503 No").into_bytes(),
        _ => answer.to_vec(),
    });
    assert_eq!(load(address, 12, Pace::Closed { depth: 1 }).failure.as_deref(), Some("1 answers of another status"));
}

#[test]
fn early_end_of_a_connection_fails() {
    let (address, _) = serve(12, |number, answer| if number == 10 { answer[..20].to_vec() } else { answer.to_vec() });
    let failure = load(address, 12, Pace::PerConnection).failure.unwrap();
    assert!(failure.contains("ends after 20 of"), "{failure}");
}

#[test]
fn longer_answer_fails() {
    let (address, _) = serve(12, |number, answer| if number == 10 { [answer, b"!"].concat() } else { answer.to_vec() });
    let failure = load(address, 12, Pace::Closed { depth: 1 }).failure.unwrap();
    assert!(failure.contains("1 bytes more than"), "{failure}");
}

#[test]
fn idle_connections_have_had_one_request_each() {
    let (address, served) = serve(12, |_, answer| answer.to_vec());
    let request = render("/r", Fields::Bare, false);
    let held = idle::open(&Target { address, request: &request, answer_bytes: answer(12).len(), connections: 50 }).unwrap();
    assert_eq!((held.count(), served.load(Ordering::SeqCst)), (50, 50));
}

#[test]
fn proof_holds_the_whole_answer_and_refuses_another_body() {
    let (address, _) = serve(1_040, |_, answer| answer.to_vec());
    let request = render("/", Fields::Bare, false);
    let proof = prove(address, &request, &payload::body(1_040), false).unwrap();
    assert_eq!(proof.bytes, answer(1_040).len());
    assert_eq!(proof.head, "HTTP/1.1 200 OK\r\nContent-Length: 1040\r\n\r\n");
    assert!(prove(address, &request, &payload::body(65_536), false).is_err());
    let (address, _) = serve(12, |number, answer| if number == 1 { answer.to_vec() } else { answer.to_ascii_uppercase() });
    assert!(prove(address, &request, payload::RESPOND, false).is_ok());
    assert!(prove(address, &request, payload::RESPOND, false).is_err());
}
