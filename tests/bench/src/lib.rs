//! Measures sites that kiln builds against the best configurations of other servers: CPU time per request, in interleaved pairs.
//!
//! `plan.kdl` says what is measured, `run` measures and seals, `analyze` reads sealed data only. How to run it and what its figures mean is in
//! `docs/benchmarks.md`. It uses loopback only, removes no sample, and claims nothing that was not measured in the same run.
#![forbid(unsafe_code)]

pub mod access_log;
pub mod analyze;
pub mod answer;
pub mod cli;
pub mod environment;
pub mod fault;
pub mod hash;
pub mod load;
pub mod payload;
pub mod peer;
pub mod pin;
pub mod plan;
pub mod process;
pub mod request;
pub mod results;
pub mod rules;
pub mod run;
pub mod sample;
pub mod schedule;
pub mod seal;
pub mod server;
pub mod site;
pub mod statistics;
