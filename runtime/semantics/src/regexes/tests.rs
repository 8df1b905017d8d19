use proptest::prelude::*;

use super::*;
use crate::pattern::{self, Captures};

fn matches(pattern: &str, path: &str) -> bool {
    let bytes = build(pattern).unwrap();
    let regex = Regex::new(&bytes);
    assert_eq!(regex.check(), Ok(()));
    regex.matches(path)
}

/// The named groups where the regex matches.
fn groups(pattern: &str, path: &str) -> Option<Vec<String>> {
    let built = build_capturing(pattern).unwrap();
    let regex = Capturing::new(&built.forward, &built.reverse, pattern);
    assert_eq!(regex.check(), Ok(()));
    let mut captures = Captures::default();
    let is_found = regex.find(path, &mut captures, &mut RegexRoom::default());
    assert_eq!(captures.count(), if is_found { built.names.len() } else { 0 });
    is_found.then(|| (0..captures.count()).map(|index| captures.get(index, path).to_owned()).collect())
}

#[test]
fn regex_is_unanchored_and_about_bytes() {
    for (pattern, path, expected) in [
        (r"\.php$", "/a/b.php", true),
        (r"\.php$", "/a/b.php/c", false),
        (r"(?i)\.php$", "/a/b.PHP", true),
        ("^/a", "/a/b", true),
        ("^/a", "/b/a", false),
        ("b", "/abc", true),
        (r"\bfoo\b", "/x/foo-bar", true),
        (r"\bfoo\b", "/x/foobar", false),
        (r"^/\d{4}/\d\d/", "/2024/05/x", true),
        ("^/[^/]+/edit$", "/a/b/edit", false),
        ("%20", "/a%20b", true),
        ("", "/", true),
        ("^$", "/", false),
        ("a|^/b$", "/b", true),
        (r"^/\w+$", "/a_1", true),
        ("[[:alpha:]]{3}", "/ab", false),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn catastrophic_patterns_are_linear() {
    let path = format!("/{}", "a".repeat(100_000));
    for pattern in ["(a*)*b", "(a|aa)+$b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "a+b"] {
        assert!(!matches(pattern, &path), "{pattern}");
    }
    assert_eq!(groups("(?<all>a+)b", &path), None);
}

#[test]
fn named_groups_of_the_leftmost_match_are_parameters() {
    let some = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    for (pattern, path, expected) in [
        (r"^/(?<year>\d{4})/(?<slug>[^/]+)$", "/2024/a-b", some(&["2024", "a-b"])),
        (r"^/(?<year>\d{4})/(?<slug>[^/]+)$", "/24/a-b", None),
        (r"/v(?P<major>\d+)", "/api/v1/v2", some(&["1"])),
        (r"(\d)(?<rest>x)", "/1x", some(&["x"])),
        ("^/a(?:-(?<part>[0-9]+))?$", "/a", some(&[""])),
        ("^/a(?:-(?<part>[0-9]+))?$", "/a-7", some(&["7"])),
        ("(?<word>foo|foobar)", "/foobar", some(&["foo"])),
        ("(?<word>a+)", "/baab", some(&["aa"])),
        ("(?<end>)$", "/x", some(&[""])),
    ] {
        assert_eq!(groups(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn groups_join_the_parameters_of_the_route() {
    let pattern = r"-(?<number>\d+)$";
    let built = build_capturing(pattern).unwrap();
    assert_eq!(built.names, ["number"]);
    let regex = Capturing::new(&built.forward, &built.reverse, pattern);
    let (path, mut captures, mut room) = ("/shop/tea-12", Captures::default(), RegexRoom::default());
    assert!(pattern::matches("/{section}/{item}", path, &mut captures));
    assert!(regex.find(path, &mut captures, &mut room));
    let texts: Vec<&str> = (0..captures.count()).map(|index| captures.get(index, path)).collect();
    assert_eq!(texts, ["shop", "tea-12", "12"]);
}

#[test]
fn room_serves_regexes_of_any_size() {
    let patterns = [r"^/(?<a>\d)(?<b>\d)(?<c>\d)$", r"^/(?<a>\d+)$", r"^/(?<a>1)(?<b>2)(?<c>3)$"];
    let built = patterns.map(|pattern| build_capturing(pattern).unwrap());
    let mut room = RegexRoom::default();
    for (pattern, built) in patterns.iter().zip(&built) {
        let mut captures = Captures::default();
        assert!(Capturing::new(&built.forward, &built.reverse, pattern).find("/123", &mut captures, &mut room));
        assert_eq!(captures.count(), built.names.len());
    }
}

#[test]
fn patterns_without_meaning_are_refused() {
    assert!(matches!(build("(a"), Err(RegexFault::Syntax(message)) if message.contains("unclosed group")));
    assert!(matches!(build(r"\p{Greek}"), Err(RegexFault::Syntax(_))));
    assert!(matches!(build(r"(?=a)"), Err(RegexFault::Syntax(_))));
    assert!(matches!(build(&"(".repeat(10_000)), Err(RegexFault::Syntax(_))));
    assert_eq!(build("/ä"), Err(RegexFault::NotAscii(1)));
    assert_eq!(build("a(?u)b"), Err(RegexFault::Unicode(3)));
    assert_eq!(build("(?i-s:a)(?iu:b)"), Err(RegexFault::Unicode(11)));
    assert!(build(r"(?-u:a)\(?u").is_ok());
    assert_eq!(build_capturing("a(b)"), Err(RegexFault::NoNamedGroup));
    assert!(matches!(build_capturing("^(?<a>.*)(?<b>.*)$"), Err(RegexFault::NotOnePass(_))));
    let many: String = (0..17).map(|group| format!("(?<g{group}>a)")).collect();
    assert_eq!(build_capturing(&many), Err(RegexFault::TooManyGroups));
    assert_eq!(build_capturing(&format!("{}(?<g>a)", "(a)".repeat(16))), Err(RegexFault::TooManyGroups));
}

#[test]
fn patterns_over_the_limit_are_refused() {
    for pattern in ["(?:[ab]{1000}){1000}", "[ab]*a[ab]{20}", "(?:a{1000}){1000}"] {
        assert_eq!(build(pattern), Err(RegexFault::TooLarge(DFA_BYTES_MAX)), "{pattern}");
    }
    // Many states and many classes of bytes: small as a sparse DFA, large as a one-pass automaton.
    let pattern = "^(?<a>(?:abcdefghijklmnopqrstuvwxyz0123456789){60})$";
    assert!(build(pattern).is_ok());
    assert!(matches!(build_capturing(pattern), Err(RegexFault::TooLarge(_))));
}

#[test]
fn building_is_deterministic_and_small() {
    let bytes = build(r"^/(?:en|de|fr)/products/\d+\.html$").unwrap();
    assert_eq!(Ok(&bytes), build(r"^/(?:en|de|fr)/products/\d+\.html$").as_ref());
    assert!(bytes.len() < 4096, "{} bytes", bytes.len());
}

#[test]
fn damaged_bytes_match_nothing_and_are_told() {
    let bytes = build("a.c").unwrap();
    for end in 0..bytes.len() {
        let regex = Regex::new(&bytes[..end]);
        assert!(!regex.matches("/abc"));
        assert_eq!(regex.check(), Err(DamagedRegex));
    }
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7F, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let _ = Regex::new(&damaged).matches("/abc");
        }
    }
    let capture = build_capturing("(?<a>b)").unwrap();
    let swapped = Capturing::new(&capture.reverse, &capture.forward, "(?<a>b)");
    assert!(!swapped.find("/b", &mut Captures::default(), &mut RegexRoom::default()));
    assert_eq!(Capturing::new(&capture.forward, &capture.reverse, "(").check(), Err(DamagedRegex));
}

/// Matches as a backtracking reader of the same small language would.
fn naive(items: &[(char, char)], text: &[char]) -> bool {
    match items.split_first() {
        None => true,
        Some(((letter, count), rest)) => {
            let is_first = text.first().is_some_and(|first| *letter == '.' || first == letter);
            let takes = |text: &[char]| is_first && naive(rest, &text[1..]);
            match count {
                '?' => naive(rest, text) || takes(text),
                '*' => naive(rest, text) || (is_first && naive(items, &text[1..])),
                _ => takes(text),
            }
        }
    }
}

proptest! {
    #[test]
    fn search_agrees_with_a_naive_one(
        items in proptest::collection::vec(("[abc.]", "[?*1]"), 0..6), text in "[abc]{0,8}",
    ) {
        let first = |text: &String| text.chars().next().unwrap_or('1');
        let items: Vec<(char, char)> = items.iter().map(|(letter, count)| (first(letter), first(count))).collect();
        let written: String = items.iter().map(|(letter, count)| if *count == '1' { letter.to_string() } else { format!("{letter}{count}") }).collect();
        let characters: Vec<char> = text.chars().collect();
        let expected = (0..=characters.len()).any(|start| naive(&items, &characters[start..]));
        prop_assert_eq!(matches(&written, &text), expected, "{} {}", written, text);
    }

    #[test]
    fn any_pattern_is_built_or_refused(pattern in "[a-c(){}\\[\\]|*+?.^$\\\\:<>=!ud0-9,-]{0,16}", path in "/[a-c0-9]{0,8}") {
        if let Ok(bytes) = build(&pattern) {
            let is_match = Regex::new(&bytes).matches(&path);
            if let Ok(built) = build_capturing(&pattern) {
                let regex = Capturing::new(&built.forward, &built.reverse, &pattern);
                prop_assert_eq!(regex.find(&path, &mut Captures::default(), &mut RegexRoom::default()), is_match);
            }
        }
    }
}
