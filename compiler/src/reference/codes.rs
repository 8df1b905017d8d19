//! `docs/codes.md`: every code with its explanation, an example and its repair.

use crate::diagnostic::{Code, Severity, code::Entry, example};

const HEAD: &str = "# Codes of diagnostics

<!-- Written by `kiln reference docs` from the catalogue: edit compiler/src/diagnostic, not this page. -->

`kiln codes K0107` prints one of these. A number never changes its meaning and is never used again. K04xx are lints: warnings, which `allow-lint` silences in
place. Each example is compiled by a test: the first gives the code, the second does not; what is not shown is put around it.
";

pub(super) fn page() -> String {
    Code::all().iter().map(entry).fold(HEAD.to_owned(), |page, entry| page + &entry)
}

fn entry(entry: &Entry) -> String {
    let severity = match entry.code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let example = example::find(entry.code)
        .map_or_else(String::new, |example| format!("\n```kdl wrong\n{}\n```\n\n```kdl right\n{}\n```\n", example.wrong, example.right));
    format!("\n## {}: {}\n\n{severity}\n\n{}\n{example}", entry.code, entry.title, entry.explanation)
}
