//! Literate cases: Markdown with a KDL block, and exchanges that the site of that block must answer.
//!
//! In an `http` block `> ` begins a line of the request (its first names method and target), `< ` one of the expected answer (its first is the
//! status, or `closed`), and `| ` one of the body of the line above it. A field that is named has all its values named, in order; `< no NAME` says that
//! it is absent. `> @from: ADDRESS` is the peer's address, `> @listener: NAME` where it connects to. An empty line separates exchanges.
//!
//! `>> ` begins a line of what an upstream gets (its first is the request line without its version), with fields as in an answer; `<< ` one of what it
//! replies: a status, then fields. Every endpoint is an echo ([`crate::echo`]); that of the blocks' `upstream "echo"` is there for all of them.
//!
//! The blocks of all files are one site, so each has hosts of its own. A file that says `Site: FILE` in front of its cases is about that site instead.
//! `Environment: NAME=VALUE` sets a variable.

use std::{collections::BTreeMap, fs, net::IpAddr};

use crate::site::repository;

/// The head of the site that all blocks are part of.
pub const HEAD: &str = r#"site "cases" language=1 {
    listen "127.0.0.1:0" name="public"
    listen "127.0.0.3:0" name="inner"
    trusted-proxies "127.0.0.1/32"
}
upstream "echo" { endpoint (env)"CASES_ECHO" }
"#;

/// All cases of one site.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Relative to the repository; `None`: the cases' own blocks.
    pub entry: Option<String>,
    pub environment: BTreeMap<String, String>,
    pub cases: Vec<Case>,
}

/// One section of a file of cases.
#[derive(Clone, Debug)]
pub struct Case {
    /// `patterns.md: a literal beats a parameter`.
    pub title: String,
    pub kdl: String,
    pub exchanges: Vec<Exchange>,
}

/// A request and what must come back.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub method: String,
    pub target: String,
    pub host: String,
    pub fields: Vec<(String, String)>,
    /// The peer's address; 127.0.0.1 where nothing is said.
    pub from: Option<IpAddr>,
    /// The first one where nothing is said.
    pub listener: Option<String>,
    pub content: String,
    /// What an upstream gets: method and target, then fields; nothing is said of it where this is empty.
    pub sent: Wanted,
    /// What the upstream replies: a status, then lines.
    pub reply: Vec<String>,
    /// `None`: the connection is closed without an answer.
    pub status: Option<u16>,
    pub wanted: Wanted,
    pub body: Option<String>,
}

/// What a head must be like.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The first line, as far as one is written.
    pub line: Option<String>,
    /// A field that is named has all its values named, in order.
    pub expected: Vec<(String, String)>,
    pub absent: Vec<String>,
}

impl Wanted {
    /// What is wrong with fields.
    fn faults(&self, fields: &[(String, String)]) -> Vec<String> {
        let all = |fields: &[(String, String)], name: &str| -> Vec<String> {
            fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value.clone()).collect()
        };
        let mut faults = Vec::new();
        for (name, _) in &self.expected {
            let (got, expected) = (all(fields, name), all(&self.expected, name));
            if got != expected {
                faults.push(format!("{name}: {got:?}, expected {expected:?}"));
            }
        }
        faults.extend(self.absent.iter().filter(|name| !all(fields, name).is_empty()).map(|name| format!("{name} is there")));
        faults
    }

    /// Takes a line behind the first.
    fn add(&mut self, line: &str) {
        match line.strip_prefix("no ") {
            Some(name) => self.absent.push(name.to_owned()),
            None => self.expected.push(pair(line)),
        }
    }
}

fn pair(line: &str) -> (String, String) {
    line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned())).unwrap_or_else(|| panic!("no field: {line}"))
}

/// An answer as any of the three readers gives it: status, fields, body.
pub type Got<'a> = (u16, &'a [(String, String)], &'a [u8]);

impl Exchange {
    /// All fields of the request but Host: those that are written, and those that tell an echo what to reply.
    fn all_fields(&self) -> Vec<(String, String)> {
        let told = self.reply.iter().enumerate().map(|(at, line)| {
            let name = if at == 0 { "x-echo-status" } else { "x-echo-field" };
            (name.to_owned(), line.clone())
        });
        self.fields.iter().cloned().chain(told).collect()
    }

    /// What is wrong with what the first upstream got, the bytes of a head.
    pub fn faults_of_sent(&self, head: Option<&[u8]>) -> Vec<String> {
        let Some(wanted) = &self.sent.line else { return Vec::new() };
        let Some(head) = head else { return vec![format!("nothing was sent on, expected {wanted}")] };
        let text = String::from_utf8_lossy(head);
        let mut lines = text.split("\r\n");
        let got = lines.next().unwrap_or_default();
        let mut faults: Vec<_> =
            (got != format!("{wanted} HTTP/1.1")).then(|| format!("the upstream got {got:?}, expected {wanted}")).into_iter().collect();
        let fields: Vec<_> = lines.filter(|line| !line.is_empty()).map(pair).collect();
        faults.extend(self.sent.faults(&fields).into_iter().map(|fault| format!("the upstream got {fault}")));
        faults
    }

    /// The request as bytes; it asks to close where nothing else is said.
    pub fn bytes(&self) -> String {
        let fields: String = self.all_fields().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{} {} HTTP/1.1\r\nhost: {}\r\n{fields}\r\n{}", self.method, self.target, self.host, self.content)
    }

    /// The peer's address.
    pub fn client(&self) -> IpAddr {
        self.from.unwrap_or_else(|| IpAddr::from([127, 0, 0, 1]))
    }

    /// The request for the reference; the names are those of the site's listeners.
    pub fn request(&self, listeners: &[Option<String>]) -> reference::Request {
        let position = |wanted: &String| listeners.iter().position(|name| name.as_ref() == Some(wanted)).expect("a listener of the site");
        reference::Request {
            method: self.method.clone(),
            host: self.host.clone(),
            target: self.target.clone(),
            fields: self.all_fields(),
            client: self.client(),
            listener: self.listener.as_ref().map_or(0, position),
            replies: Vec::new(),
        }
    }

    /// What is wrong with an answer.
    pub fn faults(&self, got: Option<Got<'_>>) -> Vec<String> {
        let Some((status, fields, body)) = got else {
            return self.status.iter().map(|status| format!("closed, expected {status}")).collect();
        };
        let mut faults = Vec::new();
        if Some(status) != self.status {
            faults.push(format!("status {status}, expected {:?}", self.status));
        }
        faults.extend(self.wanted.faults(fields));
        if let Some(expected) = &self.body
            && self.method != "HEAD"
            && expected.as_bytes() != body
        {
            faults.push(format!("body {:?}, expected {expected:?}", String::from_utf8_lossy(body)));
        }
        faults
    }
}

/// All cases of `tests/cases`: those of blocks first, then those of whole sites, in the order of the files' names.
pub fn all() -> Vec<Suite> {
    let directory = repository().join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(&directory).expect("tests/cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    let mut suites = vec![Suite::default()];
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let suite = suite(&name, &fs::read_to_string(&file).expect("a readable file"));
        if suite.entry.is_some() {
            suites.push(suite);
        } else {
            suites[0].environment.extend(suite.environment);
            suites[0].cases.extend(suite.cases);
        }
    }
    suites
}

fn suite(name: &str, text: &str) -> Suite {
    let front = text.split("\n## ").next().unwrap_or_default();
    let said = |word: &str| -> Vec<String> {
        let lines = front.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(": `")?.strip_suffix('`'));
        lines.map(str::to_owned).collect()
    };
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("no variable: {text}"));
        (name.to_owned(), value.to_owned())
    };
    Suite { entry: said("Site").pop(), environment: said("Environment").iter().map(pair).collect(), cases: parse(name, text) }
}

/// The cases of one text.
pub fn parse(name: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut title = String::new();
    for section in text.split("\n## ").skip(1) {
        title.clear();
        title.push_str(section.lines().next().unwrap_or_default());
        let kdl = blocks(section, "kdl").join("\n");
        let exchanges = blocks(section, "http").iter().flat_map(|block| exchanges(block)).collect();
        cases.push(Case { title: format!("{name}: {title}"), kdl, exchanges });
    }
    cases
}

/// The fenced blocks of one language.
pub fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().strip_prefix("```") == Some(language) {
            blocks.push(lines.by_ref().take_while(|line| line.trim_start() != "```").map(|line| format!("{line}\n")).collect());
        }
    }
    blocks
}

fn exchanges(block: &str) -> Vec<Exchange> {
    block.split("\n\n").filter(|text| !text.trim().is_empty()).map(exchange).collect()
}

fn exchange(text: &str) -> Exchange {
    let mut exchange = Exchange::default();
    let (mut has_request, mut has_status) = (false, false);
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(sent) = line.strip_prefix(">> ") {
            match exchange.sent.line {
                None => exchange.sent.line = Some(sent.to_owned()),
                Some(_) => exchange.sent.add(sent),
            }
            continue;
        }
        if let Some(reply) = line.strip_prefix("<< ") {
            exchange.reply.push(reply.to_owned());
            continue;
        }
        match line.split_at(2.min(line.len())) {
            ("> ", request) if !has_request => {
                let (method, target) = request.split_once(' ').unwrap_or_else(|| panic!("no request: {line}"));
                (exchange.method, exchange.target, has_request) = (method.to_owned(), target.to_owned(), true);
            }
            ("> ", field) => match pair(field) {
                (name, value) if name == "host" => exchange.host = value,
                (name, value) if name == "@from" => exchange.from = Some(value.parse().unwrap_or_else(|_| panic!("no address: {line}"))),
                (name, value) if name == "@listener" => exchange.listener = Some(value),
                other => exchange.fields.push(other),
            },
            ("< ", status) if !has_status => {
                has_status = true;
                exchange.status = (status != "closed").then(|| status.parse().unwrap_or_else(|_| panic!("no status: {line}")));
            }
            ("< ", field) => exchange.wanted.add(field),
            ("| ", content) if !has_status => exchange.content.push_str(&format!("{content}\n")),
            ("| ", body) => exchange.body.get_or_insert_default().push_str(&format!("{body}\n")),
            _ => panic!("neither `> ` nor `< ` nor `| `: {line:?}"),
        }
    }
    assert!(has_request && has_status && !exchange.host.is_empty(), "an exchange needs a request, a host and a status: {text}");
    exchange
}
