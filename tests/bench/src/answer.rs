//! One exchange that is looked at in full: status, fields, every byte of the body. It stands before and after each sample.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::{fault::Fault, hash};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What an answer was, in a form that is equal each time.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Proof {
    /// Status line and fields as received, the value of `date` left out.
    pub head: String,
    /// Head and body as received.
    pub bytes: usize,
    pub body_sha256: String,
}

/// Sends one request on a connection of its own and checks the answer: 200, the exact body, and the end of the connection if it `closes`.
pub fn prove(address: SocketAddr, request: &[u8], body: &[u8], closes: bool) -> Result<Proof, Fault> {
    let (head, received, ended) = fetch(address, request, closes)?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(Fault::Answer(format!("not 200 but {:?}", head.lines().next().unwrap_or_default())));
    }
    if received != body {
        return Err(Fault::Answer(format!("the body of {} bytes is not the one of {} bytes", received.len(), body.len())));
    }
    if closes && !ended {
        return Err(Fault::Answer("the connection goes on".to_owned()));
    }
    Ok(Proof { bytes: head.len() + received.len(), head: without_date(&head), body_sha256: hash::bytes(&received) })
}

/// Head, body, and whether the server ended the connection behind it (looked at only if `closes`).
fn fetch(address: SocketAddr, request: &[u8], closes: bool) -> Result<(String, Vec<u8>, bool), Fault> {
    let fault = || Fault::io(format!("an answer of {address}"));
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT).map_err(fault())?;
    stream.set_read_timeout(Some(TIMEOUT)).map_err(fault())?;
    stream.set_nodelay(true).map_err(fault())?;
    stream.write_all(request).map_err(fault())?;
    let mut received = Vec::new();
    let mut part = vec![0; 64 * 1024];
    let mut wanted = None;
    while wanted.is_none_or(|wanted| received.len() < wanted) {
        let count = stream.read(&mut part).map_err(fault())?;
        if count == 0 {
            return Err(Fault::Answer(format!("ends after {} bytes", received.len())));
        }
        received.extend_from_slice(&part[..count]);
        wanted = wanted.or_else(|| announced(&received));
    }
    let end = received.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
    let body = received.split_off(end);
    let ended = closes && stream.read(&mut part).map_err(fault())? == 0;
    Ok((String::from_utf8_lossy(&received).into_owned(), body, ended))
}

/// Bytes of the whole answer, once its head is there.
fn announced(received: &[u8]) -> Option<usize> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    Some(end + length.and_then(|length| length.trim().parse::<usize>().ok()).unwrap_or(0))
}

fn without_date(head: &str) -> String {
    let is_date = |line: &str| line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("date:"));
    head.split("\r\n").map(|line| if is_date(line) { &line[..5] } else { line }).collect::<Vec<_>>().join("\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_is_left_out_of_the_head() {
        assert_eq!(without_date("HTTP/1.1 200 OK\r\nDate: today\r\nServer: x\r\n\r\n"), "HTTP/1.1 200 OK\r\nDate:\r\nServer: x\r\n\r\n");
    }

    #[test]
    fn length_is_known_when_the_head_is_complete() {
        assert_eq!(announced(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r"), None);
        assert_eq!(announced(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), Some(41));
    }
}
