//! The harness of the process tests: builds sites, starts them, speaks raw HTTP/1.1 to them and ends them.
//!
//! Nothing here sleeps: every wait is for a byte, a line or an end of file, and has a deadline. A tool that a machine lacks skips its tests with
//! a counted line (see [`tools`]).
#![forbid(unsafe_code)]

pub mod answer;
pub mod browser;
pub mod cases;
pub mod client;
pub mod compiled;
pub mod corpus;
pub mod cost;
pub mod crossing;
pub mod docroot;
pub mod echo;
pub mod files;
pub mod listed;
pub mod mutations;
pub mod nginx;
pub mod oracle;
pub mod pattern;
pub mod planted;
pub mod proxied;
pub mod race;
pub mod random;
pub mod requests;
pub mod scale;
pub mod sent;
pub mod server;
pub mod site;
pub mod table;
pub mod tools;
pub mod upstream;
