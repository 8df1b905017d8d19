//! The site edits no header (feature `headers` is off): heads are written as they are.

use semantics::head::Head;

use crate::{exchange::Slot, response::Response};

/// Appends status line and field lines of `response`.
pub(crate) fn head(response: &Response, _head: &Head<'_>, _slot: &Slot, out: &mut Vec<u8>) -> u32 {
    out.extend_from_slice(response.head_lines());
    0
}
