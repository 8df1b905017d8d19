//! Clients that ask in a loop while something else changes what they ask for.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    client::Client,
    server::{Server, deadline},
    tools::note,
};

const CLIENTS: usize = 8;
/// How long everyone runs, and how long until every state must have been seen at least once.
const RACING: Duration = Duration::from_millis(1_500);
const RACING_MAX: Duration = Duration::from_secs(40);
/// Faults behind which nothing new would be learnt.
const FAULTS_MAX: usize = 10;

/// What a client made of an answer: the name of a state that there was, or what is wrong.
pub type Judged = Result<&'static str, String>;

/// The state of an answer that was promised and ended short, and its connection with it.
pub const CUT: &str = "cut";

/// Clients ask in a loop while `change` is called over and over, for [`RACING`] and until each of `states` was seen. No answer is wrong then, and no worker has panicked.
#[track_caller]
pub fn race(
    mut server: Server,
    states: &[&str],
    mut change: impl FnMut(usize),
    ask: impl Fn(&mut Client, usize) -> io::Result<Judged> + Sync,
) {
    let (is_over, seen, faults) = (AtomicBool::new(false), Mutex::new(BTreeMap::<&str, usize>::new()), Mutex::new(Vec::new()));
    let (earliest, latest) = (deadline(RACING), deadline(RACING_MAX));
    let changes = thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (server, ask, is_over, seen, faults) = (&server, &ask, &is_over, &seen, &faults);
            scope.spawn(move || {
                let mut client = server.client();
                for turn in number.. {
                    let judged = ask(&mut client, turn).unwrap_or_else(|error| Err(format!("no answer: {error}")));
                    if !judged.as_ref().is_ok_and(|state| *state != CUT) {
                        client = server.client();
                    }
                    match judged {
                        Ok(state) => *seen.lock().expect("no panic").entry(state).or_default() += 1,
                        Err(fault) => faults.lock().expect("no panic").push(fault),
                    }
                    // The latter where `change` has panicked.
                    if is_over.load(Ordering::Relaxed) || Instant::now() > latest {
                        break;
                    }
                }
            });
        }
        let mut changes = 0;
        let is_all_seen = || states.iter().all(|state| seen.lock().expect("no panic").contains_key(state));
        let is_lost = || faults.lock().expect("no panic").len() >= FAULTS_MAX;
        while Instant::now() < latest && (Instant::now() < earliest || !is_all_seen()) && !is_lost() {
            change(changes);
            changes += 1;
        }
        is_over.store(true, Ordering::Relaxed);
        changes
    });
    let (seen, faults) = (seen.into_inner().expect("no panic"), faults.into_inner().expect("no panic"));
    note(&format!("races: {changes} changes, seen {seen:?}"));
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(states.iter().all(|state| seen.contains_key(state)), "{states:?} expected, seen {seen:?}");
    assert_eq!(server.counter("panics"), 0);
}
