//! A raw HTTP/1.1 client: sends exactly the bytes it is given and reads exactly one answer at a time.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, Shutdown, SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use crate::{answer::Answer, pattern, server::Server};

/// How long a client waits for the next bytes: far above what any answer takes, far below what a person waits.
pub const WAIT: Duration = Duration::from_secs(20);

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    /// What has arrived and belongs to no answer yet.
    buffer: Vec<u8>,
    /// The other side has another form than kiln's.
    is_foreign: bool,
    /// A server that must not end before this connection.
    _server: Option<Arc<Server>>,
}

/// What ended a connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum End {
    /// All bytes had been read, and then it was closed.
    Closed,
    /// It was reset.
    Reset,
}

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect_timeout(&address, WAIT).unwrap_or_else(|error| panic!("connect to {address}: {error}")))
    }

    /// Connects from an address of this machine.
    pub fn connect_from(from: IpAddr, address: SocketAddr) -> Self {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket(family, SocketType::STREAM, None).expect("a socket");
        let bound = bind(&socket, &SocketAddr::new(from, 0)).and_then(|()| connect(&socket, &address));
        bound.unwrap_or_else(|error| panic!("connect from {from} to {address}: {error}"));
        Self::over(TcpStream::from(socket))
    }

    /// Connects with so much room for what has arrived and was not taken, so that the other side soon has to wait.
    pub fn connect_narrow(address: SocketAddr, bytes: usize) -> Self {
        use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt::set_socket_recv_buffer_size};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        let connected = set_socket_recv_buffer_size(&socket, bytes).and_then(|()| connect(&socket, &address));
        connected.unwrap_or_else(|error| panic!("connect to {address}: {error}"));
        Self::over(TcpStream::from(socket))
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(WAIT)).expect("a span above zero");
        stream.set_write_timeout(Some(WAIT)).expect("a span above zero");
        stream.set_nodelay(true).expect("a TCP socket");
        Self { stream, buffer: Vec::new(), is_foreign: false, _server: None }
    }

    /// The address that it is connected to.
    pub fn peer(&self) -> SocketAddr {
        self.stream.peer_addr().expect("a connected socket")
    }

    /// To a server that writes field names in its own way.
    #[must_use]
    pub fn foreign(self) -> Self {
        Self { is_foreign: true, ..self }
    }

    /// Holds on to a server that others share.
    #[must_use]
    pub fn keeping(self, server: Arc<Server>) -> Self {
        Self { _server: Some(server), ..self }
    }

    /// Sends bytes as they are. The other side may have closed already: then what it said is still there to read.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        match self.stream.write_all(bytes.as_ref()) {
            Err(error) if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => panic!("send: {error}"),
            _ => self,
        }
    }

    /// Sends `bytes` over and over until the other side takes none for a while, or `most` are sent; gives how many were.
    pub fn send_until_full(&mut self, bytes: &[u8], most: usize) -> usize {
        self.stream.set_write_timeout(Some(Duration::from_secs(1))).expect("a span above zero");
        let mut sent = 0;
        while sent < most {
            match self.stream.write(&bytes[..bytes.len().min(most - sent)]) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("send: {error}"),
            }
        }
        self.stream.set_write_timeout(Some(WAIT)).expect("a span above zero");
        sent
    }

    /// Sends so many bytes of a pattern that begins anew at each of its ends.
    pub fn repeat(&mut self, bytes: u64, pattern: &[u8]) {
        pattern::send(&mut self.stream, bytes, pattern).unwrap_or_else(|error| panic!("send: {error}"));
    }

    /// Reads an answer's head, and its body of so many bytes of a pattern.
    pub fn expect_body(&mut self, bytes: u64, pattern: &[u8]) {
        self.begin_head();
        let first = std::mem::take(&mut self.buffer);
        pattern::expect(&mut self.stream, &first, bytes, pattern);
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("an open connection");
    }

    /// The same connection for a thread that sends while another one reads.
    #[must_use]
    pub fn twin(&self) -> Self {
        Self { stream: self.stream.try_clone().expect("a descriptor"), buffer: Vec::new(), is_foreign: self.is_foreign, _server: None }
    }

    /// Ends the connection by a reset.
    pub fn abort(self) {
        rustix::net::sockopt::set_socket_linger(&self.stream, Some(Duration::ZERO)).expect("a TCP socket");
    }

    /// Reads one answer to a request that is not HEAD, interim ones included.
    pub fn answer(&mut self) -> Answer {
        self.try_answer(false).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// Reads one answer to HEAD.
    pub fn head_answer(&mut self) -> Answer {
        self.try_answer(true).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// Reads one answer; `UnexpectedEof` where the connection was closed before its first byte.
    pub fn try_answer(&mut self, is_head: bool) -> io::Result<Answer> {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at + 4;
            }
            if self.fill()? == 0 {
                let kind = if self.buffer.is_empty() { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData };
                return Err(io::Error::new(kind, format!("closed after {:?}", String::from_utf8_lossy(&self.buffer))));
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        let parsed = if self.is_foreign { Answer::from_foreign_head(&head) } else { Answer::from_head(&head) };
        let mut answer = parsed.map_err(|bad| io::Error::new(ErrorKind::InvalidData, bad))?;
        let has_body = !is_head && !matches!(answer.status, 100..=199 | 204 | 304);
        if has_body {
            let length = answer.field("content-length").and_then(|text| text.parse::<usize>().ok());
            answer.body = match length {
                Some(length) => self.take(length)?,
                None if answer.field("transfer-encoding") == Some("chunked") => {
                    let body = self.chunks()?;
                    let lines = self.trailers()?;
                    answer.trailers = Answer::trailers_of(&lines).map_err(|bad| io::Error::new(ErrorKind::InvalidData, bad))?;
                    body
                }
                None => self.rest()?,
            };
        }
        Ok(answer)
    }

    /// Sends a request and reads its answer.
    pub fn ask(&mut self, request: impl AsRef<[u8]>) -> Answer {
        let is_head = request.as_ref().starts_with(b"HEAD ");
        self.send(request);
        self.try_answer(is_head).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// The same where the connection may be closed.
    pub fn try_ask(&mut self, request: impl AsRef<[u8]>) -> io::Result<Answer> {
        let is_head = request.as_ref().starts_with(b"HEAD ");
        self.send(request).try_answer(is_head)
    }

    /// GET with Host and more field lines (each with CRLF).
    pub fn get(&mut self, host: &str, target: &str, lines: &str) -> Answer {
        self.ask(format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n"))
    }

    /// The same where the connection may be closed.
    pub fn try_get(&mut self, host: &str, target: &str, lines: &str) -> io::Result<Answer> {
        self.send(format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n")).try_answer(false)
    }

    /// Reads until the other side closes; panics where more bytes come.
    pub fn end(&mut self) -> End {
        let end = self.try_end().unwrap_or_else(|error| panic!("the connection stays open: {error}"));
        assert!(self.buffer.is_empty(), "more bytes: {:?}", String::from_utf8_lossy(&self.buffer));
        end
    }

    /// Reads what is left, whatever it is, and tells what ended it.
    pub fn finish_reading(&mut self) -> End {
        self.try_end().unwrap_or_else(|error| panic!("the connection stays open: {error}"))
    }

    fn try_end(&mut self) -> io::Result<End> {
        loop {
            match self.fill() {
                Ok(0) => return Ok(End::Closed),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(End::Reset),
                Err(error) => return Err(error),
            }
        }
    }

    /// All bytes until the other side closes.
    pub fn rest(&mut self) -> io::Result<Vec<u8>> {
        self.try_end()?;
        Ok(std::mem::take(&mut self.buffer))
    }

    /// Exactly `length` bytes.
    pub fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < length {
            if self.fill()? == 0 {
                return Err(io::Error::new(ErrorKind::InvalidData, format!("{} of {length} body bytes", self.buffer.len())));
            }
        }
        Ok(self.buffer.drain(..length).collect())
    }

    /// The body that chunks make up, to the last one (RFC 9112 §7.1); there are never extensions.
    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let digits = line.strip_suffix(b"\r\n").and_then(|digits| std::str::from_utf8(digits).ok());
            let size = digits.and_then(|digits| usize::from_str_radix(digits, 16).ok());
            let size = size.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, format!("no size: {line:?}")))?;
            if size == 0 {
                return Ok(body);
            }
            body.extend(self.take(size)?);
            if self.take(2)? != b"\r\n" {
                return Err(io::Error::new(ErrorKind::InvalidData, "no end of a chunk"));
            }
        }
    }

    /// The lines behind the last chunk, the empty one included.
    fn trailers(&mut self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            lines.extend_from_slice(&line);
            if line == b"\r\n" {
                return Ok(lines);
            }
        }
    }

    /// One line with its end.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(at) = find(&self.buffer, b"\r\n") {
                return Ok(self.buffer.drain(..at + 2).collect());
            }
            if self.fill()? == 0 {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    format!("closed within the chunks, before a line of {} bytes ended", self.buffer.len()),
                ));
            }
        }
    }

    /// `length` bytes, or what there is until the other side closes; tells whether it is all.
    pub fn take_or_rest(&mut self, length: usize) -> io::Result<(Vec<u8>, bool)> {
        while self.buffer.len() < length {
            if self.fill()? == 0 {
                return Ok((std::mem::take(&mut self.buffer), false));
            }
        }
        Ok((self.buffer.drain(..length).collect(), true))
    }

    /// Reads an answer's head and what came with it of its body; gives the number of body bytes.
    pub fn begin_answer(&mut self) -> usize {
        self.begin_head();
        std::mem::take(&mut self.buffer).len()
    }

    /// Reads an answer's head, which is given as it came; what came with it of its body is there to be taken.
    pub fn begin_head(&mut self) -> String {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at + 4;
            }
            assert_ne!(self.fill().unwrap_or_default(), 0, "closed before an answer's head");
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        String::from_utf8_lossy(&head).into_owned()
    }

    /// Reads nothing for `span`, then all that is left; gives how many bytes that were. A reset is an end, too.
    pub fn rest_after_silence(&mut self, span: Duration) -> usize {
        pause(span);
        let mut bytes = 0;
        while let Ok(length) = self.fill() {
            if length == 0 {
                break;
            }
            bytes += length;
            self.buffer.clear();
        }
        bytes
    }

    /// Whether nothing arrives and nothing is closed within `span`.
    pub fn is_silent_for(&mut self, span: Duration) -> bool {
        self.stream.set_read_timeout(Some(span)).expect("a span above zero");
        let result = self.fill();
        self.stream.set_read_timeout(Some(WAIT)).expect("a span above zero");
        self.buffer.is_empty() && matches!(result, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    fn fill(&mut self) -> io::Result<usize> {
        let mut chunk = [0; 64 * 1024];
        let length = loop {
            match self.stream.read(&mut chunk) {
                // With a timeout set it also happens without a signal handler, where the process was stopped for a while.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.buffer.extend_from_slice(&chunk[..length]);
        Ok(length)
    }
}

/// Does nothing for `span`, as a client does that is slow; never to wait for something else to happen.
pub fn pause(span: Duration) {
    // Nothing is sent to the other end of this pair: the wait is for its deadline.
    let (quiet, _open) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
    quiet.set_read_timeout(Some(span)).expect("a span above zero");
    drop((&quiet).read(&mut [0]));
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
