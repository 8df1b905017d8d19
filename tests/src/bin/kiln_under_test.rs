//! The kiln of this workspace as a process: cargo builds it with this package's tests, so that they can start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    kiln::cli::main()
}
