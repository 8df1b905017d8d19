//! An answer that was rendered at build time.

/// Status, head and body as constant data. Copied, never allocated.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Three digits.
    pub status: u16,
    /// Status line and field lines, each with CRLF, framing (`content-length`) included; without `date`, `connection` and the empty line, which the engine adds.
    pub head: &'static [u8],
    /// The body; the engine leaves it out for HEAD.
    pub body: &'static [u8],
}

/// Answers that a site has of its own for error statuses, in place of those of [`crate::respond::builtin`]. Read with feature `errors` only.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    /// One for each status, 400 to 599; heads without `allow`, which a 405 gets for itself.
    pub pages: &'static [Answer],
}
