//! The leaves of `when`: each asks one question of a request head. Generated code composes them with `&&`, `||` and `!`; the evaluator walks the plan.
//! Several values of one leaf: any; no value: present.

use crate::{
    head::Head,
    pattern::{self, Captures},
};

mod late;
mod request;

pub use self::late::{cookie_late, header_late, query_late};
pub use self::request::{Protocol, client_ip, cookie, extension, map, protocol, query};

/// Any line of the field `name` (lower case) equals one of `values`; without values: the field is present.
pub fn header(head: &Head<'_>, name: &str, values: &[&str]) -> bool {
    head.fields.all(name).any(|line| values.is_empty() || values.iter().any(|value| value.as_bytes() == line))
}

/// The host is one of `patterns` (exact, or `*.example`). Without patterns: a host was sent.
pub fn host(head: &Head<'_>, patterns: &[&str]) -> bool {
    if patterns.is_empty() {
        return !head.host.is_empty();
    }
    patterns.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(suffix) => head.host.len() > suffix.len() && head.host.ends_with(suffix),
        None => head.host == *pattern,
    })
}

/// The path is taken by one of the (canonical) patterns; captures are not kept.
pub fn path(head: &Head<'_>, patterns: &[&str]) -> bool {
    let mut captures = Captures::default();
    patterns.is_empty() || patterns.iter().any(|pattern| pattern::matches(pattern, head.path.text, &mut captures))
}
