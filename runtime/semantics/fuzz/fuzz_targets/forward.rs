//! Forwarded requests: the ones that came.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/fuzzed/forward.rs"]
mod forward;
#[path = "../../tests/fuzzed/pipeline.rs"]
mod pipeline;

fuzz_target!(|bytes: &[u8]| forward::check(bytes));
