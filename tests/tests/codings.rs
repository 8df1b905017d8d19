//! Content codings of static files: chosen by Accept-Encoding, undone to the very file, told apart by their tags.

use kiln_tests::{
    docroot::content,
    files::{HOSTS, start_at_home},
    server::Shared,
    table::{Kind, Row, check},
};

static SERVER: Shared = Shared::new(start_at_home);

fn get(target: &str) -> Row {
    Row::new("GET", target)
}

/// The content coding of an answer to Accept-Encoding where all of zstd, br and gzip are offered.
const CODED: &[(&str, &str)] = &[
    ("gzip", "gzip"),
    ("br", "br"),
    ("zstd", "zstd"),
    ("GZIP", "gzip"),
    ("x-gzip", "gzip"),
    ("gzip, deflate, br, zstd", "zstd"),
    ("gzip, deflate, br", "br"),
    ("gzip, deflate", "gzip"),
    ("gzip;q=1.0", "gzip"),
    ("gzip;q=0.001", "gzip"),
    ("gzip ; q=0.5", "gzip"),
    ("gzip;Q=0.5", "gzip"),
    ("deflate;q=0.2, gzip;q=0.9", "gzip"),
    ("br;q=0.2, gzip;q=0.9", "gzip"),
    ("zstd;q=0.9, br;q=0.9, gzip;q=0.8", "zstd"),
    ("gzip;q=0, br", "br"),
    ("*", "zstd"),
    ("*;q=0.5, zstd;q=0", "br"),
    ("identity;q=0, gzip", "gzip"),
    ("identity;q=0.5, gzip;q=0.5", "gzip"),
    (" , gzip , ", "gzip"),
    ("gzip, gzip;q=0", "gzip"),
];

/// Values of Accept-Encoding to which the plain file answers.
const PLAIN: &[&str] = &[
    "",
    "identity",
    "deflate",
    "compress",
    "gzipx",
    "xgzip",
    "gzip;q=0",
    "gzip ; q=0.000",
    "*;q=0",
    "gzip;q=2",
    "gzip;q=-1",
    "gzip;q=",
    "gzip;q=0.0001",
    "gzip;x=1",
    "g zip",
    "identity, gzip;q=0.5",
    "identity;q=1, gzip;q=0.9",
    "*;q=0, identity",
    "br;q=0, gzip;q=0, zstd;q=0",
];

#[test]
fn codings_are_chosen_by_weight_and_undone_to_the_file() {
    let coded = [Kind::Dated, Kind::Embedded, Kind::Encoded];
    for name in ["style.css", "app.js", "data.json", "feed.xml", "drawing.svg", "index.html"] {
        let file = || get(&format!("/{name}"));
        let mut rows: Vec<Row> = vec![file().on(&coded).without("content-encoding").field("vary", "accept-encoding").body(content(name))];
        for (value, coding) in CODED {
            let row = file().with(&format!("accept-encoding: {value}"));
            rows.push(row.clone().on(&coded).field("content-encoding", coding).field("vary", "accept-encoding").body(content(name)));
            rows.push(row.on(&[Kind::Root]).without("content-encoding").without("vary").body(content(name)));
        }
        for value in PLAIN {
            rows.push(file().with(&format!("accept-encoding: {value}")).without("content-encoding").body(content(name)));
        }
        check(&SERVER, HOSTS, &rows);
    }
    // What would not get smaller is sent as it is, and depends on nothing.
    for name in ["image.png", "image.webp", "film.mp4", "font.woff2", "big.bin"] {
        check(
            &SERVER,
            HOSTS,
            &[get(&format!("/{name}"))
                .with("accept-encoding: gzip, br, zstd")
                .without("content-encoding")
                .without("vary")
                .body(content(name))],
        );
    }
    check(
        &SERVER,
        HOSTS,
        &[get("/nothing.css").with("accept-encoding: gzip").gives(404), get("/dir").with("accept-encoding: gzip").gives(308)],
    );
}

#[test]
fn each_coding_has_a_tag_of_its_own() {
    for (host, kind) in HOSTS {
        let mut client = SERVER.client();
        let mut tags: Vec<String> = ["identity", "gzip", "br", "zstd"]
            .iter()
            .filter_map(|coding| client.get(host, "/style.css", &format!("accept-encoding: {coding}\r\n")).field("etag").map(str::to_owned))
            .filter(|tag| !tag.starts_with("W/"))
            .collect();
        tags.sort();
        tags.dedup();
        let expected = match kind {
            Kind::Dated | Kind::Embedded => 4,
            // What is coded on its way has a weak tag; from a root nothing is coded.
            Kind::Encoded | Kind::Root => 1,
        };
        assert_eq!(tags.len(), expected, "{host}: {tags:?}");
    }
}

#[test]
fn range_with_a_coding_is_of_the_bytes_that_are_sent() {
    for (host, _) in HOSTS {
        let mut client = SERVER.client();
        for coding in ["identity", "gzip", "br", "zstd"] {
            let lines = format!("accept-encoding: {coding}\r\n");
            let whole = client.get(host, "/style.css", &lines);
            let part = client.get(host, "/style.css", &format!("{lines}range: bytes=5-14\r\n"));
            match part.status {
                // As coded as the whole, or not at all: in no case a mixture.
                206 if part.field("content-encoding") == whole.field("content-encoding") => {
                    assert_eq!(part.body, whole.body[5..15], "{host} {coding}")
                }
                206 => assert_eq!((part.field("content-encoding"), &*part.text()), (None, "{ color: #"), "{host} {coding}"),
                status => assert!(status == 200 && part.decoded_body() == whole.decoded_body(), "{host} {coding}: {status}"),
            }
        }
    }
}
