//! The naive reading of the site language: one linear walk over the model for each request, written from the language's page alone.
//!
//! Evaluator and binary share one matcher; this crate shares nothing but the model's types. [`files::Forms`] tells it what is opaque.
#![forbid(unsafe_code)]

pub mod files;
pub mod path;
pub mod template;

use std::{collections::BTreeMap, net::IpAddr};

use kiln::model::{Action, EncodedSlash, Guard, Route, Site, Vhost};
use semantics::method::{Method, Methods};

/// One request as a client wrote it: the target in origin form, all fields but Host.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub host: String,
    pub target: String,
    pub fields: Vec<(String, String)>,
    pub client: IpAddr,
}

/// What comes back (`None`: closed without an answer), the positions of vhost and route, and of the routes whose guard was asked with what it said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub answer: Option<Answer>,
    pub vhost: Option<usize>,
    pub route: Option<usize>,
    pub guards: Vec<(usize, bool)>,
}

/// An answer without `date` and `connection`: fields in order, the body decoded (with HEAD what GET would have got).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A request after its path and host have their normal form, with the parameters of the pattern that was chosen.
pub struct Seen<'r> {
    pub request: &'r Request,
    pub host: String,
    pub path: String,
    pub query: Option<&'r str>,
    pub parameters: BTreeMap<String, String>,
    pub rest: Option<String>,
    pub is_bare: bool,
}

/// Answers one request.
pub fn answer(site: &Site, request: &Request, forms: &files::Forms) -> Outcome {
    let target = request.target.as_str();
    let (raw, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let Some(path) = path::normal(raw) else { return Outcome { answer: Some(plain(400)), ..Outcome::default() } };
    let (host, parameters) = (path::host(&request.host), BTreeMap::new());
    let mut seen = Seen { request, host, path, query, parameters, rest: None, is_bare: false };
    let mut outcome = Outcome { vhost: find_vhost(site, &seen.host), ..Outcome::default() };
    let vhost = outcome.vhost.map(|at| &site.vhosts[at]);
    let found = vhost.map(|vhost| (vhost, find_route(vhost, &mut seen, &mut outcome.guards)));
    let (answer, rules) = match found {
        None => (Some(plain(421)), &site.headers),
        Some((vhost, Ok(at))) => {
            outcome.route = Some(at);
            (act(&vhost.routes[at], &seen, forms), &vhost.routes[at].headers)
        }
        Some((vhost, Err(methods))) if methods.is_empty() => (Some(plain(404)), &vhost.headers),
        Some((vhost, Err(methods))) => {
            let names: Vec<&str> = methods.iter().filter_map(Method::name).collect();
            (Some(plain(405).with("allow", &names.join(", "))), &vhost.headers)
        }
    };
    outcome.answer = answer.map(|answer| template::edited(rules, answer, &seen));
    outcome
}

/// Exact names first, then the longest wildcard, then the default.
fn find_vhost<'s>(site: &'s Site, host: &str) -> Option<usize> {
    let hosts = |(at, vhost): (usize, &'s Vhost)| vhost.hosts.iter().map(move |name| (at, name.value.as_str()));
    let names: Vec<_> = site.vhosts.iter().enumerate().flat_map(hosts).collect();
    let exact = names.iter().find(|(_, name)| *name == host);
    let wildcard = names.iter().filter(|(_, name)| path::is_below(host, name)).max_by_key(|(_, name)| name.len());
    exact.or(wildcard).map(|(at, _)| *at).or_else(|| site.vhosts.iter().position(|vhost| vhost.is_default))
}

/// Patterns best first; the first one with a route whose guard accepts decides. `Err`: the methods that it would have taken, none for 404.
fn find_route<'s>(vhost: &'s Vhost, seen: &mut Seen<'_>, asked: &mut Vec<(usize, bool)>) -> Result<usize, Methods> {
    let routes = vhost.routes.iter().enumerate();
    let patterns = routes.flat_map(|(at, route)| route.patterns.iter().map(move |pattern| (at, route.guard.is_none(), &pattern.value)));
    let taking = |(at, is_last, pattern): (usize, bool, &'s semantics::pattern::Pattern)| {
        Some(((path::rank(&pattern.text), is_last, at), pattern, path::matched(&pattern.text, &seen.path)?))
    };
    let mut candidates: Vec<_> = patterns.filter_map(taking).collect();
    candidates.sort_by(|a, b| a.0.cmp(&b.0));
    for same in candidates.chunk_by(|a, b| a.0.0 == b.0.0) {
        let mut methods = Methods::NONE;
        for ((_, _, position), pattern, (texts, is_bare)) in same {
            let route = &vhost.routes[*position];
            let verdict = route.guard.as_ref().map(|guard| holds(guard, seen));
            asked.extend(verdict.map(|verdict| (*position, verdict)));
            if verdict == Some(false) {
                continue;
            }
            if takes(route).contains(Method::parse(seen.request.method.as_bytes())) {
                let named = pattern.parameters.iter().zip(texts);
                seen.parameters = named.filter_map(|(name, text)| Some((name.clone()?, text.clone()))).collect();
                seen.rest = texts.last().filter(|_| pattern.text.split('/').any(path::is_rest)).cloned();
                seen.is_bare = *is_bare;
                return Ok(*position);
            }
            methods = methods.union(takes(route));
        }
        if !methods.is_empty() {
            return Err(methods);
        }
    }
    Err(Methods::NONE)
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
        Guard::Header { name, values } if values.is_empty() => seen.lines(name).next().is_some(),
        Guard::Header { name, values } => seen.lines(name).any(|line| values.iter().any(|value| value.known() == Some(line))),
        Guard::Host(patterns) => patterns.iter().any(|pattern| *pattern == seen.host || path::is_below(&seen.host, pattern)),
        Guard::Method(methods) => methods.contains(Method::parse(seen.request.method.as_bytes())),
        Guard::Not(inner) => !holds(inner, seen),
        Guard::Path(patterns) => patterns.iter().any(|pattern| path::matched(pattern, &seen.path).is_some()),
        later => unreachable!("resolve gives no {later:?} yet"),
    }
}

/// The route was chosen: its action, or 400 for a separator that hides in a segment.
fn act(route: &Route, seen: &Seen<'_>, forms: &files::Forms) -> Option<Answer> {
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
            let text = (!body.is_empty()).then(|| "text/plain; charset=utf-8".to_owned());
            with_body(*status, content_type.clone().or(text), body)
        }
        later => unreachable!("resolve gives no {later:?} yet"),
    })
}

/// What kiln itself says.
fn plain(status: u16) -> Answer {
    with_body(status, Some("text/plain; charset=utf-8".to_owned()), format!("{status} {}\n", kiln::answer::reason(status)).into_bytes())
}

/// No body and no length for 204 and 304.
fn with_body(status: u16, content_type: Option<String>, body: Vec<u8>) -> Answer {
    let answer = content_type.into_iter().fold(Answer { status, ..Answer::default() }, |answer, value| answer.with("content-type", &value));
    if matches!(status, 204 | 304) {
        answer
    } else {
        Answer { body: body.clone(), ..answer.with("content-length", &body.len().to_string()) }
    }
}

impl Answer {
    fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Seen<'_> {
    fn lines<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let lines = self.request.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
        (name == "host").then_some(self.request.host.as_str()).into_iter().chain(lines)
    }
}
