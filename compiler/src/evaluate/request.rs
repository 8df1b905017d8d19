//! A request as it is given to the evaluator, and its head as the engine would see it.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, Ipv4Addr},
};

use semantics::{
    client::{self, Contradiction},
    head::{self, Arrival, Fields, Framing, Head, HeadFault, ScanLimits, Scheme, Scratch},
};

use super::{Evaluator, Fault, Reply};

/// What a client sends, and what is known of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Request {
    /// A token, as sent.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
    /// Field lines in their order, Host among them.
    pub headers: Vec<(String, String)>,
    /// The address of the connection's peer; where it is a trusted proxy, its fields name the client.
    pub client: IpAddr,
    pub scheme: Scheme,
    /// Position in [`crate::plan::Plan::listeners`].
    pub listener: usize,
    /// What the host has, by the names of variables and the paths of files.
    pub late: BTreeMap<String, String>,
    /// What endpoints reply, in the order they are asked; without one more it ends with what is sent on.
    pub replies: Vec<Reply>,
}

/// A head that the engine accepts.
#[derive(Clone, Copy)]
pub(super) struct Arrived<'r, 'h> {
    pub(super) head: &'r Head<'h>,
    pub(super) framing: Framing,
    /// The client waits for 100 before it sends its body.
    pub(super) expects_continue: bool,
}

impl Request {
    /// A cleartext request with only a Host, from this machine.
    pub fn new(method: &str, host: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: vec![("host".to_owned(), host.to_owned())],
            client: IpAddr::V4(Ipv4Addr::LOCALHOST),
            scheme: Scheme::Http,
            listener: 0,
            late: BTreeMap::new(),
            replies: Vec::new(),
        }
    }

    /// From that peer.
    #[must_use]
    pub fn from(self, client: IpAddr) -> Self {
        Self { client, ..self }
    }

    /// With a value that only the host has: of a variable by its name, of a file by its path.
    #[must_use]
    pub fn with_late(mut self, name: &str, value: &str) -> Self {
        self.late.insert(name.to_owned(), value.to_owned());
        self
    }

    /// With one more field line.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The request for `url`, whose path and query are taken as they are written: `https://shop.example//a/../b?x=1`. `headers` are lines `name: value`; a
    /// Host among them stands for that of the URL. Without `from` it comes from this machine.
    pub fn from_url(method: &str, url: &str, headers: &[String], from: Option<IpAddr>) -> Result<Self, RequestFault> {
        let (scheme, rest) = url.split_once("://").ok_or(RequestFault::NoScheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(RequestFault::UnknownScheme),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, target) = rest.split_at(end);
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        let mut request = Self { scheme, client: from.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), ..Self::new(method, host, &target) };
        for line in headers {
            let (name, value) = line.split_once(':').ok_or_else(|| RequestFault::NoColon(line.clone()))?;
            if name.eq_ignore_ascii_case("host") {
                request.headers.retain(|(name, _)| name != "host");
            }
            request = request.with(name, value.trim());
        }
        Ok(request)
    }

    /// The bytes of its head on an HTTP/1.1 connection.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes
    }
}

/// Why a URL and header lines are no request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RequestFault {
    /// A header line without a colon: the line.
    NoColon(String),
    NoScheme,
    UnknownScheme,
}

impl fmt::Display for RequestFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoColon(line) => write!(formatter, "header `{line}` has no colon, expected `name: value`"),
            Self::NoScheme => formatter.write_str("the URL has no scheme, expected `http://host/path` or `https://host/path`"),
            Self::UnknownScheme => formatter.write_str("the URL's scheme is neither `http` nor `https`"),
        }
    }
}

/// Scans and normalises as the engine does, in its order; a refusal says whether the request was HEAD.
pub(super) fn with_head<T>(
    request: &Request,
    evaluator: &Evaluator<'_>,
    then: impl FnOnce(Result<Arrived<'_, '_>, (Fault, bool)>) -> T,
) -> T {
    let bytes = request.to_bytes();
    let is_head = request.method == "HEAD";
    let plan = evaluator.plan;
    let limits = ScanLimits { head_bytes: plan.limits.head.value, fields: plan.limits.fields.value };
    let mut table = Vec::new();
    let scanned = match head::scan(&bytes, limits, &mut table) {
        Ok(Some(scanned)) => scanned,
        Ok(None) => return then(Err((Fault::Head(HeadFault::BadRequest), is_head))),
        Err(fault) => return then(Err((Fault::Head(fault), is_head))),
    };
    let peer = Arrival::direct(request.client, request.scheme);
    let arrival = match evaluator.trust().map(|trust| client::arrival(peer, &trust, Fields::new(&bytes, &table))) {
        None => peer,
        Some(Ok(arrival)) => arrival,
        Some(Err(Contradiction)) => return then(Err((Fault::ForwardingContradiction, is_head))),
    };
    let mut scratch = Scratch::default();
    match head::view(&bytes, &scanned, &table, &mut scratch, arrival) {
        Ok(head) => then(Ok(Arrived { head: &head, framing: scanned.framing, expects_continue: scanned.expects_continue })),
        Err(fault) => then(Err((Fault::Head(fault), is_head))),
    }
}
