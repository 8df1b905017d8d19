//! A request as an upstream has received it.

use std::str;

/// What came, in the order received; names as they were written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Heard {
    /// The connection's number at this upstream.
    pub connection: usize,
    /// All bytes up to the empty line, that included.
    pub head: Vec<u8>,
    pub method: String,
    pub target: String,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Lines behind the last chunk.
    pub trailers: Vec<(String, String)>,
}

impl Heard {
    /// Parses a head; panics where it is not exactly in the form that kiln writes, which leaves nothing open to read in two ways.
    pub(super) fn parse(connection: usize, head: Vec<u8>) -> Self {
        let bad = |why: &str| -> ! { panic!("{why} in {:?}", String::from_utf8_lossy(&head)) };
        let text: String = head.iter().map(|byte| char::from(*byte)).collect();
        let Some(lines) = text.strip_suffix("\r\n\r\n") else { bad("no empty line") };
        let mut lines = lines.split("\r\n");
        let request_line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, target, "HTTP/1.1"] = request_line[..] else { bad("no request line of HTTP/1.1") };
        if !method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            bad("a method or a target that is none");
        }
        let (method, target) = (method.to_owned(), target.to_owned());
        let fields = lines.map(|line| field(line).unwrap_or_else(|why| bad(why))).collect();
        let heard = Self { connection, method, target, fields, ..Self::default() };
        let count = |name: &str| heard.all(name).count();
        if count("host") != 1 || count("content-length") + count("transfer-encoding") > 1 {
            bad("not one host, or more than one framing");
        }
        Self { head, ..heard }
    }

    /// The first value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a field.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        self.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Method and target.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// Body bytes that are announced; `None`: chunks.
    pub(super) fn length(&self) -> Option<usize> {
        match self.field("transfer-encoding") {
            Some("chunked") => None,
            Some(other) => panic!("transfer-encoding: {other}"),
            None => Some(self.field("content-length").map_or(0, |text| text.parse().unwrap_or_else(|_| panic!("content-length: {text}")))),
        }
    }
}

/// `name: value`, with nothing around it.
pub(super) fn field(line: &str) -> Result<(String, String), &'static str> {
    let (name, value) = line.split_once(':').ok_or("a line without a colon")?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err("a field name that is none");
    }
    if value.contains(['\r', '\n', '\0']) {
        return Err("a control byte in a value");
    }
    Ok((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
}

/// Lines of trailers, without the empty one.
pub(super) fn trailers(lines: &[u8]) -> Vec<(String, String)> {
    let text = str::from_utf8(lines).expect("trailers that are text");
    text.split_terminator("\r\n").map(|line| field(line).unwrap_or_else(|why| panic!("{why} in trailers {text:?}"))).collect()
}
