//! Prints a site of as many vhosts as its argument says: `cargo run --example scale -- 1000 > site.kdl`.

use std::{env, io::Write, process::ExitCode};

fn main() -> ExitCode {
    let Some(vhosts) = env::args().nth(1).and_then(|count| count.parse().ok()) else { return ExitCode::from(2) };
    match std::io::stdout().write_all(kiln_tests::scale::site(vhosts).as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
