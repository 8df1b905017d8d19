//! Leaves about what a request carries and by which way it came: query, cookie, client-ip, extension, protocol, map.

use crate::{
    cidr::Networks,
    cookie,
    head::{Head, Version},
    query,
    template::{self, MapLookup, Place, Subject},
};

/// A version of HTTP as `protocol` tells them apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Protocol {
    /// HTTP/1.0 and HTTP/1.1.
    H1,
    /// HTTP/2.
    H2,
    /// HTTP/3.
    H3,
}

impl Protocol {
    /// The protocol that a request of this version came by.
    pub const fn of(version: Version) -> Self {
        match version {
            Version::Http10 | Version::Http11 => Self::H1,
            Version::Http2 => Self::H2,
            Version::Http3 => Self::H3,
        }
    }
}

/// The client's address (as trusted proxies say) lies in `networks`. `client-ip` without prefixes is refused by the compiler: every request has one.
pub fn client_ip(head: &Head<'_>, networks: &Networks<'_>) -> bool {
    networks.contains(head.client)
}

/// Any cookie `name` equals one of `values` (case-sensitive, not decoded); without values: the cookie is there.
pub fn cookie(head: &Head<'_>, name: &str, values: &[&str]) -> bool {
    cookie::has(head.fields, name, values)
}

/// The last segment ends in `.` and one of `extensions` (written without the dot, in normal form), ignoring case; without extensions: in any.
///
/// What is looked at is the normal form: `%2E` is a dot there, every other escape is none of an extension's letters. `.php` alone and `tar.gz` are
/// extensions too. A path with something behind the name (`/a.php/x`) has that as its last segment.
pub fn extension(head: &Head<'_>, extensions: &[&str]) -> bool {
    let path = head.path.text;
    let segment = path.rsplit_once('/').map_or(path, |(_, segment)| segment);
    if extensions.is_empty() {
        return segment.rsplit_once('.').is_some_and(|(_, extension)| !extension.is_empty());
    }
    extensions.iter().any(|extension| {
        let before = segment.len().checked_sub(extension.len()).and_then(|at| segment.split_at_checked(at));
        before.is_some_and(|(before, end)| before.ends_with('.') && end.eq_ignore_ascii_case(extension))
    })
}

/// A row of the map (not its default) has the key that `subject` gives. The key is rendered behind what `room` holds and taken away again.
pub fn map(lookup: &MapLookup<'_>, subject: &Subject<'_>, room: &mut Vec<u8>) -> bool {
    let start = room.len();
    template::render(lookup.from, subject, Place::Value, room);
    let has_row = lookup.map.find(room.get(start..).unwrap_or_default()).is_some();
    room.truncate(start);
    has_row
}

/// The request came by one of `protocols`. Without protocols the compiler refuses it.
pub fn protocol(head: &Head<'_>, protocols: &[Protocol]) -> bool {
    protocols.contains(&Protocol::of(head.version))
}

/// Any value of the query key equals one of `values`, both decoded once; without values: the key is there.
pub fn query(head: &Head<'_>, key: &str, values: &[&str]) -> bool {
    head.query.is_some_and(|query| query::has(query, key, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cidr::{Prefix, Ranges},
        maps::{Map, Rows},
        pattern::Captures,
        samples,
        template::Part,
    };

    #[test]
    fn extension_is_that_of_the_last_segment() {
        for (target, extensions, expected) in [
            ("/x/a.php", &["php"][..], true),
            ("/x/a.PhP?x=1", &["php"], true),
            ("/a%2ephp", &["php"], true),
            ("/a.%70hp", &["php"], true),
            ("/.php", &["php"], true),
            ("/a.png", &["php", "png"], true),
            ("/a.tar.gz", &["tar.gz"], true),
            ("/a.tar.gz", &["gz"], true),
            ("/aphp", &["php"], false),
            ("/php", &["php"], false),
            ("/a.php/x", &["php"], false),
            ("/a.php/", &["php"], false),
            ("/a.php%20", &["php"], false),
            ("/a.php;x", &["php"], false),
            ("/a.php5", &["php"], false),
            ("/a.", &["php"], false),
            ("/a.b", &[], true),
            ("/a.", &[], false),
            ("/a.b/c", &[], false),
            ("/", &[], false),
        ] {
            let found = samples::with_head("GET", target, &[], |head| extension(head, extensions));
            assert_eq!(found, expected, "{target} {extensions:?}");
        }
    }

    #[test]
    fn query_and_cookie_take_any_value_or_presence() {
        samples::with_head("GET", "/?a=0&a=x+y", &[("cookie", "s=1"), ("cookie", "s=2; t=")], |head| {
            assert!(query(head, "a", &["x y"]) && query(head, "a", &[]) && !query(head, "a", &["x+y"]) && !query(head, "b", &[]));
            assert!(cookie(head, "s", &["2"]) && cookie(head, "t", &[]) && cookie(head, "t", &[""]) && !cookie(head, "S", &[]));
        });
        samples::with_head("GET", "/", &[], |head| assert!(!query(head, "", &[]) && !cookie(head, "s", &[])));
    }

    #[test]
    fn client_and_protocol_are_asked() {
        let ranges = Ranges::build(&[Prefix::parse("192.0.2.0/24").unwrap()]);
        samples::with_head("GET", "/a", &[], |head| {
            assert!(client_ip(head, &ranges.networks()) && !client_ip(head, &Networks::NONE));
            assert!(protocol(head, &[Protocol::H2, Protocol::H1]) && !protocol(head, &[Protocol::H2, Protocol::H3]));
            assert!(protocol(&Head { version: Version::Http3, ..*head }, &[Protocol::H3]));
        });
    }

    #[test]
    fn map_holds_for_a_row_and_not_for_the_default() {
        let lookup = MapLookup { from: &[Part::Path], map: Map { rows: Rows::Inline(&[("/a", "/b")]), default: Some("/c") } };
        for (target, expected) in [("/a", true), ("/%61?x", true), ("/x", false)] {
            samples::with_head("GET", target, &[], |head| {
                let mut room = b"kept".to_vec();
                assert_eq!(
                    map(&lookup, &Subject { head, captures: &Captures::default(), status: 0, request_id: &"" }, &mut room),
                    expected,
                    "{target}"
                );
                assert_eq!(room, b"kept");
            });
        }
    }
}
