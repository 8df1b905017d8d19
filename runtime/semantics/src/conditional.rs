//! Conditional requests (RFC 9110 §13): If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, in the order of §13.2.2.

use crate::head::Head;

/// What the conditions say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict { /// 304 (GET and HEAD).
    NotModified, /// 412.
    PreconditionFailed, /// Go on.
    Proceed }

/// The validators of the selected representation.
#[derive(Clone, Copy, Debug)]
pub struct Validators<'a> { /// With quotes, and `W/` where weak.
    pub etag: Option<&'a str>, /// Seconds since the epoch.
    pub modified: Option<u64> }

/// Evaluates the request's conditions.
pub fn evaluate(head: &Head<'_>, validators: Validators<'_>) -> Verdict { todo!() }
