//! The naive reading of the site language: one linear walk over the model for each request, written from the language's page alone.
//!
//! The plan's evaluator and the binary share one normal form and one matcher; this crate shares neither. It takes no type from the compiler but the
//! model's. What is opaque (a file's entity tag, its codings, a variable of the host) is told to it in [`World`]; all else it finds out in the slowest and
//! plainest way.
#![forbid(unsafe_code)]

pub mod arrival;
pub mod client;
pub mod cors;
pub mod encode;
pub mod files;
pub mod forward;
pub mod guard;
pub mod path;
pub mod range;
pub mod reply;
pub mod request;
pub mod route;
pub mod split;
pub mod template;

use std::{collections::BTreeMap, net::IpAddr};

pub use request::Request;

use kiln::model::{ErrorPage, LateKind, LateValue, Site, Text, Vhost};

/// What no reader of the site alone can know: files as they are sent, and the texts of the host by the name of a variable or the path of a file.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub forms: files::Forms,
    pub late: BTreeMap<String, String>,
}

/// What comes back (`None`: closed without an answer), what is sent on (once more than there are replies: then it is not known what comes back), the
/// positions of the vhost and of the routes (two where one rewrites), and of the routes whose guard was asked with what it said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub answer: Option<Answer>,
    pub sent: Vec<forward::Sent>,
    pub vhost: Option<usize>,
    pub routes: Vec<usize>,
    pub guards: Vec<(usize, bool)>,
}

/// An answer without `date` and `connection`: fields in order, the body decoded (with HEAD what GET would have got).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A request after its path, host and client have their normal form, with the parameters of the pattern that was chosen.
#[derive(Clone)]
pub struct Seen<'r> {
    pub site: &'r Site,
    pub world: &'r World,
    pub request: &'r Request,
    pub client: IpAddr,
    pub scheme: String,
    pub host: String,
    pub path: String,
    pub query: Option<String>,
    pub parameters: BTreeMap<String, String>,
    pub pattern: String,
    pub rest: Option<String>,
    pub is_bare: bool,
    pub is_rewritten: bool,
}

/// Answers one request.
pub fn answer(site: &Site, request: &Request, world: &World) -> Outcome {
    let refused = |status| Outcome { answer: Some(own(status, &site.errors)), ..Outcome::default() };
    let Some((client, scheme)) = client::found(site, request) else { return refused(400) };
    let (raw, query) =
        request.target.split_once('?').map_or((request.target.as_str(), None), |(path, query)| (path, Some(query.to_owned())));
    let Some(path) = path::normal(raw) else { return refused(400) };
    let seen = Seen {
        site,
        world,
        request,
        client,
        scheme,
        host: path::host(&request.host),
        path,
        query,
        parameters: BTreeMap::new(),
        pattern: String::new(),
        rest: None,
        is_bare: false,
        is_rewritten: false,
    };
    let mut outcome = Outcome { vhost: find_vhost(site, &seen), ..Outcome::default() };
    outcome.answer = match outcome.vhost.map(|at| &site.vhosts[at]) {
        None => Some(encode::sent(&site.headers, site.encoding.as_ref(), false, own(421, &site.errors), &seen)),
        Some(vhost) => match vhost.canonical_host.as_ref().filter(|canonical| canonical.host != seen.host) {
            Some(canonical) => {
                let port = path::port(&request.host).map(|port| format!(":{port}")).unwrap_or_default();
                let location = format!("{}://{}{port}{}", seen.scheme, canonical.host, seen.target());
                let answer = with_body(canonical.status.value, None, Vec::new()).with("location", &location);
                Some(encode::sent(&vhost.headers, vhost.encoding.as_ref(), false, answer, &seen))
            }
            None => route::answer(vhost, seen, &mut outcome),
        },
    };
    outcome
}

/// Of those that the listener sees: exact names first, then the longest wildcard, then the default.
fn find_vhost(site: &Site, seen: &Seen<'_>) -> Option<usize> {
    let is_on = |vhost: &Vhost| vhost.on.as_ref().is_none_or(|on| on.contains(&seen.request.listener));
    let all = || site.vhosts.iter().enumerate().filter(|(_, vhost)| is_on(vhost));
    let names: Vec<(usize, &str)> = all().flat_map(|(at, vhost)| vhost.hosts.iter().map(move |name| (at, name.value.as_str()))).collect();
    let exact = names.iter().find(|(_, name)| *name == seen.host);
    let wildcard = names.iter().filter(|(_, name)| path::is_below(&seen.host, name)).max_by_key(|(_, name)| name.len());
    exact.or(wildcard).map(|(at, _)| *at).or_else(|| all().find(|(_, vhost)| vhost.is_default).map(|(at, _)| at))
}

/// What kiln itself says: with the page of its status, where there is one.
fn own(status: u16, pages: &[ErrorPage]) -> Answer {
    match pages.iter().find(|page| page.status == status) {
        Some(page) => with_body(status, Some(page.content_type.clone()), page.body.to_vec()),
        None => {
            let text = format!("{status} {}\n", kiln::answer::reason(status));
            with_body(status, Some("text/plain; charset=utf-8".to_owned()), text.into_bytes())
        }
    }
}

/// The same for a fault of an upstream, which the built-in answer names.
fn faulty(status: u16, fault: &str, pages: &[ErrorPage]) -> Answer {
    match pages.iter().any(|page| page.status == status) {
        true => own(status, pages),
        false => {
            let text = format!("{status} {}\n{fault}\n", kiln::answer::reason(status));
            with_body(status, Some("text/plain; charset=utf-8".to_owned()), text.into_bytes())
        }
    }
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

    /// The values of a cookie, of all lines.
    fn cookies<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let pairs = self.lines("cookie").flat_map(|line| line.split(';')).filter_map(|piece| piece.split_once('='));
        pairs.filter(move |(found, _)| found.trim() == name).map(|(_, value)| value.trim())
    }

    /// The values of a key of the query, undecoded.
    fn query_values<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s str> {
        let pairs = self.query.as_deref().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.filter(move |(name, _)| template::decoded(name) == key.as_bytes()).map(|(_, value)| value)
    }

    /// Path and query.
    fn target(&self) -> String {
        self.query.as_ref().map_or_else(|| self.path.clone(), |query| format!("{}?{query}", self.path))
    }

    /// A text that only the host has; an empty one counts as none.
    fn late(&self, value: &LateValue) -> String {
        let (name, default) = match &value.kind {
            LateKind::Env { name, default } => (name, default.clone()),
            LateKind::File { path } => (path, None),
        };
        self.world.late.get(name).filter(|text| !text.is_empty()).cloned().or(default).unwrap_or_default()
    }

    fn text(&self, text: &Text) -> String {
        match text {
            Text::Known(text) => text.clone(),
            Text::Late(value) => self.late(value),
        }
    }
}
