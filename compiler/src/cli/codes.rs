//! `kiln codes`: what a diagnostic's code means.

use super::{Console, Failure, Outcome};
use crate::diagnostic::Code;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The code, for instance K0107; without it all are listed.
    code: Option<String>,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let Some(written) = &arguments.code else {
        let lines = Code::all().iter().map(|entry| format!("{}  {}\n", entry.code, entry.title));
        return console.result(&lines.collect::<String>());
    };
    match Code::parse(written) {
        Some(code) => console.result(&code.entry().page()),
        None => {
            console.fault(format!("there is no code `{written}`\n  = help: `kiln codes` lists all"));
            Err(Failure::Machine)
        }
    }
}
