//! The examples of words and codes: they are sites, they show what they shall show, and they are written as `kiln fmt` writes.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use kiln::{
    compile,
    diagnostic::{
        Code, Diagnostics, example,
        render::{Style, render},
    },
    format::format,
    parse::syntax,
    schema::{self, excerpt::whole},
    source::{FILE_BYTES_MAX, SourceMap},
};

/// A copy of `examples`, with what is too large to keep.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name);
    drop(fs::remove_dir_all(&directory));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples"), &directory);
    let padding = "// padding\n".repeat(FILE_BYTES_MAX as usize / 10);
    fs::write(directory.join("large.kdl"), padding).unwrap();
    fs::create_dir(directory.join("linked")).unwrap();
    symlink("../legacy.kdl", directory.join("linked/outside.txt")).unwrap();
    directory
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => fs::write(&target, fs::read(&path).unwrap()).unwrap(),
        }
    }
}

/// Codes that a site gives, and its diagnostics as text.
fn check(directory: &Path, site: &str) -> (Vec<Code>, String) {
    let entry = directory.join("site.kdl");
    fs::write(&entry, site).unwrap();
    let compilation = compile(&entry, &directory.join("cache"));
    let codes = compilation.diagnostics.sorted().iter().map(|diagnostic| diagnostic.code).collect();
    (codes, render(&compilation.diagnostics, &compilation.sources, Style::Plain))
}

fn has_syntax(text: &str) -> bool {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("site.kdl".to_owned(), PathBuf::from("site.kdl"), text.to_owned());
    syntax::check(&sources, file, &mut diagnostics);
    diagnostics.is_empty()
}

#[test]
fn every_code_has_one_example_in_order() {
    let codes: Vec<Code> = Code::all().iter().map(|entry| entry.code).collect();
    let examples: Vec<Code> = example::all().map(|example| example.code).collect();
    assert_eq!(examples, codes, "diagnostic/example/*.rs has the examples");
}

#[test]
fn wrong_examples_give_their_code_and_right_ones_nothing() {
    let directory = directory("codes");
    let mut faults = Vec::new();
    for example in example::all() {
        let (codes, shown) = check(&directory, &whole(example.wrong));
        if codes != [example.code] {
            faults.push(format!("{} wrong gives {codes:?}:\n{}\n{shown}", example.code, whole(example.wrong)));
        }
        let (codes, shown) = check(&directory, &whole(example.right));
        if !codes.is_empty() {
            faults.push(format!("{} right gives {codes:?}:\n{}\n{shown}", example.code, whole(example.right)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn examples_are_formatted() {
    for example in example::all() {
        for text in [example.wrong, example.right].into_iter().filter(|text| has_syntax(text)) {
            assert_eq!(format(text).trim_end(), text, "{}", example.code);
        }
    }
}

#[test]
fn every_word_of_this_version_has_an_example_that_compiles() {
    let directory = directory("words");
    let mut faults = Vec::new();
    for word in schema::words() {
        let (name, example) = (word.name, word.example);
        if word.is_later() != example.is_empty() {
            faults.push(format!("`{name}`: an example for each word of this version, and for no other"));
            continue;
        }
        if example.is_empty() {
            continue;
        }
        let (codes, shown) = check(&directory, &whole(example));
        if !codes.is_empty() {
            faults.push(format!("`{name}` gives {codes:?}:\n{}\n{shown}", whole(example)));
        }
        if !example.split([' ', '\n', '{', '}', ';']).any(|written| written == name) {
            faults.push(format!("the example of `{name}` does not use it: {example}"));
        }
        if format(example).trim_end() != example {
            faults.push(format!("the example of `{name}` is not formatted:\n{}", format(example)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
