//! Applies the header edits of an exchange while its head is written (feature `headers`; without it `edits/absent.rs` stands here).

use semantics::{edits, head::Head, template::Subject};

use crate::{exchange::Slot, response::Response};

/// Appends status line and field lines of `response` as the exchange's edits want them; gives how many values were not sent.
pub(crate) fn head(response: &Response, head: &Head<'_>, slot: &Slot, out: &mut Vec<u8>) -> u32 {
    let lines = response.head_lines();
    let Some(edits) = slot.edits.get() else {
        out.extend_from_slice(lines);
        return 0;
    };
    if edits.rules.is_empty() {
        out.extend_from_slice(lines);
        out.extend_from_slice(edits.appended);
        return 0;
    }
    let status_line_bytes = lines.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let (status_line, fields) = lines.split_at_checked(status_line_bytes).unwrap_or((lines, b""));
    out.extend_from_slice(status_line);
    let captures = slot.captures.get();
    edits::apply(edits, fields, &Subject { head, captures: &captures, status: response.status() }, out)
}
