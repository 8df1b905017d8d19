//! The site asks for no request id (feature `request-id` is off): none is made.

use crate::exchange::Slot;

/// Nothing.
pub(crate) fn of(_slot: &Slot) -> &str {
    ""
}
