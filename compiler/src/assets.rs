//! Embedded trees: read, hashed and precompressed at build time, and packed into the blob of the binary.
//!
//! The only part behind `resolve` that reads files. Compressed forms are kept in a directory of the caller's, named by content hash, so that a tree costs its
//! compression once. What lies in a tree is served as it is: nothing is rewritten. Dotfiles, backups and links that leave the tree are not embedded, as
//! a root would not serve them either.

mod compress;
mod date;
mod listings;
mod pack;
mod store;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use semantics::{
    mime,
    negotiate::{Coding, Codings},
};
use sha2::{Digest, Sha256};

use self::store::Store;
use crate::{
    model::{Action, Files, Site},
    plan::{Asset, Sibling},
    source::{
        Span,
        tree::{self, TreeFault, Walked},
    },
};

pub use self::pack::blob;

/// Threads that read and compress.
const THREADS: usize = 2;

/// What was read of each directory.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    trees: BTreeMap<Key, Vec<Asset>>,
}

/// What of a `files` decides about what is read: the directory, whether what is hidden is served, the codings of siblings.
type Key = (PathBuf, bool, Codings);

fn key(files: &Files) -> Key {
    (files.path.clone(), files.rules.serves_hidden, files.rules.precompressed)
}

impl Trees {
    /// The files of a directory that was read, sorted by path.
    pub fn assets(&self, files: &Files) -> Option<&[Asset]> {
        self.trees.get(&key(files)).map(Vec::as_slice)
    }
}

/// Why a tree cannot be embedded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// The directory in the site file; none where a plan is all there is.
    pub span: Option<Span>,
    /// As written, and below it the path of the file.
    pub path: String,
    pub kind: FaultKind,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FaultKind {
    /// The file is not what it was when the plan was made.
    Changed,
    /// The system's words.
    Io(String),
    /// A name that is not UTF-8.
    NotUtf8,
    /// All trees together have more bytes than a blob may have.
    TooLarge,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => formatter.write_str("changed while the site was built"),
            Self::Io(reason) => formatter.write_str(reason),
            Self::NotUtf8 => formatter.write_str("the name is not UTF-8"),
            Self::TooLarge => formatter.write_str("embedded files have more than 1 GiB in all"),
        }
    }
}

/// Reads every directory that `site` embeds; blocks while it compresses what `cache` (a directory, made where it is missing) does not hold yet.
pub fn read(site: &Site, cache: &Path) -> Result<Trees, Vec<Fault>> {
    let store = Store::new(cache);
    let (mut trees, mut faults) = (Trees::default(), Vec::new());
    let mut seen = BTreeSet::new();
    for files in embedded(site).filter(|files| seen.insert(key(files))) {
        match read_tree(files, &store) {
            Ok(assets) => drop(trees.trees.insert(key(files), assets)),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(trees) } else { Err(faults) }
}

fn embedded(site: &Site) -> impl Iterator<Item = &Files> {
    let routes = site.vhosts.iter().flat_map(|vhost| &vhost.routes);
    routes.flat_map(|route| files_of(&route.action)).filter(|files| files.is_embedded)
}

fn files_of(action: &Action) -> Vec<&Files> {
    let own = if let Action::Files(files) = action { Some(files) } else { None };
    own.into_iter().chain(action.inner().into_iter().flat_map(files_of)).collect()
}

fn read_tree(files: &Files, store: &Store) -> Result<Vec<Asset>, Fault> {
    let written = files.directory.value.trim_end_matches('/');
    let fault = |path: &str, kind| Fault { span: Some(files.directory.span), path: below(written, path), kind };
    let walked = tree::walk(&files.path, files.rules.serves_hidden)
        .map_err(|TreeFault { path, error }| fault(&path, error.map_or(FaultKind::NotUtf8, FaultKind::Io)))?;
    let assets = on_threads(&walked.files, |(path, source)| {
        let siblings = siblings(path, &walked, files.rules.precompressed);
        asset((path, source), &siblings, store).map_err(|error| fault(path, FaultKind::Io(error.to_string())))
    });
    assets.into_iter().collect()
}

fn below(directory: &str, path: &str) -> String {
    if path.is_empty() { directory.to_owned() } else { format!("{directory}/{path}") }
}

/// The compressed files beside a file, by coding, and where they lie.
fn siblings<'w>(path: &str, walked: &'w Walked, codings: Codings) -> Vec<(Coding, &'w Path)> {
    codings.coded().filter_map(|coding| Some((coding, walked.find(&format!("{path}{}", coding.extension()))?))).collect()
}

/// A file in the codings that it is smaller in, and in those that lie beside it, whose size is their owner's business.
fn asset((path, source): (&str, &Path), beside: &[(Coding, &Path)], store: &Store) -> io::Result<Asset> {
    let body = fs::read(source)?;
    let hash: [u8; 32] = Sha256::digest(&body).into();
    let content_type = mime::content_type(path);
    let (mut codings, mut siblings) = (Vec::new(), Vec::new());
    for coding in Codings::ALL.coded() {
        if let Some((_, source)) = beside.iter().find(|(of, _)| *of == coding) {
            let form = fs::read(source)?;
            codings.push((coding, form.len() as u64));
            siblings.push(Sibling { coding, source: source.to_path_buf(), hash: Sha256::digest(&form).into() });
        } else if mime::is_compressible(content_type)
            && let Some(form) = store.form(&hash, coding, &body)?
        {
            codings.push((coding, form.len() as u64));
        }
    }
    Ok(Asset {
        path: path.to_owned(),
        source: source.to_owned(),
        content_type: content_type.to_owned(),
        hash,
        bytes: body.len() as u64,
        codings,
        siblings,
        modified: date::modified(source)?,
    })
}

/// The bytes of an asset in one coding, from its source or from the store; they must be those that the plan was made of.
fn form(asset: &Asset, coding: Coding, store: &Store) -> Result<Vec<u8>, FaultKind> {
    if let Some(sibling) = asset.siblings.iter().find(|sibling| sibling.coding == coding) {
        return read_again(&sibling.source, &sibling.hash);
    }
    let (body, hash) = (read_again(&asset.source, &asset.hash)?, asset.hash);
    if coding == Coding::Identity {
        return Ok(body);
    }
    let form = store.form(&hash, coding, &body).map_err(|error| FaultKind::Io(error.to_string()))?;
    form.ok_or(FaultKind::Changed)
}

/// The bytes of a file that must be what it was.
fn read_again(source: &Path, hash: &[u8; 32]) -> Result<Vec<u8>, FaultKind> {
    let body = fs::read(source).map_err(|error| FaultKind::Io(error.to_string()))?;
    if Sha256::digest(&body).as_slice() == hash { Ok(body) } else { Err(FaultKind::Changed) }
}

/// Runs `work` for each item on [`THREADS`] threads; results in the order of the items.
fn on_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..THREADS.min(items.len()) {
            scope.spawn(|| {
                while let Some((at, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?))) {
                    let result = work(item);
                    results.lock().expect("no thread panics while it holds the results").insert(at, result);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics while it holds the results").into_values().collect()
}
