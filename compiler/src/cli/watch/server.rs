//! One process of a watched site.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::{Pid, Signal, kill_process};

use super::{Event, sockets::Passed};

/// The first descriptor that is passed (sd_listen_fds(3)).
const FIRST_DESCRIPTOR: i32 = 3;
/// LISTEN_PID is the process's own number, which the shell has and the site that it becomes.
const SCRIPT: &str = "export LISTEN_PID=$$; exec \"$0\"";
/// What a site says when it serves.
const READY: &str = ": listening on ";
/// How long it may take until then.
const START_MAX: Duration = Duration::from_secs(60);
/// Lines of its faults that are kept.
const LINES_MAX: usize = 32;

#[derive(Debug)]
pub(super) struct Server {
    number: u64,
    child: Child,
}

impl Server {
    /// Starts the binary with these sockets and waits until it serves; else gives what it said. Its end is told as an event.
    pub(super) fn start(binary: &Path, sockets: &[Passed], number: u64, events: Sender<Event>) -> Result<Self, String> {
        let fault = |error: io::Error| format!("{} cannot be run: {error}", binary.display());
        let mut command = Command::new("sh");
        // A group of its own: a terminal's signals are for kiln, which passes them on.
        command.args(["-c", SCRIPT]).arg(binary).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let names: Vec<_> = sockets.iter().map(|passed| if passed.name.contains(':') { "" } else { &passed.name }).collect();
        command.env("LISTEN_FDS", sockets.len().to_string()).env("LISTEN_FDNAMES", names.join(":"));
        let mut mappings = Vec::with_capacity(sockets.len());
        for (passed, child_fd) in sockets.iter().zip(FIRST_DESCRIPTOR..) {
            mappings.push(FdMapping { parent_fd: passed.socket.try_clone().map_err(fault)?, child_fd });
        }
        command.fd_mappings(mappings).map_err(|error| format!("the sockets cannot be passed: {error}"))?;
        let mut child = command.spawn().map_err(fault)?;
        let said = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::spawn(move || forward(stderr, &mut io::stderr(), |line| keep(&said, line)));
        }
        let (ready, word) = channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                forward(stdout, &mut io::stdout(), |line| {
                    if line.contains(READY) {
                        // Nobody waits for the second line.
                        let _ = ready.send(());
                    }
                });
                drop(ready);
                events.send(Event::Ended(number))
            });
        }
        let mut server = Self { number, child };
        match word.recv_timeout(START_MAX) {
            Ok(()) => Ok(server),
            Err(RecvTimeoutError::Disconnected) => {
                server.reap();
                let said = said.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
                Err(format!("the site did not start\n{said}"))
            }
            Err(RecvTimeoutError::Timeout) => Err(format!("the site did not listen within {} s", START_MAX.as_secs())),
        }
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// Asks it to drain. One that has ended already is told nothing.
    pub(super) fn terminate(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }

    /// Waits for its end, which is here or near: it has closed its outputs.
    fn reap(&mut self) {
        drop(self.child.wait());
    }
}

impl Drop for Server {
    /// Where it has ended this only takes its number back.
    fn drop(&mut self) {
        drop(self.child.kill());
        self.reap();
    }
}

/// Passes each line on, and looks at it.
fn forward(from: impl Read, to: &mut dyn Write, mut look: impl FnMut(&str)) {
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        // Whoever reads may have gone; the site goes on.
        drop(writeln!(to, "{line}").and_then(|()| to.flush()));
        look(&line);
    }
}

fn keep(said: &Mutex<Vec<String>>, line: &str) {
    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
    if said.len() < LINES_MAX {
        said.push(line.to_owned());
    }
}
