//! A task's turn: what has much to do does a part of it, and lets others go first.
//!
//! To wake oneself is not enough for that: tokio looks for what has come from outside once in 61 tasks, or when none is ready, and a task that is always ready keeps all
//! clients waiting that long.

use std::{
    cell::Cell,
    future::Future,
    pin::pin,
    task::{Context, Poll},
};

thread_local! {
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// The thread has looked for what has come from outside.
pub(crate) fn has_looked() {
    NUMBER.set(NUMBER.get() + 1);
}

/// How often the thread is known to have looked for what has come from outside.
#[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only kept connections have to be looked at"))]
pub(crate) fn looks() -> u64 {
    NUMBER.get()
}

/// Ends the turn of the task that is polled: its next one comes when whatever is ready, or has come meanwhile, has had one.
pub(crate) fn end<T>(context: &mut Context<'_>) -> Poll<T> {
    // Its first poll leaves the waker with the scheduler, which calls it behind its look for events; it is never polled again.
    let _ = pin!(tokio::task::yield_now()).poll(context);
    Poll::Pending
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn, io::Write, os::unix::net::UnixStream, rc::Rc};

    use tokio::{
        io::AsyncReadExt,
        runtime::{Builder, LocalOptions},
        task::spawn_local,
    };

    use super::*;

    const TURNS: u32 = 1000;

    #[test]
    fn turn_that_ends_lets_go_first_what_has_come_meanwhile() {
        let runtime = Builder::new_current_thread().enable_io().build_local(LocalOptions::default()).unwrap();
        let (mut near, far) = UnixStream::pair().unwrap();
        far.set_nonblocking(true).unwrap();
        let turns = Rc::new(Cell::new(0));
        let counted = Rc::clone(&turns);
        runtime.block_on(async move {
            let mut far = tokio::net::UnixStream::from_std(far).unwrap();
            let busy = spawn_local(poll_fn(move |context| {
                counted.set(counted.get() + 1);
                match counted.get() {
                    TURNS => return Poll::Ready(()),
                    1 => near.write_all(b"x").unwrap(),
                    _ => {}
                }
                end(context)
            }));
            far.read_exact(&mut [0]).await.unwrap();
            assert!(turns.get() <= 2, "{} turns before anybody looked", turns.get());
            busy.await.unwrap();
            assert_eq!(turns.get(), TURNS);
        });
    }
}
