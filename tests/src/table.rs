//! Rows of a table: a request for a file and what its answer must be. What every answer must be is checked for each of them, too.

use crate::{
    answer::Answer,
    client::Client,
    docroot::{HUNDRED, SECRET},
    server::Shared,
};

/// One request and what is expected of its answer.
#[derive(Clone, Debug)]
pub struct Row {
    method: String,
    target: String,
    lines: Vec<String>,
    /// Which hosts it is asked of.
    kinds: Vec<Kind>,
    statuses: Vec<u16>,
    fields: Vec<(&'static str, Field)>,
    body: Option<Vec<u8>>,
    parts: Option<Vec<(usize, usize)>>,
}

/// What a host serves its files from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The binary, with dates of last modification.
    Dated,
    /// The binary.
    Embedded,
    /// A root, with siblings and compressed while it is sent.
    Encoded,
    /// A root.
    Root,
}

/// What is expected of a field.
#[derive(Clone, Debug)]
enum Field {
    Absent,
    /// One of these values, or one that only some servers of a kind would send.
    Among(Vec<String>),
    /// Not this value.
    Not(String),
    Present,
}

impl Row {
    /// A request that every kind of host must answer with 200.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            lines: Vec::new(),
            kinds: vec![Kind::Dated, Kind::Embedded, Kind::Encoded, Kind::Root],
            statuses: vec![200],
            fields: Vec::new(),
            body: None,
            parts: None,
        }
    }

    /// With one more field line; `{etag}` in it is the tag of what a plain GET gets, `{opaque}` the same without quotes and `W/`.
    #[must_use]
    pub fn with(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// Asked of these only.
    #[must_use]
    pub fn on(mut self, kinds: &[Kind]) -> Self {
        self.kinds = kinds.to_vec();
        self
    }

    /// Asked of those that know when a file was last modified.
    #[must_use]
    pub fn dated(self) -> Self {
        self.on(&[Kind::Dated, Kind::Encoded, Kind::Root])
    }

    /// Answered with this status.
    #[must_use]
    pub fn gives(self, status: u16) -> Self {
        self.gives_any(&[status])
    }

    /// Answered with one of them.
    #[must_use]
    pub fn gives_any(mut self, statuses: &[u16]) -> Self {
        self.statuses = statuses.to_vec();
        self
    }

    /// With a field of that value.
    #[must_use]
    pub fn field(mut self, name: &'static str, value: &str) -> Self {
        self.fields.push((name, Field::Among(vec![value.to_owned()])));
        self
    }

    /// With a field that is anything but this.
    #[must_use]
    pub fn field_not(mut self, name: &'static str, value: &str) -> Self {
        self.fields.push((name, Field::Not(value.to_owned())));
        self
    }

    /// With a field.
    #[must_use]
    pub fn has(mut self, name: &'static str) -> Self {
        self.fields.push((name, Field::Present));
        self
    }

    /// Without a field.
    #[must_use]
    pub fn without(mut self, name: &'static str) -> Self {
        self.fields.push((name, Field::Absent));
        self
    }

    /// With this body, once its coding is undone.
    #[must_use]
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Some(body.as_ref().to_vec());
        self
    }

    /// With these parts of [`HUNDRED`], offsets of first and last byte.
    #[must_use]
    pub fn parts(mut self, parts: &[(usize, usize)]) -> Self {
        self.parts = Some(parts.to_vec());
        self.gives(206)
    }

    /// Asks a host of a kind; gives what is wrong with its answer. The connection must outlive it.
    fn check(&self, client: &mut Client, host: &str, kind: Kind) -> Option<String> {
        if !self.kinds.contains(&kind) {
            return None;
        }
        let is_coding = |line: &&String| line.starts_with("accept-encoding:");
        let codings: String = self.lines.iter().filter(is_coding).map(|line| format!("{line}\r\n")).collect();
        let plain = client.get(host, &self.target, &codings);
        let tag = plain.field("etag").unwrap_or("\"none\"");
        let opaque = tag.trim_start_matches("W/").trim_matches('"');
        let lines: String = self.lines.iter().map(|line| format!("{line}\r\n")).collect();
        let lines = lines.replace("{etag}", tag).replace("{opaque}", opaque);
        let ask =
            |client: &mut Client, method: &str| client.ask(format!("{method} {} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n", self.target));
        let answer = ask(client, &self.method);
        let mut faults = self.faults(&answer);
        faults.extend(house(&answer, &plain, &self.method));
        if self.method == "GET" && !self.lines.iter().any(|line| line.starts_with("range:")) {
            let head = ask(client, "HEAD");
            if (head.status, head.stable_fields()) != (answer.status, answer.stable_fields()) {
                faults.push(format!("HEAD is not GET without its body: {} {:?}", head.status, head.stable_fields()));
            }
        }
        let shown = format!("{} {} {:?} on {host}", self.method, self.target, self.lines);
        (!faults.is_empty()).then(|| format!("{shown}: {faults:?}; {} {:?}", answer.status, answer.fields))
    }

    fn faults(&self, answer: &Answer) -> Vec<String> {
        let mut faults = Vec::new();
        if !self.statuses.contains(&answer.status) {
            faults.push(format!("status {}, not {:?}", answer.status, self.statuses));
        }
        for (name, expected) in &self.fields {
            let value = answer.field(name);
            let is_right = match expected {
                Field::Absent => value.is_none(),
                Field::Among(values) => value.is_some_and(|value| values.iter().any(|expected| expected == value)),
                Field::Not(refused) => value != Some(refused),
                Field::Present => value.is_some(),
            };
            if !is_right {
                faults.push(format!("{name}: {value:?}, not {expected:?}"));
            }
        }
        match (answer.decoded_body(), &self.body) {
            (Ok(body), Some(expected)) if self.method != "HEAD" && body != *expected => {
                faults.push(format!("body of {} bytes, not {}", body.len(), expected.len()));
            }
            (Err(error), Some(_)) if self.method != "HEAD" => faults.push(error.to_string()),
            _ => {}
        }
        faults.extend(self.parts.as_ref().and_then(|parts| wrong_parts(answer, parts)));
        faults
    }
}

/// Asks every host for every row, and tells all that is wrong.
#[track_caller]
pub fn check(server: &Shared, hosts: &[(&str, Kind)], rows: &[Row]) {
    let mut faults = Vec::new();
    for &(host, kind) in hosts {
        let mut client = server.client();
        faults.extend(rows.iter().filter_map(|row| row.check(&mut client, host, kind)));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// What is wrong with a 206 of parts of [`HUNDRED`].
fn wrong_parts(answer: &Answer, expected: &[(usize, usize)]) -> Option<String> {
    if let [(first, last)] = expected {
        let content_range = format!("bytes {first}-{last}/100");
        let is_right = answer.field("content-range") == Some(&*content_range) && answer.body == HUNDRED.as_bytes()[*first..=*last];
        return (!is_right).then(|| format!("not {content_range}: {}", answer.text()));
    }
    let Some(boundary) = answer.field("content-type").and_then(|text| text.strip_prefix("multipart/byteranges; boundary=")) else {
        return Some("not multipart".to_owned());
    };
    let mut body = String::new();
    for (first, last) in expected {
        let opening = if body.is_empty() { "" } else { "\r\n" };
        let bytes = &HUNDRED[*first..=*last];
        body += &format!(
            "{opening}--{boundary}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes {first}-{last}/100\r\n\r\n{bytes}"
        );
    }
    body += &format!("\r\n--{boundary}--\r\n");
    (answer.text() != body || answer.field("content-range").is_some()).then(|| format!("not {expected:?}: {}", answer.text()))
}

/// What every answer must be, whatever was asked for. `plain` is that to a GET without conditions.
fn house(answer: &Answer, plain: &Answer, method: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |is_right: bool, what: &str| {
        if !is_right {
            faults.push(what.to_owned());
        }
    };
    must(!answer.text().contains(SECRET), "the secret");
    must(answer.field("date").is_some_and(|date| date.len() == 29 && date.ends_with(" GMT")), "no date");
    let length = answer.field("content-length").and_then(|text| text.parse::<usize>().ok());
    must(method == "HEAD" || answer.status == 304 || length.is_none_or(|length| length == answer.body.len()), "another length");
    must(
        answer.field("location").is_none_or(|to| to.starts_with('/') && !to.starts_with("//") && !to.contains('\\')),
        "a location elsewhere",
    );
    let varies = answer.field("vary").is_some_and(|vary| vary.contains("accept-encoding"));
    must(answer.field("content-encoding").is_none() || varies, "coded, but no vary");
    must(answer.fields.iter().all(|(name, _)| answer.all(name).count() == 1), "a field twice");
    match answer.status {
        200 | 206 => must(answer.field("content-type").is_some(), "no content-type"),
        304 => {
            must(answer.body.is_empty(), "a body");
            must(answer.field("content-type").is_none() && answer.field("content-encoding").is_none(), "metadata of a body");
            for name in ["etag", "last-modified", "vary", "cache-control"] {
                let is_same = answer.field(name) == plain.field(name);
                // A weak tag may be known by its strong spelling.
                must(is_same || name == "etag" && answer.field(name).is_some(), &format!("{name} is not that of a 200"));
            }
        }
        400..=499 => must(method == "HEAD" || !answer.body.is_empty() && answer.field("content-type").is_some(), "an error without text"),
        _ => {}
    }
    must(answer.status != 405 || answer.field("allow").is_some(), "405 without allow");
    must(answer.status != 416 || answer.field("content-range").is_some_and(|range| range.starts_with("bytes */")), "416 without a length");
    faults
}
