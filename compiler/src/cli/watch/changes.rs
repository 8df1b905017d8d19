//! What the site is made of, watched for changes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::mpsc::Sender,
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};

use super::Event;
use crate::Input;

pub(super) struct Changes {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
}

impl Changes {
    pub(super) fn new(events: Sender<Event>) -> notify::Result<Self> {
        let watcher = notify::recommended_watcher(move |found: notify::Result<notify::Event>| {
            // An error is a reason to look as well; without a receiver the command is over.
            if found.map_or(true, |event| is_change(event.kind)) {
                let _ = events.send(Event::Changed);
            }
        })?;
        Ok(Self { watcher, watched: BTreeSet::new() })
    }

    /// Watches these too: a tree with all that is in it; a file by its directory, as editors put another file in its place. What can't be watched is left
    /// out: it does not exist, and its directory is watched as well.
    pub(super) fn watch(&mut self, inputs: &[Input]) {
        for input in inputs {
            let (path, mode) = match input {
                Input::File(file) => (directory(file), RecursiveMode::NonRecursive),
                Input::Tree(tree) => (tree.as_path(), RecursiveMode::Recursive),
            };
            if !self.watched.contains(path) && self.watcher.watch(path, mode).is_ok() {
                self.watched.insert(path.to_owned());
            }
        }
    }
}

fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Reading is none.
const fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => matches!(access, AccessKind::Close(AccessMode::Write)),
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => true,
    }
}
