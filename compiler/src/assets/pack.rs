//! The blob of a plan: every file of its trees in every coding, with heads and entity tags.

use std::path::Path;

use semantics::{
    blob::{self, BLOB_BYTES_MAX, FileInput, FormInput},
    negotiate::Coding,
};

use super::{
    Fault, FaultKind, form, listings, on_threads,
    store::{Store, hex},
};
use crate::{
    answer::AssetForm,
    plan::{Asset, Embed, Plan},
};

/// Bytes of the content's hash that an entity tag shows.
const ETAG_BYTES: usize = 16;

/// Reads the files of the plan's trees again and packs them, each under its number. Blocks.
pub fn blob(plan: &Plan, cache: &Path) -> Result<Vec<u8>, Vec<Fault>> {
    let mut stored = plan.trees().flat_map(|embed| &embed.assets).map(stored_bytes).sum::<u64>();
    if stored > BLOB_BYTES_MAX as u64 {
        let path = plan.embeds.first().map(|embed| embed.directory.clone()).unwrap_or_default();
        return Err(vec![Fault { span: None, path, kind: FaultKind::TooLarge }]);
    }
    let store = Store::new(cache);
    let (mut trees, mut faults) = (Vec::new(), Vec::new());
    for embed in plan.trees() {
        let files = on_threads(&embed.assets, |asset| file(asset, embed, &store));
        let mut tree = Vec::with_capacity(files.len());
        for file in files {
            match file {
                Ok(file) => tree.push(file),
                Err(fault) => faults.push(fault),
            }
        }
        let of_listings = |kind| Fault { span: None, path: embed.directory.clone(), kind };
        for file in on_threads(&listings::pages(embed), |page| page.file(&store)) {
            match file {
                Ok(file) => {
                    stored += file.forms.iter().map(|form| form.body.len() as u64).sum::<u64>();
                    tree.push(file);
                }
                Err(kind) => faults.push(of_listings(kind)),
            }
        }
        if stored > BLOB_BYTES_MAX as u64 {
            faults.push(of_listings(FaultKind::TooLarge));
        }
        trees.push(tree);
    }
    if faults.is_empty() { Ok(blob::encode(&trees)) } else { Err(faults) }
}

/// Bytes of all forms of a file.
fn stored_bytes(asset: &Asset) -> u64 {
    asset.bytes + asset.codings.iter().map(|(_, bytes)| bytes).sum::<u64>()
}

fn file(asset: &Asset, embed: &Embed, store: &Store) -> Result<FileInput, Fault> {
    let is_immutable = embed.is_immutable(asset);
    let codings = asset.codings.iter().map(|(coding, _)| *coding).chain([Coding::Identity]);
    let forms = codings.map(|coding| {
        let body = form(asset, coding, store)?;
        let sibling = asset.siblings.iter().find(|sibling| sibling.coding == coding);
        let etag = etag(sibling.map_or(&asset.hash, |sibling| &sibling.hash), coding);
        let answer = AssetForm {
            content_type: &asset.content_type,
            coding,
            etag: &etag,
            bytes: body.len() as u64,
            is_negotiated: !asset.codings.is_empty(),
            is_immutable,
            modified: asset.modified,
        };
        let (head, not_modified) = (answer.head(), answer.not_modified());
        Ok(FormInput { coding, etag, head, not_modified, body })
    });
    let forms = forms.collect::<Result<_, _>>();
    let fault = |kind| Fault { span: None, path: format!("{}/{}", embed.directory, asset.path), kind };
    Ok(FileInput { path: asset.path.clone(), modified: asset.modified.unwrap_or_default(), forms: forms.map_err(fault)? })
}

/// Strong, of the content and its coding: `"9f2c...-br"`.
pub(super) fn etag(hash: &[u8; 32], coding: Coding) -> String {
    let content = hex(&hash[..ETAG_BYTES]);
    match coding {
        Coding::Identity => format!("\"{content}\""),
        Coding::Brotli | Coding::Gzip | Coding::Zstd => format!("\"{content}-{}\"", coding.name()),
    }
}
