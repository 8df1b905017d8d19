//! Templates: their tokens, what they render to, and redirects.

use semantics::{
    pattern::{self, Captures},
    template::{self, Part, Place, Subject, Token},
};

use crate::request::ask;

fn rendered(target: &str, pattern: &str, parts: &[Part<'_>], place: Place) -> String {
    ask(target, "X-A: one\r\nX-A: two\r\nX-Space: a b\t\u{e9}\r\n", |head| {
        let mut captures = Captures::default();
        assert!(pattern::matches(pattern, head.path.text, &mut captures));
        let mut out = b">".to_vec();
        template::render(parts, &Subject { head, captures: &captures, status: 404, request_id: &"" }, place, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    })
}

#[test]
fn parts_are_what_they_say() {
    for (part, text) in [
        (Part::ClientIp, ">203.0.113.9"),
        (Part::Header("x-a"), ">one"),
        (Part::Header("x-b"), ">"),
        (Part::Host, ">shop.example"),
        (Part::Method, ">GET"),
        (Part::Scheme, ">https"),
        (Part::Status, ">404"),
        (Part::Text("a"), ">a"),
    ] {
        assert_eq!(rendered("/p/a%20b/c?x=1", "/p/{id}/*", &[part], Place::Value), text);
    }
    let render = |part| rendered("/p/%61%20b/c/./d?x=1&x=2&y+z=%41+b&e", "/p/{id}/*", &[part], Place::Value);
    assert_eq!(render(Part::Parameter(0)), ">a%20b");
    assert_eq!(render(Part::Parameter(1)), ">c/d");
    assert_eq!(render(Part::Parameter(2)), ">");
    assert_eq!(render(Part::Path), ">/p/a%20b/c/d");
    assert_eq!(render(Part::Query), ">x=1&x=2&y+z=%41+b&e");
    assert_eq!(render(Part::Target), ">/p/a%20b/c/d?x=1&x=2&y+z=%41+b&e");
    assert_eq!(render(Part::QueryValue("x")), ">1");
    assert_eq!(render(Part::QueryValue("y z")), ">A b");
    assert_eq!(render(Part::QueryValue("e")), ">");
}

#[test]
fn targets_take_query_values_undecoded_and_fields_encoded() {
    assert_eq!(rendered("/?a=%41+b", "/", &[Part::QueryValue("a")], Place::Target), ">%41+b");
    assert_eq!(rendered("/", "/", &[Part::Header("x-space")], Place::Target), ">a%20b%09%C3%A9");
}

#[track_caller]
fn redirect(target: &str, parts: &[Part<'_>], drops_query: bool, expected: Option<&str>) {
    ask(target, "", |head| {
        let mut captures = Captures::default();
        pattern::matches("/old/{rest*}", head.path.text, &mut captures);
        let mut out = b"location: ".to_vec();
        let is_sent =
            template::location(parts, &Subject { head, captures: &captures, status: 302, request_id: &"" }, drops_query, &mut out);
        let text = String::from_utf8_lossy(&out).into_owned();
        assert_eq!(text, format!("location: {}", expected.unwrap_or_default()));
        assert_eq!(is_sent, expected.is_some());
    });
}

#[test]
fn redirects_keep_the_query() {
    let new = [Part::Text("/new/"), Part::Parameter(0)];
    redirect("/old/a%20b?x=1", &new, false, Some("/new/a%20b?x=1"));
    redirect("/old/a/b", &new, false, Some("/new/a/b"));
    redirect("/old/a?x=1", &new, true, Some("/new/a"));
    redirect("/old/a?", &new, false, Some("/new/a"));
    redirect("/old/a?x=1", &[Part::Text("/n?y=2")], false, Some("/n?y=2"));
    redirect("/old/a?x=1", &[Part::Text("/n#part")], false, Some("/n?x=1#part"));
    redirect("/old/a?x=1", &[Part::Text("/n#part?")], false, Some("/n?x=1#part?"));
    redirect("/old/a?x=1", &[Part::Text("/n\n")], false, None);
}

#[test]
fn tokens_are_cut() {
    use Token::{Brace, Name, Text};
    assert_eq!(template::tokens("/a/{b}c"), Ok(vec![Text("/a/"), Name("b", 4), Text("c")]));
    assert_eq!(template::tokens("{{{a}}}"), Ok(vec![Brace('{'), Name("a", 3), Brace('}')]));
    assert_eq!(template::tokens("{header.x}ä{query.y}"), Ok(vec![Name("header.x", 1), Text("ä"), Name("query.y", 13)]));
    assert_eq!(template::tokens(""), Ok(vec![]));
    for (text, at) in [("a{b", 1), ("a}", 1), ("{}", 0), ("{a{b}", 0), ("x{{}", 3), ("{", 0)] {
        assert_eq!(template::tokens(text), Err(at), "{text}");
    }
}
