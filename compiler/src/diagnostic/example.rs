//! For each code the smallest site that gives it, and the same site repaired. A test compiles both: the first gives the code, the second does not.
//!
//! An example is an excerpt: `schema::excerpt` says what is put around it. Paths in it are those of `compiler/tests/examples`.

mod lint;
mod route;
mod source;
mod value;
mod word;

use super::Code;

/// Both texts end without a line feed.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub code: Code,
    pub wrong: &'static str,
    pub right: &'static str,
}

impl Example {
    /// What `kiln codes` shows behind the explanation.
    pub fn page(&self) -> String {
        format!("\nwrong:\n\n{}\nright:\n\n{}", indented(self.wrong), indented(self.right))
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// The example of a code; a test finds one for each.
pub fn find(code: Code) -> Option<&'static Example> {
    all().find(|example| example.code == code)
}

/// In the order of the codes.
pub fn all() -> impl Iterator<Item = &'static Example> {
    [source::EXAMPLES, word::EXAMPLES, route::EXAMPLES, value::EXAMPLES, lint::EXAMPLES].into_iter().flatten()
}

const fn example(code: Code, wrong: &'static str, right: &'static str) -> Example {
    Example { code, wrong, right }
}
