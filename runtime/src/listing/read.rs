//! Reads the entries of a directory, each with what it is, its bytes and when it was modified.

use std::{ops::Range, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, Dir, FileType, Stat, statat},
    io::Errno,
};
use semantics::{
    files::is_hidden,
    listing::{ENTRIES_MAX, Entry, Kind, NAMES_BYTES_MAX},
};

use super::Followed;

/// Entries that are looked at, shown or not: what a directory of hidden names may cost.
const LOOKS_MAX: usize = 4 * ENTRIES_MAX;

/// What a directory holds, in no order.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// All names, one behind the other.
    names: Vec<u8>,
    entries: Vec<(Range<usize>, Kind, Option<u64>)>,
    /// There is more than that.
    pub(super) is_truncated: bool,
}

impl Found {
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let entries = self.entries.iter();
        let entry = |(name, kind, modified): &(Range<usize>, Kind, Option<u64>)| Entry {
            name: self.names.get(name.clone()).unwrap_or_default(),
            kind: *kind,
            modified: *modified,
        };
        entries.map(entry).collect()
    }

    /// `false`: there is no room for it.
    fn add(&mut self, name: &[u8], (kind, modified): (Kind, Option<u64>)) -> bool {
        let start = self.names.len();
        if self.entries.len() == ENTRIES_MAX || start + name.len() > NAMES_BYTES_MAX {
            return false;
        }
        self.names.extend_from_slice(name);
        self.entries.push((start..self.names.len(), kind, modified));
        true
    }
}

/// Blocks. An entry that vanishes, or that can't be looked at, is left out.
pub(super) fn read(directory: &OwnedFd, serves_hidden: bool, followed: Option<&Followed>) -> Result<Found, Errno> {
    let mut found = Found::default();
    for (looks, entry) in Dir::read_from(directory)?.enumerate() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if looks == LOOKS_MAX {
            found.is_truncated = true;
            break;
        }
        if is_hidden(name) && !serves_hidden {
            continue;
        }
        let Some(shown) = look((directory, followed), name, entry.file_type()) else { continue };
        if !found.add(name, shown) {
            found.is_truncated = true;
            break;
        }
    }
    Ok(found)
}

/// What a name stands for; `None` where it is not to be shown.
fn look((directory, followed): (&OwnedFd, Option<&Followed>), name: &[u8], hint: FileType) -> Option<(Kind, Option<u64>)> {
    // What the directory itself says of it need not be asked for.
    if !matches!(hint, FileType::Directory | FileType::RegularFile | FileType::Symlink | FileType::Unknown) {
        return None;
    }
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => shown(&followed?(name).ok()?),
        _ => shown(&stat),
    }
}

fn shown(stat: &Stat) -> Option<(Kind, Option<u64>)> {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Kind::Directory,
        FileType::RegularFile => Kind::File(u64::try_from(stat.st_size).unwrap_or_default()),
        _ => return None,
    };
    Some((kind, u64::try_from(stat.st_mtime).ok()))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
        path::{Path, PathBuf},
    };

    use rustix::fs::{CWD, Mode, mkfifoat, stat};

    use super::*;

    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let directory = std::env::temp_dir().join(format!("kiln-listing-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory).expect("a new directory");
            Self(directory)
        }

        fn read(&self, serves_hidden: bool, followed: Option<Followed>) -> Found {
            let directory = fs::File::open(&self.0).expect("a directory").into();
            read(&directory, serves_hidden, followed.as_ref()).expect("read")
        }

        fn names(&self, serves_hidden: bool, followed: Option<Followed>) -> Vec<(String, Kind)> {
            let found = self.read(serves_hidden, followed);
            let entries = found.entries();
            let mut names: Vec<_> = entries.iter().map(|entry| (String::from_utf8_lossy(entry.name).into_owned(), entry.kind)).collect();
            names.sort_by(|one, other| one.0.cmp(&other.0));
            names
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn touch(path: &Path, bytes: usize) {
        fs::write(path, vec![b'x'; bytes]).expect("written");
    }

    #[test]
    fn entries_are_what_a_request_could_get() {
        let place = Place::new("kinds");
        let at = |name: &str| place.0.join(name);
        fs::create_dir(at("directory")).expect("made");
        fs::create_dir(at(".hidden")).expect("made");
        touch(&at("file"), 5);
        touch(&at(".env"), 1);
        touch(&at("backup~"), 1);
        symlink("file", at("link")).expect("made");
        symlink("directory", at("link to directory")).expect("made");
        symlink("nowhere", at("dangling")).expect("made");
        symlink("/etc", at("outside")).expect("made");
        let _socket = UnixListener::bind(at("socket")).expect("bound");
        mkfifoat(CWD, at("fifo"), Mode::RWXU).expect("made");
        let (file, directory) = (Kind::File(5), Kind::Directory);
        let owned = |names: &[(&str, Kind)]| names.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect::<Vec<_>>();
        assert_eq!(place.names(false, None), owned(&[("directory", directory), ("file", file)]));
        let root = place.0.clone();
        let follow = move |name: &[u8]| match name {
            b"outside" => Err(Errno::XDEV),
            name => stat(root.join(std::ffi::OsStr::from_bytes(name))),
        };
        let followed = owned(&[("directory", directory), ("file", file), ("link", file), ("link to directory", directory)]);
        assert_eq!(place.names(false, Some(Box::new(follow))), followed);
        let hidden =
            owned(&[(".env", Kind::File(1)), (".hidden", directory), ("backup~", Kind::File(1)), ("directory", directory), ("file", file)]);
        assert_eq!(place.names(true, None), hidden);
    }

    #[test]
    fn entries_above_the_bound_are_left_out_and_that_is_said() {
        let place = Place::new("many");
        for number in 0..ENTRIES_MAX {
            touch(&place.0.join(number.to_string()), 0);
        }
        let found = place.read(false, None);
        assert_eq!((found.entries().len(), found.is_truncated), (ENTRIES_MAX, false));
        touch(&place.0.join("one more"), 0);
        let found = place.read(false, None);
        assert_eq!((found.entries().len(), found.is_truncated), (ENTRIES_MAX, true));
    }

    #[test]
    fn names_above_the_bound_are_left_out_and_that_is_said() {
        let mut found = Found::default();
        let name = [b'x'; 255];
        let shown = (Kind::Directory, None);
        let count = (0..).take_while(|_| found.add(&name, shown)).count();
        assert_eq!(count, NAMES_BYTES_MAX / name.len());
    }
}
