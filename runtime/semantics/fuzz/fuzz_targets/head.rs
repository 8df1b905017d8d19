//! Heads: a cut one says what the whole one says.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/fuzzed/head.rs"]
mod head;

fuzz_target!(|bytes: &[u8]| head::check(bytes));
