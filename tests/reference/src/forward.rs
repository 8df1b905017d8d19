//! `proxy`: what an upstream gets of a request.

use kiln::model::{EncodedSlash, EndpointAddress, HostPolicy, Part, Proxy, Route, Target, Template};

use crate::{Answer, Seen, arrival, client, path, template};

/// What is sent on: by position the upstream, and what each of its endpoints would get, in their order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Sent {
    pub upstream: usize,
    pub requests: Vec<Line>,
}

/// Request line and fields, names in lower case. The order of different names is nobody's business.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    pub line: String,
    pub fields: Vec<(String, String)>,
}

impl Line {
    /// One way to write it.
    pub fn head(&self) -> Vec<u8> {
        let fields: String = self.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{}\r\n{fields}\r\n", self.line).into_bytes()
    }
}

/// Fields of this hop alone, and those that are made anew.
const OF_THIS_HOP: [&str; 14] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
    "x-forwarded",
];
/// Fields that tell how a request came, as proxies do: from others a way round what a site checks.
const OF_PROXIES: [&str; 14] = [
    "cf-connecting-ip",
    "client-ip",
    "fastly-client-ip",
    "front-end-https",
    "true-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-originating-ip",
    "x-real-ip",
    "x-remote-addr",
    "x-remote-ip",
    "x-rewrite-url",
    "x-scheme",
    "x-url-scheme",
];

/// What is sent on; `None`: what would be asked for is no request-target.
pub fn sent(proxy: &Proxy, route: &Route, seen: &Seen<'_>) -> Option<Sent> {
    let target = target(proxy, route, seen)?;
    let endpoints = &seen.site.upstreams[proxy.upstream].endpoints;
    let request = |address: &EndpointAddress| {
        let authority = match address {
            EndpointAddress::Known(address) => address.to_string(),
            EndpointAddress::Late(value) => seen.late(value),
            EndpointAddress::Unix(_) => "unix:".to_owned(),
        };
        let authority = if authority.starts_with("unix:") { "localhost".to_owned() } else { authority };
        let host = match &proxy.host.value {
            HostPolicy::Literal(host) => host.clone(),
            HostPolicy::Preserve if !seen.host.is_empty() => asked(seen),
            HostPolicy::Endpoint | HostPolicy::Preserve => authority,
        };
        let fields = [("host".to_owned(), host)].into_iter().chain(fields(proxy, route, seen)).collect();
        Line { line: format!("{} {target} HTTP/1.1", seen.request.method), fields }
    };
    Some(Sent { upstream: proxy.upstream, requests: endpoints.iter().map(|endpoint| request(&endpoint.address)).collect() })
}

fn target(proxy: &Proxy, route: &Route, seen: &Seen<'_>) -> Option<String> {
    let query = seen.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    if route.encoded_slash == EncodedSlash::Raw {
        return Some(seen.request.target.clone());
    }
    match &proxy.target.value {
        Target::Same => Some(seen.target()),
        Target::Strip(prefix) => {
            let rest = seen.path.strip_prefix(prefix.as_str())?;
            Some(format!("{}{query}", if rest.is_empty() { "/" } else { rest }))
        }
        Target::Template(written) => {
            let rendered = rendered(written, seen)?;
            let (raw, own_query) = rendered.split_once('?').map_or((rendered.as_str(), None), |(raw, query)| (raw, Some(query)));
            // Dots that a parameter brings are no way out of what the site has written before it.
            let has_dots = raw.split('/').any(|segment| matches!(segment, "." | ".."));
            let is_sendable = rendered.bytes().all(|byte| byte.is_ascii_graphic());
            let normal = path::normal(raw).filter(|_| !has_dots && is_sendable)?;
            let is_foreign = |separator: &str| normal.contains(separator) && !seen.path.contains(separator);
            if is_foreign("%2F") || is_foreign("%5C") {
                return None;
            }
            Some(format!("{normal}{}", own_query.map_or(query, |query| format!("?{query}"))))
        }
    }
}

/// What of the request is neither path nor query by itself keeps to the place that it was written in.
fn rendered(written: &Template, seen: &Seen<'_>) -> Option<String> {
    let mut out = String::new();
    for part in &written.parts {
        let text = String::from_utf8(template::rendered(&Template { parts: vec![part.clone()] }, seen, 0, true)).ok()?;
        let ends: &[char] = match (part, out.contains('?')) {
            (Part::Late(_) | Part::Map(_) | Part::Query | Part::Target | Part::Text(_), _) | (Part::QueryValue(_), true) => &[],
            (_, false) => &['?', '#'],
            (_, true) => &['&', '+', ';', '#'],
        };
        for letter in text.chars() {
            match ends.contains(&letter) {
                true => out.push_str(&format!("%{:02X}", u32::from(letter))),
                false => out.push(letter),
            }
        }
    }
    Some(out)
}

/// What the client asked for: host in normal form, and the port that it named.
pub fn asked(seen: &Seen<'_>) -> String {
    format!("{}{}", seen.host, path::port(&seen.request.host).map(|port| format!(":{port}")).unwrap_or_default())
}

/// All fields but Host: the client's, how it came, edited; then what belongs to the next connection.
fn fields(proxy: &Proxy, route: &Route, seen: &Seen<'_>) -> Vec<(String, String)> {
    let peer = seen.request.client.to_canonical();
    let kinds = client::trusted_kinds(seen.site, peer);
    let options: Vec<String> =
        seen.lines("connection").flat_map(|line| line.split(',')).map(|option| option.trim().to_ascii_lowercase()).collect();
    let is_chunked = seen.lines("transfer-encoding").next().is_some();
    let mut fields = Vec::new();
    for (name, value) in &seen.request.fields {
        let name = name.to_ascii_lowercase();
        let is_of_proxies = OF_PROXIES.contains(&name.as_str()) || name.starts_with("x-forwarded-") || name.starts_with("x-original-");
        let is_made_anew = matches!(name.as_str(), "forwarded" | "via" | "x-forwarded-for" | "x-forwarded-host" | "x-forwarded-proto");
        let goes_on = match name.as_str() {
            "trailer" => is_chunked,
            _ if is_of_proxies => kinds.contains(&"x-forwarded") && !is_made_anew,
            _ => !is_made_anew && !name.contains('_') && !OF_THIS_HOP.contains(&name.as_str()) && !options.contains(&name),
        };
        if goes_on {
            fields.push((name, value.trim().to_owned()));
        }
    }
    fields.extend(arrival::fields(kinds, seen));
    let mut fields = template::edited(&route.request_headers, Answer { fields, ..Answer::default() }, seen).fields;
    let mut say = |name: &str, value: String| fields.push((name.to_owned(), value));
    let length = seen.lines("content-length").next();
    let has_body = is_chunked || length.is_some_and(|length| length.trim() != "0");
    match length {
        _ if is_chunked => say("transfer-encoding", "chunked".to_owned()),
        Some(length) if has_body => say("content-length", length.to_owned()),
        _ if matches!(seen.request.method.as_str(), "PATCH" | "POST" | "PUT") => say("content-length", "0".to_owned()),
        _ => {}
    }
    if has_body && seen.lines("expect").next().is_some() {
        say("expect", "100-continue".to_owned());
    }
    let protocol = upgrade(proxy, &options, has_body, seen);
    let takes_trailers = seen.lines("te").flat_map(|line| line.split(',')).any(|coding| coding.trim().eq_ignore_ascii_case("trailers"));
    let is_last = seen.site.upstreams[proxy.upstream].pool.idle_connections.value == 0;
    let of_connection =
        [protocol.is_some().then_some("upgrade"), (is_last && protocol.is_none()).then_some("close"), takes_trailers.then_some("te")];
    let of_connection: Vec<&str> = of_connection.into_iter().flatten().collect();
    if !of_connection.is_empty() {
        say("connection", of_connection.join(", "));
    }
    protocol.into_iter().for_each(|protocol| say("upgrade", protocol));
    if takes_trailers {
        say("te", "trailers".to_owned());
    }
    fields
}

/// The protocol that is asked for on: one that the client names and the route lets through, without a body.
fn upgrade(proxy: &Proxy, options: &[String], has_body: bool, seen: &Seen<'_>) -> Option<String> {
    // A name without a version is any version of it; `*` is all but HTTP/2, which would take the connection for other requests.
    let is_let = |protocol: &str| {
        let name = protocol.split('/').next().unwrap_or_default();
        let is_same = |known: &String| [protocol, name].iter().any(|protocol| known.eq_ignore_ascii_case(protocol));
        proxy.upgrades.iter().any(|known| is_same(known) || known == "*" && !name.eq_ignore_ascii_case("h2c"))
    };
    let mut asked = seen.lines("upgrade").flat_map(|line| line.split(',')).map(str::trim).filter(|protocol| !protocol.is_empty());
    asked.find(|protocol| is_let(protocol)).filter(|_| !has_body && options.iter().any(|option| option == "upgrade")).map(str::to_owned)
}
