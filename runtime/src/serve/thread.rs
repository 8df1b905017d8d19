//! One worker thread: its runtime, its listeners, its tick, its drain.

use std::{
    io, net,
    rc::Rc,
    sync::{Arc, mpsc},
};

use tokio::{
    runtime::{Builder, LocalOptions},
    sync::watch,
    task,
    time::{sleep, timeout},
};

use crate::{
    clock::TICK,
    engine::h1::H1,
    listen::tcp,
    settings::Settings,
    site::Site,
    worker::{Counters, Worker},
};

/// Threads of one worker's blocking pool: how many files may be waited for at once. They are started when needed and end when idle.
const BLOCKING_THREADS_MAX: usize = 8;

/// What a worker is started with.
pub(crate) struct Seat {
    pub(crate) site: &'static dyn Site,
    pub(crate) settings: &'static Settings,
    /// In the order of the settings.
    pub(crate) listeners: Vec<net::TcpListener>,
    /// This worker's part of the connection limit.
    pub(crate) connections_max: u32,
    pub(crate) counters: Arc<Counters>,
    /// Changes when the drain begins.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Runs until the drain is over. `ready` is told once, when connections are accepted or why not.
pub(crate) fn run(seat: Seat, ready: &mpsc::Sender<io::Result<()>>) {
    match Builder::new_current_thread()
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .enable_io()
        .enable_time()
        .build_local(LocalOptions::default())
    {
        Ok(runtime) => {
            runtime.block_on(work(seat, ready));
        }
        Err(error) => {
            let _ = ready.send(Err(error));
        }
    }
}

async fn work(seat: Seat, ready: &mpsc::Sender<io::Result<()>>) {
    let worker = Rc::new(Worker::new(seat.connections_max, seat.counters));
    let engine = Rc::new(H1::new(seat.site, seat.settings, Rc::clone(&worker)));
    task::spawn_local(tick(Rc::clone(&worker)));
    let accepting: Vec<_> = seat
        .listeners
        .into_iter()
        .enumerate()
        .map(|(number, listener)| task::spawn_local(tcp::accept(listener, number, Rc::clone(&engine), seat.stop.clone())))
        .collect();
    let _ = ready.send(Ok(()));
    let mut stop = seat.stop;
    let _ = stop.changed().await;
    for task in accepting {
        let _ = task.await;
    }
    worker.drain();
    let _ = timeout(seat.settings.timeouts.drain, no_connections(&worker)).await;
}

/// Moves the worker's time on while there are connections; sleeps while there are none.
async fn tick(worker: Rc<Worker>) {
    loop {
        if worker.connections() == 0 {
            worker.connections_changed.notified().await;
        }
        sleep(TICK).await;
        worker.clock.refresh();
        worker.deadlines.advance(worker.clock.tick());
    }
}

async fn no_connections(worker: &Worker) {
    while worker.connections() > 0 {
        worker.connections_changed.notified().await;
    }
}
