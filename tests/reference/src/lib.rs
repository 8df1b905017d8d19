//! The naive reading of the site language: one linear walk over the model for each request, written from the language's page alone.
//!
//! The plan's evaluator and the binary share one normal form and one matcher; this crate shares neither. It takes no type from the compiler
//! but the model's, and is at most 400 lines. What is opaque by design (a file's entity tag, the codings it exists in) is told to it in
//! [`Forms`]; everything else it finds out in the slowest and plainest way.
#![forbid(unsafe_code)]

pub mod edits;
pub mod files;
pub mod path;
pub mod template;

use std::net::IpAddr;

use kiln::model::{Action, EncodedSlash, Guard, Route, Site, Vhost};
use semantics::method::{Method, Methods};

pub use files::{Form, Forms};

/// One request as a client wrote it; `host` is its Host field.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub host: String,
    /// In origin form.
    pub target: String,
    /// All fields but Host, names in any case.
    pub fields: Vec<(String, String)>,
    pub client: IpAddr,
}

/// What comes back; `None` for a connection that is closed without an answer.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub answer: Option<Answer>,
    /// Position of the vhost that was chosen.
    pub vhost: Option<usize>,
    /// Position of the route that answered.
    pub route: Option<usize>,
    /// Positions of the routes whose guard was asked, and what it said.
    pub guards: Vec<(usize, bool)>,
}

/// An answer without `date` and `connection`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// In order, names in lower case. The length of an encoded body is not known here: it is `*`.
    pub fields: Vec<(String, String)>,
    /// Decoded; with HEAD what GET would have got.
    pub body: Vec<u8>,
}

/// A request after its path and host have their normal form.
pub struct Seen<'r> {
    pub request: &'r Request,
    pub host: String,
    pub path: String,
    pub query: Option<&'r str>,
    /// Of the pattern that was chosen: names and texts.
    pub parameters: Vec<(Option<String>, String)>,
    /// The pattern ends in a rest and the path is its prefix without the slash.
    pub is_bare: bool,
}

/// Answers one request.
pub fn answer(site: &Site, request: &Request, forms: &Forms) -> Outcome {
    let mut outcome = Outcome::default();
    let (raw, query) = match request.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (request.target.as_str(), None),
    };
    let Some(path) = path::normal(raw) else {
        outcome.answer = Some(plain(400));
        return outcome;
    };
    let mut seen = Seen { request, host: path::host(&request.host), path, query, parameters: Vec::new(), is_bare: false };
    let Some(vhost) = find_vhost(site, &seen.host) else {
        outcome.answer = Some(edits::edited(&site.headers, plain(421), &seen));
        return outcome;
    };
    outcome.vhost = Some(vhost);
    let vhost = &site.vhosts[vhost];
    match find_route(vhost, &mut seen, &mut outcome.guards) {
        Found::None => outcome.answer = Some(edits::edited(&vhost.headers, plain(404), &seen)),
        Found::OtherMethods(methods) => {
            let mut answer = plain(405);
            let names: Vec<&str> = methods.iter().filter_map(Method::name).collect();
            answer.fields.push(("allow".to_owned(), names.join(", ")));
            outcome.answer = Some(edits::edited(&vhost.headers, answer, &seen));
        }
        Found::Route(position) => {
            outcome.route = Some(position);
            let route = &vhost.routes[position];
            outcome.answer = act(route, &seen, forms).map(|answer| edits::edited(&route.headers, answer, &seen));
        }
    }
    outcome
}

/// Exact names first, then the longest wildcard, then the default.
fn find_vhost(site: &Site, host: &str) -> Option<usize> {
    let names = || site.vhosts.iter().enumerate().flat_map(|(position, vhost)| vhost.hosts.iter().map(move |name| (position, name.value.as_str())));
    let exact = names().find(|(_, name)| *name == host);
    let wildcard = || names().filter(|(_, name)| path::is_below(host, name)).max_by_key(|(_, name)| name.len());
    exact.or_else(wildcard).map(|(position, _)| position).or_else(|| site.vhosts.iter().position(|vhost| vhost.is_default))
}

enum Found {
    None,
    OtherMethods(Methods),
    Route(usize),
}

/// Patterns best first; the first one with a route whose guard accepts decides.
fn find_route(vhost: &Vhost, seen: &mut Seen<'_>, asked: &mut Vec<(usize, bool)>) -> Found {
    let mut candidates = Vec::new();
    for (position, route) in vhost.routes.iter().enumerate() {
        for pattern in &route.patterns {
            if let Some(matched) = path::matched(&pattern.value.text, &seen.path) {
                candidates.push((path::rank(&pattern.value.text), route.guard.is_none(), position, &pattern.value.parameters, matched));
            }
        }
    }
    candidates.sort_by(|a, b| (&a.0, a.1, a.2).cmp(&(&b.0, b.1, b.2)));
    for same in candidates.chunk_by(|a, b| a.0 == b.0) {
        let mut methods = Methods::NONE;
        for (_, _, position, names, (texts, is_bare)) in same {
            let route = &vhost.routes[*position];
            let verdict = route.guard.as_ref().map(|guard| holds(guard, seen));
            asked.extend(verdict.map(|verdict| (*position, verdict)));
            if verdict == Some(false) {
                continue;
            }
            if takes(route).contains(Method::parse(seen.request.method.as_bytes())) {
                seen.parameters = names.iter().cloned().zip(texts.iter().cloned()).collect();
                seen.is_bare = *is_bare;
                return Found::Route(*position);
            }
            methods = methods.union(takes(route));
        }
        if !methods.is_empty() {
            return Found::OtherMethods(methods);
        }
    }
    Found::None
}

/// GET brings HEAD; files take these two where nothing is written, other actions all.
fn takes(route: &Route) -> Methods {
    match &route.methods {
        Some(written) if written.value.contains(Method::GET) => written.value.union(Methods::GET_HEAD),
        Some(written) => written.value,
        None if matches!(route.action, Action::Files(_)) => Methods::GET_HEAD,
        None => Methods::ANY,
    }
}

fn holds(guard: &Guard, seen: &Seen<'_>) -> bool {
    match guard {
        Guard::All(parts) => parts.iter().all(|part| holds(part, seen)),
        Guard::Any(parts) => parts.iter().any(|part| holds(part, seen)),
        Guard::Header { name, values } => seen.lines(name).any(|line| values.is_empty() || values.iter().any(|value| value == line)),
        Guard::Host(patterns) => patterns.iter().any(|pattern| *pattern == seen.host || path::is_below(&seen.host, pattern)),
        Guard::Method(methods) => methods.contains(Method::parse(seen.request.method.as_bytes())),
        Guard::Not(inner) => !holds(inner, seen),
        Guard::Path(patterns) => patterns.iter().any(|pattern| path::matched(pattern, &seen.path).is_some()),
    }
}

/// The route was chosen: its action, or 400 for a separator that hides in a segment.
fn act(route: &Route, seen: &Seen<'_>, forms: &Forms) -> Option<Answer> {
    let is_files = matches!(route.action, Action::Files(_));
    let hides = seen.path.contains("%2F") || (seen.path.contains("%5C") && !is_files);
    if hides && route.encoded_slash == EncodedSlash::Refuse {
        return Some(plain(400));
    }
    Some(match &route.action {
        Action::Abort => return None,
        Action::Files(files) => files::answer(files, seen, forms),
        Action::Redirect { target, status, drops_query } => template::redirect(target, *status, *drops_query, seen),
        Action::Refuse { status } => plain(*status),
        Action::Respond { status, body, content_type } => {
            let body = template::rendered(body, seen, *status, false);
            let content_type = content_type.clone().or_else(|| (!body.is_empty()).then(|| "text/plain; charset=utf-8".to_owned()));
            with_body(*status, content_type, body)
        }
    })
}

/// What kiln itself says.
pub fn plain(status: u16) -> Answer {
    let reason = kiln::answer::reason(status);
    with_body(status, Some("text/plain; charset=utf-8".to_owned()), format!("{status} {reason}\n").into_bytes())
}

/// No body and no length for 204 and 304.
pub fn with_body(status: u16, content_type: Option<String>, body: Vec<u8>) -> Answer {
    let body = if matches!(status, 204 | 304) { Vec::new() } else { body };
    let mut fields: Vec<_> = content_type.into_iter().map(|value| ("content-type".to_owned(), value)).collect();
    if !matches!(status, 204 | 304) {
        fields.push(("content-length".to_owned(), body.len().to_string()));
    }
    Answer { status, fields, body }
}

impl Seen<'_> {
    /// Values of all lines of a field, without surrounding white space.
    pub fn lines<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let lines = self.request.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
        (name == "host").then_some(self.request.host.as_str()).into_iter().chain(lines)
    }
}
