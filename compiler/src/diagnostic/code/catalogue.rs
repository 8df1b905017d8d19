//! A title and an explanation for each code: the text behind `kiln codes`.

mod files;
mod lints;
mod scopes;
mod syntax;
mod values;
mod words;

use std::sync::LazyLock;

use super::{Code, Entry};

/// In the order of the numbers.
pub(super) static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let parts = [syntax::ENTRIES, words::ENTRIES, scopes::ENTRIES, values::ENTRIES, lints::ENTRIES, files::ENTRIES];
    parts.into_iter().flatten().copied().collect()
});

const fn entry(code: Code, title: &'static str, explanation: &'static str) -> Entry {
    Entry { code, title, explanation }
}
