//! Embedded trees: routes that name the same directory and say the same of it share one, and those that say something else the bytes that are the same.

use std::{collections::BTreeMap, path::PathBuf};

use super::names;
use crate::{
    assets::Trees,
    model::Files,
    plan::{Asset, Embed, EmbedId, Rules, Vhost},
    source::SourceMap,
};

/// The trees of a site in the order of their first use.
pub(super) struct EmbedTable<'a> {
    trees: &'a Trees,
    sources: &'a SourceMap,
    embeds: Vec<Embed>,
    known: BTreeMap<Key, EmbedId>,
    /// Numbers in the blob.
    trees_of: BTreeMap<Key, u32>,
}

/// The directory, what is said of it, and whether its files have dates.
type Key = (PathBuf, Rules, bool);

impl<'a> EmbedTable<'a> {
    pub(super) const fn new(trees: &'a Trees, sources: &'a SourceMap) -> Self {
        Self { trees, sources, embeds: Vec::new(), known: BTreeMap::new(), trees_of: BTreeMap::new() }
    }

    pub(super) fn id(&mut self, files: &Files) -> EmbedId {
        let next = EmbedId(u32::try_from(self.embeds.len()).expect("a site has fewer than 2^32 trees"));
        let id = *self.known.entry((files.path.clone(), files.rules.clone(), files.has_dates)).or_insert(next);
        if id == next {
            let embed = self.embed(files);
            self.embeds.push(embed);
        }
        id
    }

    /// All trees, each with a name that no handler and no other tree has.
    pub(super) fn named(mut self, vhosts: &[Vhost]) -> Vec<Embed> {
        let handlers = vhosts.iter().flat_map(|vhost| &vhost.routes).map(|route| route.name.clone());
        names::embeds(&mut self.embeds, handlers.collect());
        self.embeds
    }

    fn embed(&mut self, files: &Files) -> Embed {
        let next = u32::try_from(self.trees_of.len()).expect("no more than embeds");
        let tree = *self.trees_of.entry((files.path.clone(), files.rules.of_tree(), files.has_dates)).or_insert(next);
        let Some(assets) = self.trees.assets(files) else {
            let provenance = self.sources.provenance(files.directory.span);
            panic!("bug in kiln: the tree `{}` was not read, {}:{}", files.directory.value, provenance.file, provenance.line);
        };
        Embed {
            name: String::new(),
            tree,
            directory: files.directory.value.trim_end_matches('/').to_owned(),
            rules: files.rules.clone(),
            has_dates: files.has_dates,
            assets: assets.iter().map(|asset| Asset { modified: asset.modified.filter(|_| files.has_dates), ..asset.clone() }).collect(),
        }
    }
}
