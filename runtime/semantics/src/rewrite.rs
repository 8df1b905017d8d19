//! `rewrite`: matching starts once more with another path.
//!
//! The target is rendered, its path brought to the normal form, and the request's query kept unless the target has a `?` of its own (as in a redirect). Exactly
//! one more start is allowed: a rewrite whose new path leads to a rewrite again is refused at build where its target is constant, and answered with 500 else.
//! The bytes that the client sent stay what `path "raw"` forwards.

use crate::{
    ascii,
    head::Head,
    path::{self, Path},
    template::{self, Part, Place, Subject},
};

/// How many times one request may start over.
pub const REWRITES_MAX: u8 = 1;

/// What a rewrite gives; borrows from [`Room`] and, where the query is kept, from the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rewritten<'a> {
    /// In normal form.
    pub path: Path<'a>,
    /// Without its `?`.
    pub query: Option<&'a str>,
}

impl<'a> Rewritten<'a> {
    /// The head that is matched from now on.
    pub fn head(self, before: &Head<'a>) -> Head<'a> {
        Head { path: self.path, query: self.query, ..*before }
    }
}

/// Why a request can't start over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RewriteFault {
    /// 500: it has done so [`REWRITES_MAX`] times; the site's fault.
    Again,
    /// 400: the rendered target has no normal form, which only parts of the request can bring about.
    BadTarget,
}

impl RewriteFault {
    /// The status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::Again => 500,
            Self::BadTarget => 400,
        }
    }
}

/// What a rewrite writes to; reused from request to request.
#[derive(Debug, Default)]
pub struct Room {
    target: Vec<u8>,
    path: Vec<u8>,
}

/// Renders the target and gives path and query of the next start. `before` is how many times the request has started over.
pub fn rewrite<'a>(parts: &[Part<'_>], subject: &Subject<'a>, before: u8, room: &'a mut Room) -> Result<Rewritten<'a>, RewriteFault> {
    if before >= REWRITES_MAX {
        return Err(RewriteFault::Again);
    }
    let Room { target, path } = room;
    target.clear();
    template::render(parts, subject, Place::Target, target);
    // What a request-target can't hold, a fragment among it (RFC 9112 §3.2.1).
    if !target.iter().all(|&byte| ascii::is(byte, ascii::TARGET)) {
        return Err(RewriteFault::BadTarget);
    }
    let target = std::str::from_utf8(target).map_err(|_not_ascii| RewriteFault::BadTarget)?;
    let (raw, query) = match target.split_once('?') {
        Some((raw, query)) => (raw, Some(query)),
        None => (target, subject.head.query),
    };
    let path = path::normalize(raw.as_bytes(), path).map_err(|path::BadPath| RewriteFault::BadTarget)?;
    Ok(Rewritten { path, query })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        pattern::{self, Captures},
        samples,
    };

    #[track_caller]
    fn check(target: &str, parts: &[Part<'_>], expected: Result<(&str, Option<&str>), RewriteFault>) {
        samples::with_head("GET", target, &[("x-a", "b c")], |head| {
            let mut captures = Captures::default();
            pattern::matches("/blog/{slug}", head.path.text, &mut captures);
            let mut room = Room { target: b"left over".to_vec(), path: b"left over".to_vec() };
            let found = rewrite(parts, &Subject { head, captures: &captures, status: 200, request_id: &"" }, 0, &mut room);
            assert_eq!(found.map(|found| (found.path.text, found.query)), expected, "{target} {parts:?}");
            if let Ok(rewritten) = found {
                let next = rewritten.head(head);
                assert_eq!((next.path, next.query, next.host), (rewritten.path, rewritten.query, head.host));
            }
        });
    }

    #[test]
    fn path_is_replaced_and_the_query_kept() {
        let posts = [Part::Text("/posts/"), Part::Parameter(0)];
        check("/blog/a?x=1", &posts, Ok(("/posts/a", Some("x=1"))));
        check("/blog/a%20b", &posts, Ok(("/posts/a%20b", None)));
        check("/blog/a?", &posts, Ok(("/posts/a", Some(""))));
        check("/a?x=1", &[Part::Text("/b?y=2")], Ok(("/b", Some("y=2"))));
        check("/a?x=1", &[Part::Text("/b?")], Ok(("/b", Some(""))));
        check("/a?x=1", &[Part::Text("/b?y=2&"), Part::Query], Ok(("/b", Some("y=2&x=1"))));
    }

    #[test]
    fn rendered_path_is_brought_to_the_normal_form() {
        check("/a?p=..%2fb", &[Part::Text("/x/"), Part::QueryValue("p")], Ok(("/x/..%2Fb", Some("p=..%2fb"))));
        check("/a?p=../../b", &[Part::Text("/x/"), Part::QueryValue("p")], Err(RewriteFault::BadTarget));
        check("/a?p=../b", &[Part::Text("/x/"), Part::QueryValue("p")], Ok(("/b", Some("p=../b"))));
        check("/a?p=%41", &[Part::Text("/x//"), Part::QueryValue("p")], Ok(("/x/A", Some("p=%41"))));
        check("/a", &[Part::Text("/"), Part::Header("x-a")], Ok(("/b%20c", None)));
    }

    #[test]
    fn target_without_normal_form_is_refused() {
        for text in ["", "b", "?x", "/..", "/%00", "/%4", "/a b", "/a\\b", "/a#b", "/ä", "/a\r\n", "*"] {
            check("/a", &[Part::Text(text)], Err(RewriteFault::BadTarget));
        }
    }

    #[test]
    fn second_rewrite_is_refused() {
        samples::with_head("GET", "/a", &[], |head| {
            let (captures, mut room) = (Captures::default(), Room::default());
            let found =
                rewrite(&[Part::Text("/b")], &Subject { head, captures: &captures, status: 200, request_id: &"" }, REWRITES_MAX, &mut room);
            assert_eq!(found, Err(RewriteFault::Again));
        });
    }

    proptest! {
        #[test]
        fn rewritten_path_is_normal(text in "\\PC{0,16}") {
            samples::with_head("GET", "/a?b=c", &[], |head| {
                let (captures, mut room) = (Captures::default(), Room::default());
                let text = format!("/{text}");
                if let Ok(found) = rewrite(&[Part::Text(&text)], &Subject { head, captures: &captures, status: 200, request_id: &"" }, 0, &mut room) {
                    let again = path::normalize(found.path.text.as_bytes(), &mut Vec::new()).map(|path| path.text.to_owned());
                    assert_eq!(again.as_deref(), Ok(found.path.text));
                }
            });
        }
    }
}
