//! Random requests for a site, most of them derived from what the site itself says: each pattern filled, each guard met or missed, then bent.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kiln::model::{Action, Guard, LateKind, LateValue, Origins, Part, Route, Rules, Site, Text, Vhost};
use reference::Request;
use semantics::{cidr::Prefix, method::Method};

use crate::random::Random;

/// The variable that the site's late values are, and what it is while tests run.
pub const LATE: (&str, &str) = ("ORACLE_KEY", "blue");
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
    ("accept", "application/json"),
    ("accept", "text/html, application/json;q=0.9"),
    ("accept", "text/html;q=0.5, application/json;q=0.9"),
    ("cookie", "c=1; near=yes"),
    ("cookie", "c=3; c=2"),
    ("cookie", "near=yes;c"),
    ("x-forwarded-for", "10.1.2.3"),
    ("x-forwarded-for", "192.0.2.7, 203.0.113.200"),
    ("x-forwarded-for", "203.0.113.9, 10.9.0.1"),
    ("x-forwarded-for", "203.0.113.9, unknown, 10.9.0.1"),
    ("x-forwarded-for", "[2001:db8:1::1]:80"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-proto", "http, https"),
    ("forwarded", "for=10.1.2.3;proto=https"),
    ("forwarded", "for=198.51.100.1, for=192.0.2.7"),
    ("forwarded", "For=\"[2001:db8::1]\", for=10.9.0.1"),
    ("origin", "https://a.example"),
    ("origin", "https://evil.example"),
    ("access-control-request-method", "PUT"),
];
/// Fields that mean something to whoever sends a request on.
const PASSING: &[(&str, &str)] = &[
    ("Connection", "close, x-b"),
    ("connection", "Keep-Alive, X-In"),
    ("connection", "upgrade"),
    ("Connection", "Upgrade, x-key"),
    ("connection", "x-forwarded-for, via, cookie"),
    ("connection", "te"),
    ("upgrade", "websocket"),
    ("Upgrade", "h2c, Other"),
    ("keep-alive", "timeout=5"),
    ("proxy-connection", "keep-alive"),
    ("proxy-authorization", "Basic eA=="),
    ("proxy", "http://evil.example"),
    ("http2-settings", "AAMAAABkAAQAoAAAAAIAAAAA"),
    ("te", "trailers, deflate;q=0.5"),
    ("te", "gzip"),
    ("trailer", "x-sum"),
    ("transfer-encoding", "chunked"),
    ("content-length", "5"),
    ("x-forwarded-host", "evil.example"),
    ("X-Forwarded-Port", "443"),
    ("x-forwarded-prefix", "/a"),
    ("x-real-ip", "203.0.113.9"),
    ("x-original-url", "/admin"),
    ("client-ip", "203.0.113.9"),
    ("true-client-ip", "203.0.113.9"),
    ("via", "1.0 fred"),
    ("x_under", "1"),
    ("x-secret", "1"),
    ("x-in", "a/b"),
    ("x-in", "../up"),
    ("x-in", "a?b=%2f"),
    ("x-in", "a%2fb"),
];
/// Lines that an echo is asked to reply.
const REPLIED: &[&str] = &[
    "x-secret: 1",
    "x-default: upstream",
    "x-came: from afar",
    "x-tight:blanks are made",
    "connection: x-named",
    "x-named: 1",
    "keep-alive: timeout=5",
    "proxy-authenticate: Basic",
    "cache-control: no-transform",
    "content-encoding: identity",
    "etag: \"e\"",
    "vary: x-a",
    "set-cookie: a=1",
    "set-cookie: b=2",
    "x-accel-redirect: /plain.txt",
    "x-accel-redirect: /sub/../site.css",
    "x-accel-redirect: /sub",
    "x-accel-redirect: nowhere",
    "x-accel-redirect: /nothing.txt",
    "x-sendfile: /plain.html",
    "x-fallback: 1",
];
/// Ranges that come to one part at most, or to none.
const RANGES: &[&str] = &[
    "bytes=0-0",
    "bytes=0-",
    "bytes=3-9",
    "bytes=5-99999",
    "bytes=-4",
    "bytes=-99999",
    "bytes=0-1, 2-6",
    "bytes=4-9,0-5",
    "bytes=1-2,99999-",
    "bytes=99999-",
    "bytes=-0",
    "bytes=9-3",
    "bytes=x",
    "lines=0-1",
];
/// Names below directories whose `files` block has words: some are there, some are tried, some are missed.
const OF_WORDS: &[&str] = &[
    "",
    ".env",
    "about",
    "about.html",
    "assets",
    "assets/app-1.js",
    "assets/app-1.js",
    "assets/site.css",
    "bare",
    "bare/",
    "docs",
    "docs/",
    "later",
    "nope.js",
    "old/plain.txt",
    "places/of/mine",
    "plain",
    "plain.txt",
];
/// Paths for regexes: none can be turned into a path that it takes.
const DATED: &[&str] = &["/regex/x/2024-05", "/regex/a/b/1999-12", "/regex/7", "/regex/x", "/regex/2024-5", "/regex/x/2024-05/"];

/// A request, and whether it comes from a pattern of the site.
#[derive(Clone, Debug)]
pub struct Sample {
    pub request: Request,
    pub is_derived: bool,
}

/// The next request; `tags` are entity tags that the site's files have.
pub fn sample(random: &mut Random, site: &Site, tags: &[String]) -> Sample {
    let is_derived = random.percent(DERIVED);
    // One that has many routes is asked more often.
    let vhost = if random.percent(50) { random.pick_of(&site.vhosts) } else { of_any_route(random, &site.vhosts) };
    let mut request = Request {
        method: String::new(),
        host: host(random, vhost),
        target: String::new(),
        fields: Vec::new(),
        client: IpAddr::from([127, 0, 0, if random.percent(90) { 1 } else { 2 }]),
        listener: vhost.on.as_ref().map_or(0, |on| *random.pick_of(on)),
        replies: Vec::new(),
    };
    if is_derived && !vhost.routes.is_empty() {
        let route = random.pick_of(&vhost.routes);
        request.target = filled(random, &random.clone().pick_of(&route.patterns).value.text);
        if let Action::Files(files) = &route.action
            && files.rules != Rules::new(&files.rules.index)
            && random.percent(85)
        {
            let prefix = route.patterns[0].value.text.trim_end_matches('*');
            request.target = format!("{prefix}{}", random.pick(OF_WORDS));
            if random.percent(30) {
                request.fields.push(("accept-encoding".to_owned(), "br".to_owned()));
            }
        }
        request.method = method(random, route);
        if let Some(guard) = &route.guard {
            let wanted = !random.percent(25);
            meet(random, (site, guard), wanted, &mut request);
        }
        policies(random, route, &mut request);
        if is_proxied(&route.action) {
            passing(random, &mut request);
        }
        if route.encoding.is_some() && random.percent(60) {
            codings(random, &mut request);
        }
        if matches!(route.action, Action::Files(_)) {
            conditions(random, tags, &mut request);
        }
    } else {
        let depth = random.below(4) + 1;
        request.target = (0..depth).map(|_| format!("/{}", random.pick(SEGMENTS))).collect();
        request.method = random.pick(METHODS).to_owned();
    }
    if random.percent(40) {
        let (path, query) = request.target.split_at(request.target.find('?').unwrap_or(request.target.len()));
        request.target = format!("{}{query}", bent(random, path));
    }
    if random.percent(30) {
        ask(&mut request, random.pick(QUERIES));
    }
    if random.percent(5) {
        request.listener = random.below(site.listeners.len());
    }
    while random.percent(25) {
        let (name, value) = random.pick_of(FIELDS);
        // Two fields that name the client contradict each other most of the time: that is a 400, and needs few requests.
        let is_said = name.ends_with("forwarded") && request.fields.iter().any(|(field, _)| field.contains("forwarded"));
        if !is_said || random.percent(10) {
            request.fields.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    if random.percent(5) {
        request.host = random.pick(&["unknown.test", "test", "localhost:80", "[::1]:8080", "127.0.0.1", "x.unknown.test."]).to_owned();
    }
    Sample { request, is_derived }
}

/// Conditions and ranges, as files take them.
fn conditions(random: &mut Random, tags: &[String], request: &mut Request) {
    if !tags.is_empty() && random.percent(40) {
        let name = random.pick(&["if-none-match", "if-none-match", "if-match"]).to_owned();
        let more = random.pick(&["", "\"x\", "]);
        let tag = if random.percent(30) { "*".to_owned() } else { format!("{more}{}", random.pick_of(tags)) };
        request.fields.push((name, tag));
    }
    if random.percent(50) {
        request.fields.push(("range".to_owned(), random.pick(RANGES).to_owned()));
        if !tags.is_empty() && random.percent(30) {
            request.fields.push(("if-range".to_owned(), random.pick_of(tags).clone()));
        }
    }
}

/// It may be sent on to an upstream.
fn is_proxied(action: &Action) -> bool {
    match action {
        Action::Files(files) => files.miss.as_ref().is_some_and(|miss| is_proxied(miss)),
        Action::Proxy(_) => true,
        Action::Split { shares, .. } => shares.iter().any(|share| is_proxied(&share.action)),
        Action::Abort | Action::Redirect { .. } | Action::Refuse { .. } | Action::Respond { .. } | Action::Rewrite { .. } => false,
    }
}

/// Fields that are not simply sent on, and what the echo behind the upstream is to reply.
fn passing(random: &mut Random, request: &mut Request) {
    while random.percent(45) {
        let (name, value) = random.pick_of(PASSING);
        // A second one of these would be a fault of the request, or end the connection where the test does not expect it.
        let is_said = |wanted: &str| request.fields.iter().any(|(field, _)| field.eq_ignore_ascii_case(wanted));
        let is_framing = matches!(*name, "transfer-encoding" | "content-length");
        if !(is_framing && (is_said("transfer-encoding") || is_said("content-length"))) {
            request.fields.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    if random.percent(10) {
        let protocol = random.pick(&["websocket", "WebSocket", "other/2", "h2c, other", "else"]);
        request.fields.extend(
            [("Connection", random.pick(&["Upgrade", "close, upgrade"])), ("upgrade", protocol)]
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
    }
    if random.percent(35) {
        let status = random.pick(&["200", "201", "204", "301", "304", "403", "404", "404", "410", "410", "500", "503"]);
        request.fields.push(("x-echo-status".to_owned(), status.to_owned()));
    }
    while random.percent(35) {
        request.fields.push(("x-echo-field".to_owned(), random.pick(REPLIED).to_owned()));
    }
}

/// Codings that the client takes, and perhaps the tag of an answer that it has.
fn codings(random: &mut Random, request: &mut Request) {
    let codings = random.pick(&["br", "gzip", "zstd", "gzip, br", "zstd, gzip", "identity", "br, gzip, zstd"]);
    request.fields.push(("accept-encoding".to_owned(), codings.to_owned()));
    if random.percent(20) {
        let tags = random.pick(&["W/\"a\"", "\"a\"", "W/\"a\", \"a\"", "W/\"b\""]);
        request.fields.push(("if-none-match".to_owned(), tags.to_owned()));
    }
}

/// The vhost of any of all routes.
fn of_any_route<'s>(random: &mut Random, vhosts: &'s [Vhost]) -> &'s Vhost {
    let mut left = random.below(vhosts.iter().map(|vhost| vhost.routes.len()).sum());
    let holds = |vhost: &&Vhost| {
        let is_here = left < vhost.routes.len();
        left = left.wrapping_sub(vhost.routes.len());
        is_here
    };
    vhosts.iter().find(holds).expect("below the sum of all")
}

fn host(random: &mut Random, vhost: &Vhost) -> String {
    let written = match (&vhost.canonical_host, vhost.hosts.is_empty()) {
        (Some(canonical), _) if random.percent(75) => canonical.host.clone(),
        (_, true) => "anything.test".to_owned(),
        (_, false) => random.pick_of(&vhost.hosts).value.clone(),
    };
    let host = match written.strip_prefix('*') {
        Some(suffix) => format!("{}{suffix}", random.pick(&["a", "one", "two", "x.two", "a.b.c", "deep", "exact.deep"])),
        None => written,
    };
    match random.below(18) {
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

/// Clients, origins and bodies for what a route says about them.
fn policies(random: &mut Random, route: &Route, request: &mut Request) {
    let networks: Vec<Prefix> = route.access.iter().flat_map(|list| &list.rules).flat_map(|rule| rule.networks.iter().copied()).collect();
    if !networks.is_empty() && random.percent(80) {
        let network = *random.pick_of(&networks);
        from_network(random, network, request);
    }
    if let Some(cors) = &route.cors {
        let listed = if let Origins::Listed { origins, .. } = &cors.origins { &origins[..] } else { &[] };
        if random.percent(60) {
            let origin =
                if listed.is_empty() || random.percent(15) { "https://c.example".to_owned() } else { random.pick_of(listed).clone() };
            request.fields.push(("origin".to_owned(), origin));
        }
        if random.percent(40) {
            let asked = std::mem::replace(&mut request.method, "OPTIONS".to_owned());
            request.fields.push(("access-control-request-method".to_owned(), asked));
            if random.percent(50) {
                let names = random.pick(&["x-a", "x-a, authorization", "x y"]).to_owned();
                request.fields.push(("access-control-request-headers".to_owned(), names));
            }
        }
    }
    if random.percent(if route.body_limit.value < 64 { 40 } else { 5 }) {
        let limit = route.body_limit.value;
        let length = *random.pick_of(&[0, 1, limit, limit, limit + 1, limit + 1]);
        request.fields.push(("content-length".to_owned(), length.to_string()));
    }
}

/// The first or the last address of a network, or the one beside it, as the nearest hop says.
fn from_network(random: &mut Random, network: Prefix, request: &mut Request) {
    let address = match (network.first(), network.last(), random.below(8)) {
        (_, IpAddr::V4(last), 0 | 1) => Ipv4Addr::from_bits(last.to_bits().wrapping_add(1)).into(),
        (IpAddr::V4(first), _, 2) => Ipv4Addr::from_bits(first.to_bits().wrapping_sub(1)).into(),
        (_, IpAddr::V6(last), 0 | 1) => Ipv6Addr::from_bits(last.to_bits().wrapping_add(1)).into(),
        (first, _, 2..=4) => first,
        (_, last, _) => last,
    };
    request.fields.push(("x-forwarded-for".to_owned(), address.to_string()));
}

/// Makes a guard hold, or not, as far as one can.
fn meet(random: &mut Random, (site, guard): (&Site, &Guard), wanted: bool, request: &mut Request) {
    match guard {
        Guard::All(parts) | Guard::Any(parts) => {
            for part in parts {
                meet(random, (site, part), wanted, request);
            }
        }
        Guard::ClientIp(networks) => {
            let network = *random.pick_of(networks);
            from_network(random, network, request);
        }
        Guard::Cookie { name, values } if wanted => {
            let pair = format!("{name}={}", value(random, values));
            request.fields.push(("cookie".to_owned(), pair));
        }
        Guard::Cookie { .. } => request.fields.retain(|(field, _)| field != "cookie"),
        Guard::Extension(extensions) if wanted => {
            let extension = if extensions.is_empty() { "x" } else { random.pick_of(extensions) };
            let path = request.target.split('?').next().unwrap_or_default();
            request.target = format!("{path}/x.{extension}");
        }
        Guard::Header { name, values } if wanted => {
            let value = value(random, values);
            request.fields.push((name.clone(), value));
        }
        Guard::Header { name, .. } => request.fields.retain(|(field, _)| !field.eq_ignore_ascii_case(name)),
        Guard::Host(patterns) if wanted => request.host = random.pick_of(patterns).replace('*', "x"),
        Guard::Map(name) if wanted => {
            let map = site.maps.iter().find(|map| map.name == *name).expect("a map of the site");
            let (key, _) = random.pick_of(&map.rows);
            match &map.from.parts[..] {
                [Part::Path] => request.target.clone_from(key),
                [Part::QueryValue(name)] => ask(request, &format!("{name}={key}")),
                _ => {}
            }
        }
        Guard::Method(methods) if wanted => {
            let names: Vec<&str> = methods.iter().filter_map(Method::name).collect();
            request.method = random.pick(&names).to_owned();
        }
        Guard::Path(patterns) if wanted => request.target = filled(random, &random.clone().pick_of(patterns).clone()),
        Guard::Query { name, values } if wanted => {
            let value = value(random, values).replace(' ', random.pick(&["+", "%20"]));
            ask(request, &format!("{name}={value}"));
        }
        Guard::Regex(_) if wanted => request.target = random.pick(DATED).to_owned(),
        Guard::Extension(_) | Guard::Host(_) | Guard::Map(_) | Guard::Method(_) => {}
        Guard::Path(_) | Guard::Protocol(_) | Guard::Query { .. } | Guard::Regex(_) => {}
        Guard::Not(inner) => meet(random, (site, inner), !wanted, request),
    }
}

/// Puts a pair more into the query.
fn ask(request: &mut Request, pair: &str) {
    let sign = if request.target.contains('?') { '&' } else { '?' };
    request.target = format!("{}{sign}{pair}", request.target);
}

/// One that is wanted; those of the host are told to the site by the test.
fn value(random: &mut Random, values: &[Text]) -> String {
    match values {
        [] => "present".to_owned(),
        values => match random.pick_of(values) {
            Text::Known(text) => text.clone(),
            Text::Late(LateValue { kind: LateKind::Env { default: Some(default), .. }, .. }) if random.percent(30) => default.clone(),
            Text::Late(_) => LATE.1.to_owned(),
        },
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
