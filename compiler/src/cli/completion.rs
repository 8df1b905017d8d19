//! `kiln completion`: a script that completes kiln's command line in a shell.

use clap::{CommandFactory, ValueEnum};
use clap_complete::{aot, generate};

use super::{Console, Line, Outcome};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell that will read it.
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Fish,
    Zsh,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let shell = match arguments.shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Fish => aot::Shell::Fish,
        Shell::Zsh => aot::Shell::Zsh,
    };
    let mut script = Vec::new();
    generate(shell, &mut Line::command(), "kiln", &mut script);
    console.result(&String::from_utf8_lossy(&script))
}
