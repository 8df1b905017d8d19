//! Answers of upstreams: as hyper's client reads them.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/fuzzed/reply.rs"]
mod reply;

fuzz_target!(|bytes: &[u8]| reply::check(bytes));
