//! Arbitrary bytes through `check` and `fmt`: no panic, no abort, and a formatted site stays the same site.
#![no_main]

use std::path::{Path, PathBuf};

use kiln::{
    diagnostic::{
        Diagnostics,
        render::{Style, render},
    },
    format::{format, is_same},
    parse::{parse_text, syntax},
    resolve::resolve,
    source::SourceMap,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut diagnostics = Diagnostics::default();
    // A directory that is not there: includes name no file.
    let (sources, config) = parse_text(Path::new("/nowhere/site.kdl"), text.clone().into_owned(), &mut diagnostics);
    if let Some(config) = config {
        resolve(&config, &sources, &mut diagnostics);
    }
    render(&diagnostics, &sources, Style::Plain);

    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("site.kdl".to_owned(), PathBuf::from("site.kdl"), text.clone().into_owned());
    syntax::check(&sources, file, &mut diagnostics);
    if diagnostics.is_empty() {
        let formatted = format(&text);
        assert!(is_same(&text, &formatted));
        assert_eq!(format(&formatted), formatted);
    }
});
