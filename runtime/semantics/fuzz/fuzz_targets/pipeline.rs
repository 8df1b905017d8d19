//! Pipelines: what kiln takes hyper reads as the same, or refuses.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/fuzzed/pipeline.rs"]
mod pipeline;

fuzz_target!(|bytes: &[u8]| pipeline::check(bytes));
