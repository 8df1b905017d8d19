//! Many clients that take a large file slowly: what the server holds for them does not grow with the file, and hardly with their number.

use std::{
    fs::{self, File},
    path::PathBuf,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::{Client, pause},
    files::start,
    server::{Server, deadline},
    site::scratch,
    tools::note,
};

const HOST: &str = "tree.test";
const FILE_BYTES: u64 = 1 << 30;
/// What a client takes at a time, and how long it waits before the next.
const STEP_BYTES: usize = 64 * 1024;
const STEP: Duration = Duration::from_millis(300);
/// What the client's side of the connection holds: a phone far away does not hold more, and a thousand of them must fit this machine's kernel.
const RECEIVED_BYTES: usize = 64 * 1024;

/// What comes with a connection that has asked for something; the kernel sends the file.
const KIB_PER_CLIENT: u64 = 32;

/// A root with a sparse file of 1 GiB.
fn directory(name: &str) -> PathBuf {
    let directory = scratch(&format!("downloads-{name}"));
    fs::create_dir_all(directory.join("tree")).expect("a writable directory");
    let file = File::create(directory.join("tree/large.bin")).expect("a writable directory");
    file.set_len(FILE_BYTES).expect("a file system with sparse files");
    directory
}

/// What many slow clients cost.
#[derive(Debug)]
struct Cost {
    /// The most that the server held over what it held before, in KiB.
    growth_kib: u64,
    taken_bytes: u64,
}

/// `clients` begin to take the large file; each takes a step and waits, until `span` is over.
fn slowly(server: &Server, clients: usize, span: Duration) -> Cost {
    let before = server.resident_kib();
    let begin = |_| {
        let mut client = Client::connect_narrow(server.address(), RECEIVED_BYTES);
        let head = client.send(format!("GET /large.bin HTTP/1.1\r\nhost: {HOST}\r\n\r\n")).head_answer();
        assert_eq!((head.status, head.field("content-length")), (200, Some("1073741824")));
        client
    };
    let mut clients: Vec<Client> = (0..clients).map(begin).collect();
    let (until, mut cost) = (deadline(span), Cost { growth_kib: 0, taken_bytes: 0 });
    while Instant::now() < until {
        for client in &mut clients {
            let step = client.take(STEP_BYTES).expect("a download that goes on");
            assert!(step.iter().all(|byte| *byte == 0), "bytes that the file does not hold");
            cost.taken_bytes += step.len() as u64;
        }
        cost.growth_kib = cost.growth_kib.max(server.resident_kib().saturating_sub(before));
        pause(STEP);
    }
    cost.growth_kib = cost.growth_kib.max(server.resident_kib().saturating_sub(before));
    cost
}

#[test]
fn memory_is_flat_while_many_download_slowly() {
    const CLIENTS: usize = 200;
    let server = start(&directory("many"));
    let cost = slowly(&server, CLIENTS, Duration::from_secs(3));
    note(&format!("downloads: {CLIENTS} clients, {cost:?}"));
    assert!(cost.growth_kib < KIB_PER_CLIENT * CLIENTS as u64, "{cost:?}");
}

#[test]
fn memory_is_one_piece_of_the_worker_while_many_download_quickly() {
    const CLIENTS: usize = 50;
    let server = start(&directory("quick"));
    let mut clients: Vec<Client> = (0..CLIENTS).map(|_| server.client()).collect();
    let round = |clients: &mut [Client]| {
        for client in &mut *clients {
            client.send(format!("GET /large.bin HTTP/1.1\r\nhost: {HOST}\r\nrange: bytes=0-1048575\r\n\r\n"));
        }
        for client in clients {
            let answer = client.answer();
            assert_eq!((answer.status, answer.body.len()), (206, 1 << 20));
        }
        server.resident_kib()
    };
    round(&mut clients[..1]);
    let one = round(&mut clients[..1]);
    let many = (0..5).map(|_| round(&mut clients)).max().unwrap_or_default();
    note(&format!("downloads: {one} KiB with one client, {many} KiB with {CLIENTS}"));
    assert!(many.saturating_sub(one) < KIB_PER_CLIENT * CLIENTS as u64, "{one} KiB with one client, {many} KiB with {CLIENTS}");
}

/// The figure for people: `cargo test -p kiln-tests --test downloads -- --ignored --nocapture`.
#[test]
#[ignore = "takes 15 seconds and a quiet machine"]
fn thousand_download_a_gib_slowly() {
    const CLIENTS: usize = 1_000;
    let server = start(&directory("thousand"));
    let cost = slowly(&server, CLIENTS, Duration::from_secs(15));
    note(&format!("downloads: {CLIENTS} clients, {cost:?}"));
    assert!(cost.growth_kib < KIB_PER_CLIENT * CLIENTS as u64, "{cost:?}");
}
