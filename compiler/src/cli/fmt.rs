//! `kiln fmt`: site files in one spelling, or which of them are not.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{Console, Failure, Outcome, console::counted};
use crate::{
    diagnostic::{Diagnostics, render},
    format::{format, is_same},
    parse::{self, syntax},
    source::SourceMap,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Write nothing; list the files that are not as they would be written, and fail if there are any.
    #[arg(long)]
    check: bool,
    /// The files, and no other; `-` formats standard input to standard output [default: site.kdl and all that it includes].
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    if let [file] = &arguments.files[..]
        && file == Path::new("-")
    {
        return standard_input(arguments.check, console);
    }
    let files = if arguments.files.is_empty() { site_files() } else { arguments.files.clone() };
    let mut changed = Vec::new();
    let mut failure = None;
    for file in &files {
        match one(file, console) {
            Ok(None) => {}
            Ok(Some(formatted)) if arguments.check => changed.push((file, formatted)),
            Ok(Some(formatted)) => {
                fs::write(file, &formatted).map_err(|error| console.fault(format!("{}: {error}", file.display())))?;
                changed.push((file, formatted));
            }
            Err(fault) => failure = Some(fault),
        }
    }
    if arguments.check {
        let lines: String = changed.iter().map(|(file, _)| format!("{}\n", file.display())).collect();
        console.result(&lines)?;
    }
    let verb = if arguments.check { "not formatted" } else { "changed" };
    console.summary(&format!("kiln: {}, {} {verb}", counted(files.len(), "file"), changed.len()));
    let is_stale = arguments.check && !changed.is_empty();
    failure.or_else(|| is_stale.then_some(Failure::Site)).map_or(Ok(()), Err)
}

/// The site file of this directory and what it includes, also where the site has errors.
fn site_files() -> Vec<PathBuf> {
    let entry = PathBuf::from("site.kdl");
    let (sources, _) = parse::parse(&entry, &mut Diagnostics::default());
    if sources.sources().is_empty() {
        return vec![entry];
    }
    let written = sources.sources().iter().filter(|source| !source.is_table);
    written.map(|source| source.path.strip_prefix(".").unwrap_or(&source.path).to_path_buf()).collect()
}

/// What a file becomes; `None` where it stays as it is.
fn one(file: &Path, console: &mut Console) -> Result<Option<String>, Failure> {
    let mut diagnostics = Diagnostics::default();
    let (sources, id) = syntax::read(file, &mut diagnostics);
    say(&diagnostics, &sources, console)?;
    let text = id.map(|id| sources.source(id).text.as_str()).unwrap_or_default();
    let formatted = format(text);
    if !is_same(text, &formatted) {
        return Err(console.fault(format!("{}: bug in kiln: formatting would change what it says; nothing was written", file.display())));
    }
    Ok(Some(formatted).filter(|formatted| formatted != text))
}

fn standard_input(is_check: bool, console: &mut Console) -> Outcome {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| console.fault(format!("standard input: {error}")))?;
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("-".to_owned(), PathBuf::from("-"), text);
    syntax::check(&sources, file, &mut diagnostics);
    say(&diagnostics, &sources, console)?;
    let text = &sources.source(file).text;
    let formatted = format(text);
    match is_check {
        true if formatted != *text => Err(Failure::Site),
        true => Ok(()),
        false => console.result(&formatted),
    }
}

fn say(diagnostics: &Diagnostics, sources: &SourceMap, console: &mut Console) -> Outcome {
    console.diagnostics(&render::render(diagnostics, sources, console.style()));
    if diagnostics.has_errors() { Err(Failure::Site) } else { Ok(()) }
}
