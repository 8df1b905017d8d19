//! What a request means to a site: the one normal form and the one matcher that the runtime and the compiler share.
//!
//! Nothing here does I/O, waits, reads a clock or allocates behind the caller's back: every function is one of its arguments, `now` among
//! them. The runtime calls it on the hot path, the compiler's evaluator calls the same functions on the plan, so that what `kiln explain`
//! says is what the binary does.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod access;
mod ascii;
pub mod authority;
pub mod balance;
pub mod blob;
pub mod chunked;
pub mod cidr;
pub mod client;
pub mod conditional;
pub mod cookie;
pub mod cors;
pub mod date;
pub mod edits;
pub mod eject;
pub mod encode;
pub mod files;
pub mod forward;
pub mod glob;
pub mod guard;
pub mod hash;
pub mod head;
pub mod hosts;
mod lanes;
pub mod late;
pub mod listing;
pub mod log;
pub mod maps;
pub mod method;
pub mod mime;
pub mod negotiate;
pub mod partial;
pub mod path;
pub mod pattern;
pub mod query;
pub mod ranges;
pub mod records;
#[cfg(feature = "regex")]
pub mod regexes;
pub mod reply;
pub mod retry;
pub mod rewrite;
pub mod routes;
#[cfg(test)]
mod samples;
pub mod shares;
pub mod status;
pub mod template;
pub mod trailers;
pub mod upgrade;
