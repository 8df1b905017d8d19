//! The command line: `run` measures, `analyze` judges. Results on standard output, progress on standard error.
//!
//! Exit codes: 0 done (and every gate passed, for `analyze`); 1 a gate failed; 2 it could not be measured or read.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use crate::{analyze, fault::Fault, run};

/// Measures sites that kiln builds against other servers.
#[derive(Debug, Parser)]
#[command(name = "kiln-bench", disable_help_subcommand = true, max_term_width = 100)]
struct Line {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Judge a sealed run: tables of all figures, and each gate.
    Analyze {
        /// The directory that `run` wrote.
        directory: PathBuf,
    },
    /// Measure the cells of plan.kdl and seal what came of it.
    Run(Arguments),
}

#[derive(Debug, clap::Args)]
struct Arguments {
    /// Directory of the results; it must not exist yet, or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Cells to measure, separated by commas [default: all that are enabled].
    #[arg(long, value_delimiter = ',')]
    rows: Vec<String>,
    /// Pairs of each cell; cells that say how many they need take at most those [default: the plan's].
    #[arg(long)]
    pairs: Option<usize>,
    /// Seconds that are measured in each sample [default: the plan's].
    #[arg(long)]
    seconds: Option<f64>,
    /// Seconds that servers must stay as they are before the first sample.
    #[arg(long, default_value_t = 5.0)]
    settle: f64,
    /// Other work runs on this machine: starved samples count, and no gate is judged.
    #[arg(long)]
    contended: bool,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let outcome = match Line::parse().verb {
        Verb::Analyze { directory } => analyze::analyze(&directory).and_then(|report| {
            write!(io::stdout(), "{}", report.text).map_err(Fault::io("standard output"))?;
            Ok(if report.has_failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
        }),
        Verb::Run(arguments) => run::run(&options(arguments)).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|fault| {
        // Nobody reads it if this fails.
        drop(writeln!(io::stderr(), "kiln-bench: {fault}"));
        ExitCode::from(2)
    })
}

fn options(arguments: Arguments) -> run::Options {
    let Arguments { out, rows, pairs, seconds, settle, contended } = arguments;
    run::Options { out, rows, pairs, seconds, settle, is_contended: contended }
}
