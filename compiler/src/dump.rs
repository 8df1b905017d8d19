//! The plan as people review it (`plan.txt`) and as machines read it (`plan --json`). Both say the same, in the plan's own order.
//!
//! Canonical: the same site gives the same bytes. A row's layout depends on that row alone, so that changing one route changes only its lines.

pub(crate) mod action;
mod assets;
mod json;
mod observed;
pub(crate) mod policies;
mod text;
pub(crate) mod upstream;
pub mod words;

pub use self::{assets::assets, json::json, text::text};

/// The version that stands in a dump.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Features that a site may do without, sorted: what is not needed is named as not linked.
const FEATURES: [&str; 27] = [
    "access",
    "access-log",
    "client-limit",
    "cors",
    "embed",
    "encode-brotli",
    "encode-gzip",
    "encode-zstd",
    "errors",
    "files",
    "headers",
    "late",
    "memory",
    "metrics",
    "proxy",
    "proxy-intercept",
    "proxy-upgrade",
    "records",
    "redirect",
    "regex",
    "regex-captures",
    "request-id",
    "respond",
    "rewrite",
    "split",
    "trusted-proxies",
    "unix",
];
