//! What clients ask of static files, as a table: the same document root from the host and from the binary. What RFC 9110 leaves open is asked for as
//! kiln has decided it.

use kiln_tests::{
    docroot::{HUNDRED, MODIFIED, SECRET, content, files},
    files::{HOSTS, start_at_home},
    server::Shared,
    table::{self, Kind, Row},
};

static SERVER: Shared = Shared::new(start_at_home);

/// A day before and a day after [`MODIFIED`].
const EARLIER: &str = "Mon, 13 Nov 2023 22:13:20 GMT";
const LATER: &str = "Wed, 15 Nov 2023 22:13:20 GMT";

fn get(target: &str) -> Row {
    Row::new("GET", target)
}

fn a() -> Row {
    get("/a.txt")
}

fn range(set: &str) -> Row {
    a().with(&format!("range: {set}"))
}

#[track_caller]
fn check(rows: &[Row]) {
    table::check(&SERVER, HOSTS, rows);
}

#[test]
fn range_that_can_be_had_is_sent() {
    check(&[
        range("bytes=0-9").parts(&[(0, 9)]).field("content-length", "10").field("accept-ranges", "bytes"),
        range("bytes=0-0").parts(&[(0, 0)]),
        range("bytes=99-99").parts(&[(99, 99)]),
        range("bytes=98-").parts(&[(98, 99)]),
        range("bytes=0-").parts(&[(0, 99)]),
        range("bytes=-1").parts(&[(99, 99)]),
        range("bytes=-5").parts(&[(95, 99)]),
        range("bytes=-100").parts(&[(0, 99)]),
        range("bytes=-1000").parts(&[(0, 99)]),
        range("bytes=-99999999999999999999999999").parts(&[(0, 99)]),
        range("bytes=95-1000").parts(&[(95, 99)]),
        range("bytes=95-99999999999999999999999999").parts(&[(95, 99)]),
        range("bytes=007-009").parts(&[(7, 9)]),
        range("BYTES=7-9").parts(&[(7, 9)]),
        range("bytes=,7-9,,").parts(&[(7, 9)]),
        range("bytes= 7-9 ").parts(&[(7, 9)]),
        range("bytes=0-1,2-3").parts(&[(0, 3)]),
        range("bytes=0-9,5-20").parts(&[(0, 20)]),
        range("bytes=7-9,500-600").parts(&[(7, 9)]),
        range("bytes=0-1,-1").parts(&[(0, 1), (99, 99)]),
        range("bytes=0-1 , 50-51").parts(&[(0, 1), (50, 51)]),
        range("bytes=50-51,0-1,-3").parts(&[(50, 51), (0, 1), (97, 99)]),
        range("bytes=0-1,500-600,4-5").parts(&[(0, 1), (4, 5)]),
        get("/one.txt").with("range: bytes=0-0").gives(206).field("content-range", "bytes 0-0/1").body("1"),
        get("/big.bin").with("range: bytes=1048575-").gives(206).field("content-range", "bytes 1048575-1048575/1048576"),
        get("/dir/").with("range: bytes=0-2").gives(206).body("<p>"),
    ]);
}

#[test]
fn range_that_cannot_be_had_is_416() {
    for set in ["100-", "100-200", "100-100", "-0", "200-210,500-600", "99999999999999999999999999-", "500-", "100-,-0"] {
        check(&[range(&format!("bytes={set}")).gives(416).field("content-range", "bytes */100").without("etag")]);
    }
    check(&[
        get("/empty.txt").with("range: bytes=0-0").gives(416).field("content-range", "bytes */0"),
        get("/empty.txt").with("range: bytes=0-").gives(416),
        get("/empty.txt").with("range: bytes=-0").gives(416),
    ]);
}

#[test]
fn range_that_is_none_or_too_much_is_as_if_it_were_absent() {
    let many = |count: usize| (0..count).map(|number| format!("{0}-{0}", number * 2)).collect::<Vec<_>>().join(",");
    let amplified = (0..1_000).map(|number| format!("{}-{}", number % 90, number % 90 + 1)).collect::<Vec<_>>().join(",");
    let sets = [
        "bytes=9-0",
        "bytes=--5",
        "bytes=-",
        "bytes=",
        "bytes",
        "bytes=a-b",
        "bytes=0x0-9",
        "bytes=0-9-20",
        "bytes=+0-9",
        "bytes=0 -9",
        "bytes 0-9",
        "items=0-9",
        "bytes=0-9;",
        "bytes=0-9,x",
        "bytes=9-0,20-30",
        "=0-9",
        "0-9",
        "bytes=1.5-2",
        "bytes=,",
        "bytes=0-50,1-51,2-52,3-53",
        "none",
    ];
    let mut rows: Vec<Row> = sets.iter().map(|set| range(set).gives(200).body(HUNDRED).without("content-range")).collect();
    rows.push(range(&format!("bytes={}", many(17))).gives(200).body(HUNDRED));
    rows.push(range(&format!("bytes={amplified}")).gives(200).body(HUNDRED));
    // Two lines are no list here, and only a GET has ranges.
    rows.push(range("bytes=0-9").with("range: bytes=20-29").gives(200).body(HUNDRED));
    rows.push(Row::new("HEAD", "/a.txt").with("range: bytes=0-9").gives(200).field("content-length", "100").without("content-range"));
    rows.push(get("/empty.txt").with("range: bytes=-5").gives(200).body(""));
    rows.push(get("/nothing.txt").with("range: bytes=0-9").gives(404));
    rows.push(get("/dir").with("range: bytes=0-9").gives(308));
    check(&rows);
    let sixteen = (0..16).map(|number| (number * 2, number * 2)).collect::<Vec<_>>();
    check(&[range(&format!("bytes={}", many(16))).parts(&sixteen)]);
}

#[test]
fn if_range_asks_for_the_part_of_one_content_only() {
    let part = || range("bytes=0-9");
    check(&[
        part().with("if-range: {etag}").on(&[Kind::Embedded, Kind::Dated, Kind::Root]).parts(&[(0, 9)]),
        part().with("if-range: W/{etag}").gives(200).body(HUNDRED),
        part().with("if-range: \"other\"").gives(200).body(HUNDRED),
        part().with("if-range: {opaque}").gives(200).body(HUNDRED),
        part().with("if-range: *").gives(200).body(HUNDRED),
        part().with("if-range: garbage").gives(200).body(HUNDRED),
        part().with("if-range:").gives(200).body(HUNDRED),
        part().with("if-range: {etag}, {etag}").gives(200).body(HUNDRED),
        part().with("if-range: {etag}").with("if-range: {etag}").gives(200).body(HUNDRED),
        part().with(&format!("if-range: {MODIFIED}")).dated().parts(&[(0, 9)]),
        part().with(&format!("if-range: {EARLIER}")).gives(200).body(HUNDRED),
        part().with(&format!("if-range: {LATER}")).gives(200).body(HUNDRED),
        part().with(&format!("if-range: {MODIFIED}")).on(&[Kind::Embedded]).gives(200).body(HUNDRED),
        range("bytes=500-").with("if-range: \"other\"").gives(200).body(HUNDRED),
        range("bytes=500-").with("if-range: {etag}").on(&[Kind::Embedded, Kind::Dated, Kind::Root]).gives(416),
        a().with("if-range: {etag}").gives(200).body(HUNDRED),
        a().with("if-range: \"other\"").gives(200).body(HUNDRED),
        part().with("if-range: {etag}").with("if-none-match: {etag}").gives(304),
        part().with("if-range: \"other\"").with("if-match: \"other\"").gives(412),
    ]);
}

#[test]
fn validators_are_well_formed_and_never_in_the_future() {
    check(&[
        a().has("etag").field("accept-ranges", "bytes"),
        a().dated().field("last-modified", MODIFIED),
        a().on(&[Kind::Embedded]).without("last-modified"),
        get("/old.txt").dated().field("last-modified", "Mon, 01 Jan 1990 00:00:00 GMT"),
        get("/future.txt").field_not("last-modified", "Fri, 01 Jan 2100 00:00:00 GMT"),
        get("/future.txt").dated().has("last-modified"),
        get("/nothing.txt").gives(404).without("etag").without("last-modified"),
        get("/dir").gives(308).without("etag"),
    ]);
    let mut client = SERVER.client();
    for (host, _) in HOSTS {
        for (name, _) in files().iter().filter(|(name, _)| name.is_ascii() && !name.contains(['?', '#', '%', ' '])) {
            let answer = client.get(host, &format!("/{name}"), "");
            let tag = answer.field("etag").unwrap_or_default();
            let opaque = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or("\"");
            assert!(!opaque.is_empty() && opaque.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"'), "{host} {name}: {tag}");
        }
    }
}

#[test]
fn tags_are_compared_as_lists() {
    check(&[
        a().with("if-none-match: {etag}").gives(304),
        a().with("if-none-match: W/{etag}").gives(304),
        a().with("if-none-match: *").gives(304),
        a().with("if-none-match: \"x\"").gives(200).body(HUNDRED),
        a().with("if-none-match: \"x\", {etag}").gives(304),
        a().with("if-none-match: {etag},\"x\"").gives(304),
        a().with("if-none-match:  , ,{etag} , ").gives(304),
        a().with("if-none-match: \"x\"").with("if-none-match: {etag}").gives(304),
        a().with("if-none-match: W/\"x\", W/{etag}").gives(304),
        a().with("if-none-match: \"a,{opaque}\"").gives(200),
        a().with("if-none-match: \"{opaque} \"").gives(200),
        a().with("if-none-match: {opaque}").gives(200),
        a().with("if-none-match: w/{etag}").gives(200),
        a().with("if-none-match:").gives(200),
        a().with("if-none-match: \"\"").gives(200),
        a().with("if-match: {etag}").gives(200).body(HUNDRED),
        a().with("if-match: *").gives(200),
        a().with("if-match: \"x\"").gives(412),
        a().with("if-match: \"x\", {etag}").gives(200),
        a().with("if-match: \"x\"").with("if-match: {etag}").gives(200),
        a().with("if-match: W/{etag}").gives(412),
        a().with("if-match: {opaque}").gives(412),
        get("/nothing.txt").with("if-none-match: *").gives(404),
        get("/nothing.txt").with("if-match: *").gives_any(&[404, 412]),
        get("/dir").with("if-none-match: *").gives(308),
        get("/dir/").with("if-none-match: {etag}").gives(304),
        get("/").with("if-none-match: {etag}").gives(304),
        get("/style.css").with("accept-encoding: gzip").with("if-none-match: {etag}").gives(304),
        get("/style.css").with("accept-encoding: br").with("if-none-match: {etag}").gives(304),
    ]);
}

/// The three forms of RFC 9110 §5.6.7.
fn forms(day: &str) -> [String; 3] {
    let words: Vec<&str> = day.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let [weekday, date, month, year, time, _] = words[..] else { panic!("{day}") };
    let long =
        [("Mon", "Monday"), ("Tue", "Tuesday"), ("Wed", "Wednesday")].into_iter().find(|(short, _)| *short == weekday).expect("a day").1;
    [day.to_owned(), format!("{long}, {date}-{month}-{} {time} GMT", &year[2..]), format!("{weekday} {month} {date} {time} {year}")]
}

#[test]
fn dates_are_read_in_three_forms() {
    for (form, earlier) in forms(MODIFIED).into_iter().zip(forms(EARLIER)) {
        check(&[
            a().with(&format!("if-modified-since: {form}")).dated().gives(304),
            a().with(&format!("if-modified-since: {earlier}")).gives(200).body(HUNDRED),
            a().with(&format!("if-unmodified-since: {form}")).gives(200).body(HUNDRED),
            a().with(&format!("if-unmodified-since: {earlier}")).dated().gives(412),
            // Without dates there is nothing to compare with.
            a().with(&format!("if-modified-since: {form}")).on(&[Kind::Embedded]).gives(200).body(HUNDRED),
            a().with(&format!("if-unmodified-since: {earlier}")).on(&[Kind::Embedded]).gives(200).body(HUNDRED),
        ]);
    }
    for later in forms(LATER).iter().map(String::as_str).chain(["Fri, 31 Dec 9999 23:59:59 GMT"]) {
        check(&[
            a().with(&format!("if-modified-since: {later}")).dated().gives(304),
            a().with(&format!("if-unmodified-since: {later}")).gives(200),
        ]);
    }
    check(&[
        a().with("if-modified-since: Thu, 01 Jan 1970 00:00:00 GMT").gives(200),
        a().with("if-modified-since: Wed, 31 Dec 1969 23:59:59 GMT").gives(200),
        get("/dir/").with(&format!("if-modified-since: {MODIFIED}")).dated().gives(304),
        get("/nothing.txt").with(&format!("if-modified-since: {LATER}")).gives(404),
        get("/nothing.txt").with(&format!("if-unmodified-since: {EARLIER}")).gives_any(&[404, 412]),
    ]);
}

#[test]
fn dates_that_are_none_are_as_if_they_were_absent() {
    for date in [
        "garbage",
        "",
        "*",
        "0",
        "1700000000",
        "2023-11-13T22:13:20Z",
        "Mon, 13 Nov 2023",
        "Mon, 13 Nov 2023 22:13:20",
        "Mon, 13 Nov 2023 22:13:20 UTC",
        "Mon, 13 Nov 2023 22:13:20 +0000",
        "Mon, 13 Nov 2023 22:13:20 EST",
        "Mon, 32 Nov 2023 22:13:20 GMT",
        "Mon, 00 Nov 2023 22:13:20 GMT",
        "Mon, 13 Foo 2023 22:13:20 GMT",
        "Mon, 13 Nov 2023 24:13:20 GMT",
        "Mon, 13 Nov 2023 22:60:20 GMT",
        "Mon, 13 Nov 2023 2:13:20 GMT",
        "13 Nov 2023 22:13:20 GMT",
        "Mon 13 Nov 2023 22:13:20 GMT",
        "Mon, 13 Nov 23 22:13:20 GMT",
        "Mon, 13-Nov-2023 22:13:20 GMT",
        "Mon, 13 Nov 2023 22:13:20 GMT; length=100",
        "Mon, 13 Nov 2023 22:13:20 GMT, Mon, 13 Nov 2023 22:13:20 GMT",
        "\"Mon, 13 Nov 2023 22:13:20 GMT\"",
        "Xyz, 13 Nov 2023 22:13:20 GMT",
        "Mon, 31 Feb 2022 22:13:20 GMT",
    ] {
        let late = date.replace("13 Nov", "15 Nov").replace("13-Nov", "15-Nov").replace("11-13", "11-15");
        check(&[
            a().with(&format!("if-unmodified-since: {date}")).gives(200).body(HUNDRED),
            a().with(&format!("if-modified-since: {late}")).gives(200).body(HUNDRED),
            range("bytes=0-9").with(&format!("if-range: {date}")).gives(200).body(HUNDRED),
        ]);
    }
    check(&[
        a().with(&format!("if-modified-since: {LATER}")).with(&format!("if-modified-since: {LATER}")).gives(200),
        a().with(&format!("if-unmodified-since: {EARLIER}")).with(&format!("if-unmodified-since: {EARLIER}")).gives(200),
    ]);
}

/// What RFC 9110 §13.2.2 makes of conditions, each `None` where the field is absent or says nothing; `tag` and `date` fields as they compare.
fn verdict(conditions: &Conditions) -> u16 {
    if conditions.if_match == Some(false) || (conditions.if_match.is_none() && conditions.if_unmodified_since == Some(false)) {
        return 412;
    }
    if conditions.if_none_match == Some(true) || (conditions.if_none_match.is_none() && conditions.if_modified_since == Some(false)) {
        return 304;
    }
    match conditions.has_range && conditions.if_range != Some(false) {
        true => 206,
        false => 200,
    }
}

#[derive(Debug, Default)]
struct Conditions {
    /// Whether a tag is that of the file.
    if_match: Option<bool>,
    /// Whether the file is as old as that.
    if_unmodified_since: Option<bool>,
    if_none_match: Option<bool>,
    /// Whether the file is newer than that.
    if_modified_since: Option<bool>,
    has_range: bool,
    if_range: Option<bool>,
}

#[test]
fn conditions_in_all_combinations_are_evaluated_in_their_order() {
    let mut faults = Vec::new();
    for &(host, kind) in HOSTS.iter().filter(|(_, kind)| *kind != Kind::Encoded) {
        let is_dated = kind != Kind::Embedded;
        let dated = |said: bool| is_dated.then_some(said);
        let mut client = SERVER.client();
        let tag = client.get(host, "/a.txt", "").field("etag").expect("a tag").to_owned();
        let tags = |name: &str| {
            let line = |value: &str| format!("{name}: {value}\r\n");
            let is_strong = name == "if-match";
            [
                (String::new(), None),
                (line(&tag), Some(true)),
                (line("\"x\""), Some(false)),
                (line("*"), Some(true)),
                (line(&format!("W/{tag}")), Some(!is_strong)),
            ]
        };
        let dates = |name: &str, said: [Option<bool>; 3]| {
            let line = |value: &str| format!("{name}: {value}\r\n");
            [(String::new(), None), (line(EARLIER), said[0]), (line(MODIFIED), said[1]), (line(LATER), said[2]), (line("garbage"), None)]
        };
        let ranges = [(String::new(), false), ("range: bytes=0-9\r\n".to_owned(), true)];
        let line = |value: &str| format!("if-range: {value}\r\n");
        let if_ranges = [
            (String::new(), None),
            (line(&tag), Some(true)),
            (line("\"x\""), Some(false)),
            (line(MODIFIED), Some(is_dated)),
            (line(EARLIER), Some(false)),
        ];
        let (unmodified, modified) = ([dated(false), dated(true), dated(true)], [dated(true), dated(false), dated(false)]);
        let mut asked = 0;
        for (lines_of_match, if_match) in tags("if-match") {
            for (lines_of_unmodified, if_unmodified_since) in dates("if-unmodified-since", unmodified) {
                for (lines_of_none_match, if_none_match) in tags("if-none-match") {
                    for (lines_of_modified, if_modified_since) in dates("if-modified-since", modified) {
                        for (lines_of_range, has_range) in &ranges {
                            for (lines_of_if_range, if_range) in &if_ranges {
                                let conditions = Conditions {
                                    if_match,
                                    if_unmodified_since,
                                    if_none_match,
                                    if_modified_since,
                                    has_range: *has_range,
                                    if_range: *if_range,
                                };
                                let lines = [
                                    &lines_of_match,
                                    &lines_of_unmodified,
                                    &lines_of_none_match,
                                    &lines_of_modified,
                                    lines_of_range,
                                    lines_of_if_range,
                                ];
                                let lines: String = lines.into_iter().map(String::as_str).collect();
                                let answer = client.get(host, "/a.txt", &lines);
                                asked += 1;
                                if answer.status != verdict(&conditions) {
                                    faults.push(format!("{host} {lines:?}: {}, not {}", answer.status, verdict(&conditions)));
                                }
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(asked, 5 * 5 * 5 * 5 * 2 * 5);
    }
    assert!(faults.is_empty(), "{} faults, the first of them: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
}

#[test]
fn methods_other_than_get_and_head_are_refused() {
    let mut rows = vec![
        Row::new("HEAD", "/a.txt").field("content-length", "100").field("content-type", "text/plain; charset=utf-8"),
        Row::new("HEAD", "/big.bin").field("content-length", "1048576"),
        Row::new("HEAD", "/nothing.txt").gives(404),
        Row::new("HEAD", "/dir").gives(308).field("location", "/dir/"),
        Row::new("HEAD", "/empty.txt").field("content-length", "0"),
    ];
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "QUERY", "BREW", "get", "Head"] {
        for target in ["/a.txt", "/new.txt", "/dir/", "/"] {
            rows.push(Row::new(method, target).with("content-length: 0").gives_any(&[405, 501]));
        }
    }
    rows.push(Row::new("POST", "/a.txt").with("content-length: 0").gives(405).field("allow", "GET, HEAD"));
    check(&rows);
    check(&[a().body(HUNDRED), get("/new.txt").gives(404)]);
}

#[test]
fn names_are_decoded_once_and_matched_byte_for_byte() {
    let mut rows: Vec<Row> = files().iter().map(|(name, content)| get(&escaped(name)).body(content)).collect();
    let alike = [
        ("/%61%2Etxt", HUNDRED),
        ("/a%2etxt", HUNDRED),
        ("/plus%2Bplus.txt", "plus\n"),
        ("/plus%2bplus.txt", "plus\n"),
        ("/semi;colon.txt", "semicolon\n"),
        ("/colon:name.txt", "colon\n"),
        ("/colon%3aname.txt", "colon\n"),
        ("/uml%c3%a4ut.txt", "umlaut\n"),
        ("/br[ack]{ets}.txt", "brackets\n"),
        ("/tilde%7E.txt", "tilde\n"),
        ("/a.txt?x=1&y=/../..", HUNDRED),
        ("/a.txt?", HUNDRED),
        ("/a.txt??", HUNDRED),
        ("/a.txt?%zz", HUNDRED),
        ("/./a.txt", HUNDRED),
        ("/dir/../a.txt", HUNDRED),
        ("/dir/./x.txt", "x in a directory\n"),
        ("/dir//x.txt", "x in a directory\n"),
        ("//a.txt", HUNDRED),
        ("///dir///x.txt", "x in a directory\n"),
        ("/below/x.txt", "x in a directory\n"),
        ("/below/../a.txt", HUNDRED),
        ("/below/", "<p>index of a directory\n"),
        ("http://{host}/a.txt", HUNDRED),
    ];
    rows.extend(alike.iter().filter(|(target, _)| !target.starts_with("http")).map(|(target, body)| get(target).body(body)));
    let absent = [
        "/sp+ace.txt",
        "/sp%2520ace.txt",
        "/upper.txt",
        "/A.TXT",
        "/a.txt/",
        "/a.txt/x",
        "/a.txt/index.html",
        "/a.tx",
        "/a.txt.gz",
        "/a.txt%20",
        "/%20a.txt",
        "/a.txt%0A",
        "/a.txt.",
        "/dir/index.htm",
        "/per%2525cent.txt%00x",
        "/nothing/a.txt",
        "/index.html/",
        "/..a.txt",
        "/a%01.txt",
        "/%FF%FE.txt",
        "/uml%E4ut.txt",
        "/umla%CC%88ut.txt",
        "/*",
        "/a*",
        "/a%2A",
        "/below/a.txt",
        "/below/dir/x.txt",
        "/odd/index.html/",
        "/%C0%AEa.txt",
        "/%E2%80%AEtxt.a",
    ];
    let many = "/d".repeat(800);
    let long = format!("/{}", "n".repeat(300));
    rows.extend(absent.into_iter().chain([&*many, &*long]).filter(|target| !target.contains("%00")).map(|target| get(target).gives(404)));
    check(&rows);
}

/// Every byte that may need it as an escape.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._".contains(&byte);
    name.bytes().fold("/".to_owned(), |target, byte| {
        if plain(byte) { target + char::from(byte).encode_utf8(&mut [0; 4]) } else { format!("{target}%{byte:02X}") }
    })
}

#[test]
fn paths_without_a_normal_form_are_refused() {
    for target in [
        "/a.txt%00",
        "/a.txt%00.html",
        "/%00",
        "/a%00.txt",
        "/%zz",
        "/%",
        "/a.txt%2",
        "/a.txt%",
        "/%u0061.txt",
        "/a\\b",
        "/..",
        "/../a.txt",
        "/dir/../../a.txt",
        "/%2e%2e/a.txt",
        "/%2E/a.txt",
        "/dir/.%2e/a.txt",
        "/dir%2Fx.txt",
        "/%2Fa.txt",
        "/%2e%2e%2fa.txt",
    ] {
        for (host, _) in HOSTS {
            let answer = SERVER.client().get(host, target, "");
            assert_eq!(answer.status, 400, "{host} {target}");
        }
    }
    // Text that would be a line of its own in an answer that repeats it.
    for target in ["/a.txt%0d%0ax-evil:%201", "/dir%0d%0ax-evil:%201", "/dir/%0d%0ax-evil:%201"] {
        for (host, _) in HOSTS {
            let answer = SERVER.client().get(host, target, "");
            assert!(answer.status == 404 && answer.field("x-evil").is_none(), "{host} {target}: {answer:?}");
        }
    }
}

#[test]
fn no_spelling_leads_out_of_the_root() {
    let dots = [
        "..",
        "%2e%2e",
        ".%2e",
        "%2E.",
        "%252e%252e",
        "..;",
        "..;a=b",
        ".%00.",
        "%c0%ae%c0%ae",
        "%uff0e%uff0e",
        "...",
        "....",
        "..%20",
        "..%09",
        ".\\.",
        "..%00",
        "%EF%BC%8E%EF%BC%8E",
        "link-dir-out",
    ];
    let slashes = ["/", "%2f", "%5c", "\\", "//", "/./", "%252f", "%c0%af", ";/", "/;/", "%EF%BC%8F"];
    let mut targets = vec![
        "/link-out.txt".to_owned(),
        "/link-dir-out/".to_owned(),
        "/link-dir-out".to_owned(),
        "/dir/../link-dir-out/secret.txt".to_owned(),
        "//etc/passwd".to_owned(),
    ];
    for (dot, slash) in dots.iter().flat_map(|dot| slashes.iter().map(move |slash| (dot, slash))) {
        for (prefix, depth) in ["", "dir/", "a.txt/", "below/"].iter().flat_map(|prefix| [1, 2, 8].map(|depth| (prefix, depth))) {
            let up = format!("{dot}{slash}").repeat(depth);
            targets
                .extend(["outside/secret.txt", "secret.txt", "etc/passwd"].map(|end| format!("/{prefix}{up}{}", end.replace('/', slash))));
        }
    }
    targets.extend(targets.clone().iter().filter(|target| target.starts_with("/..")).map(|target| target[1..].to_owned()).take(20));
    let mut faults = Vec::new();
    for (host, _) in HOSTS {
        let mut client = SERVER.client();
        for target in &targets {
            let answer = client.get(host, target, "");
            let is_right = matches!(answer.status, 400 | 404) && !answer.text().contains(SECRET) && !answer.text().contains("root:");
            if !is_right {
                faults.push(format!("{host} {target}: {} {}", answer.status, answer.text()));
            }
            if answer.field("connection") == Some("close") {
                client = SERVER.client();
            }
        }
    }
    assert!(
        targets.len() > 7_000 && faults.is_empty(),
        "{} targets, {} faults: {:#?}",
        targets.len(),
        faults.len(),
        &faults[..faults.len().min(10)]
    );
}

#[test]
fn links_and_what_is_no_file_are_absent() {
    check(&[
        get("/link-out.txt").gives(404),
        get("/link-dir-out/secret.txt").gives(404),
        get("/link-dir-out/").gives(404),
        get("/link-in.txt").on(&[Kind::Root, Kind::Encoded]).gives(404),
        get("/link-in.txt").on(&[Kind::Embedded, Kind::Dated]).body(HUNDRED),
        get("/fifo").gives(404),
        get("/.hidden").gives(404),
        get("/.git/config").gives(404),
        get("/%2Egit/config").gives(404),
        get("/.git/").gives(404),
        get("/.git").gives(404),
        get("/page.html~").gives(404),
        get("/page.html.bak").gives(404),
    ]);
}

#[test]
fn directories_have_their_index_behind_a_slash() {
    check(&[
        get("/").body(content("index.html")).field("content-type", "text/html; charset=utf-8"),
        get("/index.html").body(content("index.html")),
        get("/dir/").body("<p>index of a directory\n"),
        get("/dir").gives(308).field("location", "/dir/").field("content-length", "0"),
        get("/dir?x=1&y=%20").gives(308).field("location", "/dir/?x=1&y=%20"),
        get("/dir?").gives(308),
        get("/dir/deep").gives(308).field("location", "/dir/deep/"),
        get("/%64ir").gives(308).field("location", "/dir/"),
        get("//dir").gives(308).field("location", "/dir/"),
        get("///dir").gives(308).field("location", "/dir/"),
        get("//dir/..//dir").gives(308).field("location", "/dir/"),
        get("/below").gives(308).field("location", "/below/"),
        get("/below/deep").gives(308).field("location", "/below/deep/"),
        get("/bare/").gives(404),
        get("/odd/").gives(404),
        get("//evil.example/").gives(404),
        get("//evil.example/%64ir").gives(404),
        get("//evil.example/../dir").gives(308).field("location", "/dir/"),
    ]);
}

#[test]
fn types_are_of_the_extension_and_never_guessed() {
    let types = [
        ("index.html", "text/html; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("module.mjs", "text/javascript; charset=utf-8"),
        ("data.json", "application/json"),
        ("feed.xml", "text/xml; charset=utf-8"),
        ("drawing.svg", "image/svg+xml; charset=utf-8"),
        ("image.png", "image/png"),
        ("image.webp", "image/webp"),
        ("film.mp4", "video/mp4"),
        ("font.woff2", "font/woff2"),
        ("code.wasm", "application/wasm"),
        ("a.txt", "text/plain; charset=utf-8"),
        ("UPPER.TXT", "text/plain; charset=utf-8"),
        ("noextension", "application/octet-stream"),
        ("unknown.extension", "application/octet-stream"),
        ("big.bin", "application/octet-stream"),
    ];
    check(&types.map(|(name, content_type)| get(&format!("/{name}")).field("content-type", content_type)));
    check(&[
        get("/nothing.txt").gives(404).field("content-type", "text/plain; charset=utf-8"),
        get("/nothing.html").gives(404).has("content-length"),
    ]);
}

#[test]
fn connection_goes_on_or_ends_as_the_request_says() {
    let big = content("big.bin");
    for (host, _) in HOSTS {
        // HTTP/1.0 has no chunks, and ends.
        for lines in ["", "connection: close\r\n", "accept-encoding: gzip\r\n"] {
            for (target, name) in [("/big.bin", "big.bin"), ("/style.css", "style.css"), ("/empty.txt", "empty.txt")] {
                let mut client = SERVER.client();
                let answer = client.ask(format!("GET {target} HTTP/1.0\r\nhost: {host}\r\n{lines}\r\n"));
                assert!(answer.status == 200 && answer.decoded_body().as_deref() == Ok(content(name)), "{host} {target} {lines}");
                assert_eq!(answer.field("transfer-encoding"), None, "{host} {target}");
                client.end();
            }
        }
        let mut kept = SERVER.client();
        for _ in 0..2 {
            let answer = kept.ask(format!("GET /a.txt HTTP/1.0\r\nhost: {host}\r\nconnection: keep-alive\r\n\r\n"));
            assert_eq!((answer.status, &*answer.text(), answer.field("connection")), (200, HUNDRED, Some("keep-alive")), "{host}");
        }
        let mut closed = SERVER.client();
        let answer = closed.get(host, "/big.bin", "connection: close\r\n");
        assert!(answer.body == big && answer.field("connection") == Some("close"), "{host}");
        closed.end();
        // All at once, answered in order: none has more or less of a body than it says.
        let mut client = SERVER.client();
        let line = format!("host: {host}\r\n");
        client.send(format!(
            "GET /a.txt HTTP/1.1\r\n{line}\r\nHEAD /big.bin HTTP/1.1\r\n{line}\r\nGET /a.txt HTTP/1.1\r\n{line}if-none-match: *\r\n\r\nGET /big.bin HTTP/1.1\r\n{line}\r\n\
             GET /a.txt HTTP/1.1\r\n{line}content-length: 5\r\n\r\nGET /GET /a.txt HTTP/1.1\r\n{line}range: bytes=0-1,5-6\r\n\r\nGET /nothing.txt HTTP/1.1\r\n{line}\r\n\
             GET /dir HTTP/1.1\r\n{line}\r\nGET http://{host}/one.txt HTTP/1.1\r\n{line}expect: 100-continue\r\n\r\n"
        ));
        assert_eq!(client.answer().text(), HUNDRED, "{host}");
        assert_eq!(client.head_answer().field("content-length"), Some("1048576"), "{host}");
        assert_eq!(client.answer().status, 304, "{host}");
        assert!(client.answer().body == big, "{host}");
        for status in [200, 206, 404, 308] {
            assert_eq!(client.answer().status, status, "{host}");
        }
        assert_eq!(client.answer().text(), "1", "{host}");
    }
}
