//! Tests of semantics from the outside: corpora, tables from `language.md`, properties.
#![forbid(unsafe_code)]

mod chunked;
mod corpus;
mod edits;
mod http1;
mod meaning;
mod properties;
mod replies;
mod request;
mod template;
