//! The loop that accepts from one listener.
//!
//! A listener that closes drops what is queued: so it is emptied before.

use std::{
    future::{Future, poll_fn},
    io,
    pin::pin,
    rc::Rc,
    task::Poll,
    time::Duration,
};

use tokio::{sync::watch, time::sleep};

use super::{Door, Queue};
use crate::{engine::h1::Arrived, open_files, worker::Counters};

/// How long nothing is accepted after the process or the system ran out of descriptors or memory.
const BACK_OFF: Duration = Duration::from_millis(100);

pub(super) async fn accept<Q: Queue>(door: &Rc<Door>, queue: Q, number: usize, mut stop: watch::Receiver<bool>) -> io::Result<()> {
    let mut stopped = pin!(stop.changed());
    loop {
        let accepted = poll_fn(|context| match stopped.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => queue.poll_accept(context).map(Some),
        });
        match accepted.await {
            None => break,
            Some(Ok((stream, client))) => door.admit(stream, Arrived { client, listener: number }, Q::SPREAD),
            Some(Err(error)) if is_of_connection(&error) => {}
            // Descriptors of files that were kept are free now: only what is wanting still is waited for.
            Some(Err(_)) if open_files::clear() => {}
            Some(Err(error)) => {
                Counters::add(&door.worker.counters.back_offs);
                // Whoever reads says one of many; where it is full already, nothing new would be said.
                let _ = door.accept_errors.try_send(error);
                sleep(BACK_OFF).await;
            }
        }
    }
    door.is_closing.set(true);
    queue.close(|stream, client| door.admit(stream, Arrived { client, listener: number }, Q::SPREAD))
}

/// Gives every connection of a queue that is about to be closed; those that died in it are passed over.
pub(crate) fn empty<T>(mut accept: impl FnMut() -> io::Result<T>, mut each: impl FnMut(T)) {
    loop {
        match accept() {
            Ok(accepted) => each(accepted),
            Err(error) if is_of_connection(&error) => {}
            Err(_) => return,
        }
    }
}

/// The fault is of one connection that died in the queue; the listener is well (accept(2)).
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, PermissionDenied};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_that_died_in_the_queue_hides_none_behind_it() {
        let mut queue = [Ok(1), Err(io::ErrorKind::ConnectionAborted), Ok(2), Err(io::ErrorKind::WouldBlock), Ok(3)].into_iter();
        let mut given = Vec::new();
        empty(|| queue.next().expect("asked no further").map_err(io::Error::from), |number| given.push(number));
        assert_eq!(given, [1, 2]);
    }
}
