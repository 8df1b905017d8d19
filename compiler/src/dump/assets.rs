//! Embedded files for people: a line for each tree in the plan, and one for each file where it is asked for.

use sha2::{Digest, Sha256};

use super::{
    text::count,
    words::{self, rough_size},
};
use crate::plan::{Asset, Embed, Plan};

/// Columns of a file's line, characters.
const SIZE_COLUMN: usize = 48;
const FORMS_COLUMN: usize = 60;

/// What a tree or a file comes to, bytes.
pub(super) struct Sizes {
    /// Of the files.
    pub(super) raw: u64,
    /// Of each file's smallest form.
    pub(super) smallest: u64,
    /// Of all forms, which the binary holds.
    pub(super) stored: u64,
}

impl Sizes {
    pub(super) fn of(assets: &[Asset]) -> Self {
        let sum = |bytes: &dyn Fn(&Asset) -> u64| assets.iter().map(bytes).sum();
        let forms = |asset: &Asset| asset.codings.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>();
        Self {
            raw: sum(&|asset| asset.bytes),
            smallest: sum(&|asset| forms(asset).into_iter().min().unwrap_or(asset.bytes)),
            stored: sum(&|asset| asset.bytes + forms(asset).iter().sum::<u64>()),
        }
    }

    /// What is not sent to a client that takes every coding.
    pub(super) const fn saved(&self) -> u64 {
        self.raw.saturating_sub(self.smallest)
    }
}

/// The line of a tree in the plan.
pub(super) fn tree(embed: &Embed) -> String {
    let sizes = Sizes::of(&embed.assets);
    let mut hash = Sha256::new();
    for asset in &embed.assets {
        hash.update(asset.path.as_bytes());
        hash.update([0]);
        hash.update(asset.hash);
        asset.siblings.iter().for_each(|sibling| hash.update(sibling.hash));
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let files = count(embed.assets.len(), "file");
    let [raw, smallest, saved, stored] = [sizes.raw, sizes.smallest, sizes.saved(), sizes.stored].map(rough_size);
    let directory = words::path(&embed.directory);
    format!("tree {directory}  {files}  {raw} -> {smallest}  saved {saved}  stored {stored}  sha256 {hash}")
}

/// Every embedded file with its size, its forms and what they save, below the line of its tree.
pub fn assets(plan: &Plan) -> String {
    let mut lines = String::new();
    for embed in plan.trees() {
        lines.push_str(&format!("{}\n", tree(embed)));
        for asset in &embed.assets {
            lines.push_str(&format!("{}\n", line(asset, embed)));
        }
    }
    lines
}

fn line(asset: &Asset, embed: &Embed) -> String {
    let mut line = format!("  {}", words::path(&asset.path));
    let mut cell = |column: usize, text: &str| {
        let blanks = column.saturating_sub(line.chars().count()).max(2);
        line.push_str(&format!("{}{text}", " ".repeat(blanks)));
    };
    cell(SIZE_COLUMN, &rough_size(asset.bytes));
    let mut facts: Vec<String> = asset
        .codings
        .iter()
        .map(|(coding, bytes)| {
            let is_sibling = asset.siblings.iter().any(|sibling| sibling.coding == *coding);
            format!("{}{} {}", coding.name(), if is_sibling { " (beside it)" } else { "" }, rough_size(*bytes))
        })
        .collect();
    let saved = Sizes::of(std::slice::from_ref(asset)).saved();
    if saved > 0 {
        facts.push(format!("saved {}", rough_size(saved)));
    }
    if embed.is_immutable(asset) {
        facts.push("immutable".to_owned());
    }
    if !facts.is_empty() {
        cell(FORMS_COLUMN, &facts.join("  "));
    }
    line
}
