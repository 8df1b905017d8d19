//! Applies the header edits of an exchange while its head is written (feature `headers`; without it `edits/absent.rs` stands here).

use semantics::{edits, head::Head, template::Subject};

use crate::{cors, exchange::Slot, response::Response, rewrite};

/// Appends status line and field lines of `response` as the exchange's edits want them; gives how many values were not sent.
pub(crate) fn head(response: &Response, head: &Head<'_>, slot: &Slot, out: &mut Vec<u8>) -> u32 {
    let lines = response.head_lines();
    let start = out.len();
    out.extend_from_slice(lines);
    slot.push_inherited(response.status(), start, out);
    cors::push_fields(slot, head, out);
    let Some(edits) = slot.edits.get() else { return 0 };
    if edits.rules.is_empty() {
        out.extend_from_slice(edits.appended);
        return 0;
    }
    let status_line_bytes = lines.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let captures = slot.captures.borrow();
    let head = &rewrite::matched(slot, head);
    edits::apply_behind(
        start + status_line_bytes,
        edits,
        &Subject { head, captures: &captures, status: response.status(), request_id: slot },
        out,
    )
}
