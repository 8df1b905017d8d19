//! The command `kiln-bench`; started under the name `kiln` it is the kiln of its workspace, which builds the sites that are measured.
#![forbid(unsafe_code)]

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    if env::args_os().next().is_some_and(|name| name == kiln_bench::site::KILN) {
        return kiln::cli::main();
    }
    kiln_bench::cli::main()
}
