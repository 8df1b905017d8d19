//! The site edits no header (feature `headers` is off): heads are written as they are, but for the fields of `cors`.

use semantics::head::Head;

use crate::{cors, exchange::Slot, response::Response};

/// Appends status line and field lines of `response`.
pub(crate) fn head(response: &Response, head: &Head<'_>, slot: &Slot, out: &mut Vec<u8>) -> u32 {
    let start = out.len();
    out.extend_from_slice(response.head_lines());
    slot.push_inherited(response.status(), start, out);
    cors::push_fields(slot, head, out);
    0
}
