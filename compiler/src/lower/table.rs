//! What routes share: each different one stands once, numbered by its first use.

use std::{collections::BTreeMap, fmt::Debug};

/// All of one kind.
pub(super) struct Table<T> {
    items: Vec<T>,
    /// By their written form, which tells any two different ones apart.
    known: BTreeMap<String, u32>,
}

impl<T: Debug> Table<T> {
    pub(super) const fn new() -> Self {
        Self { items: Vec::new(), known: BTreeMap::new() }
    }

    pub(super) fn id(&mut self, item: T) -> u32 {
        let next = u32::try_from(self.items.len()).expect("a site has fewer than 2^32 routes");
        let id = *self.known.entry(format!("{item:?}")).or_insert(next);
        if id == next {
            self.items.push(item);
        }
        id
    }

    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }
}
