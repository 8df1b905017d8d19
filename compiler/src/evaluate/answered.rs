//! From what a route or vhost says to what is sent: error pages, CORS fields, edits.

use semantics::{
    cors::{self, Kind},
    encode,
    method::{Method, Methods},
    negotiate::Coding,
    pattern::Captures,
    status::may_have_body,
};

use super::{Answer, Outcome, parts, seen::Seen};
use crate::{
    answer::{self, Prebuilt},
    plan::{Allowed, Cors, CorsId, EditsId, Encoding, EncodingId, ErrorPage, ErrorsId, Origins, Route, Vhost},
};

/// What is said before its scope has its say.
pub(super) enum Raw {
    Abort,
    Answer(Prebuilt),
    /// The same, in the coding that was chosen at build.
    Stored(Prebuilt),
    /// kiln itself says it: the scope may have a page for the status.
    Own(u16),
    /// The same for a fault of an upstream, by its name.
    OwnFault(u16, &'static str),
    /// The same for 405, with the methods that would have been taken.
    OwnMethods(Methods),
    /// The same for 416, with the length of what there is.
    OwnUnsatisfiable(u64),
}

/// The policies that an answer is sent under.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) edits: EditsId,
    pub(super) errors: Option<ErrorsId>,
    pub(super) cors: Option<CorsId>,
    pub(super) encoding: Option<EncodingId>,
}

impl Scope {
    pub(super) const fn of_vhost(vhost: &Vhost) -> Self {
        Self { edits: vhost.edits, errors: vhost.errors, cors: None, encoding: vhost.encoding }
    }

    /// As far as it holds before the route is known to share its answers.
    pub(super) const fn of_route(route: &Route) -> Self {
        Self { edits: route.edits, errors: route.errors, cors: None, encoding: route.encoding }
    }

    pub(super) const fn shared(self, cors: Option<CorsId>) -> Self {
        Self { cors, ..self }
    }
}

/// The outcome under the policies of a scope.
pub(super) fn outcome(raw: Raw, scope: Scope, captures: &Captures, seen: &Seen<'_, '_>) -> Outcome {
    let is_stored = matches!(raw, Raw::Stored(_));
    let prebuilt = match raw {
        Raw::Abort => return Outcome::Abort,
        Raw::Answer(prebuilt) | Raw::Stored(prebuilt) => prebuilt,
        Raw::Own(status) => own(status, None, scope.errors, seen),
        Raw::OwnFault(status, fault) => answer::fault(status, page(status, scope.errors, seen), fault),
        Raw::OwnMethods(methods) => own(405, Some(methods), scope.errors, seen),
        Raw::OwnUnsatisfiable(length) => answer::unsatisfiable(page(416, scope.errors, seen), length),
    };
    let mut lines = prebuilt.fields().to_vec();
    if let Some(id) = scope.cors {
        cors_fields(&seen.plan().cors[id.0 as usize], seen, &mut lines);
    }
    let mut out = Vec::new();
    let unsent_edits = parts::apply(&seen.plan().edits[scope.edits.0 as usize], &lines, seen, (captures, prebuilt.status), &mut out);
    let coding = match scope.encoding {
        None => Coding::Identity,
        Some(id) => encoded(&seen.plan().encodings[id.0 as usize], is_stored, &prebuilt, seen, &mut out),
    };
    let has_body = seen.head.method != Method::HEAD && may_have_body(prebuilt.status);
    let body = if has_body { prebuilt.body } else { Vec::new() };
    Outcome::Answer(Answer { status: prebuilt.status, fields: fields(&out), body, coding, unsent_edits })
}

/// Changes the lines to what the answer will say, and gives the coding of its body.
fn encoded(policy: &Encoding, is_stored: bool, prebuilt: &Prebuilt, seen: &Seen<'_, '_>, lines: &mut Vec<u8>) -> Coding {
    let policy = encode::Policy { codings: &policy.codings, min_bytes: policy.min_bytes.value };
    let answer =
        encode::Answer { status: prebuilt.status, body_bytes: Some(prebuilt.body.len() as u64), unedited: prebuilt.fields(), is_stored };
    encode::apply(&policy, seen.head, &answer, 0, lines)
}

fn own(status: u16, allow: Option<Methods>, errors: Option<ErrorsId>, seen: &Seen<'_, '_>) -> Prebuilt {
    answer::own(status, page(status, errors, seen), allow)
}

fn page<'p>(status: u16, errors: Option<ErrorsId>, seen: &Seen<'_, 'p>) -> Option<&'p ErrorPage> {
    errors.and_then(|id| seen.plan().errors[id.0 as usize].page(status))
}

fn cors_fields(policy: &Cors, seen: &Seen<'_, '_>, out: &mut Vec<u8>) {
    let (methods, headers, exposed) = (listed(&policy.methods), listed(&policy.headers), listed(&policy.exposed));
    let listed: Vec<_>;
    let origins = match &policy.origins {
        Origins::Any => cors::Origins::Any,
        Origins::Listed { origins, has_credentials } => {
            listed = origins.iter().map(String::as_str).collect();
            cors::Origins::Listed { origins: &listed, has_credentials: *has_credentials }
        }
    };
    let policy = cors::Policy {
        origins,
        methods: as_policy(methods.as_deref()),
        headers: as_policy(headers.as_deref()),
        exposed: as_policy(exposed.as_deref()),
        max_age_s: policy.max_age_s,
    };
    cors::fields(&policy, seen.head, kind(seen), out);
}

/// `None`: any.
fn listed(allowed: &Allowed) -> Option<Vec<&str>> {
    match allowed {
        Allowed::Any => None,
        Allowed::Listed(names) => Some(names.iter().map(String::as_str).collect()),
    }
}

fn as_policy<'l>(list: Option<&'l [&'l str]>) -> cors::Allowed<'l> {
    list.map_or(cors::Allowed::Any, cors::Allowed::Listed)
}

/// What the request is to CORS.
pub(super) fn kind(seen: &Seen<'_, '_>) -> Kind {
    cors::kind(seen.head)
}

/// Field lines as names and values.
pub(super) fn fields(lines: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(lines);
    let pairs = text.split_terminator("\r\n").filter_map(|line| line.split_once(": ").or_else(|| line.split_once(':')));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
