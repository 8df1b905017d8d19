//! An upstream that answers with what it got: the head's bytes exactly as they came, and how long the body was.
//!
//! Fields of the request steer it: `x-echo-status: 404`, and each `x-echo-field: NAME: VALUE` is one more line of the answer. Whatever it got is kept until
//! it is taken, so that answers to HEAD, and those that nobody passes on, can be looked at as well.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// The longest head that it takes, bytes.
const HEAD_MAX: usize = 256 * 1024;

/// One endpoint, on a port of its own for as long as the process lives.
#[derive(Clone, Debug)]
pub struct Echo {
    name: String,
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

/// One request as it came.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Received {
    /// Request line, field lines and the empty line.
    pub head: Vec<u8>,
    /// Without its framing.
    pub body: Vec<u8>,
    /// Lines behind the last chunk.
    pub trailers: Vec<u8>,
}

impl Echo {
    /// Starts one; its answers say its name in `x-endpoint`.
    pub fn start(name: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let echo = Self { name: name.to_owned(), address, received: Arc::default() };
        let server = echo.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let server = server.clone();
                // A proxy that goes away ends its connection, and nothing else.
                thread::spawn(move || drop(server.connection(&stream)));
            }
        });
        echo
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What came since the last call, in its order.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn connection(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream);
        while let Some(received) = read(&mut reader, stream)? {
            let answer = received.answer(&self.name).concat();
            let is_last = received.values("connection").any(|value| value.eq_ignore_ascii_case("close"));
            self.received.lock().unwrap_or_else(PoisonError::into_inner).push(received);
            (&*stream).write_all(&answer)?;
            if is_last {
                break;
            }
        }
        Ok(())
    }
}

impl Received {
    /// The answer of the endpoint of that name: head and body.
    pub fn answer(&self, name: &str) -> [Vec<u8>; 2] {
        let status = self.values("x-echo-status").next().and_then(|status| status.parse().ok()).unwrap_or(200);
        let mut body = self.head.clone();
        body.extend_from_slice(&self.trailers);
        body.extend_from_slice(format!("body: {} bytes\n", self.body.len()).as_bytes());
        let mut head = format!("HTTP/1.1 {status} Echo\r\ncontent-type: text/plain\r\nx-endpoint: {name}\r\n");
        self.values("x-echo-field").for_each(|line| head.push_str(&format!("{line}\r\n")));
        let has_body = !matches!(status, 204 | 304);
        if has_body {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        if !has_body || self.head.starts_with(b"HEAD ") {
            body.clear();
        }
        [format!("{head}\r\n").into_bytes(), body]
    }

    /// The values of a field, as they came but for blanks around them.
    pub fn values(&self, name: &str) -> impl Iterator<Item = String> {
        let head = String::from_utf8_lossy(&self.head).into_owned();
        let lines = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
        let values = lines.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned());
        values.collect::<Vec<_>>().into_iter()
    }
}

/// The next request; `None` where the connection has ended between two.
fn read(reader: &mut BufReader<&TcpStream>, mut stream: &TcpStream) -> io::Result<Option<Received>> {
    let mut received = Received::default();
    while !received.head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut received.head)? == 0 || received.head.len() > HEAD_MAX {
            return Ok(None);
        }
    }
    if received.values("expect").next().is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if received.values("transfer-encoding").next().is_some() {
        while chunk(reader, &mut received.body)? {}
        while !matches!(&received.trailers[..], b"\r\n") && !received.trailers.ends_with(b"\r\n\r\n") {
            reader.read_until(b'\n', &mut received.trailers)?;
        }
        received.trailers.truncate(received.trailers.len() - 2);
    } else {
        let length = received.values("content-length").next().and_then(|length| length.parse().ok()).unwrap_or(0);
        received.body.resize(length, 0);
        reader.read_exact(&mut received.body)?;
    }
    Ok(Some(received))
}

/// One chunk more; `false`: it was the last.
fn chunk(reader: &mut BufReader<&TcpStream>, body: &mut Vec<u8>) -> io::Result<bool> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let size = line.split(';').next().unwrap_or_default().trim();
    let size = usize::from_str_radix(size, 16).map_err(|_| io::Error::other("no chunk"))?;
    if size == 0 {
        return Ok(false);
    }
    let before = body.len();
    body.resize(before + size, 0);
    reader.read_exact(&mut body[before..])?;
    reader.read_line(&mut line)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Echo, Received};
    use crate::client::Client;

    #[test]
    fn requests_are_told_as_they_came() {
        let echo = Echo::start("one");
        let mut client = Client::connect(echo.address());
        let head = "POST /a?b HTTP/1.1\r\nHost:x\r\nx-echo-status: 404\r\nx-echo-field: x-more: 1\r\ncontent-length: 3\r\n\r\n";
        let answer = client.send(format!("{head}abc")).answer();
        assert_eq!((answer.status, answer.field("x-endpoint"), answer.field("x-more")), (404, Some("one"), Some("1")));
        assert_eq!(answer.text(), format!("{head}body: 3 bytes\n"));
        let chunked = "PUT / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n";
        let answer = client.send(format!("{chunked}2\r\nab\r\n1;x\r\nc\r\n0\r\nx-t: 1\r\n\r\n")).answer();
        assert_eq!(answer.text(), format!("{chunked}x-t: 1\r\nbody: 3 bytes\n"));
        let answer = client.send("HEAD / HTTP/1.1\r\n\r\n").head_answer();
        assert_eq!((answer.status, answer.body.len()), (200, 0));
        let heads: Vec<_> = echo.take().into_iter().map(|received: Received| received.head).collect();
        assert_eq!(heads, [head.as_bytes(), chunked.as_bytes(), b"HEAD / HTTP/1.1\r\n\r\n"]);
        assert_eq!(echo.take(), []);
    }
}
