//! What a request may cost, counted and not timed: instructions (callgrind), system calls (strace), allocations (callgrind's count of calls).
//!
//! Each figure is the difference of two runs of the same binary, one with twice the requests of the other, so that start and end cancel out. The
//! limits for `respond` and embedded files are those of the project's targets; `docs/benchmarks.md` keeps what was counted.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kiln_tests::{
    client::Client,
    server::Server,
    site::{Profile, build, scratch},
    tools::{find, note},
};

/// Connections that are busy at the same time.
const CONNECTIONS: usize = 64;
/// Requests on each of them in the shorter run.
const ROUNDS: usize = 40;
/// Functions of the C library that allocate.
const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "memalign",
    "posix_memalign",
    "aligned_alloc",
    "__libc_malloc",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_memalign",
];

struct Scenario {
    name: &'static str,
    target: &'static str,
    body_bytes: usize,
    instructions_max: f64,
}

const RESPOND: Scenario = Scenario { name: "respond 12 B", target: "/respond", body_bytes: 12, instructions_max: 4_000.0 };
const EMBEDDED: Scenario =
    Scenario { name: "embedded 1,040 B", target: "/embedded/page.txt", body_bytes: 1_040, instructions_max: 4_200.0 };
const REDIRECT: Scenario = Scenario { name: "redirect", target: "/moved/a/b?c=d", body_bytes: 0, instructions_max: 6_000.0 };
/// Below one for a hundred requests there is none for any request.
const ALLOCATIONS_MAX: f64 = 0.01;
/// System calls of one request: a read and a write; waiting is shared by all connections that are ready.
const SYSTEM_CALLS_MAX: f64 = 2.1;

#[test]
fn respond_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&RESPOND);
}

#[test]
fn embedded_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&EMBEDDED);
}

#[test]
fn redirect_costs_at_most_its_instructions_and_no_allocation() {
    instructions(&REDIRECT);
}

#[test]
fn respond_takes_two_system_calls() {
    system_calls(&RESPOND);
}

#[test]
fn embedded_takes_two_system_calls() {
    system_calls(&EMBEDDED);
}

#[test]
fn requests_in_one_piece_share_their_system_calls() {
    let Some(strace) = find("strace") else { return };
    let calls = |pieces: usize| {
        total_calls(&strace, &format!("pieces-{pieces}"), |server| {
            let mut client = server.client();
            for _ in 0..pieces {
                client.send(request(&RESPOND).repeat(16));
                (0..16).for_each(|_| check(&client.answer().body, &RESPOND));
            }
        })
    };
    let each = (calls(80) - calls(40)) as f64 / (40.0 * 16.0);
    note(&format!("gate: {each:.3} system calls for each of 16 requests in one piece"));
    assert!(each <= 0.25, "{each}");
}

fn instructions(scenario: &Scenario) {
    let Some(valgrind) = find("valgrind") else { return };
    let once = profile(&valgrind, scenario, ROUNDS);
    let twice = profile(&valgrind, scenario, 2 * ROUNDS);
    let requests = (CONNECTIONS * ROUNDS) as f64;
    let instructions = (twice.instructions - once.instructions) as f64 / requests;
    let allocations = twice.allocations.abs_diff(once.allocations) as f64 / requests;
    note(&format!("gate: {}: {instructions:.0} instructions, {allocations:.4} allocations for a request", scenario.name));
    assert!(once.allocations > 0, "the start allocates: the count is blind");
    assert!(instructions <= scenario.instructions_max, "{instructions} instructions, {} are the gate", scenario.instructions_max);
    // The longer run may meet one more turn of a timer; a request that allocates adds as many as there are requests.
    assert!(allocations < ALLOCATIONS_MAX, "{allocations} allocations for a request");
}

/// What callgrind has counted in one run.
struct Profiled {
    instructions: u64,
    allocations: u64,
}

fn profile(valgrind: &Path, scenario: &Scenario, rounds: usize) -> Profiled {
    let directory = scratch("gates");
    let out =
        directory.join(format!("{}-{rounds}.callgrind", scenario.target.trim_start_matches('/').split('/').next().unwrap_or_default()));
    let mut command = Command::new(valgrind);
    command.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display())).arg(binary());
    let server = Server::start_command(command.current_dir(&directory));
    rounds_of(&server, scenario, rounds);
    let (status, lines) = server.stop();
    assert!(status.success(), "{status}: {lines:?}");
    let text = fs::read_to_string(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    let instructions = text.lines().find_map(|line| line.strip_prefix("summary: ")).and_then(|total| total.trim().parse().ok());
    Profiled {
        instructions: instructions.unwrap_or_else(|| panic!("no summary in {}", out.display())),
        allocations: calls_of(&text, ALLOCATORS),
    }
}

/// Calls of the named functions. `cfn=(3) malloc` names a callee once and `cfn=(3)` from then on; `calls=COUNT ..` is the line behind it.
fn calls_of(text: &str, wanted: &[&str]) -> u64 {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut callee, mut total) = ("", 0);
    for line in text.lines() {
        let named = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn="));
        if let Some((id, name)) = named.and_then(|named| named.split_once(' ')) {
            names.insert(id, name);
        }
        if let Some(named) = line.strip_prefix("cfn=") {
            callee = named.split(' ').next().unwrap_or_default();
        } else if let Some(calls) = line.strip_prefix("calls=") {
            let is_wanted = names.get(callee).is_some_and(|name| wanted.contains(name));
            let count = calls.split(' ').next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
            total += if is_wanted { count } else { 0 };
        }
    }
    total
}

fn system_calls(scenario: &Scenario) {
    let Some(strace) = find("strace") else { return };
    let calls = |rounds| total_calls(&strace, &format!("{}-{rounds}", scenario.body_bytes), |server| rounds_of(server, scenario, rounds));
    let each = (calls(2 * ROUNDS) - calls(ROUNDS)) as f64 / (CONNECTIONS * ROUNDS) as f64;
    note(&format!("gate: {}: {each:.3} system calls for a request", scenario.name));
    assert!((1.0..=SYSTEM_CALLS_MAX).contains(&each), "{each}");
}

/// System calls of a whole run, the tracer beside the server so that the server keeps the id of the process that was started.
fn total_calls(strace: &Path, name: &str, requests: impl FnOnce(&Server)) -> u64 {
    let directory = scratch("gates");
    let out = directory.join(format!("{name}.strace"));
    let mut command = Command::new(strace);
    let server = Server::start_command(command.args(["-D", "-f", "-c", "-o"]).arg(&out).arg(binary()).current_dir(&directory));
    requests(&server);
    let (status, lines) = server.stop();
    assert!(status.success(), "{status}: {lines:?}");
    let text = fs::read_to_string(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    let total = text.lines().find(|line| line.trim_end().ends_with("total")).and_then(|line| line.split_whitespace().nth(3));
    total.and_then(|calls| calls.parse().ok()).unwrap_or_else(|| panic!("no total in\n{text}"))
}

/// Requests on all connections at once, then their answers, `rounds` times.
fn rounds_of(server: &Server, scenario: &Scenario, rounds: usize) {
    let mut clients: Vec<Client> = (0..CONNECTIONS).map(|_| server.client()).collect();
    let request = request(scenario);
    for _ in 0..rounds {
        for client in &mut clients {
            client.send(&request);
        }
        for client in &mut clients {
            check(&client.answer().body, scenario);
        }
    }
}

fn request(scenario: &Scenario) -> String {
    format!("GET {} HTTP/1.1\r\nhost: gates.test\r\n\r\n", scenario.target)
}

fn check(body: &[u8], scenario: &Scenario) {
    assert_eq!(body.len(), scenario.body_bytes, "{}", scenario.name);
}

fn binary() -> PathBuf {
    build("tests/sites/gates/site.kdl", Profile::Release, &["--symbols"])
}
