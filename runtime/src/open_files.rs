//! The files that a worker keeps open between requests (feature `files`; without it `open_files/absent.rs` stands here).
//!
//! Found by root and name, looked at again when they were not for [`FRESH_TICKS`], closed when nobody asked for [`IDLE_TICKS`], so that a file that was deleted frees its disk.
//! Bounded in number and in bytes; what was asked for longest ago gives way. A file that changed a moment ago is never kept: it may change again and keep its time.
//! A thread whose clock does not run keeps nothing.

use std::{cell::RefCell, rc::Rc, time::Duration};

use semantics::hash;

use crate::{
    clock::{self, TICK},
    open_file::{OpenFile, Stamp},
};

/// Files that a worker keeps.
pub(crate) const FILES_MAX: usize = WAYS * SETS;
/// Their descriptors, those of compressed siblings among them.
const DESCRIPTORS_MAX: usize = 4 * FILES_MAX;
/// Bytes of heads, names and bodies that a worker keeps.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// Places in which the file of one name may be: as many as are looked through at once.
const WAYS: usize = 16;
const SETS: usize = 64;
/// A file is looked at again after so long: a second.
const FRESH_TICKS: u32 = (Duration::from_secs(1).as_millis() / TICK.as_millis()) as u32;
/// Nobody has asked for so long: 20 seconds (nginx's `open_file_cache inactive` is 60, and its advice 20).
const IDLE_TICKS: u32 = 20 * FRESH_TICKS;
/// Whole seconds that must have passed since a file's last change: more than two, the coarsest grain of a file system's times (FAT).
const SETTLED_SECONDS: u64 = 3;

thread_local! {
    static TABLE: RefCell<Table> = const { RefCell::new(Table { tags: Vec::new(), entries: Vec::new(), bytes: 0, files: 0, descriptors: 0, descriptors_max: DESCRIPTORS_MAX }) };
}

/// A name below a root, which is known by the address of its static.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'a> {
    pub(crate) root: usize,
    pub(crate) name: &'a [u8],
}

/// A cache of sets: the name's hash tells the set, whose few places are all looked at.
#[derive(Debug)]
struct Table {
    /// Of each place; 0: free. Empty until the first file is kept.
    tags: Vec<u32>,
    entries: Vec<Option<Entry>>,
    bytes: usize,
    files: usize,
    /// Of files and their siblings.
    descriptors: usize,
    descriptors_max: usize,
}

#[derive(Debug)]
struct Entry {
    root: usize,
    name: Box<[u8]>,
    file: Rc<OpenFile>,
    /// Ticks when it was looked at and asked for the last time.
    checked: u32,
    asked: u32,
}

/// Keeps at most so many descriptors on this thread: descriptors that one worker keeps are wanting in the others, which can't close them.
pub(crate) fn limit(descriptors: impl FnOnce() -> usize) {
    TABLE.with_borrow_mut(|table| table.descriptors_max = descriptors().clamp(1, DESCRIPTORS_MAX));
}

/// The file of that name as it was within the last second, if it is kept. `None`: whoever asks looks.
pub(crate) fn fresh(key: Key<'_>) -> Option<Rc<OpenFile>> {
    match clock::coarse().0 {
        0 => None,
        now => TABLE.with_borrow_mut(|table| table.fresh(key, now)),
    }
}

/// What was kept, however old.
pub(crate) fn known(key: Key<'_>) -> Option<Rc<OpenFile>> {
    TABLE.with_borrow_mut(|table| table.entry(key).map(|entry| Rc::clone(&entry.file)))
}

/// Whether a file with that stamp may be kept: its last change is long enough ago that the next one will have another time.
pub(crate) fn is_settled(stamp: &Stamp) -> bool {
    let (tick, seconds) = clock::coarse();
    tick > 0 && stamp.last_change().saturating_add(SETTLED_SECONDS) <= seconds
}

/// Keeps what has been opened just now, in place of what was there.
pub(crate) fn keep(key: Key<'_>, file: &Rc<OpenFile>) {
    TABLE.with_borrow_mut(|table| table.keep(key, file, clock::coarse().0));
}

/// What is known has been looked at and is as it was.
pub(crate) fn renew(key: Key<'_>) {
    TABLE.with_borrow_mut(|table| {
        if let Some(entry) = table.entry(key) {
            entry.checked = clock::coarse().0;
        }
    });
}

/// There is nothing of that name any more, or something else.
pub(crate) fn forget(key: Key<'_>) {
    TABLE.with_borrow_mut(|table| {
        if let Some(at) = table.place(key) {
            table.remove(at);
        }
    });
}

/// Closes all files that nothing is sent from: descriptors are wanted for something else. `false`: none was kept.
pub(crate) fn clear() -> bool {
    TABLE.with_borrow_mut(|table| {
        let had_files = table.files > 0;
        table.retain(|_| false);
        had_files
    })
}

/// Closes what nobody has asked for lately. `false`: nothing is open.
pub(crate) fn sweep() -> bool {
    TABLE.with_borrow_mut(|table| {
        let now = clock::coarse().0;
        if table.files > 0 {
            table.retain(|entry| now.saturating_sub(entry.asked) < IDLE_TICKS);
        }
        table.files > 0
    })
}

impl Table {
    fn fresh(&mut self, key: Key<'_>, now: u32) -> Option<Rc<OpenFile>> {
        let entry = self.entry(key)?;
        entry.asked = now;
        if now.saturating_sub(entry.checked) < FRESH_TICKS {
            return Some(Rc::clone(&entry.file));
        }
        // One asker in each tick looks: the others need not wait with it.
        entry.checked = now.saturating_sub(FRESH_TICKS - 1);
        None
    }

    fn entry(&mut self, key: Key<'_>) -> Option<&mut Entry> {
        let at = self.place(key)?;
        self.entries.get_mut(at)?.as_mut()
    }

    /// Where the name is.
    #[inline]
    fn place(&self, key: Key<'_>) -> Option<usize> {
        let (set, tag) = set_and_tag(key);
        let tags = self.tags.get(set..)?.first_chunk::<WAYS>()?;
        let mut hits = tags.iter().enumerate().fold(0_u32, |hits, (way, other)| hits | u32::from(*other == tag) << way);
        while hits != 0 {
            let at = set + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            if self.entries.get(at)?.as_ref().is_some_and(|entry| entry.root == key.root && *entry.name == *key.name) {
                return Some(at);
            }
        }
        None
    }

    fn keep(&mut self, key: Key<'_>, file: &Rc<OpenFile>, now: u32) {
        if now == 0 {
            return;
        }
        if let Some(at) = self.place(key) {
            self.remove(at);
        }
        let bytes = key.name.len() + file.memory_bytes();
        while (self.bytes + bytes > BYTES_MAX || self.descriptors + file.descriptors() > self.descriptors_max) && self.files > 0 {
            self.remove(self.longest_ago(0, FILES_MAX));
        }
        if self.tags.is_empty() {
            self.tags.resize(FILES_MAX, 0);
            self.entries.resize_with(FILES_MAX, || None);
        }
        let (set, tag) = set_and_tag(key);
        let at = self.longest_ago(set, WAYS);
        self.remove(at);
        if let (Some(place), Some(entry)) = (self.tags.get_mut(at), self.entries.get_mut(at)) {
            *place = tag;
            *entry = Some(Entry { root: key.root, name: key.name.into(), file: Rc::clone(file), checked: now, asked: now });
            self.bytes += bytes;
            self.files += 1;
            self.descriptors += file.descriptors();
        }
    }

    /// Of so many places from `start` on, a free one, or that which was asked for longest ago.
    fn longest_ago(&self, start: usize, places: usize) -> usize {
        let asked = |at: &usize| self.entries.get(*at).and_then(Option::as_ref).map_or(0, |entry| entry.asked);
        let is_taken = |at: &usize| self.tags.get(*at).is_some_and(|tag| *tag != 0);
        let all = start..start + places;
        match places {
            WAYS => all.min_by_key(asked),
            _ => all.filter(is_taken).min_by_key(asked),
        }
        .unwrap_or(start)
    }

    fn remove(&mut self, at: usize) {
        if let (Some(tag), Some(entry)) = (self.tags.get_mut(at), self.entries.get_mut(at).and_then(Option::take)) {
            *tag = 0;
            self.bytes -= entry.name.len() + entry.file.memory_bytes();
            self.files -= 1;
            self.descriptors -= entry.file.descriptors();
        }
    }

    fn retain(&mut self, stays: impl Fn(&Entry) -> bool) {
        for at in 0..self.entries.len() {
            if self.entries.get(at).and_then(Option::as_ref).is_some_and(|entry| !stays(entry)) {
                self.remove(at);
            }
        }
    }
}

/// The first place of the name's set, and what marks it there, never 0.
#[inline]
fn set_and_tag(key: Key<'_>) -> (usize, u32) {
    let hash = hash::hash(key.root as u64, key.name);
    ((hash as usize % SETS) * WAYS, (hash >> 32) as u32 | 1)
}

#[cfg(test)]
mod tests;
