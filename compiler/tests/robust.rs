//! Whatever the bytes, `check` answers: sizes, repetitions that parsers recurse over, and the corpus of the fuzz target.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kiln::{
    diagnostic::{
        Diagnostics,
        render::{Style, render, summary},
    },
    format::{format, is_same},
    parse::{parse_text, syntax},
    resolve::resolve,
    source::SourceMap,
};

const VALID: &str = "site \"demo\" language=1 { listen \"127.0.0.1:8080\" }\nvhost \"shop.example\" { route \"/*\" { respond 404 } }\n";

/// What `kiln check` prints of a text.
fn check(text: &str) -> String {
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse_text(Path::new("/nowhere/site.kdl"), text.to_owned(), &mut diagnostics);
    if let Some(config) = config {
        resolve(&config, &sources, &mut diagnostics);
    }
    render(&diagnostics, &sources, Style::Plain) + &summary(&diagnostics, &sources)
}

/// A text that has syntax stays the same site when it is formatted.
fn check_format(text: &str) {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("site.kdl".to_owned(), PathBuf::from("site.kdl"), text.to_owned());
    syntax::check(&sources, file, &mut diagnostics);
    if diagnostics.is_empty() {
        let formatted = format(text);
        assert!(is_same(text, &formatted) && format(&formatted) == formatted, "{text:?}");
    }
}

#[test]
fn errors_beyond_the_count_end_the_reading() {
    let said = check(&format!("{VALID}{}", "frobnicate 1\n".repeat(300_000)));
    assert!(
        said.ends_with("and more than 99900 more, not shown\n\nkiln: more than 100000 errors in 1 file"),
        "{}",
        &said[said.len() - 200..]
    );
}

/// `kdl` recurses over what makes no sense to it: some hundred kilobytes in one piece abort the process.
#[test]
fn repeated_pieces_are_answered() {
    let pieces = [
        "=",
        "a=",
        ")",
        "(",
        "a / ",
        "\"x\"=",
        "a \"x\\n\" ",
        "a /-b ",
        "a /-b\n",
        "\\",
        "\\\n",
        "#",
        "#\"",
        "\"\"\"\n",
        "\u{feff}",
        "/-",
        "/*",
        "*/",
        "{",
        "}",
        "a{",
        "a{b;",
        "(a)",
        "(a)b ",
        ";",
        "\u{a0}",
        "[",
        "]",
        ",",
        "-",
        "0x",
        "1.",
        "'",
        "`",
        "$",
        "@",
        "=\"",
        "a=#true ",
        "a \\\n",
    ];
    for piece in pieces {
        for text in [piece.repeat(400_000 / piece.len()), format!("{VALID}vhost {}", piece.repeat(200_000 / piece.len()))] {
            assert!(check(&text).ends_with("in 1 file"), "{piece:?}");
        }
        check_format(&piece.repeat(20_000 / piece.len()));
    }
}

#[test]
fn values_of_a_plain_node_may_be_any_number() {
    let hosts: String = (0..20_000).map(|host| format!(" \"h{host}.example\"")).collect();
    let said = check(&format!("{VALID}vhost{hosts} {{ route \"/\" {{ respond 404 }} }}\n"));
    assert_eq!(said, "kiln: 0 errors in 1 file");
}

#[test]
fn hosts_beyond_the_limit_are_refused() {
    let names = |count: usize| (0..count).fold(String::new(), |names, host| names + &format!(" \"h{host}.example\""));
    let site =
        |count| format!("site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\nvhost{} {{ route \"/\" {{ abort }} }}\n", names(count));
    assert_eq!(check(&site(65_534)), "kiln: 0 errors in 1 file");
    let said = check(&site(65_535));
    assert!(said.starts_with("error[K0004]: the vhosts of this site have more than 65534 hosts\n"), "{}", &said[..200]);
}

#[test]
fn vhosts_beyond_the_limit_are_refused() {
    let vhosts: String = (0..66_000).map(|host| format!("vhost h{host} {{ route \"/\" {{ abort }} }}\n")).collect();
    let said = check(&format!("site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\n{vhosts}"));
    assert!(said.starts_with("error[K0004]: the vhosts of this site have more than 65534 hosts\n"), "{}", &said[..200]);
}

/// What `kiln check` prints of a vhost with these words; it must say so in time: some ten times what it takes, unoptimized.
fn check_in_time(words: &str) -> String {
    let begin = std::time::Instant::now();
    let said = check(&format!("site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\nvhost \"a.example\" {{\n{words}\n}}\n"));
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    said
}

#[test]
fn header_rules_beyond_the_limit_are_refused() {
    let rules = |count: usize| (0..count).map(|rule| format!("set \"x-{rule}\" \"1\"\n")).collect::<String>();
    let route = "route \"/a\" { headers { add \"link\" \"a\" }; abort }\n";
    assert_eq!(check_in_time(&format!("headers {{\n{}}}\n{route}", rules(255))), "kiln: 0 errors in 1 file");
    let said = check_in_time(&format!("headers {{\n{}}}\n{route}", rules(256)));
    assert!(said.starts_with("error[K0004]: more than 256 header rules hold here\n") && said.contains("--> site.kdl:261:14\n"), "{said}");
    let routes: String = (0..2_000).map(|route| format!("route \"/{route}\" {{ headers {{ add \"link\" \"a\" }}; abort }}\n")).collect();
    assert!(check_in_time(&format!("headers {{\n{}}}\n{routes}", rules(2_000))).ends_with("kiln: 2001 errors in 1 file"));
}

#[test]
fn routes_of_a_pattern_beyond_the_limit_are_refused() {
    let routes = |count: usize| {
        (0..count).map(|route| format!("route \"/a\" {{ when {{ header \"x\" \"{route}\" }}; abort }}\n")).collect::<String>()
    };
    assert_eq!(check_in_time(&routes(256)), "kiln: 0 errors in 1 file");
    let said = check_in_time(&routes(20_000));
    assert!(
        said.starts_with("error[K0004]: more than 256 routes have the pattern `/a`\n") && said.contains("--> site.kdl:259:7\n"),
        "{said}"
    );
}

#[test]
fn patterns_of_a_group_beyond_the_limit_are_refused() {
    let patterns = |count: usize| (0..count).map(|pattern| format!(" \"/x{pattern}\"")).collect::<String>();
    let group = |count| format!("group{0} {{ route{0} {{ abort }} }}", patterns(count));
    assert_eq!(check_in_time(&group(256)), "kiln: 0 errors in 1 file");
    let said = check_in_time(&group(20_000));
    assert!(said.starts_with("error[K0004]: this group has more than 256 patterns\n"), "{}", &said[..200]);
}

#[test]
fn listeners_beyond_the_limit_are_refused() {
    let site = |count: usize| {
        let listeners: String = (0..count).map(|port| format!("listen \"127.0.0.1:{}\"\n", 20_000 + port)).collect();
        check(&format!("site \"demo\" language=1 {{\n{listeners}}}\nvhost \"a.example\" {{ route \"/\" {{ abort }} }}\n"))
    };
    assert_eq!(site(1024), "kiln: 0 errors in 1 file");
    let said = site(1025);
    assert!(said.starts_with("error[K0004]: this site has more than 1024 listeners\n") && said.contains("--> site.kdl:1026:1\n"), "{said}");
}

#[test]
fn regexes_without_end_are_refused_in_time() {
    for regex in [".*a.{20}", "(?:[a-z0-9]{1,50}){1,50}x", "(?<a>.*)a.{20}"] {
        let said = check_in_time(&format!("route \"/a\" {{ when {{ regex \"{regex}\" }}; abort }}"));
        assert!(said.starts_with("error[K0324]: this regex is too large\n"), "{said}");
    }
}

/// Comparing each pattern with all before it would take minutes here.
#[test]
fn patterns_of_a_route_may_be_any_number() {
    let patterns: String = (0..40_000).map(|pattern| format!(" \"/x{pattern}\"")).collect();
    let said = check(&format!("{VALID}vhost \"a.example\" {{ route{patterns} {{ abort }} }}\n"));
    assert_eq!(said, "kiln: 0 errors in 1 file");
}

/// The inputs of `compiler/fuzz`, on the stable toolchain: what its target does, done once with each.
#[test]
fn corpus_of_the_fuzz_target_is_answered() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/check");
    let mut inputs: Vec<PathBuf> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 30, "{} inputs", inputs.len());
    for input in inputs {
        let bytes = fs::read(&input).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(check(&text).contains("kiln: "), "{}", input.display());
        check_format(&text);
    }
}

#[test]
fn named_pipe_is_refused_and_not_waited_for() {
    let directory = std::env::temp_dir().join(format!("kiln-robust-{}-pipe", std::process::id()));
    fs::create_dir_all(&directory).expect("the temporary directory is writable");
    let pipe = directory.join("pipe.kdl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("POSIX has `mkfifo`");
    assert!(made.success(), "{made}");
    let (mut diagnostics, entry) = (Diagnostics::default(), directory.join("site.kdl"));
    fs::write(&entry, format!("{VALID}include \"*.kdl\"\n")).expect("the directory was made above");
    let (sources, _) = kiln::parse::parse(&entry, &mut diagnostics);
    let text = render(&diagnostics, &sources, Style::Plain);
    fs::remove_dir_all(directory).expect("the directory was made above");
    assert!(text.contains("`pipe.kdl` can't be read: is a named pipe"), "{text}");
}

#[test]
fn text_of_a_log_line_is_bounded() {
    let said = |bytes: usize| {
        let text = "x".repeat(bytes);
        check(&format!(
            "site \"demo\" language=1 {{\nlisten \"127.0.0.1:80\"\naccess-log \"stdout\" template=\"{text}{{time}}\"\n}}\nvhost default=#true {{ route \"/\" {{ respond 200 }} }}"
        ))
    };
    assert_eq!(said(4096), "kiln: 0 errors in 1 file");
    assert!(said(4097).starts_with("error[K0332]: not a line of a log\n"));
}
