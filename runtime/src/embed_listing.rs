//! Listings of embedded trees, made when the site was built (feature `embed-listing`; without it `embed_listing/absent.rs` stands here).

use semantics::{
    blob::{Asset, Tree},
    head::Head,
    listing,
};

/// The listing of a directory of the tree, in the format that the request prefers. `directory` becomes the name under which the tree holds it.
pub(crate) fn find(tree: &Tree<'static>, directory: &mut Vec<u8>, head: &Head<'_>) -> Option<Asset<'static>> {
    listing::embedded(tree, directory, head)
}
