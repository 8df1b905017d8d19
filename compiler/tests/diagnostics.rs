//! What a site's author reads: every fixture of `tests/diagnostics` as rendered text, one snapshot each, and every code of the catalogue in one of them.
//!
//! A fixture is a file `K0107_name.kdl`, or a directory with a `site.kdl`. Files that are too large or too deep to keep are made here.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use kiln::{
    diagnostic::{
        Code, Diagnostics,
        render::{Style, render, summary},
    },
    parse::{parse, parse_text},
    resolve::resolve,
    source::SourceMap,
};

const VALID: &str = "site \"demo\" language=1 { listen \"127.0.0.1:8080\" }\nvhost \"shop.example\" { route \"/*\" { respond 404 } }\n";

/// Codes whose input is made by a test of this file.
const GENERATED: [Code; 3] = [Code::FileUnreadable, Code::FileTooLarge, Code::TooDeep];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// Names and entry files, sorted.
fn fixtures() -> Vec<(String, PathBuf)> {
    let mut fixtures: Vec<(String, PathBuf)> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, if path.is_dir() { path.join("site.kdl") } else { path })
        })
        .collect();
    fixtures.sort();
    fixtures
}

fn finish(parsed: (SourceMap, Option<kiln::ast::Config>), mut diagnostics: Diagnostics) -> (SourceMap, Diagnostics) {
    let (sources, config) = parsed;
    let has_config = config.is_some();
    let site = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
    assert_eq!(site.is_none(), diagnostics.has_errors(), "a site without errors, or errors: {has_config}");
    (sources, diagnostics)
}

fn check(path: &Path) -> (SourceMap, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let parsed = parse(path, &mut diagnostics);
    finish(parsed, diagnostics)
}

fn check_text(text: String) -> (SourceMap, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let parsed = parse_text(&directory().join("site.kdl"), text, &mut diagnostics);
    finish(parsed, diagnostics)
}

fn shown((sources, diagnostics): &(SourceMap, Diagnostics)) -> String {
    format!("{}{}\n", render(diagnostics, sources, Style::Plain), summary(diagnostics, sources))
}

#[test]
fn fixtures_rendered_equal_their_snapshots() {
    for (name, path) in fixtures() {
        let rendered = shown(&check(&path));
        let code = name.split('_').next().unwrap();
        assert!(!code.starts_with('K') || rendered.contains(&format!("[{code}]")), "{name} does not show its code:\n{rendered}");
        insta::with_settings!({ snapshot_path => "snapshots/diagnostics", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, rendered);
        });
    }
}

#[test]
fn catalogue_has_a_fixture_for_each_code() {
    let names: Vec<String> = fixtures().into_iter().map(|(name, _)| name).collect();
    for entry in Code::all().iter().filter(|entry| !GENERATED.contains(&entry.code)) {
        let prefix = format!("{}_", entry.code);
        assert!(names.iter().any(|name| name.starts_with(&prefix)), "{} has no fixture", entry.code);
    }
}

#[test]
fn catalogue_pages_equal_snapshot() {
    let pages: Vec<String> = Code::all().iter().map(|entry| format!("{} {}", entry.code, entry.title)).collect();
    insta::assert_snapshot!("code_titles", pages.join("\n"));
    insta::assert_snapshot!("code_page", Code::UnknownWord.entry().page());
}

#[test]
fn entry_absent_is_named_as_given() {
    let rendered = shown(&check(Path::new("absent/site.kdl")));
    assert!(rendered.starts_with("error[K0001]: `absent/site.kdl` can't be read: no such file or directory\n"), "{rendered}");
    assert!(rendered.ends_with("\nkiln: 1 error in 0 files\n"), "{rendered}");
}

#[test]
fn entry_of_ten_megabytes_is_too_large() {
    let path = std::env::temp_dir().join(format!("kiln-too-large-{}.kdl", std::process::id()));
    fs::write(&path, "// padding\n".repeat(1_000_000)).unwrap();
    let rendered = shown(&check(&path));
    fs::remove_file(&path).unwrap();
    assert!(rendered.starts_with(&format!("error[K0002]: `{}` has more than 8 MiB", path.display())), "{rendered}");
}

#[test]
fn blocks_of_ten_thousand_levels_are_too_deep() {
    let text = format!("{VALID}{}{}", "a {".repeat(10_000), "}".repeat(10_000));
    let rendered = shown(&check_text(text));
    assert!(rendered.starts_with("error[K0004]: more than 64 levels of blocks\n --> site.kdl:3:195\n"), "{rendered}");
}

#[test]
fn comments_of_many_stars_and_levels_are_read() {
    let stars = format!("{VALID}/* {} */\n", "*/ /*".repeat(3_000) + &"/ * ".repeat(100_000));
    assert!(check_text(stars).1.is_empty());
    let nested = format!("{VALID}{}{}", "/*".repeat(5_000), "*/".repeat(5_000));
    assert!(shown(&check_text(nested)).starts_with("error[K0004]"));
}

#[test]
fn errors_beyond_the_cap_are_counted() {
    let unknown = format!("{VALID}{}", "frobnicate 1\n".repeat(100_000));
    let rendered = shown(&check_text(unknown));
    assert!(rendered.ends_with("and 99900 more, not shown\n\nkiln: 100000 errors in 1 file\n"), "{}", &rendered[rendered.len() - 200..]);
    assert_eq!(rendered.matches("error[K0107]").count(), 100);
    let syntax = format!("{VALID}{}", "route \"a\"b\n".repeat(20_000));
    assert!(shown(&check_text(syntax)).ends_with("kiln: 20000 errors in 1 file\n"));
    let inside = format!("{VALID}vhost \"a.example\" {{\n{}}}\n", "    route \"/a\" { respnd 404 }\n".repeat(20_000));
    assert!(shown(&check_text(inside)).ends_with("kiln: 20000 errors in 1 file\n"));
}

#[test]
fn line_of_a_megabyte_is_cut_in_the_rendering() {
    let text = format!("{VALID}vhost \"a.example\" {{ {} repsond 1 }}\n", "route \"/ü\" { respond 404 };".repeat(40_000));
    let rendered = shown(&check_text(text));
    assert!(rendered.len() < 2_000, "{} bytes", rendered.len());
    assert!(rendered.contains("repsond 1 }") && rendered.contains(" --> site.kdl:3:1080022\n"), "{rendered}");
}

#[test]
fn colours_only_when_asked() {
    let (sources, diagnostics) = check_text("sit".to_owned());
    assert!(!render(&diagnostics, &sources, Style::Plain).contains('\u{1b}'));
    assert!(render(&diagnostics, &sources, Style::Colour).contains('\u{1b}'));
}

#[test]
fn empty_and_odd_texts_are_answered() {
    for text in [
        "",
        "\u{feff}",
        "\u{feff}site",
        "{",
        "}",
        "\"",
        "#",
        "/",
        "/-",
        "\\",
        "(",
        "=",
        "a\u{0}b",
        "a \u{202e}",
        "r#",
        "#\"",
        "\"\"\"",
        "/- kdl-version 1\n",
    ] {
        assert!(check_text(text.to_owned()).1.has_errors(), "{text:?}");
    }
}

/// xorshift64*: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Mutated fixtures never panic, end in a site or in errors, and are rendered.
#[test]
fn fixtures_mutated_are_answered() {
    const PIECES: [&str; 22] = [
        "{", "}", "\"", "#\"", "\"#", "\"\"\"", "\n", ";", "/*", "*/", "//", "/-", "\\", "(env)", "=", "#true", "\u{feff}", "\u{2028}",
        "é", "{{", "*", "0x",
    ];
    let texts: Vec<String> = fixtures().into_iter().filter_map(|(_, path)| fs::read_to_string(path).ok()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3_000 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(4) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let end = text.ceil_char_boundary((at + random.below(12)).min(text.len()));
            match random.below(3) {
                0 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
                1 => text.replace_range(at..end, ""),
                _ => text.replace_range(at..end, PIECES[random.below(PIECES.len())]),
            }
        }
        let checked = check_text(text);
        assert!(shown(&checked).ends_with("file\n") || shown(&checked).ends_with("files\n"));
    }
}
