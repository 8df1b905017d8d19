//! One connection of a scripted upstream.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::Arc,
    time::Duration,
};

use rustix::net::sockopt::set_socket_linger;

use super::{Heard, Shared, heard};
use crate::{
    client::{End, WAIT, pause},
    pattern,
};

/// What a script speaks through. Sending to who has gone is no fault; waiting in vain is.
#[derive(Debug)]
pub struct Peer {
    stream: TcpStream,
    /// What has arrived and was not asked for yet.
    buffer: Vec<u8>,
    number: usize,
    shared: Arc<Shared>,
}

impl Peer {
    pub(super) fn new(stream: TcpStream, number: usize, shared: Arc<Shared>) -> Self {
        stream.set_write_timeout(Some(WAIT)).expect("a span above zero");
        stream.set_nodelay(true).expect("a TCP socket");
        let peer = Self { stream, buffer: Vec::new(), number, shared };
        peer.wait_at_most(WAIT);
        peer
    }

    /// How many connections came before this one.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The next request with its body, which is remembered; `None` where the other side closes or resets before its first byte.
    pub fn request(&mut self) -> Option<Heard> {
        let mut heard = self.read_head()?;
        (heard.body, heard.trailers) = self.body(&heard);
        self.shared.change(|state| state.requests.push(heard.clone()));
        Some(heard)
    }

    /// The next request's head alone, which is remembered.
    pub fn head(&mut self) -> Option<Heard> {
        let heard = self.read_head()?;
        self.shared.change(|state| state.requests.push(heard.clone()));
        Some(heard)
    }

    /// The next request with its body, which is only counted.
    pub fn uncounted(&mut self) -> Option<Heard> {
        let mut heard = self.read_head()?;
        (heard.body, heard.trailers) = self.body(&heard);
        self.shared.change(|state| state.uncounted += 1);
        Some(heard)
    }

    /// The body and the trailers behind a head.
    pub fn body(&mut self, heard: &Heard) -> (Vec<u8>, Vec<(String, String)>) {
        if let Some(length) = heard.length() {
            return (self.take(length), Vec::new());
        }
        let mut body = Vec::new();
        loop {
            let line = self.line();
            let size = usize::from_str_radix(&line, 16).unwrap_or_else(|_| panic!("no chunk size: {line:?}"));
            if size == 0 {
                break;
            }
            body.extend(self.take(size));
            assert_eq!(self.take(2), b"\r\n", "no end of a chunk");
        }
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => return (body, heard::trailers(&lines)),
                line => lines.extend_from_slice(format!("{line}\r\n").as_bytes()),
            }
        }
    }

    /// Reads a body of a known length, keeps nothing of it, and gives the number of bytes that came before the end.
    pub fn swallow(&mut self, length: u64) -> u64 {
        let mut taken = (self.buffer.len() as u64).min(length);
        self.buffer.drain(..usize::try_from(taken).expect("bytes in memory"));
        let mut chunk = vec![0; 256 * 1024];
        while taken < length {
            let most = usize::try_from(length - taken).unwrap_or(usize::MAX).min(chunk.len());
            match self.stream.read(&mut chunk[..most]) {
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count as u64,
            }
        }
        taken
    }

    /// Reads so many bytes of a pattern that begins anew at each of its ends.
    pub fn expect(&mut self, bytes: u64, pattern: &[u8]) {
        let first = std::mem::take(&mut self.buffer);
        pattern::expect(&mut self.stream, &first, bytes, pattern);
    }

    /// Sends the same.
    pub fn repeat(&mut self, bytes: u64, pattern: &[u8]) {
        pattern::send(&mut self.stream, bytes, pattern).unwrap_or_else(|error| panic!("send: {error}"));
    }

    /// Exactly so many bytes.
    pub fn take(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            assert!(self.fill(), "the end after {} of {length} bytes", self.buffer.len());
        }
        self.buffer.drain(..length).collect()
    }

    /// What has arrived; waits for a byte where nothing has. Empty: the end.
    pub fn some(&mut self) -> Vec<u8> {
        if self.buffer.is_empty() {
            self.fill();
        }
        std::mem::take(&mut self.buffer)
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.try_send(bytes);
        self
    }

    /// The same; `false` where the other side has gone.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        match self.stream.write_all(bytes.as_ref()) {
            Ok(()) => true,
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => false,
            Err(error) => panic!("send: {error}"),
        }
    }

    /// Sends each byte in a segment of its own.
    pub fn drip(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        for byte in bytes.as_ref() {
            self.send([*byte]);
        }
        self
    }

    /// Says that nothing more will be sent, and goes on reading.
    pub fn finish(&mut self) {
        // The other side may have gone.
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Closes so that the other side gets a reset, whatever it has not read. The script has to end behind it.
    pub fn reset(&mut self) {
        set_socket_linger(&self.stream, Some(Duration::ZERO)).expect("a TCP socket");
        self.mark("reset");
    }

    /// Reads and drops what comes until the other side closes, and tells how.
    pub fn end(&mut self) -> End {
        loop {
            self.buffer.clear();
            match self.read() {
                Ok(0) => return End::Closed,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return End::Reset,
                Err(error) => panic!("the connection stays open: {error}"),
            }
        }
    }

    /// Does nothing for a span, as an upstream does that is slow.
    pub fn pause(&mut self, span: Duration) {
        pause(span);
    }

    /// Says something to the test.
    pub fn mark(&self, mark: &str) {
        self.shared.change(|state| state.marks.push(mark.to_owned()));
    }

    /// Waits until the test, or another script, has said something.
    pub fn wait_for_mark(&self, mark: &str) {
        let said = self.shared.wait(WAIT, |state| state.marks.iter().any(|said| said == mark).then_some(()));
        said.unwrap_or_else(|| panic!("in vain for the mark {mark:?}"));
    }

    /// How long a read waits from now on.
    pub fn wait_at_most(&self, span: Duration) {
        self.stream.set_read_timeout(Some(span)).expect("a span above zero");
    }

    fn read_head(&mut self) -> Option<Heard> {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            let before = self.buffer.len();
            if !self.fill() {
                assert_eq!(before, 0, "the end within a head: {:?}", String::from_utf8_lossy(&self.buffer));
                return None;
            }
        };
        Some(Heard::parse(self.number, self.buffer.drain(..end).collect()))
    }

    /// Up to a line's end, which is not given.
    fn line(&mut self) -> String {
        let end = loop {
            if let Some(at) = self.buffer.windows(2).position(|window| window == b"\r\n") {
                break at;
            }
            assert!(self.fill(), "the end within a line");
        };
        let line: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
        String::from_utf8(line).expect("a line that is text")
    }

    /// `false`: the end. Idle connections may stay for as long as the other side likes.
    fn fill(&mut self) -> bool {
        match self.read() {
            Ok(count) => count > 0,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("nothing comes: {error}"),
        }
    }

    fn read(&mut self) -> std::io::Result<usize> {
        let mut chunk = [0; 64 * 1024];
        let count = loop {
            match self.stream.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(count)
    }
}
