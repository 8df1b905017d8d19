//! One worker thread: its runtime, its listeners, its tick, its drain, its death.
//!
//! A panic in a connection ends that connection. One anywhere else ends the thread: its connections are closed, and the control thread starts another on the
//! same sockets.

use std::{
    future::{Future, poll_fn},
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::{Pin, pin},
    rc::Rc,
    sync::{Arc, mpsc},
    task::Poll,
};

use tokio::{
    runtime::{Builder, LocalOptions},
    sync::{self, watch},
    task::{self, JoinError, JoinHandle},
    time::{sleep, timeout},
};

use super::limits;
use crate::{
    clock::TICK,
    engine::h1::H1,
    listen::{Socket, door::Door, inbox::Inbox},
    open_files,
    record::Recorder,
    settings::Settings,
    site::Site,
    turn,
    worker::{Post, Worker},
};

/// Threads of one worker's blocking pool: how many files may be waited for at once. They are started when needed and end when idle.
const BLOCKING_THREADS_MAX: usize = 8;

/// What a worker is started with.
pub(crate) struct Seat {
    pub(crate) site: &'static dyn Site,
    pub(crate) settings: &'static Settings,
    /// Each with its number in the settings.
    pub(crate) listeners: Vec<(usize, Socket)>,
    pub(crate) post: Post,
    /// Where its exchanges are logged and counted.
    pub(crate) recorder: Recorder,
    /// By worker; none where there is one worker.
    pub(crate) inboxes: Arc<[Inbox]>,
    /// Where it is told why nothing could be accepted.
    pub(crate) accept_errors: sync::mpsc::Sender<io::Error>,
    /// Changes when the drain begins.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Runs until the drain is over, or something panics. `ready` is told once, when connections are accepted or why not.
pub(crate) fn run(seat: Seat, ready: &mpsc::Sender<io::Result<()>>) {
    let mut builder = Builder::new_current_thread();
    builder.max_blocking_threads(BLOCKING_THREADS_MAX).enable_io().enable_time();
    if !seat.settings.upstreams.is_empty() {
        builder.on_thread_unpark(turn::has_looked);
    }
    match builder.build_local(LocalOptions::default()) {
        Ok(runtime) => {
            // Connections end behind the panic, not in it: each of them would count as one.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if let Err(error) = runtime.block_on(work(seat, ready)) {
                    let _ = ready.send(Err(error));
                }
            }));
        }
        Err(error) => {
            let _ = ready.send(Err(error));
        }
    }
}

async fn work(seat: Seat, ready: &mpsc::Sender<io::Result<()>>) -> io::Result<()> {
    open_files::limit(|| limits::kept_descriptors_max(seat.inboxes.len()));
    let worker = Rc::new(Worker::new(seat.post).with_recorder(seat.recorder));
    let engine = Rc::new(H1::new(seat.site, seat.settings, Rc::clone(&worker)));
    let door = Rc::new(Door::new(engine, Rc::clone(&worker), seat.inboxes, seat.accept_errors));
    let mut accepting = Vec::with_capacity(seat.listeners.len());
    for (number, socket) in seat.listeners {
        accepting.push(task::spawn_local(Rc::clone(&door).accept(socket.listen()?, number, seat.stop.clone())));
    }
    let mut forever = [task::spawn_local(tick(Rc::clone(&worker))), task::spawn_local(Rc::clone(&door).take_in())];
    let _ = ready.send(Ok(()));
    until_drain(seat.stop, &mut forever, &mut accepting).await;
    for task in accepting {
        living(task.await);
    }
    door.take_in_rest();
    worker.drain();
    worker.pools.clear();
    let _ = timeout(seat.settings.timeouts.drain, no_connections(&worker)).await;
    Ok(())
}

/// Waits for the drain; panics where one of the tasks has.
async fn until_drain(mut stop: watch::Receiver<bool>, forever: &mut [JoinHandle<()>], accepting: &mut Vec<JoinHandle<io::Result<()>>>) {
    let mut stopped = pin!(stop.changed());
    poll_fn(|context| {
        for task in &mut *forever {
            if let Poll::Ready(ended) = Pin::new(task).poll(context) {
                living(ended);
            }
        }
        accepting.retain_mut(|task| match Pin::new(task).poll(context) {
            Poll::Pending => true,
            Poll::Ready(ended) => {
                living(ended);
                false
            }
        });
        stopped.as_mut().poll(context).map(|_changed| ())
    })
    .await;
}

/// Goes on with the panic that has ended a task.
fn living<T>(ended: Result<T, JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        resume_unwind(panic);
    }
}

/// Moves the worker's time on while there are connections or open files; sleeps while there are none.
async fn tick(worker: Rc<Worker>) {
    let mut has_more = false;
    loop {
        if worker.connections() == 0 && !has_more {
            worker.connections_changed.notified().await;
        }
        sleep(TICK).await;
        worker.clock.refresh();
        has_more = open_files::sweep() | worker.pools.sweep(worker.clock.tick());
        worker.recorder.flush();
        worker.deadlines.advance(worker.clock.tick());
    }
}

async fn no_connections(worker: &Worker) {
    while worker.connections() > 0 {
        worker.connections_changed.notified().await;
    }
}
