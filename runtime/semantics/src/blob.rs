//! Embedded trees as one blob: offsets, no pointers, read in place. The compiler encodes it, the runtime and the evaluator read it.

use crate::negotiate::{Coding, Codings};

/// One tree of a blob.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> { blob: &'a [u8], number: u32 }

/// What lies at a decoded path of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> { Absent, /// Some file lies below it; asked for without the last slash.
    Directory, File(Asset<'a>) }

/// One file in its encodings.
#[derive(Clone, Copy, Debug)]
pub struct Asset<'a> { blob: &'a [u8], at: usize }

impl<'a> Tree<'a> {
    pub const fn new(blob: &'a [u8], number: u32) -> Self { Self { blob, number } }
    /// `path` is decoded, relative, without a leading slash.
    pub fn find(&self, path: &[u8]) -> Entry<'a> { todo!() }
}

impl<'a> Asset<'a> {
    pub fn codings(&self) -> Codings { todo!() }
    /// Status line and fields of the 200, as in the runtime's `Answer::head`.
    pub fn head(&self, coding: Coding) -> &'a [u8] { todo!() }
    /// The same for the 304.
    pub fn not_modified(&self, coding: Coding) -> &'a [u8] { todo!() }
    pub fn etag(&self, coding: Coding) -> &'a str { todo!() }
    pub fn body(&self, coding: Coding) -> &'a [u8] { todo!() }
}

/// What [`encode`] needs of one file in one coding.
#[derive(Clone, Debug)]
pub struct FormInput { pub coding: Coding, pub etag: String, pub head: Vec<u8>, pub not_modified: Vec<u8>, pub body: Vec<u8> }

/// What [`encode`] needs of one file: its decoded path relative to the tree; identity must be among the forms.
#[derive(Clone, Debug)]
pub struct FileInput { pub path: String, pub forms: Vec<FormInput> }

/// Encodes trees in their order; equal bodies are stored once. Deterministic.
pub fn encode(trees: &[Vec<FileInput>]) -> Vec<u8> { todo!() }
