//! Connections that have had one request and now do nothing.

use std::time::{Duration, Instant};

use super::{
    Target,
    socket::{BUFFER, Progress, Ready, Socket},
};
use crate::fault::Fault;

/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connections that stay open as long as this lives.
#[derive(Debug)]
pub struct Held {
    sockets: Vec<Socket>,
}

impl Held {
    /// How many.
    pub fn count(&self) -> usize {
        self.sockets.len()
    }
}

/// Opens connections one after the other, each with one request and its exact answer.
pub fn open(target: &Target<'_>) -> Result<Held, Fault> {
    let mut buffer = vec![0; BUFFER];
    let mut ready = Ready::new(1)?;
    let mut sockets = Vec::with_capacity(target.connections);
    for index in 0..target.connections {
        let began = Instant::now();
        let mut socket = Socket::connect(target.address, began)?;
        ready.add(&socket, index)?;
        socket.send(target.request, target.answer_bytes, began).map_err(Fault::Answer)?;
        loop {
            let _ = ready.wait(100)?.count();
            match socket.read(&mut buffer, target.answer_bytes).map_err(Fault::Answer)? {
                Progress::Complete { wrong: 0 } => break,
                Progress::Complete { .. } => return Err(Fault::Answer(format!("connection {index} has another status"))),
                Progress::Partial if began.elapsed() < TIMEOUT => {}
                Progress::Partial => return Err(Fault::Answer(format!("connection {index} has no answer"))),
            }
        }
        sockets.push(socket);
    }
    Ok(Held { sockets })
}
