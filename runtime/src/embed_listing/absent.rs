//! Stands in for [`embed_listing`](super) where no tree of the site is listed.

use semantics::{
    blob::{Asset, Tree},
    head::Head,
};

/// There is none.
#[inline(always)]
pub(crate) const fn find(_tree: &Tree<'static>, _directory: &mut Vec<u8>, _head: &Head<'_>) -> Option<Asset<'static>> {
    None
}
