//! What a request may cost, counted and not timed (see [`kiln_tests::cost`]).
//!
//! The limits for `respond` and embedded files are those of the project's targets; `docs/benchmarks.md` keeps what was counted.

use std::{fs, path::Path, sync::mpsc, time::Duration};

use kiln_tests::{
    cost::Load,
    server::Server,
    site::{Profile, build, scratch},
    tools::{find, note},
};

struct Scenario {
    name: &'static str,
    target: &'static str,
    body_bytes: usize,
    instructions_max: f64,
    allocations_max: f64,
}

const RESPOND: Scenario =
    Scenario { name: "respond 12 B", target: "/respond", body_bytes: 12, instructions_max: 4_000.0, allocations_max: ALLOCATIONS_MAX };
const EMBEDDED: Scenario = Scenario {
    name: "embedded 1,040 B",
    target: "/embedded/page.txt",
    body_bytes: 1_040,
    instructions_max: 4_200.0,
    allocations_max: ALLOCATIONS_MAX,
};
const ROOT: Scenario = Scenario {
    name: "root 1,040 B",
    target: "/root/page.txt",
    body_bytes: 1_040,
    instructions_max: 4_800.0,
    allocations_max: ALLOCATIONS_OF_LOOKS_MAX,
};
const REDIRECT: Scenario =
    Scenario { name: "redirect", target: "/moved/a/b?c=d", body_bytes: 0, instructions_max: 6_000.0, allocations_max: ALLOCATIONS_MAX };
/// Below one for a hundred requests there is none for any request.
const ALLOCATIONS_MAX: f64 = 0.01;
/// A kept file is looked at again each second: valgrind knows no `openat2`, so that the blocking pool does it there, and on a slow machine a second has few requests.
/// Far below one still: no request allocates by itself.
const ALLOCATIONS_OF_LOOKS_MAX: f64 = 0.5;
/// What the prototype of a proxy cost was 6,600 and 4.2; ours forwards, checks and records more.
const PROXIED_INSTRUCTIONS_MAX: f64 = 10_000.0;
/// A read and a write on each side.
const PROXIED_SYSTEM_CALLS_MAX: f64 = 4.2;
/// System calls of one request: a read and a write. Waits are shared by all connections that are ready, and not counted.
const SYSTEM_CALLS_MAX: f64 = 2.02;
/// The same where a kept file is looked at again each second, which has few requests on a slow machine.
const SYSTEM_CALLS_OF_LOOKS_MAX: f64 = 2.2;

#[test]
fn respond_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&RESPOND);
}

#[test]
fn embedded_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&EMBEDDED);
}

#[test]
fn file_from_a_root_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&ROOT);
}

#[test]
fn redirect_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&REDIRECT);
}

#[test]
fn proxied_answer_costs_at_most_its_instructions_and_no_allocation() {
    let Some(valgrind) = find("valgrind") else { return };
    let (load, _origin) = proxied("instructions", "/embedded/page.txt", 1_040);
    let counted = load.counted(&valgrind);
    note(&format!("gate: proxy 1,040 B: {:.0} instructions, {:.4} allocations for a request", counted.instructions, counted.allocations));
    assert!(counted.instructions <= PROXIED_INSTRUCTIONS_MAX, "{}", counted.instructions);
    assert!(counted.allocations < ALLOCATIONS_MAX, "{} allocations for a request", counted.allocations);
}

#[test]
fn proxied_answer_takes_four_system_calls() {
    let Some(strace) = find("strace") else { return };
    let (load, _origin) = proxied("calls", "/embedded/page.txt", 1_040);
    let each = load.system_calls(&strace);
    note(&format!("gate: proxy 1,040 B: {each:.3} system calls for a request"));
    assert!((2.0..=PROXIED_SYSTEM_CALLS_MAX).contains(&each), "{each}");
}

#[test]
fn respond_takes_two_system_calls() {
    system_calls(&RESPOND, SYSTEM_CALLS_MAX);
}

#[test]
fn embedded_takes_two_system_calls() {
    system_calls(&EMBEDDED, SYSTEM_CALLS_MAX);
}

#[test]
fn file_from_a_root_takes_two_system_calls() {
    system_calls(&ROOT, SYSTEM_CALLS_OF_LOOKS_MAX);
}

#[test]
fn middle_file_from_a_root_takes_few_system_calls() {
    large_file(65_536, 6.0);
}

#[test]
fn large_file_from_a_root_takes_few_system_calls() {
    large_file(1_048_576, 20.0);
}

/// A look at the descriptor, head, and as much of the body as the socket takes at a time; how much that is depends on the client. A look at the pages each tick.
fn large_file(bytes: usize, calls_max: f64) {
    let Some(strace) = find("strace") else { return };
    let target = format!("/root/page-{bytes}.bin").leak();
    let load = load(&Scenario { name: "", target, body_bytes: bytes, instructions_max: 0.0, allocations_max: 0.0 });
    let each = one_by_one(&load, &strace, &format!("root-{bytes}"));
    note(&format!("gate: root {bytes} B: {each:.3} system calls for a request"));
    assert!((2.0..=calls_max).contains(&each), "{each}");
}

#[test]
fn middle_proxied_answer_takes_few_system_calls() {
    large_proxied_answer(65_536, 12.0);
}

#[test]
fn large_proxied_answer_takes_few_system_calls() {
    large_proxied_answer(1_048_576, 120.0);
}

/// Head and first piece are copied, the rest goes by a pipe: a call to fill it and one to empty it, as often as something has come.
fn large_proxied_answer(bytes: usize, calls_max: f64) {
    let Some(strace) = find("strace") else { return };
    let (load, _origin) = proxied(&bytes.to_string(), format!("/root/page-{bytes}.bin").leak(), bytes);
    let each = one_by_one(&load, &strace, &load.name);
    note(&format!("gate: proxy {bytes} B: {each:.3} system calls for a request"));
    // The two runs that are compared may differ by a few calls: below this nothing was counted.
    assert!((3.5..=calls_max).contains(&each), "{each}");
}

/// System calls of a request on a connection that has nothing else to do.
fn one_by_one(load: &Load, strace: &Path, name: &str) -> f64 {
    const REQUESTS: usize = 200;
    let calls = |requests: usize| {
        load.total_calls(strace, &format!("{name}-{requests}"), |server| {
            let mut client = server.client();
            for _ in 0..requests {
                client.send(&load.request);
                load.check(&mut client);
            }
            client
        })
    };
    (calls(2 * REQUESTS) as f64 - calls(REQUESTS) as f64) / REQUESTS as f64
}

#[test]
fn requests_in_one_piece_share_their_system_calls() {
    let Some(strace) = find("strace") else { return };
    let load = load(&RESPOND);
    let calls = |pieces: usize| {
        load.total_calls(&strace, &format!("pieces-{pieces}"), |server| {
            let mut client = server.client();
            for _ in 0..pieces {
                client.send(load.request.repeat(16));
                (0..16).for_each(|_| load.check(&mut client));
            }
            client
        })
    };
    let each = (calls(80) - calls(40)) as f64 / (40.0 * 16.0);
    note(&format!("gate: {each:.3} system calls for each of 16 requests in one piece"));
    assert!(each <= 0.25, "{each}");
}

fn instructions(scenario: &Scenario) {
    let Some(valgrind) = find("valgrind") else { return };
    let counted = load(scenario).counted(&valgrind);
    let (instructions, allocations) = (counted.instructions, counted.allocations);
    note(&format!("gate: {}: {instructions:.0} instructions, {allocations:.4} allocations for a request", scenario.name));
    assert!(instructions <= scenario.instructions_max, "{instructions} instructions, {} are the gate", scenario.instructions_max);
    assert!(allocations < scenario.allocations_max, "{allocations} allocations for a request");
}

fn system_calls(scenario: &Scenario, calls_max: f64) {
    let Some(strace) = find("strace") else { return };
    let each = load(scenario).system_calls(&strace);
    note(&format!("gate: {}: {each:.3} system calls for a request", scenario.name));
    assert!((1.0..=calls_max).contains(&each), "{each}");
}

fn load(scenario: &Scenario) -> Load {
    write_root();
    Load {
        name: format!("gates{}", scenario.target.replace('/', "-")),
        binary: build("tests/sites/gates/site.kdl", Profile::Release, &["--symbols"]),
        request: format!("GET {} HTTP/1.1\r\nhost: gates.test\r\n\r\n", scenario.target),
        body_bytes: scenario.body_bytes,
        environment: Vec::new(),
    }
}

/// What an upstream answers through a site that does nothing else; the upstream is the site of the other gates.
fn proxied(name: &str, target: &'static str, body_bytes: usize) -> (Load, Server) {
    let origin = load(&Scenario { name: "", target, body_bytes, instructions_max: 0.0, allocations_max: 0.0 });
    let server = Server::start(&origin.binary, &scratch("cost"));
    let load = Load {
        name: format!("gates-proxied-{name}"),
        binary: build("tests/sites/proxied/site.kdl", Profile::Release, &["--symbols"]),
        environment: vec![("PROXIED_APP", server.address().to_string())],
        ..origin
    };
    (load, server)
}

/// Writes the files of the root, and waits until they are so old that a worker keeps them open.
fn write_root() {
    const OLD: Duration = Duration::from_secs(5);
    let directory = scratch("cost").join("gates-root");
    fs::create_dir_all(&directory).expect("a directory");
    for (name, bytes) in [("page.txt", 1_040), ("page-65536.bin", 65_536), ("page-1048576.bin", 1_048_576)] {
        let path = directory.join(name);
        if fs::metadata(&path).is_ok_and(|found| found.len() == bytes as u64) {
            continue;
        }
        // Tests that run beside this one find all of it or nothing.
        let whole = directory.join(format!("{name}.{:?}.new", std::thread::current().id()));
        fs::write(&whole, vec![b'x'; bytes]).expect("written");
        fs::rename(&whole, &path).expect("renamed");
    }
    let age = || {
        fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|file| file.metadata().ok()?.modified().ok()?.elapsed().ok())
            .min()
    };
    let (_never, nothing) = mpsc::channel::<()>();
    while let Some(wait) = age().and_then(|age| OLD.checked_sub(age)) {
        let _ = nothing.recv_timeout(wait);
    }
}
