//! `kiln fmt` over every site file of the repository and over thousands of damaged ones: what it gives means the same and is given back as it is.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use kdl::{KdlDocument, KdlNode};
use kiln::{
    diagnostic::Diagnostics,
    format::{format, is_same},
    parse::syntax,
    source::SourceMap,
};

fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut texts = Vec::new();
    for directory in ["configs", "tests/sites", "compiler/tests", "compiler/src"] {
        collect(&root.join(directory), &mut texts);
    }
    texts.sort();
    texts
}

fn collect(directory: &Path, texts: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "kdl") {
            texts.extend(fs::read_to_string(&path).ok().map(|text| (path.clone(), text)));
        }
    }
}

fn has_syntax(text: &str) -> bool {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("site.kdl".to_owned(), PathBuf::from("site.kdl"), text.to_owned());
    syntax::check(&sources, file, &mut diagnostics);
    diagnostics.is_empty()
}

/// Names, annotations, values and blocks, without anything of how they were written.
fn meaning(node: &KdlNode) -> String {
    let ty = |ty: Option<&kdl::KdlIdentifier>| ty.map_or_else(String::new, |ty| format!("({:?})", ty.value()));
    let entry = |entry: &kdl::KdlEntry| format!(" {:?}{}{:?}", entry.name().map(kdl::KdlIdentifier::value), ty(entry.ty()), entry.value());
    let entries: String = node.entries().iter().map(entry).collect();
    let block = node.children().map(|block| block.nodes().iter().map(meaning).collect::<Vec<_>>());
    format!("{}{:?}{entries}{block:?}", ty(node.ty()), node.name().value())
}

fn meanings(text: &str) -> Option<Vec<String>> {
    KdlDocument::parse_v2(text).ok().map(|document| document.nodes().iter().map(meaning).collect())
}

/// Whether the text could be formatted; what comes out is checked.
#[track_caller]
fn check(text: &str) -> bool {
    let formatted = format(text);
    if !has_syntax(text) {
        return false;
    }
    assert_eq!(format(&formatted), formatted, "not stable:\n{text}");
    assert!(has_syntax(&formatted), "no longer KDL:\n{text}\n---\n{formatted}");
    assert!(is_same(text, &formatted), "words or comments differ:\n{text}\n---\n{formatted}");
    if let Some(meanings_before) = meanings(text) {
        assert_eq!(meanings(&formatted), Some(meanings_before), "another meaning:\n{text}\n---\n{formatted}");
    }
    formatted.lines().all(|line| !line.ends_with(' ')) || text.contains("\"\"\"") || text.contains("/*")
}

#[test]
fn sites_formatted_mean_the_same() {
    let (mut formatted, mut all) = (0, 0);
    for (_, text) in texts() {
        all += 1;
        formatted += usize::from(check(&text));
    }
    assert!(formatted > 60 && formatted * 10 > all * 8, "{formatted} of {all}");
}

/// The repository's own sites are formatted.
#[test]
fn samples_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (path, text) in texts().into_iter().filter(|(path, _)| path.starts_with(root.join("configs"))) {
        assert_eq!(format(&text), text, "run `kiln fmt {}`", path.strip_prefix(root).unwrap().display());
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

#[test]
fn sites_mutated_and_formatted_mean_the_same() {
    const PIECES: [&str; 34] = [
        "{",
        "}",
        " { a; b } ",
        "{}",
        "\"",
        "#\"x\"#",
        "\"\"\"\n x\n \"\"\"",
        "\n",
        "\n\n\n",
        "\r\n",
        ";",
        "; ",
        "/* c */",
        "/* c\n d */",
        "// c\n",
        "/-",
        " /- ",
        "/-\n",
        " \\\n",
        " \\ // c\n",
        "\\",
        "(env)",
        "(",
        " = ",
        "=",
        " #true ",
        "\u{feff}",
        "\u{2028}",
        "\u{a0}",
        "é",
        "\t",
        "0x1F",
        " x=1 ",
        "/-{ x }",
    ];
    let texts: Vec<String> = texts().into_iter().map(|(_, text)| text).filter(|text| text.len() < 4_000).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut formatted = 0;
    for _ in 0..8_000 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(3) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let end = text.ceil_char_boundary((at + random.below(6)).min(text.len()));
            match random.below(4) {
                0 => text.replace_range(at..end, ""),
                1 => text.replace_range(at..end, PIECES[random.below(PIECES.len())]),
                _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
            }
        }
        formatted += usize::from(check(&text));
    }
    assert!(formatted > 1_600, "only {formatted} mutations were KDL");
}
