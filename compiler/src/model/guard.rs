//! The conditions of a route.

use semantics::{cidr::Prefix, guard::Protocol, method::Methods};

use super::Text;

/// `when`, as a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Guard {
    All(Vec<Self>),
    Any(Vec<Self>),
    /// At least one.
    ClientIp(Vec<Prefix>),
    /// Any of the values; none: present.
    Cookie {
        name: String,
        values: Vec<Text>,
    },
    /// Without their dot, in normal form; none: any extension.
    Extension(Vec<String>),
    /// Lower-case name; any of the values; none: present.
    Header {
        name: String,
        values: Vec<Text>,
    },
    Host(Vec<String>),
    /// A row of the map of this name has the key.
    Map(String),
    Method(Methods),
    Not(Box<Self>),
    /// Canonical patterns.
    Path(Vec<String>),
    /// At least one.
    Protocol(Vec<Protocol>),
    /// Any of the values; none: present.
    Query {
        name: String,
        values: Vec<Text>,
    },
    Regex(Regex),
}

/// A regex of a guard; what it was built to is in [`Site::regexes`](super::Site::regexes).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Regex {
    pub text: String,
    /// Its named groups in written order: parameters of the route, behind those of the pattern.
    pub groups: Vec<String>,
}
