//! What every kiln site links: engines, workers and features.
//!
//! Levels: `semantics` (pure) <- L0 values (exchange, step, later, request_body, response, edits, worker, ..) <- L1 features (respond, redirect, files, ..)
//! <- L2 transport (listen, engine) <- serve. Engines reach features only through [`Site`], which generated code implements; features do not import
//! each other. `#[cfg(feature)]` stands here and in the L0 enums only.
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod answer;
#[cfg(any(feature = "embed", feature = "files"))]
mod at;
pub mod buffer;
mod builtin;
mod clock;
mod command;
mod deadlines;
#[cfg(feature = "headers")]
mod edits;
#[cfg(not(feature = "headers"))]
#[path = "edits/absent.rs"]
mod edits;
#[cfg(feature = "embed")]
pub mod embed;
mod engine;
pub mod exchange;
pub mod fault;
#[cfg(feature = "files")]
pub mod files;
pub mod later;
mod listen;
#[cfg(feature = "redirect")]
pub mod redirect;
pub mod request_body;
pub mod response;
#[cfg(feature = "files")]
mod sent_file;
pub mod serve;
pub mod settings;
pub mod site;
pub mod step;
pub mod table;
mod worker;
#[cfg(feature = "respond")]
mod written;

/// Answers of kiln itself, in every site, and those that the site file writes out (feature `respond`).
pub mod respond {
    pub use crate::builtin::{abort, bad_request, builtin, method_not_allowed, misdirected, not_found, refused};
    #[cfg(feature = "respond")]
    pub use crate::written::{Template, prebuilt, template};
}

pub use answer::Answer;
pub use exchange::Exchange;
pub use serve::serve;
pub use settings::{Limits, Listener, Manifest, Settings, Timeouts, Workers};
pub use site::Site;
pub use step::Step;

pub use semantics::{
    edits::{Action as EditAction, Edit, Edits},
    guard,
    hosts::Hosts,
    method::{Method, Methods},
    routes::Routes,
    template::Part,
};

/// Number of what generated code may name in this crate. Changelog: 1, the first.
pub const ABI: u32 = 1;
