//! Chunked bodies: in pieces as at once.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/fuzzed/chunked.rs"]
mod chunked;

fuzz_target!(|bytes: &[u8]| chunked::check(bytes));
