//! The syntax of one file by itself: what must be right before it can be formatted. Words are not looked at, includes are not read.

use std::{path::Path, thread};

use super::{STACK_BYTES, Share, blocks, fault};
use crate::{
    diagnostic::Diagnostics,
    source::{FileId, SourceMap},
};

/// Reads a file and reports its syntax errors; `None` where it can't be read.
pub fn read(path: &Path, diagnostics: &mut Diagnostics) -> (SourceMap, Option<FileId>) {
    let mut sources = SourceMap::default();
    let name = path.to_string_lossy().into_owned();
    match sources.read(path, name.clone()) {
        Ok(file) => {
            check(&sources, file, diagnostics);
            (sources, Some(file))
        }
        Err(fault) => {
            diagnostics.push(fault::unread(&fault, &name, None));
            (sources, None)
        }
    }
}

/// Reports the syntax errors of a file that was read.
pub fn check(sources: &SourceMap, file: FileId, diagnostics: &mut Diagnostics) {
    let text = &sources.source(file).text;
    let blocks = match blocks::scan(text) {
        Ok(blocks) => blocks,
        Err(fault) => {
            diagnostics.push(fault::unscanned(&fault, file));
            return;
        }
    };
    let found = thread::scope(|scope| {
        let look = || {
            let mut share = Share::new(file, &blocks.text);
            share.syntax(&blocks.statements);
            share.diagnostics
        };
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, look).expect("the system gives a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    diagnostics.append(found);
}
