//! What every kiln site links: engines, workers and features.
//!
//! Levels: `semantics` (pure) <- L0 values (exchange, step, later, request_body, response, edits, worker, ..) <- L1 features (respond, redirect, files, ..)
//! <- L2 transport (listen, engine) <- serve. Engines reach features only through [`Site`], which generated code implements; features do not import
//! each other. `#[cfg(feature)]` stands here and in the L0 enums only.
#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "access")]
pub mod access;
#[cfg(feature = "access-log")]
mod access_log;
#[cfg(not(feature = "access-log"))]
#[path = "access_log/absent.rs"]
mod access_log;
pub mod answer;
#[cfg(any(feature = "embed", feature = "files"))]
mod at;
pub mod buffer;
mod builtin;
#[cfg(feature = "trusted-proxies")]
mod client;
#[cfg(not(feature = "trusted-proxies"))]
#[path = "client/absent.rs"]
mod client;
#[cfg(feature = "client-limit")]
mod clients;
#[cfg(not(feature = "client-limit"))]
#[path = "clients/absent.rs"]
mod clients;
mod clock;
mod command;
#[cfg(feature = "cors")]
pub mod cors;
#[cfg(not(feature = "cors"))]
#[path = "cors/absent.rs"]
mod cors;
mod deadlines;
#[cfg(feature = "headers")]
mod edits;
#[cfg(not(feature = "headers"))]
#[path = "edits/absent.rs"]
mod edits;
#[cfg(feature = "embed")]
pub mod embed;
#[cfg(feature = "embed-listing")]
mod embed_listing;
#[cfg(all(feature = "embed", not(feature = "embed-listing")))]
#[path = "embed_listing/absent.rs"]
mod embed_listing;
#[cfg(feature = "encode")]
mod encode;
#[cfg(not(feature = "encode"))]
#[path = "encode/absent.rs"]
mod encode;
#[cfg(feature = "encode-brotli")]
#[path = "encode/brotli.rs"]
mod encode_brotli;
#[cfg(feature = "encode-gzip")]
#[path = "encode/gzip.rs"]
mod encode_gzip;
#[cfg(feature = "encode-zstd")]
#[path = "encode/zstd.rs"]
mod encode_zstd;
mod engine;
#[cfg(feature = "errors")]
mod errors;
#[cfg(not(feature = "errors"))]
#[path = "errors/absent.rs"]
mod errors;
pub mod exchange;
pub mod fault;
#[cfg(feature = "files")]
mod file_pages;
#[cfg(feature = "files")]
mod file_reader;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "proxy-intercept")]
mod intercept;
#[cfg(all(feature = "proxy", not(feature = "proxy-intercept")))]
#[path = "intercept/absent.rs"]
mod intercept;
#[cfg(feature = "late")]
mod late;
#[cfg(not(feature = "late"))]
#[path = "late/absent.rs"]
mod late;
pub mod later;
mod listen;
#[cfg(feature = "listing")]
mod listing;
#[cfg(all(feature = "files", not(feature = "listing")))]
#[path = "listing/absent.rs"]
mod listing;
#[cfg(feature = "access-log")]
mod log_writer;
#[cfg(not(feature = "access-log"))]
#[path = "log_writer/absent.rs"]
mod log_writer;
#[cfg(feature = "memory")]
mod memory;
#[cfg(not(feature = "memory"))]
#[path = "memory/absent.rs"]
mod memory;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(not(feature = "metrics"))]
#[path = "metrics/absent.rs"]
mod metrics;
#[cfg(feature = "files")]
mod open_file;
#[cfg(feature = "files")]
mod open_files;
#[cfg(not(feature = "files"))]
#[path = "open_files/absent.rs"]
mod open_files;
#[cfg(feature = "proxy")]
mod pipes;
#[cfg(not(feature = "proxy"))]
#[path = "pipes/absent.rs"]
mod pipes;
#[cfg(feature = "proxy")]
mod proxied;
#[cfg(not(feature = "proxy"))]
#[path = "proxied/absent.rs"]
mod proxied;
#[cfg(feature = "proxy")]
pub mod proxy;
#[cfg(any(feature = "embed", feature = "files"))]
mod ranged;
#[cfg(any(feature = "access-log", feature = "metrics"))]
mod record;
#[cfg(not(any(feature = "access-log", feature = "metrics")))]
#[path = "record/absent.rs"]
mod record;
#[cfg(feature = "records")]
pub mod records;
#[cfg(feature = "redirect")]
pub mod redirect;
#[cfg(feature = "regex")]
mod regex;
#[cfg(feature = "regex-captures")]
mod regex_captures;
pub mod request_body;
#[cfg(feature = "request-id")]
mod request_id;
#[cfg(not(feature = "request-id"))]
#[path = "request_id/absent.rs"]
mod request_id;
pub mod response;
#[cfg(feature = "rewrite")]
pub mod rewrite;
#[cfg(all(feature = "headers", not(feature = "rewrite")))]
#[path = "rewrite/absent.rs"]
mod rewrite;
mod rooms;
#[cfg(feature = "files")]
mod sent_file;
pub mod serve;
pub mod settings;
pub mod site;
#[cfg(feature = "split")]
pub mod split;
pub mod step;
#[cfg(feature = "proxy-upgrade")]
mod switch;
#[cfg(all(feature = "proxy", not(feature = "proxy-upgrade")))]
#[path = "switch/absent.rs"]
mod switch;
pub mod table;
#[cfg(any(test, feature = "proxy-upgrade"))]
mod tunnel;
#[cfg(not(any(test, feature = "proxy-upgrade")))]
#[path = "tunnel/absent.rs"]
mod tunnel;
mod turn;
#[cfg(feature = "unix")]
mod unix;
#[cfg(not(feature = "unix"))]
#[path = "unix/absent.rs"]
mod unix;
#[cfg(any(test, feature = "encode"))]
mod unmeasured;
#[cfg(feature = "proxy")]
pub mod upstream;
#[cfg(not(feature = "proxy"))]
#[path = "upstream/absent.rs"]
mod upstream;
mod worker;
#[cfg(feature = "respond")]
mod written;

/// Answers of kiln itself, in every site, and those that the site file writes out (feature `respond`).
pub mod respond {
    pub use crate::builtin::{abort, bad_request, builtin, method_not_allowed, misdirected, not_found, refused};
    #[cfg(feature = "respond")]
    pub use crate::written::{Template, prebuilt, rendered, template};
}

/// What codes answers on their way (features `encode-brotli`, `encode-gzip` and `encode-zstd`).
#[cfg(feature = "encode")]
pub mod coders {
    #[cfg(feature = "encode-brotli")]
    pub use crate::encode_brotli::BROTLI;
    #[cfg(feature = "encode-gzip")]
    pub use crate::encode_gzip::GZIP;
    #[cfg(feature = "encode-zstd")]
    pub use crate::encode_zstd::ZSTD;
}

pub use answer::{Answer, Errors};
#[cfg(feature = "encode")]
pub use encode::{Coder, Encoding};
pub use exchange::Exchange;
pub use serve::serve;
pub use settings::{AccessLog, Delivery, Limits, Listener, ListenerOptions, Manifest, Settings, Timeouts, Workers};
pub use site::Site;
pub use step::Step;
#[cfg(not(feature = "proxy"))]
pub use upstream::Upstream;

#[cfg(feature = "regex-captures")]
pub use semantics::regexes::Capturing;
#[cfg(feature = "regex")]
pub use semantics::regexes::Regex;
pub use semantics::{
    cidr::Networks,
    client::{ForwardingFields, Trust},
    edits::{Action as EditAction, Edit, Edits},
    files::{Rules, Tried},
    guard,
    hosts::Hosts,
    late::{Late, Value},
    log,
    maps::{Map, Rows},
    method::{Method, Methods},
    negotiate::{Coding, Codings},
    routes::Routes,
    template::{MapLookup, Part},
};

/// Number of what generated code may name in this crate.
///
/// Changelog: 1, the first. 2: addresses and roots are [`Value`]s; settings have `errors`, `trusted_proxies`, `late` and `regexes`; the rest of the language that
/// needs no upstream, no TLS and no state. 3: settings of logs, counters, delivery and more limits; listeners have options; `placed`, `unlogged`. 4: trees and
/// roots have [`Rules`]; `file_or` answers with another action where there is no file; `encoded`, `Encoding` and `coders`. 5: `upstream` and `proxy`; settings have `upstreams`.
pub const ABI: u32 = 5;
