//! The site rewrites no path (feature `rewrite` is off).

use semantics::head::Head;

use crate::exchange::Slot;

/// The head that was sent.
#[inline(always)]
pub(crate) fn matched<'h>(_slot: &Slot, sent: &'h Head<'h>) -> &'h Head<'h> {
    sent
}
