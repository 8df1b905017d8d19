//! The corpus of requests that parsers read differently: `runtime/semantics/tests/corpora/http1.txt`.

/// One request, or a few behind each other.
#[derive(Clone, Debug)]
pub struct Row {
    pub id: &'static str,
    pub verdict: Verdict,
    /// How many requests it is where it is taken.
    pub requests: usize,
    /// Statuses that kiln answers with, and `close` where the last one says so.
    pub ours: &'static str,
    /// Which other servers refuse it, `-` where none does.
    pub refused_by: &'static str,
    pub bytes: Vec<u8>,
}

/// What RFC 9110 and RFC 9112 want.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It is answered.
    Accept,
    /// It is answered or refused.
    May,
    /// It is refused, or read as one request in one way.
    Normalise,
    /// It is refused and the connection closed.
    Reject,
}

static TEXT: &str = include_str!("../../runtime/semantics/tests/corpora/http1.txt");

/// All rows.
pub fn rows() -> Vec<Row> {
    TEXT.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let parts: Vec<&str> = line.split('\t').collect();
    let &[id, verdict, requests, ours, refused_by, bytes] = parts.as_slice() else { panic!("six columns in {line:?}") };
    let verdict = match verdict {
        "accept" => Verdict::Accept,
        "may" => Verdict::May,
        "normalise" => Verdict::Normalise,
        "reject" => Verdict::Reject,
        other => panic!("no verdict: {other}"),
    };
    Row { id, verdict, requests: requests.parse().expect("a number"), ours, refused_by, bytes: unescape(bytes) }
}

/// `\r`, `\n`, `\t`, `\\`, `\xE9`, and `\{a*70000}` for many of one byte.
fn unescape(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some((front, behind)) = rest.split_once('\\') {
        bytes.extend_from_slice(front.as_bytes());
        let (kind, behind) = behind.split_at(1);
        rest = behind;
        match kind {
            "r" => bytes.push(b'\r'),
            "n" => bytes.push(b'\n'),
            "t" => bytes.push(b'\t'),
            "\\" => bytes.push(b'\\'),
            "x" => {
                bytes.push(u8::from_str_radix(&behind[..2], 16).expect("two digits"));
                rest = &behind[2..];
            }
            "{" => {
                let (many, behind) = behind.split_once('}').expect("a brace that closes");
                let (byte, count) = many.split_once('*').expect("a byte and a count");
                bytes.extend(byte.repeat(count.parse().expect("a count")).bytes());
                rest = behind;
            }
            other => panic!("no escape: {other}"),
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}
