//! One HTTP/1.1 answer as it came off the wire.

use std::{error::Error, fmt, str};

/// A parsed answer; names in lower case, in the order received.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Answer {
    /// `HTTP/1.1`.
    pub version: String,
    pub status: u16,
    pub reason: String,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Fields behind the last chunk.
    pub trailers: Vec<(String, String)>,
}

/// Why bytes are no answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BadAnswer(pub String);

impl Answer {
    /// Parses a head, its empty line included.
    pub fn from_head(head: &[u8]) -> Result<Self, BadAnswer> {
        Self::parse(head, field)
    }

    /// The same of a server that has another form: names in any case.
    pub fn from_foreign_head(head: &[u8]) -> Result<Self, BadAnswer> {
        Self::parse(head, |line| {
            let (name, value) = line.split_once(':').ok_or("a line without a colon")?;
            Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
    }

    fn parse(head: &[u8], field: impl Fn(&str) -> Result<(String, String), &'static str>) -> Result<Self, BadAnswer> {
        let bad = |why: &str| BadAnswer(format!("{why} in {:?}", String::from_utf8_lossy(head)));
        let text = str::from_utf8(head).map_err(|_| bad("bytes that are not UTF-8"))?;
        let mut lines = text.strip_suffix("\r\n\r\n").ok_or_else(|| bad("no empty line"))?.split("\r\n");
        let mut status_line = lines.next().unwrap_or_default().splitn(3, ' ');
        let (version, status, reason) = (status_line.next(), status_line.next(), status_line.next());
        let (Some(version), Some(status), Some(reason)) = (version, status, reason) else { return Err(bad("no status line")) };
        let mut answer = Self { version: version.to_owned(), reason: reason.to_owned(), ..Self::default() };
        answer.status = status.parse().map_err(|_| bad("no status"))?;
        answer.fields = lines.map(|line| field(line).map_err(bad)).collect::<Result<_, _>>()?;
        Ok(answer)
    }

    /// Parses the lines behind the last chunk, the empty one included.
    pub fn trailers_of(lines: &[u8]) -> Result<Vec<(String, String)>, BadAnswer> {
        let bad = |why: &str| BadAnswer(format!("{why} in trailers {:?}", String::from_utf8_lossy(lines)));
        let text = str::from_utf8(lines).map_err(|_| bad("bytes that are not UTF-8"))?;
        let lines = text.strip_suffix("\r\n").ok_or_else(|| bad("no empty line"))?;
        lines.split_terminator("\r\n").map(|line| field(line).map_err(bad)).collect()
    }

    /// The first value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// All values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The fields that depend on the site alone: all but `date` and `connection`.
    pub fn stable_fields(&self) -> Vec<(String, String)> {
        self.fields.iter().filter(|(name, _)| name != "date" && name != "connection").cloned().collect()
    }

    /// The body after its content coding is undone.
    pub fn decoded_body(&self) -> Result<Vec<u8>, BadAnswer> {
        decode(self.field("content-encoding").unwrap_or("identity"), &self.body)
    }
}

fn field(line: &str) -> Result<(String, String), &'static str> {
    let (name, value) = line.split_once(": ").ok_or("a line without a colon and a space")?;
    if name != name.to_ascii_lowercase() || line.contains(['\r', '\n']) {
        return Err("a field that is not in our form");
    }
    // White space around a value is not part of it (RFC 9110 §5.5); a template may render some.
    Ok((name.to_owned(), value.trim().to_owned()))
}

/// Undoes one content coding.
pub fn decode(coding: &str, body: &[u8]) -> Result<Vec<u8>, BadAnswer> {
    let mut out = Vec::new();
    let done = match coding {
        "br" => std::io::copy(&mut brotli::Decompressor::new(body, 64 * 1024), &mut out),
        "gzip" => std::io::copy(&mut flate2::read::MultiGzDecoder::new(body), &mut out),
        "identity" => std::io::copy(&mut &*body, &mut out),
        "zstd" => zstd::stream::copy_decode(body, &mut out).map(|()| 0),
        other => return Err(BadAnswer(format!("content-encoding {other}"))),
    };
    done.map(|_| out).map_err(|error| BadAnswer(format!("{coding}: {error}")))
}

impl fmt::Display for BadAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not an answer: {}", self.0)
    }
}

impl Error for BadAnswer {}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn head_with_two_equal_fields_keeps_both_in_order() {
        let answer = Answer::from_head(b"HTTP/1.1 200 OK\r\nlink: a\r\nx: 1\r\nlink: b\r\n\r\n").unwrap();
        assert_eq!(answer.all("link").collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn head_with_bare_line_feed_is_refused() {
        assert!(Answer::from_head(b"HTTP/1.1 200 OK\r\na: 1\nb: 2\r\n\r\n").is_err());
    }
}
