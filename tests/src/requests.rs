//! Random requests for a site, most of them derived from what the site itself says: each pattern filled, each guard met or missed, then bent.

use std::net::IpAddr;

use kiln::model::{Action, Guard, Route, Site, Vhost};
use reference::Request;
use semantics::method::Method;

use crate::random::Random;

/// Shares of a hundred requests that come from the site's own patterns.
const DERIVED: usize = 80;
/// What clients send for any path.
const METHODS: &[&str] = &["GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PURGE", "BREW"];
const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "x",
    "index.html",
    "sub",
    "closed",
    "A",
    "%41",
    "a%20b",
    "a%2Fb",
    "a%5cb",
    ".",
    "..",
    "%2e%2e",
    "...",
    "",
    "~",
    "a;b=1",
    "ä",
    "a|b",
    "%c3%a4",
    ".hidden",
    "%zz",
    "%00",
];
const QUERIES: &[&str] =
    &["", "q=1", "q=a%20b+c", "a=1&q=2&q=3", "kind=html", "q", "=", "q=%0d%0ax", "Q=1&%71=2", "q=%", "%2F=/?&", "a=%2e%2e"];
const FIELDS: &[(&str, &str)] = &[
    ("x-a", "1"),
    ("X-A", "2"),
    ("x-a", "3"),
    ("x-key", "blue"),
    ("x-one", "1"),
    ("x-two", ""),
    ("x-hold", "yes"),
    ("x-hold", "no"),
    ("x-open", "1"),
    ("x-b", "1"),
    ("x-in", "in"),
    ("x-in", "\tin \t"),
    ("accept-encoding", "br"),
    ("accept-encoding", "gzip, zstd"),
    ("accept-encoding", "br, gzip"),
    ("accept-encoding", "zstd"),
    ("accept-encoding", "gzip"),
    ("if-none-match", "*"),
    ("if-none-match", "\"none\""),
    ("if-match", "\"none\""),
    ("user-agent", "oracle"),
    ("accept", "*/*"),
];

/// A request, and whether it comes from a pattern of the site.
#[derive(Clone, Debug)]
pub struct Sample {
    pub request: Request,
    pub is_derived: bool,
}

/// The next request; `tags` are entity tags that the site's files have.
pub fn sample(random: &mut Random, site: &Site, tags: &[String]) -> Sample {
    let is_derived = random.percent(DERIVED);
    let vhost = random.pick_of(&site.vhosts);
    let mut request = Request {
        method: String::new(),
        host: host(random, vhost),
        target: String::new(),
        fields: Vec::new(),
        client: IpAddr::from([127, 0, 0, 1]),
    };
    if is_derived && !vhost.routes.is_empty() {
        let route = random.pick_of(&vhost.routes);
        request.target = filled(random, &random.clone().pick_of(&route.patterns).value.text);
        request.method = method(random, route);
        if let Some(guard) = &route.guard {
            let wanted = !random.percent(25);
            meet(random, guard, wanted, &mut request);
        }
        if matches!(route.action, Action::Files(_)) && !tags.is_empty() && random.percent(40) {
            let name = random.pick(&["if-none-match", "if-none-match", "if-match"]).to_owned();
            let more = random.pick(&["", "\"x\", "]);
            request.fields.push((name, format!("{more}{}", random.pick_of(tags))));
        }
    } else {
        let depth = random.below(4) + 1;
        request.target = (0..depth).map(|_| format!("/{}", random.pick(SEGMENTS))).collect();
        request.method = random.pick(METHODS).to_owned();
    }
    if random.percent(40) {
        request.target = bent(random, &request.target);
    }
    if random.percent(30) {
        request.target = format!("{}?{}", request.target, random.pick(QUERIES));
    }
    while random.percent(25) {
        let (name, value) = random.pick_of(FIELDS);
        request.fields.push(((*name).to_owned(), (*value).to_owned()));
    }
    if random.percent(5) {
        request.host = random.pick(&["unknown.test", "test", "localhost:80", "[::1]:8080", "127.0.0.1", "x.unknown.test."]).to_owned();
    }
    Sample { request, is_derived }
}

fn host(random: &mut Random, vhost: &Vhost) -> String {
    let written = match vhost.hosts.is_empty() {
        true => "anything.test".to_owned(),
        false => random.pick_of(&vhost.hosts).value.clone(),
    };
    let host = match written.strip_prefix('*') {
        Some(suffix) => format!("{}{suffix}", random.pick(&["a", "one", "two", "x.two", "a.b.c", "deep", "exact.deep"])),
        None => written,
    };
    match random.below(12) {
        0 => host.to_ascii_uppercase(),
        1 => format!("{host}:8080"),
        2 => format!("{host}."),
        3 => format!("{host}.:80"),
        4 => host.split_once('.').map_or_else(|| host.clone(), |(_, rest)| rest.to_owned()),
        5 => format!("x.{host}"),
        _ => host,
    }
}

fn method(random: &mut Random, route: &Route) -> String {
    let known: Vec<&str> = route.methods.iter().flat_map(|methods| methods.value.iter().filter_map(Method::name)).collect();
    if known.is_empty() || random.percent(15) { random.pick(METHODS).to_owned() } else { random.pick(&known).to_owned() }
}

/// A path that the pattern takes.
fn filled(random: &mut Random, pattern: &str) -> String {
    let mut path = String::new();
    for segment in pattern.split('/').skip(1) {
        let is_rest = segment == "*" || segment.ends_with("*}");
        if is_rest && random.percent(15) {
            return if path.is_empty() { "/".to_owned() } else { path };
        }
        path.push('/');
        match segment {
            _ if is_rest => {
                let parts = random.below(3);
                path.push_str(&(0..parts).map(|_| file_or_segment(random)).collect::<Vec<_>>().join("/"));
            }
            parameter if parameter.starts_with('{') => path.push_str(file_or_segment(random)),
            literal => path.push_str(literal),
        }
    }
    path
}

/// Segments that mean something to the sites of tests, among them names of their files.
fn file_or_segment(random: &mut Random) -> &'static str {
    const NAMES: &[&str] = &[
        "plain.txt",
        "site.css",
        "app.js",
        "sub",
        "index.html",
        "deep",
        "a.json",
        "with%20space.txt",
        "empty.txt",
        "image.svg",
        "old.txt.bak",
    ];
    if random.percent(60) { random.pick(NAMES) } else { random.pick(SEGMENTS) }
}

/// Makes a guard hold, or not, as far as fields, method, host and path can.
fn meet(random: &mut Random, guard: &Guard, wanted: bool, request: &mut Request) {
    match guard {
        Guard::All(parts) | Guard::Any(parts) => {
            for part in parts {
                meet(random, part, wanted, request);
            }
        }
        Guard::Header { name, values } if wanted => {
            let value =
                if values.is_empty() { "present".to_owned() } else { random.pick_of(values).known().unwrap_or_default().to_owned() };
            request.fields.push((name.clone(), value));
        }
        Guard::Header { name, .. } => request.fields.retain(|(field, _)| !field.eq_ignore_ascii_case(name)),
        Guard::Host(patterns) if wanted => request.host = random.pick_of(patterns).replace('*', "x"),
        Guard::Method(methods) if wanted => {
            let names: Vec<&str> = methods.iter().filter_map(Method::name).collect();
            request.method = random.pick(&names).to_owned();
        }
        Guard::Path(patterns) if wanted => request.target = filled(random, &random.clone().pick_of(patterns).clone()),
        Guard::Host(_) | Guard::Method(_) | Guard::Path(_) => {}
        Guard::Cookie { name, values } if wanted => {
            let value = if values.is_empty() { "present" } else { random.pick_of(values).known().unwrap_or_default() };
            request.fields.push(("cookie".to_owned(), format!("{name}={value}")));
        }
        Guard::Extension(extensions) if wanted && !extensions.is_empty() => {
            let path = request.target.split('?').next().unwrap_or_default().to_owned();
            request.target = format!("{path}.{}", random.pick_of(extensions));
        }
        Guard::Query { name, values } if wanted => {
            let value = if values.is_empty() { "present" } else { random.pick_of(values).known().unwrap_or_default() };
            let sign = if request.target.contains('?') { '&' } else { '?' };
            request.target.push_str(&format!("{sign}{name}={value}"));
        }
        // Left to chance: nothing of the request is made for them.
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => {}
        Guard::Not(inner) => meet(random, inner, !wanted, request),
    }
}

/// The same path written in another way, or one that is nearly the same.
fn bent(random: &mut Random, path: &str) -> String {
    let at = path.char_indices().map(|(at, _)| at).nth(random.below(path.chars().count().max(1))).unwrap_or(0);
    let (before, behind) = path.split_at(at);
    let slash = path[at..].find('/').map_or(path.len(), |found| at + found);
    let (to_slash, from_slash) = path.split_at(slash);
    match random.below(10) {
        0 => format!("{to_slash}/{from_slash}"),
        1 => format!("{to_slash}/.{from_slash}"),
        2 => format!("{to_slash}/x/..{from_slash}"),
        3 => format!("{to_slash}/..{from_slash}"),
        4 => format!("{path}/"),
        5 => path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path).to_owned(),
        6 => match behind.as_bytes() {
            [first, ..] if first.is_ascii_alphanumeric() => format!("{before}%{first:02x}{}", &behind[1..]),
            _ => path.to_owned(),
        },
        7 => match behind.chars().next() {
            Some(first) if first.is_ascii_alphabetic() => format!("{before}{}{}", (first as u8 ^ 0x20) as char, &behind[1..]),
            _ => path.to_owned(),
        },
        8 => format!("{path}{}", random.pick(&["x", "/x", "%2f", "%5C", ".bak", "/%2e", "/."])),
        _ => path.replacen('/', "//", 2),
    }
}
