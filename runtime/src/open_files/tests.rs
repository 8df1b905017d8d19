//! The table at its limits and its clock, and a stamp for every change that a file can have.

use std::{
    fs::{self, File},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::PathBuf,
};

use rustix::fs::fstat;
use semantics::negotiate::Coding;

use super::*;
use crate::{
    clock::Clock,
    open_file::{BODY_BYTES_MAX, Face},
};

/// Nothing that is asked of the table reads from the descriptor.
fn file(body: &[u8]) -> Rc<OpenFile> {
    let file = File::open("/dev/null").unwrap();
    let stamp = Stamp::of(&fstat(&file).unwrap());
    let face = Face { content_type: "text/plain", coding: Coding::Identity, is_immutable: false, varies: false };
    Rc::new(OpenFile::new(file.into(), stamp, face, Some(body)))
}

fn table() -> Table {
    Table { tags: Vec::new(), entries: Vec::new(), bytes: 0, files: 0, descriptors: 0, descriptors_max: DESCRIPTORS_MAX }
}

fn key(name: &str) -> Key<'_> {
    Key { root: 1, name: name.as_bytes() }
}

fn is_fresh(table: &mut Table, name: &str, now: u32) -> bool {
    table.fresh(key(name), now).is_some()
}

fn is_kept(table: &Table, name: &str) -> bool {
    table.place(key(name)).is_some()
}

#[test]
fn file_is_fresh_for_a_second_and_then_one_asker_looks_in_each_tick() {
    let mut table = table();
    table.keep(key("a"), &file(b""), 10);
    let fresh = |table: &mut Table, now| is_fresh(table, "a", now);
    assert_eq!([10, 13, 14, 14, 15, 15].map(|now| fresh(&mut table, now)), [true, true, false, true, false, true]);
    table.entry(key("a")).unwrap().checked = 15;
    assert_eq!([18, 19].map(|now| fresh(&mut table, now)), [true, false]);
}

#[test]
fn name_is_known_below_its_root_only() {
    let mut table = table();
    table.keep(key("a"), &file(b""), 1);
    assert!(is_kept(&table, "a") && !is_kept(&table, "b"));
    assert!(table.place(Key { root: 2, name: b"a" }).is_none());
    table.remove(table.place(key("a")).unwrap());
    assert_eq!((is_kept(&table, "a"), table.bytes, table.files), (false, 0, 0));
}

#[test]
fn file_that_is_kept_again_takes_the_place_of_the_old_one() {
    let mut table = table();
    let (old, new) = (file(b"old"), file(b"newer"));
    table.keep(key("a"), &old, 1);
    table.keep(key("a"), &new, 1);
    assert_eq!((Rc::strong_count(&old), table.files, table.bytes), (1, 1, 1 + new.memory_bytes()));
}

#[test]
fn files_are_at_most_so_many_and_those_asked_for_last_stay() {
    let mut table = table();
    for number in 0..3 * FILES_MAX {
        if !is_fresh(&mut table, "often", number as u32 + 1) {
            table.keep(key("often"), &file(b""), number as u32 + 1);
        }
        table.keep(key(&format!("once-{number}")), &file(b""), number as u32 + 1);
    }
    assert!(table.files <= FILES_MAX && table.files > FILES_MAX / 2, "{}", table.files);
    assert!(is_kept(&table, "often") && !is_kept(&table, "once-0"));
}

#[test]
fn bytes_are_at_most_so_many_and_those_asked_for_last_stay() {
    let mut table = table();
    let body = vec![b'x'; BODY_BYTES_MAX as usize];
    let fit = BYTES_MAX / (body.len() + 200);
    for number in 0..2 * fit {
        table.keep(key(&format!("{number}")), &file(&body), number as u32 + 1);
        assert!(table.bytes <= BYTES_MAX, "{}", table.bytes);
    }
    assert!(is_kept(&table, &format!("{}", 2 * fit - 1)) && !is_kept(&table, "0"));
    table.retain(|_| false);
    assert_eq!((table.bytes, table.files), (0, 0));
}

#[test]
fn file_that_nobody_asks_for_is_closed_after_so_long() {
    let clock = Clock::new();
    let kept = file(b"x");
    keep(key("idle"), &kept);
    assert!(fresh(key("idle")).is_some());
    clock.advance(IDLE_TICKS - 1);
    assert!(sweep());
    assert!(fresh(key("idle")).is_none(), "it is old; but it was asked for, and the time begins anew");
    clock.advance(IDLE_TICKS - 1);
    assert!(sweep());
    clock.advance(1);
    assert!(!sweep());
    assert_eq!(Rc::strong_count(&kept), 1);
    keep(key("wanted"), &kept);
    assert!(clear());
    assert_eq!(Rc::strong_count(&kept), 1);
    assert!(!clear(), "there is nothing more to close");
}

#[test]
fn thread_without_a_clock_keeps_nothing() {
    std::thread::spawn(|| {
        let kept = file(b"x");
        keep(key("a"), &kept);
        assert!(known(key("a")).is_none() && !is_settled(kept.stamp()));
    })
    .join()
    .unwrap();
}

/// A file of its own, removed at the end.
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn stamp_of(path: &PathBuf) -> Stamp {
    Stamp::of(&fstat(File::open(path).unwrap()).unwrap())
}

/// Changes what nobody set: until the kernel's clock has moved on, one change looks like another.
fn until_changed(path: &PathBuf, stamp: Stamp, change: impl Fn()) {
    for _ in 0..100_000 {
        change();
        if stamp_of(path) != stamp {
            return;
        }
    }
    panic!("no change was seen");
}

#[test]
fn every_change_of_a_file_gives_another_stamp() {
    let place = Place(std::env::temp_dir().join(format!("kiln-stamp-{}", std::process::id())));
    let path = &place.0;
    fs::write(path, "0123456789").unwrap();
    until_changed(path, stamp_of(path), || fs::write(path, "9876543210").unwrap());
    until_changed(path, stamp_of(path), || fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap());
    let stamp = stamp_of(path);
    fs::write(path.with_extension("new"), "0123456789").unwrap();
    fs::rename(path.with_extension("new"), path).unwrap();
    assert_ne!(stamp_of(path), stamp, "renamed");
    let stamp = stamp_of(path);
    File::options().write(true).open(path).unwrap().set_len(3).unwrap();
    assert_ne!(stamp_of(path), stamp, "truncated");
    assert_eq!(stamp_of(path), stamp_of(path));
}

#[test]
fn file_that_changed_within_two_seconds_is_not_settled() {
    let place = Place(std::env::temp_dir().join(format!("kiln-settled-{}", std::process::id())));
    let path = &place.0;
    fs::write(path, "0123456789").unwrap();
    let changed = fs::metadata(path).unwrap().ctime().cast_unsigned();
    for (seconds, expected) in [(0, false), (2, false), (3, true)] {
        let clock = Clock::new();
        clock.set_seconds(changed + seconds);
        assert_eq!(is_settled(&stamp_of(path)), expected, "{seconds}");
    }
    // A time of modification in the past hides no change.
    let old = std::time::UNIX_EPOCH;
    File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    let clock = Clock::new();
    clock.set_seconds(changed + 2);
    assert!(!is_settled(&stamp_of(path)));
}

#[test]
fn table_with_a_limit_keeps_what_was_asked_for_last() {
    let mut table = Table { descriptors_max: 2, ..table() };
    for (now, name) in [(1, "a"), (2, "b"), (3, "c")] {
        table.keep(key(name), &file(b"x"), now);
    }
    assert_eq!((table.files, ["a", "b", "c"].map(|name| is_kept(&table, name))), (2, [false, true, true]));
}

#[test]
fn limit_counts_the_descriptors_of_siblings() {
    let mut table = Table { descriptors_max: 4, ..table() };
    let with_sibling = || Rc::new(Rc::into_inner(file(b"x")).unwrap().with_siblings(vec![file(b"y")]));
    for (now, name) in [(1, "a"), (2, "b"), (3, "c")] {
        table.keep(key(name), &with_sibling(), now);
    }
    assert_eq!((table.files, table.descriptors, is_kept(&table, "a")), (2, 4, false));
    table.retain(|_| false);
    assert_eq!((table.files, table.descriptors), (0, 0));
}
