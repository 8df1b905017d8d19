//! Timeouts and the drain: when a wait ends, and what the client then gets.

use super::stage::{BODY_TICKS, HEAD_TICKS, IDLE_TICKS, SETTINGS, Stage, WRITE_TICKS};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

#[test]
fn fresh_connection_without_a_byte_is_closed_in_silence() {
    let mut stage = Stage::new();
    stage.pass(HEAD_TICKS - 1);
    assert!(!stage.is_over());
    stage.pass(1);
    assert!(stage.is_over());
    assert_eq!(stage.answers(), "");
}

#[test]
fn slow_head_is_told_so() {
    let mut stage = Stage::new();
    stage.send("GET / HTTP/1.1\r\n");
    for _ in 0..HEAD_TICKS - 1 {
        stage.send("a: b\r\n");
        stage.pass(1);
    }
    assert!(!stage.is_closed());
    stage.pass(1);
    assert_eq!(stage.statuses(), [408]);
    assert!(stage.is_closed());
    assert_eq!(stage.count(|counters| &counters.timeouts), 1);
}

#[test]
fn idle_connection_is_closed_in_silence() {
    let mut stage = Stage::new();
    stage.send(GET);
    assert_eq!(stage.statuses(), [200]);
    stage.pass(IDLE_TICKS - 1);
    assert!(!stage.is_over());
    stage.send(GET);
    assert_eq!(stage.statuses(), [200]);
    stage.pass(IDLE_TICKS - 1);
    assert!(!stage.is_over());
    stage.pass(1);
    assert_eq!(stage.answers(), "");
    assert!(stage.is_over());
}

#[test]
fn head_after_idleness_has_its_own_time() {
    let mut stage = Stage::new();
    stage.send(GET);
    assert_eq!(stage.statuses(), [200]);
    stage.pass(IDLE_TICKS - 1);
    stage.send("GET ");
    stage.pass(HEAD_TICKS - 1);
    assert!(!stage.is_closed());
    stage.pass(1);
    assert_eq!(stage.statuses(), [408]);
}

#[test]
fn slow_body_is_told_so() {
    for (path, fields) in [("/length", "content-length: 3\r\n"), ("/", "transfer-encoding: chunked\r\n")] {
        let mut stage = Stage::new();
        stage.send(format!("POST {path} HTTP/1.1\r\nhost: a\r\n{fields}\r\n1"));
        stage.pass(BODY_TICKS - 1);
        assert!(!stage.is_closed(), "{path}");
        stage.pass(1);
        assert_eq!(stage.statuses(), [408], "{path}");
        assert!(stage.is_closed(), "{path}");
    }
}

#[test]
fn body_that_moves_fast_enough_is_waited_for() {
    // 500 bytes a second of a window of 30 s.
    for (moved, statuses) in [(15_000, vec![]), (14_999, vec![408])] {
        let mut stage = Stage::new();
        stage.send("POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 30001\r\n\r\n");
        stage.pass(1);
        stage.send("x".repeat(moved - 1));
        stage.pass(BODY_TICKS - 2);
        stage.send("x");
        stage.pass(1);
        assert_eq!(stage.statuses(), statuses, "{moved} bytes");
        if moved == 15_000 {
            stage.send("x".repeat(14_999));
            stage.pass(BODY_TICKS);
            assert_eq!(stage.statuses(), [408], "the next window has its own measure");
        }
    }
}

#[test]
fn time_in_which_nobody_reads_a_body_is_not_its_clients() {
    const POST: &str = "POST /leisurely HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n";
    let mut stage = Stage::new();
    stage.send(POST);
    stage.send("a");
    // The handler comes back when the window that began before the first piece is over.
    stage.pass(BODY_TICKS);
    assert!(!stage.is_closed());
    stage.send("bc");
    stage.poll();
    assert_eq!(stage.statuses(), [200]);
    let mut stage = Stage::new();
    stage.send(POST);
    stage.send("a");
    stage.pass(BODY_TICKS);
    stage.pass(BODY_TICKS);
    assert_eq!(stage.statuses(), [408], "from then on the client is waited for again");
}

#[test]
fn end_of_a_body_needs_no_pace() {
    let mut stage = Stage::new();
    stage.send("POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n");
    stage.pass(BODY_TICKS - 1);
    stage.send("abc");
    stage.pass(IDLE_TICKS - 1);
    assert_eq!(stage.statuses(), [201]);
    assert!(!stage.is_closed());
}

#[test]
fn client_that_takes_too_little_is_dropped() {
    // 500 bytes a second of a window of 20 s.
    for (taken, is_over) in [(10_000, false), (9_999, true)] {
        let mut stage = Stage::new();
        stage.set_room(100);
        stage.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
        stage.pass(1);
        stage.set_room(taken - 1);
        stage.pass(WRITE_TICKS - 2);
        stage.set_room(1);
        stage.pass(1);
        assert_eq!((stage.is_over(), stage.is_reset()), (is_over, is_over), "{taken} bytes");
        stage.pass(WRITE_TICKS);
        assert!(stage.is_over(), "the next window has its own measure");
        assert_eq!(stage.count(|counters| &counters.timeouts), 1);
    }
}

#[test]
fn later_answer_is_not_bound_by_the_clients_timeouts() {
    let mut stage = Stage::new();
    stage.send("GET /later HTTP/1.1\r\nhost: a\r\n\r\n");
    stage.pass(IDLE_TICKS + HEAD_TICKS);
    assert_eq!(stage.statuses(), [200]);
    assert!(!stage.is_closed());
}

#[test]
fn lingering_ends_by_itself() {
    let mut stage = Stage::new();
    stage.send("nonsense\r\n\r\n");
    assert!(stage.is_closed());
    stage.pass(20);
    assert!(!stage.is_over());
    stage.pass(1);
    assert!(stage.is_over());
}

#[test]
fn lingering_reads_so_many_bytes_and_no_more() {
    let mut stage = Stage::new();
    stage.send("nonsense\r\n\r\n");
    let piece = "x".repeat(64 * 1024);
    for _ in 0..512 {
        assert!(!stage.is_over());
        stage.send(&piece);
    }
    assert!(stage.is_over());
}

#[test]
fn drain_closes_idle_connections_after_a_moment() {
    let mut stage = Stage::new();
    stage.send(GET);
    stage.worker.drain();
    stage.poll();
    stage.pass(1);
    assert!(!stage.is_over());
    stage.pass(1);
    assert!(stage.is_over());
    assert_eq!(stage.statuses(), [200]);
}

#[test]
fn drain_answers_the_next_request_of_an_idle_connection() {
    let mut stage = Stage::new();
    stage.send(GET);
    stage.writes();
    stage.worker.drain();
    stage.poll();
    stage.send(GET);
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
    assert!(stage.is_over());
}

#[test]
fn drain_answers_what_is_in_flight_and_closes() {
    let mut later = Stage::new();
    let mut half = Stage::beside(&later.worker, &SETTINGS);
    let mut fresh = Stage::beside(&later.worker, &SETTINGS);
    later.send("GET /later HTTP/1.1\r\nhost: a\r\n\r\n");
    half.send("GET / HTTP/1.1\r\n");
    later.worker.drain();
    for stage in [&mut half, &mut fresh] {
        stage.poll();
        assert!(!stage.is_over());
    }
    half.send("host: a\r\n\r\n");
    fresh.send(GET);
    later.poll();
    for stage in [&mut later, &mut half, &mut fresh] {
        assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
        assert!(stage.is_over());
    }
    assert_eq!(later.worker.connections(), 0);
}

#[test]
fn drain_waits_a_moment_for_a_fresh_connection() {
    let mut stage = Stage::new();
    stage.worker.drain();
    stage.poll();
    stage.pass(4);
    assert!(!stage.is_over());
    stage.pass(1);
    assert!(stage.is_over());
}
