//! The site knows all its values (feature `late` is off).

use semantics::late::Late;

/// There is nothing to set.
pub(crate) fn resolve(_values: &[&Late<'_>]) -> Result<(), Vec<String>> {
    Ok(())
}
