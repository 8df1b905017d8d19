//! The compiler: one pipeline, one type per arrow, diagnostics beside it.
//!
//! ```text
//! SourceMap -parse-> ast::Config -resolve-> model::Site -lower-> plan::Plan -optimize-> plan::Plan -emit-> Package -build-> Artifact
//! ```
#![forbid(unsafe_code)]

pub mod answer;
pub mod assets;
pub mod ast;
pub mod build;
pub mod cargo;
pub mod diagnostic;
pub mod dump;
pub mod emit;
pub mod evaluate;
pub mod explain;
pub mod fingerprint;
pub mod lower;
pub mod model;
pub mod optimize;
pub mod package;
pub mod packed;
pub mod parse;
pub mod plan;
pub mod resolve;
pub mod schema;
pub mod source;
pub mod toolchain;
pub mod workspace;
