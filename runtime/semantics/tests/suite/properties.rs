//! What holds for every input: one normal form, one matcher in two shapes, one answer however bytes are cut, and no panic.

use proptest::{collection, prelude::*, sample};

use semantics::{
    authority,
    chunked::Decoder,
    date,
    head::{self, ScanLimits},
    hosts::{self, Hosts},
    path,
    pattern::{self, Captures},
    routes::{self, Routes},
    template,
};

/// Pieces that heads are made of, valid and not.
fn head_bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = sample::select(vec![
        &b"GET "[..],
        b"POST ",
        b"OPTIONS ",
        b"CONNECT ",
        b"/",
        b"/a/b",
        b"/..",
        b"%2e",
        b"?x=1",
        b"*",
        b"http://a",
        b"HTTP/1.1",
        b"HTTP/1.0",
        b"HTTP/2.0",
        b" ",
        b"\t",
        b"\r\n",
        b"\r\n\r\n",
        b"\n",
        b"\r",
        b"Host: a\r\n",
        b"Host: A.b:80\r\n",
        b"Content-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Expect: x\r\n",
        b"Connection: close\r\n",
        b"X-Long-Name: some longer value with text\r\n",
        b"X:",
        b":",
        b"\0",
        b"\xE9",
        b"#",
        b"a",
    ]);
    let noise = collection::vec(any::<u8>(), 0..4);
    let start = prop_oneof![Just(b"GET / HTTP/1.1\r\nHost: a\r\n".to_vec()), Just(b"POST /a?b HTTP/1.1\r\n".to_vec()), Just(Vec::new())];
    let piece = prop_oneof![9 => pieces.prop_map(<[u8]>::to_vec), 1 => noise];
    (start, collection::vec(piece, 0..12)).prop_map(|(start, pieces)| [start, pieces.concat()].concat())
}

/// The bytes of one field line, valid and not, of every length around a word's.
fn line_bytes() -> impl Strategy<Value = Vec<u8>> {
    let name = collection::vec(
        prop_oneof![
            30 => sample::select(b"abyzABYZ-".to_vec()),
            2 => sample::select(b"059_!~^`|".to_vec()),
            1 => sample::select(b"@[{/:\t \r\n\0\x7F\x80\xAD\xFF".to_vec()),
        ],
        0..40,
    );
    let separator = sample::select(vec![&b": "[..], b": ", b": ", b":", b":\t ", b"", b" :"]);
    let value = collection::vec(
        prop_oneof![
            40 => sample::select(b"abz09 ,;=/\"~\x80\xE9\xFF".to_vec()),
            2 => Just(b'\t'),
            1 => sample::select(b"\r\n\0\x1F\x7F".to_vec()),
        ],
        0..40,
    );
    let end = sample::select(vec![&b"\r\n"[..], b"\r\n", b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\r\n", b""]);
    (name, separator, value, end).prop_map(|(name, separator, value, end)| [&name, separator, &value, end].concat())
}

/// RFC 9112 §5 byte by byte: the fields of a complete section, `None` while it goes on, or a fault.
#[expect(clippy::type_complexity, reason = "a reference that is read once")]
fn reference_fields(mut rest: &[u8]) -> Result<Option<Vec<(Vec<u8>, Vec<u8>)>>, ()> {
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let take = |rest: &mut &[u8], wanted: u8| match rest.split_first() {
        Some((&byte, behind)) if byte == wanted => {
            *rest = behind;
            Ok(Some(()))
        }
        Some(_) => Err(()),
        None => Ok(None),
    };
    let mut found = Vec::new();
    loop {
        let (name, behind) = rest.split_at(rest.iter().take_while(is_token).count());
        rest = behind;
        let mut value = Vec::new();
        if !name.is_empty() {
            let Some(()) = take(&mut rest, b':')? else { return Ok(None) };
            let length = rest.iter().take_while(|byte| **byte == b'\t' || !byte.is_ascii_control()).count();
            value = rest[..length].to_vec();
            rest = &rest[length..];
        }
        let Some(()) = take(&mut rest, b'\r')? else { return Ok(None) };
        let Some(()) = take(&mut rest, b'\n')? else { return Ok(None) };
        if name.is_empty() {
            return Ok(Some(found));
        }
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = value.iter().take_while(|byte| is_blank(byte)).count();
        let end = value.len() - value[start..].iter().rev().take_while(|byte| is_blank(byte)).count();
        found.push((name.to_vec(), value[start..end].to_vec()));
    }
}

fn segment() -> impl Strategy<Value = String> {
    sample::select(vec!["a", "b", "aa", "", "c"]).prop_map(str::to_owned)
}

fn pattern_text() -> impl Strategy<Value = String> {
    let inner = sample::select(vec!["a", "b", "aa", "c", "{x}"]);
    let last = sample::select(vec!["a", "b", "", "{x}", "*", "{r*}"]);
    (collection::vec(inner, 0..4), last)
        .prop_map(|(inner, last)| format!("/{}{last}", inner.iter().map(|segment| format!("{segment}/")).collect::<String>()))
}

fn captured(captures: &Captures, path: &str) -> (Vec<String>, bool) {
    ((0..captures.count()).map(|index| captures.get(index, path).to_owned()).collect(), captures.is_bare_prefix())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scan_does_not_depend_on_how_bytes_are_cut(bytes in head_bytes(), head_bytes in 1_u32..200, fields in 0_u16..4) {
        let limits = ScanLimits { head_bytes, fields };
        let mut table = Vec::new();
        let whole = head::scan(&bytes, limits, &mut table);
        let fields = table.clone();
        for end in 0..bytes.len() {
            match head::scan(&bytes[..end], limits, &mut table) {
                Ok(None) => {}
                part => {
                    prop_assert_eq!(part, whole, "cut at {}", end);
                    prop_assert!(whole.is_err() || table == fields);
                }
            }
        }
    }

    #[test]
    fn scan_of_fields_is_that_of_the_reference(lines in collection::vec(line_bytes(), 0..4), has_end in any::<bool>()) {
        let section = [lines.concat(), if has_end { b"\r\n".to_vec() } else { Vec::new() }].concat();
        let bytes = [b"GET / HTTP/1.1\r\nhost: a\r\n", &section[..]].concat();
        let mut table = Vec::new();
        let scanned = head::scan(&bytes, ScanLimits { head_bytes: 8192, fields: 100 }, &mut table);
        let fields = || table.iter().skip(1).map(|field| (field.name.of(&bytes).to_vec(), field.value.of(&bytes).to_vec())).collect();
        let found: Result<Option<Vec<_>>, ()> = scanned.map(|head| head.map(|_| fields())).map_err(|_fault| ());
        prop_assert_eq!(found, reference_fields(&section));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in collection::vec(any::<u8>(), 0..200)) {
        let _ = head::scan(&bytes, ScanLimits { head_bytes: 100, fields: 3 }, &mut Vec::new());
        let _ = authority::parse(&bytes);
        let _ = date::parse(&bytes, 0);
        let _ = Decoder::default().advance(&bytes);
        let _ = path::normalize(&bytes, &mut Vec::new());
        let text = String::from_utf8_lossy(&bytes);
        let _ = template::tokens(&text);
        let _ = pattern::parse(&text);
        let _ = Routes::new(&bytes[..bytes.len().min(20)]).find("/a", &mut Captures::default(), |_, _| Some(()));
    }

    #[test]
    fn normal_form_is_a_fixed_point(raw in "(/|\\.|%2[eEfF]|%5[cC]|%[0-9a-fA-F]{2}|[!-~]){0,12}") {
        let raw = format!("/{raw}");
        let mut scratch = Vec::new();
        if let Ok(path) = path::normalize(raw.as_bytes(), &mut scratch) {
            let normal = path.text.to_owned();
            let mut untouched = vec![1];
            prop_assert_eq!(path::normalize(normal.as_bytes(), &mut untouched).map(|path| path.text), Ok(normal.as_str()));
            prop_assert_eq!(untouched, [1], "a normal path is borrowed");
            prop_assert!(normal.starts_with('/') && !normal.contains("//") && !normal.contains("/./") && !normal.contains("/../"));
        }
    }

    #[test]
    fn encoded_text_is_normal_and_decodes_to_itself(text in "[ -\\[\\]-~äß/]{0,12}") {
        if let Ok(encoded) = path::encode(&format!("/{text}"), false) {
            let mut scratch = Vec::new();
            prop_assert_eq!(path::normalize(encoded.as_bytes(), &mut scratch).map(|path| path.text), Ok(encoded.as_str()));
            let mut decoded = Vec::new();
            path::decode(&encoded, &mut decoded);
            if !format!("/{text}").contains("//") {
                prop_assert_eq!(String::from_utf8_lossy(&decoded), format!("/{text}"));
            }
        }
    }

    #[test]
    fn routes_are_the_sorted_patterns(texts in collection::vec(pattern_text(), 0..12), segments in collection::vec(segment(), 1..6)) {
        let mut patterns: Vec<&str> = texts.iter().map(String::as_str).collect();
        patterns.sort_by(|a, b| pattern::order(a, b));
        patterns.dedup_by(|a, b| pattern::order(a, b).is_eq());
        let path = format!("/{}", segments.join("/"));
        let mut expected = Vec::new();
        for (index, pattern) in (0_u32..).zip(&patterns) {
            let mut captures = Captures::default();
            if pattern::matches(pattern, &path, &mut captures) {
                expected.push((index, captured(&captures, &path)));
            }
        }
        let blob = routes::encode(&patterns);
        let mut found = Vec::new();
        let none: Option<()> = Routes::new(&blob).find(&path, &mut Captures::default(), |index, captures| {
            found.push((index, captured(captures, &path)));
            None
        });
        prop_assert_eq!(none, None);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn order_is_total(a in pattern_text(), b in pattern_text(), c in pattern_text()) {
        prop_assert_eq!(pattern::order(&a, &b), pattern::order(&b, &a).reverse());
        if pattern::order(&a, &b).is_le() && pattern::order(&b, &c).is_le() {
            prop_assert!(pattern::order(&a, &c).is_le());
        }
    }

    #[test]
    fn parsed_patterns_are_canonical(text in pattern_text()) {
        if let Ok(pattern) = pattern::parse(&text) {
            let again = pattern::parse(&pattern.text);
            prop_assert_eq!(again, Ok(pattern));
        }
    }

    #[test]
    fn hosts_are_found_as_by_a_linear_search(names in collection::btree_set("(\\*\\.)?[ab](\\.[ab]){0,3}", 0..20), host in "[abc](\\.[abc]){0,4}") {
        let names: Vec<(&str, u16)> = names.iter().map(String::as_str).zip(0..).collect();
        let (seed, slots) = hosts::build(&names.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let exact = names.iter().find(|(name, _)| *name == host);
        let wildcard = names.iter().filter(|(name, _)| name.strip_prefix('*').is_some_and(|suffix| host.ends_with(suffix))).max_by_key(|(name, _)| name.len());
        let expected = exact.or(wildcard).map(|(_, vhost)| *vhost);
        prop_assert_eq!(Hosts { seed, slots: &slots, names: &names, default: None }.find(&host), expected);
    }
}
