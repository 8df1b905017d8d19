//! What a kept file is when its name comes to mean something else: seen when a second has passed, each in its way.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, mkfifoat};
use semantics::{files::Rules, late::Value};

use super::*;
use crate::{clock, clock::Clock, files::pinned};

type Change = fn(&Path);

/// A root of its own with one old file, a clock, and what was found of the file.
struct Place {
    directory: PathBuf,
    root: &'static Root,
    clock: Clock,
    first: Rc<OpenFile>,
}

impl Place {
    fn new(name: &str, body: &[u8]) -> Self {
        let directory = std::env::temp_dir().join(format!("kiln-found-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("a.txt"), body).unwrap();
        let path = directory.to_str().unwrap().to_owned();
        let root: &'static Root = Box::leak(Box::new(Root { directory: Value::Text(path.leak()), rules: Rules::NEW }));
        let clock = Clock::new();
        // The file is as old as that.
        clock.set_seconds(clock::system_seconds() + 100);
        let first = file(look(root));
        Self { directory, root, clock, first }
    }

    fn path(&self) -> PathBuf {
        self.directory.join("a.txt")
    }

    /// What the name is found to be at once, and what a second later.
    fn before_and_after(&self) -> (Option<Rc<OpenFile>>, Result<Found, Errno>) {
        let before = kept(self.root, b"a.txt");
        self.clock.advance(4);
        assert!(kept(self.root, b"a.txt").is_none(), "a second has passed");
        (before, look(self.root))
    }

    fn is_first(&self, other: &Rc<OpenFile>) -> bool {
        Rc::ptr_eq(&self.first, other)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn look(root: &'static Root) -> Result<Found, Errno> {
    let directory = pinned::directory(root).unwrap();
    let sought = Sought { root, directory: &directory, name: b"a.txt" };
    match sought.look() {
        Ok(found) => Ok(found),
        Err(Unopened::Errno(error)) => Err(error),
        Err(Unopened::NotCached) => {
            let opened = open(root, sought.name, |name| directory.open(name).map_err(Unopened::Errno));
            sought.opened(opened.map_err(Unopened::errno))
        }
    }
}

fn file(found: Result<Found, Errno>) -> Rc<OpenFile> {
    match found {
        Ok(Found::File(file)) => file,
        other => panic!("{other:?}"),
    }
}

fn rename_over(path: &Path, body: &str) {
    let new = path.with_extension("new");
    fs::write(&new, body).unwrap();
    fs::rename(&new, path).unwrap();
}

#[test]
fn file_that_is_as_it_was_stays_open() {
    let place = Place::new("same", b"0123456789");
    let (before, after) = place.before_and_after();
    assert!(place.is_first(&before.unwrap()) && place.is_first(&file(after)));
    assert!(kept(place.root, b"a.txt").is_some(), "for another second");
    assert_eq!(place.first.body(), Some(&b"0123456789"[..]));
}

#[test]
fn body_is_kept_up_to_its_bound() {
    let bound = BODY_BYTES_MAX as usize;
    assert!(Place::new("bound", &vec![b'x'; bound]).first.body().is_some());
    let place = Place::new("above", &vec![b'x'; bound + 1]);
    let (before, after) = place.before_and_after();
    assert!(place.first.body().is_none() && place.is_first(&before.unwrap()) && place.is_first(&file(after)));
}

#[test]
fn file_that_is_replaced_or_written_or_cut_is_another_a_second_later() {
    let changes: [(&str, Change, &str); 4] = [
        ("replaced", |path| rename_over(path, "9876543210"), "9876543210"),
        ("written", |path| fs::write(path, "9876543210").unwrap(), "9876543210"),
        ("cut", |path| fs::File::options().write(true).open(path).unwrap().set_len(3).unwrap(), "012"),
        ("other-mode", |path| fs::set_permissions(path, fs::Permissions::from_mode(0o604)).unwrap(), "0123456789"),
    ];
    for (name, change, body) in changes {
        let place = Place::new(name, b"0123456789");
        change(&place.path());
        let (before, after) = place.before_and_after();
        let after = file(after);
        assert!(place.is_first(&before.unwrap()) && !place.is_first(&after), "{name}");
        assert_eq!(after.body(), Some(body.as_bytes()), "{name}");
        assert_eq!(place.first.body(), Some(&b"0123456789"[..]), "{name}: whoever sends it still has it");
    }
}

#[test]
fn file_that_is_gone_or_something_else_is_so_a_second_later() {
    let changes: [(&str, Change); 3] =
        [("gone", |_| {}), ("directory", |path| fs::create_dir(path).unwrap()), ("fifo", |path| mkfifoat(CWD, path, Mode::RWXU).unwrap())];
    for (name, change) in changes {
        let place = Place::new(name, b"0123456789");
        fs::remove_file(place.path()).unwrap();
        change(&place.path());
        let (before, after) = place.before_and_after();
        assert!(before.is_some_and(|before| place.is_first(&before)), "{name}");
        let kind = match after {
            Ok(Found::Directory) => "directory",
            Ok(Found::Other) => "fifo",
            Err(Errno::NOENT) => "gone",
            other => panic!("{other:?}"),
        };
        assert_eq!(kind, name);
        assert!(open_files::known(key(place.root, b"a.txt")).is_none() && Rc::strong_count(&place.first) == 1, "{name}: closed");
    }
}

#[test]
fn file_that_changed_a_moment_ago_is_not_kept() {
    let place = Place::new("young", b"0123456789");
    place.clock.set_seconds(clock::system_seconds());
    rename_over(&place.path(), "young");
    place.clock.advance(4);
    let young = file(look(place.root));
    assert!(young.body().is_none() && !place.is_first(&young) && kept(place.root, b"a.txt").is_none());
}

#[test]
fn file_that_is_sent_from_its_descriptor_is_another_as_soon_as_it_is_written() {
    let large = vec![b'x'; BODY_BYTES_MAX as usize + 1];
    let place = Place::new("in-place", &large);
    assert!(kept(place.root, b"a.txt").is_some_and(|kept| place.is_first(&kept)));
    fs::write(place.path(), vec![b'y'; large.len()]).unwrap();
    assert!(kept(place.root, b"a.txt").is_none());
    let small = Place::new("in-memory", b"x");
    fs::write(small.path(), "y").unwrap();
    assert!(kept(small.root, b"a.txt").is_some_and(|kept| small.is_first(&kept)), "its body is what its head says");
}
