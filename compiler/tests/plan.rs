//! The middle of the compiler on whole sites: KDL through parse and resolve, then plan, dump, evaluation and explanation.
//!
//! One file a subject below `plan/`; all sites are made by [`site::Built`].
#![expect(clippy::unwrap_used, reason = "a fixture that cannot be made fails its test")]

#[path = "plan/assets.rs"]
mod assets;
#[path = "plan/dump.rs"]
mod dump;
#[path = "plan/evaluate.rs"]
mod evaluate;
#[path = "plan/explain.rs"]
mod explain;
#[path = "plan/files.rs"]
mod files;
#[path = "plan/language.rs"]
mod language;
#[path = "plan/names.rs"]
mod names;
#[path = "plan/observed.rs"]
mod observed;
#[path = "plan/optimize.rs"]
mod optimize;
#[path = "plan/proxy.rs"]
mod proxy;
#[path = "plan/site.rs"]
mod site;
