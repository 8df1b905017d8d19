//! `errors`: pages for what kiln itself answers: faults, 404, 405, refusals (feature `errors`; without it `errors/absent.rs` stands here).
//!
//! Never: what `respond` says, or an upstream. A page is a whole answer, rendered at build, so that it costs what the built-in one does; the status stays.

use crate::{
    answer::{Answer, Errors},
    builtin::builtin,
    exchange::{Exchange, Slot},
};

impl Exchange<'_> {
    /// The error pages of the scope that has been chosen, merged with those outside of it; a later call replaces an earlier one.
    #[must_use]
    pub fn with_errors(self, errors: &'static Errors) -> Self {
        self.slot.errors.set(Some(errors));
        self
    }
}

/// The exchange's page for that status, or the built-in answer.
pub(crate) fn answer(slot: &Slot, status: u16) -> &'static Answer {
    page(slot.errors.get(), status)
}

/// The site's page for that status, where no vhost has been chosen, or the built-in answer.
pub(crate) fn of_site(site: Option<&'static Errors>, status: u16) -> &'static Answer {
    page(site, status)
}

fn page(errors: Option<&'static Errors>, status: u16) -> &'static Answer {
    let pages = errors.map_or(&[][..], |errors| errors.pages);
    pages.iter().find(|page| page.status == status).unwrap_or_else(|| builtin(status))
}
