//! `files` from a root: compressed siblings, files that never change, and what their heads say of it.

use std::fs;

use runtime::{Coding, Codings, Rules};

use crate::rooted::{DATE, MODIFIED, Place};

const PRECOMPRESSED: Rules<'static> = Rules { precompressed: Codings::ALL, ..Rules::NEW };

#[test]
fn sibling_that_the_client_prefers_answers_for_its_file() {
    let place = Place::new("siblings").with(PRECOMPRESSED);
    for (name, body) in [("a.css", "plain text"), ("a.css.br", "brotli"), ("a.css.gz", "gzipped")] {
        place.write(name, body);
    }
    for (accepted, coding, body) in [
        ("", None, "plain text"),
        ("accept-encoding: gzip\r\n", Some("gzip"), "gzipped"),
        ("accept-encoding: gzip, br, zstd\r\n", Some("br"), "brotli"),
        ("accept-encoding: zstd\r\n", None, "plain text"),
        ("accept-encoding: br;q=0.1, gzip\r\n", Some("gzip"), "gzipped"),
        ("accept-encoding: identity;q=0, *\r\n", Some("br"), "brotli"),
        ("accept-encoding: br;q=0\r\n", None, "plain text"),
    ] {
        let answered = place.get_with("/f/a.css", accepted);
        assert_eq!((answered.status, answered.field("content-encoding"), &*answered.body), (200, coding, body), "{accepted}");
        assert_eq!(answered.field("vary"), Some("accept-encoding"), "{accepted}");
        assert_eq!(answered.field("content-type"), Some("text/css; charset=utf-8"), "{accepted}");
    }
    assert_eq!(place.get_with("/f/a.css.gz", "accept-encoding: gzip\r\n").field("vary"), None, "it has no siblings itself");
}

#[test]
fn sibling_has_validators_of_its_own() {
    let place = Place::new("sibling-validators").with(PRECOMPRESSED);
    place.write("a.css", "plain text");
    place.write("a.css.gz", "gzipped");
    let (plain, gzipped) = (format!("\"{MODIFIED:x}-0-a\""), format!("\"{MODIFIED:x}-0-7-gzip\""));
    let accepted = "accept-encoding: gzip\r\n";
    assert_eq!(place.get_with("/f/a.css", accepted).field("etag"), Some(&*gzipped));
    let unchanged = place.get_with("/f/a.css", &format!("{accepted}if-none-match: {gzipped}\r\n"));
    let expected = format!("HTTP/1.1 304 Not Modified\r\netag: {gzipped}\r\nlast-modified: {DATE}\r\nvary: accept-encoding\r\n\n");
    assert_eq!(unchanged.text(), expected);
    assert_eq!(place.get_with("/f/a.css", &format!("{accepted}if-none-match: {plain}\r\n")).status, 200);
    assert_eq!(place.get_with("/f/a.css", &format!("if-none-match: {plain}\r\n")).status, 304);
    let part = place.get_with("/f/a.css", &format!("{accepted}range: bytes=2-3\r\n"));
    assert_eq!((part.status, part.field("content-encoding"), &*part.body), (206, Some("gzip"), "ip"));
    let several = place.get_with("/f/a.css", &format!("{accepted}range: bytes=0-0,2-3\r\n"));
    assert_eq!((several.status, &*several.body), (200, "gzipped"), "parts of a coding can't be decoded");
}

#[test]
fn sibling_that_is_no_file_or_not_asked_for_is_none() {
    let place = Place::new("no-siblings").with(Rules { precompressed: Codings::of(&[Coding::Gzip]), ..Rules::NEW });
    place.write("a.css", "plain text");
    place.write("a.css.br", "brotli");
    fs::create_dir(place.path("a.css.gz")).expect("a directory");
    let answered = place.get_with("/f/a.css", "accept-encoding: gzip, br\r\n");
    assert_eq!((answered.field("content-encoding"), answered.field("vary"), &*answered.body), (None, None, "plain text"));
    place.write("b.css.gz", "gzipped");
    assert_eq!(place.get_with("/f/b.css", "accept-encoding: gzip\r\n").status, 404, "a sibling of nothing");
}

#[test]
fn file_that_never_changes_says_so_whole_unchanged_and_in_part() {
    let place = Place::new("immutable").with(Rules { immutable: &["*.css", "assets/*"], ..Rules::NEW });
    for name in ["a.css", "assets/b.js", "assets/c/d.js", "e.js"] {
        place.write(name, "0123456789");
    }
    let forever = Some("public, max-age=31536000, immutable");
    for (target, expected) in [("/f/a.css", forever), ("/f/assets/b.js", forever), ("/f/assets/c/d.js", None), ("/f/e.js", None)] {
        for (fields, status) in [("", 200), (&*format!("if-none-match: \"{MODIFIED:x}-0-a\"\r\n"), 304), ("range: bytes=1-2\r\n", 206)] {
            let answered = place.get_with(target, fields);
            assert_eq!((answered.status, answered.field("cache-control")), (status, expected), "{target} {fields}");
        }
    }
}

#[test]
fn file_of_a_route_that_codes_varies_where_it_is_coded() {
    let place = Place::new("coded").with(Rules { is_encoded: true, ..Rules::NEW });
    place.write("a.css", "0123456789");
    place.write("a.png", "0123456789");
    let unchanged = format!("if-none-match: \"{MODIFIED:x}-0-a\"\r\n");
    for fields in ["", &unchanged] {
        assert_eq!(place.get_with("/f/a.css", fields).field("vary"), Some("accept-encoding"), "{fields}");
        assert_eq!(place.get_with("/f/a.png", fields).field("vary"), None, "{fields}");
    }
}
