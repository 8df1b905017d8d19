//! Texts with values of a request in them.

use super::LateValue;

/// Template text resolved to typed parts. Adjacent text is one part; empty text is no part.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Template {
    pub parts: Vec<Part>,
}

/// The owned twin of [`semantics::template::Part`].
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Part {
    ClientIp,
    Cookie(String),
    Header(String),
    Host,
    Late(LateValue),
    /// By the map's name.
    Map(String),
    Method,
    /// By name here: `lower` turns it into the index of the route's pattern.
    Parameter(String),
    Path,
    Query,
    QueryValue(String),
    RequestId,
    Scheme,
    Status,
    Target,
    Text(String),
}
