//! One connection: sends without waiting, reads what is there, knows how much is still due.

use std::{
    net::{SocketAddr, TcpStream},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::Instant,
};

use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
    io::Errno,
    net::{RecvFlags, SendFlags, recv, send},
};

use crate::fault::Fault;

const STATUS: &[u8] = b"HTTP/1.1 200";
/// Answers above this are dropped in the kernel behind their first bytes.
const DROPPED_FROM: usize = 16 * 1024;
/// Bytes of such an answer that are looked at.
const HEAD: usize = 1024;
/// As much as is read or dropped at once.
pub(super) const BUFFER: usize = 2 * 1024 * 1024;

/// A connection of the generator.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    /// Of all answers that are due.
    due: usize,
    /// Of them, so many are read.
    read: usize,
    /// When the requests were sent, or due.
    pub(super) since: Instant,
}

/// What reading came to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Progress {
    /// All answers that were due are read; so many had another status.
    Complete {
        wrong: u64,
    },
    Partial,
}

impl Socket {
    pub(super) fn connect(address: SocketAddr, now: Instant) -> Result<Self, Fault> {
        let fault = || Fault::io(format!("a connection to {address}"));
        let stream = TcpStream::connect(address).map_err(fault())?;
        stream.set_nodelay(true).map_err(fault())?;
        Ok(Self { stream, due: 0, read: 0, since: now })
    }

    /// Sends requests in one piece; `due` are the bytes of all their answers.
    pub(super) fn send(&mut self, requests: &[u8], due: usize, now: Instant) -> Result<(), String> {
        (self.due, self.read, self.since) = (due, 0, now);
        match send(&self.stream, requests, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(count) if count == requests.len() => Ok(()),
            Ok(count) => Err(format!("{count} of {} bytes were sent", requests.len())),
            Err(error) => Err(format!("sending: {error}")),
        }
    }

    /// Reads until all is there or nothing more is. `answer` are the bytes of one answer.
    pub(super) fn read(&mut self, buffer: &mut [u8], answer: usize) -> Result<Progress, String> {
        let mut wrong = 0;
        while self.read < self.due {
            let is_dropped = answer > DROPPED_FROM && self.read >= HEAD;
            let (room, flags) = match is_dropped {
                true => (buffer.len(), RecvFlags::DONTWAIT | RecvFlags::TRUNC),
                false if answer > DROPPED_FROM => (HEAD - self.read, RecvFlags::DONTWAIT),
                false => (buffer.len(), RecvFlags::DONTWAIT),
            };
            let count = match recv(&self.stream, &mut buffer[..room], flags) {
                Ok((_, 0)) => return Err(format!("the connection ends after {} of {} bytes", self.read, self.due)),
                Ok((_, count)) => count,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(Progress::Partial),
                Err(error) => return Err(format!("reading: {error}")),
            };
            if count > self.due - self.read {
                return Err(format!("{} bytes more than {} of answers", count - (self.due - self.read), self.due));
            }
            if !is_dropped {
                wrong += wrong_statuses(&buffer[..count], self.read, answer);
            }
            self.read += count;
        }
        Ok(Progress::Complete { wrong })
    }

    /// Whether the server has ended the connection; to be asked when all answers are read. `None`: not yet.
    pub(super) fn has_ended(&self) -> Result<Option<()>, String> {
        let mut byte = [0];
        match recv(&self.stream, &mut byte[..], RecvFlags::DONTWAIT) {
            Ok((_, 0)) => Ok(Some(())),
            Ok(_) => Err("bytes behind the last answer".to_owned()),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(format!("reading the end: {error}")),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Answers that begin in, or go on in, bytes read from `offset` on, and whose status is not the expected one. An answer that is cut within its status
/// is looked at in both its parts.
fn wrong_statuses(bytes: &[u8], offset: usize, answer: usize) -> u64 {
    let mut wrong = 0;
    let mut at = 0;
    while at < bytes.len() {
        let within = (offset + at) % answer;
        if within < STATUS.len() {
            let end = (at + STATUS.len() - within).min(bytes.len());
            wrong += u64::from(bytes[at..end] != STATUS[within..within + end - at]);
        }
        at += answer - within;
    }
    wrong
}

/// The sockets that can be read.
pub(super) struct Ready {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Ready {
    pub(super) fn new(capacity: usize) -> Result<Self, Fault> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| Fault::io("epoll")(error.into()))?;
        Ok(Self { epoll, events: Vec::with_capacity(capacity) })
    }

    /// A socket that is closed leaves by itself.
    pub(super) fn add(&self, socket: &Socket, index: usize) -> Result<(), Fault> {
        let data = epoll::EventData::new_u64(index as u64);
        epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN).map_err(|error| Fault::io("epoll")(error.into()))
    }

    /// Waits for some milliseconds at most and gives the sockets that can be read.
    pub(super) fn wait(&mut self, milliseconds: i64) -> Result<impl Iterator<Item = usize> + '_, Fault> {
        self.events.clear();
        let timeout = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::io("epoll")(error.into())),
        }
        Ok(self.events.iter().map(|event| event.data.u64() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_checked_wherever_reads_are_cut() {
        let good = b"HTTP/1.1 200 OK\r\n\r\n".repeat(3);
        let mut bad = good.clone();
        bad[19 + 9] = b'5';
        for cut in 0..good.len() {
            let count = |bytes: &[u8]| wrong_statuses(&bytes[..cut], 0, 19) + wrong_statuses(&bytes[cut..], cut, 19);
            assert_eq!(count(&good), 0, "{cut}");
            assert_eq!(count(&bad), 1, "{cut}");
        }
    }
}
