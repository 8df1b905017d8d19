//! The compiler: one pipeline, one type per arrow, diagnostics beside it.
//!
//! ```text
//! SourceMap -parse-> ast::Config -resolve-> model::Site -lower-> plan::Plan -optimize-> plan::Plan -emit-> Package -build-> Artifact
//! ```
#![forbid(unsafe_code)]

pub mod answer;
pub mod assets;
pub mod emit;
pub mod dump;
pub mod evaluate;
pub mod explain;
pub mod lower;
pub mod model;
pub mod optimize;
pub mod package;
pub mod plan;
pub mod source;
