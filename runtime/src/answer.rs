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
