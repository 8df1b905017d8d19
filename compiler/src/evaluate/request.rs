//! A request as it is given to the evaluator, and its head as the engine would see it.

use std::net::{IpAddr, Ipv4Addr};

use semantics::{
    head::{self, Arrival, Framing, Head, HeadFault, ScanLimits, Scheme, Scratch},
    method::Method,
};

use super::Fault;
use crate::plan::Plan;

/// What a client sends, and what is known of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Request {
    /// A token, as sent.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
    /// Field lines in their order, Host among them.
    pub headers: Vec<(String, String)>,
    pub client: IpAddr,
    pub scheme: Scheme,
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
        }
    }

    /// With one more field line.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
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

/// Scans and normalises as the engine does, in its order; a refusal says whether the request was HEAD.
pub(super) fn with_head<T>(request: &Request, plan: &Plan, then: impl FnOnce(Result<&Head<'_>, (Fault, bool)>) -> T) -> T {
    let bytes = request.to_bytes();
    let limits = ScanLimits { head_bytes: plan.limits.head.value, fields: plan.limits.fields.value };
    let mut table = Vec::new();
    let scanned = match head::scan(&bytes, limits, &mut table) {
        Ok(Some(scanned)) => scanned,
        Ok(None) => return then(Err((Fault::Head(HeadFault::BadRequest), false))),
        Err(fault) => return then(Err((Fault::Head(fault), false))),
    };
    let is_head = scanned.method == Method::HEAD;
    if matches!(scanned.framing, Framing::Length(length) if length > plan.limits.body.value) {
        return then(Err((Fault::BodyTooLarge, is_head)));
    }
    let mut scratch = Scratch::default();
    let arrival = Arrival { client: request.client, scheme: request.scheme };
    match head::view(&bytes, &scanned, &table, &mut scratch, arrival) {
        Ok(head) => then(Ok(&head)),
        Err(fault) => then(Err((Fault::Head(fault), is_head))),
    }
}
