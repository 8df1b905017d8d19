//! What a request costs a site's binary, counted and not timed: instructions and allocations (callgrind), system calls (strace).
//!
//! Each figure is the difference of two runs of the same binary, one with twice the requests of the other, so that start and end cancel out.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{client::Client, server::Server, site::scratch};

/// Connections that are busy at the same time.
pub const CONNECTIONS: usize = 64;
/// Requests on each of them in the shorter run.
pub const ROUNDS: usize = 40;
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

/// One kind of request, asked of a binary over and over.
#[derive(Clone, Debug)]
pub struct Load {
    /// Names its files in the scratch directory.
    pub name: String,
    /// Built with its symbols.
    pub binary: PathBuf,
    /// All bytes of a request.
    pub request: String,
    /// Bytes of the answer's body.
    pub body_bytes: usize,
    /// What the binary reads when it starts.
    pub environment: Vec<(&'static str, String)>,
}

/// What callgrind has counted, for each request.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub instructions: f64,
    pub allocations: f64,
}

impl Load {
    /// Instructions in user space and calls of the allocator.
    pub fn counted(&self, valgrind: &Path) -> Counted {
        let once = self.profile(valgrind, ROUNDS);
        let twice = self.profile(valgrind, 2 * ROUNDS);
        assert!(once.1 > 0, "the start allocates: the count is blind");
        let each = |once: u64, twice: u64| (twice as f64 - once as f64) / (CONNECTIONS * ROUNDS) as f64;
        // The longer run may meet one more turn of a timer; a request that allocates adds as many as there are requests.
        Counted { instructions: each(once.0, twice.0), allocations: each(once.1, twice.1).abs() }
    }

    /// System calls of all threads, without waits.
    pub fn system_calls(&self, strace: &Path) -> f64 {
        let calls = |rounds| {
            let name = format!("{}-{rounds}", self.name);
            self.total_calls(strace, &name, |server| self.rounds(server, rounds))
        };
        (calls(2 * ROUNDS) as f64 - calls(ROUNDS) as f64) / (CONNECTIONS * ROUNDS) as f64
    }

    /// System calls of a whole run but those that wait: how many connections one wait finds ready depends on what else the machine does. The tracer stands beside
    /// the server so that the server keeps the id of the process that was started. What `requests` leaves open is closed after the server has ended.
    pub fn total_calls<Open>(&self, strace: &Path, name: &str, requests: impl FnOnce(&Server) -> Open) -> u64 {
        let directory = scratch("cost");
        let out = directory.join(format!("{name}.strace"));
        let mut command = Command::new(strace);
        let server = Server::start_command(
            command
                .args(["-D", "-f", "-c", "-o"])
                .arg(&out)
                .arg(&self.binary)
                .current_dir(&directory)
                .envs(self.environment.iter().cloned()),
        );
        let open = requests(&server);
        let (status, lines) = server.stop();
        drop(open);
        assert!(status.success(), "{status}: {lines:?}");
        let text = fs::read_to_string(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
        let calls = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let name = words.last().filter(|name| !matches!(**name, "total" | "epoll_wait"))?;
            words.get(3).and_then(|calls| calls.parse::<u64>().ok()).filter(|_| name.bytes().all(|byte| byte.is_ascii_graphic()))
        });
        let total = calls.sum();
        assert!(total > 0, "nothing counted in\n{text}");
        total
    }

    /// Asks on all connections at once, then takes the answers, `rounds` times. The server is stopped while it is asked, so that one wait finds all requests,
    /// whatever else the machine does. The connections are given back: whoever counts ends the server before them, as whether it would read their ends first or
    /// its own signal is a race.
    #[must_use]
    pub fn rounds(&self, server: &Server, rounds: usize) -> Vec<Client> {
        let mut clients: Vec<Client> = Vec::new();
        for _ in 0..rounds {
            server.paused(|| {
                // A connection that came before its first request would be read in vain, if the server is quick enough.
                clients.resize_with(CONNECTIONS, || server.client());
                for client in &mut clients {
                    client.send(&self.request);
                }
            });
            for client in &mut clients {
                self.check(client);
            }
        }
        clients
    }

    /// Takes one answer.
    pub fn check(&self, client: &mut Client) {
        assert_eq!(client.answer().body.len(), self.body_bytes, "{}", self.name);
    }

    /// Instructions and allocations of a whole run.
    fn profile(&self, valgrind: &Path, rounds: usize) -> (u64, u64) {
        let directory = scratch("cost");
        let out = directory.join(format!("{}-{rounds}.callgrind", self.name));
        let mut command = Command::new(valgrind);
        command.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display())).arg(&self.binary);
        let server = Server::start_command(command.current_dir(&directory).envs(self.environment.iter().cloned()));
        let clients = self.rounds(&server, rounds);
        let (status, lines) = server.stop();
        drop(clients);
        assert!(status.success(), "{status}: {lines:?}");
        let text = fs::read_to_string(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
        let instructions = text.lines().find_map(|line| line.strip_prefix("summary: ")).and_then(|total| total.trim().parse().ok());
        (instructions.unwrap_or_else(|| panic!("no summary in {}", out.display())), calls_of(&text, ALLOCATORS))
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
