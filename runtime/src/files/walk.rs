//! Opens a name below a root where the kernel has no `openat2`: step by step, each opened relative to the one before and never through a symlink.
//!
//! Where links are followed, each is read and its own names are walked; one that leads above the root, or names an absolute path, leads nowhere. The way back up is over
//! the directories that were opened, never by `..`, so that whatever is renamed meanwhile does not lead out.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{FileType, Mode, OFlags, fstat, openat, readlinkat},
    io::Errno,
};

use super::pinned::Directory;

/// Links that are followed for one name, as the kernel has it (path_resolution(7)).
const LINKS_MAX: usize = 40;
/// Names that may be left to walk: as many as a path of 4,096 bytes has.
const PARTS_MAX: usize = 2048;
const STEP: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens `name` with `flags`; may wait for a disk.
pub(super) fn open(directory: &Directory, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    // The next one is at the end.
    let mut parts: Vec<Vec<u8>> = name.rsplit(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
    if parts.iter().any(|part| matches!(&**part, b"" | b"." | b"..")) {
        return Err(Errno::NOENT);
    }
    let mut way: Vec<OwnedFd> = Vec::new();
    let mut links = 0;
    while let Some(part) = parts.pop() {
        let at = way.last().unwrap_or(&directory.root);
        match &*part {
            b"" | b"." if !parts.is_empty() => continue,
            b"" | b"." => return openat(at, ".", flags | OFlags::CLOEXEC, Mode::empty()),
            b".." => {
                way.pop().ok_or(Errno::XDEV)?;
                if parts.is_empty() {
                    parts.push(b".".to_vec());
                }
                continue;
            }
            _ => {}
        }
        let step = openat(at, &*part, STEP, Mode::empty())?;
        let kind = FileType::from_raw_mode(fstat(&step)?.st_mode);
        if kind == FileType::Symlink {
            links += 1;
            if !directory.follows_links || links > LINKS_MAX {
                return Err(Errno::LOOP);
            }
            let target = readlinkat(at, &*part, Vec::new())?;
            if target.as_bytes().starts_with(b"/") {
                return Err(Errno::XDEV);
            }
            parts.extend(target.as_bytes().rsplit(|&byte| byte == b'/').map(<[u8]>::to_vec));
            if parts.len() > PARTS_MAX {
                return Err(Errno::NAMETOOLONG);
            }
        } else if parts.iter().all(|part| matches!(&**part, b"" | b".")) && (parts.is_empty() || kind == FileType::Directory) {
            return openat(at, &*part, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
        } else if kind == FileType::Directory {
            way.push(step);
        } else {
            return Err(Errno::NOTDIR);
        }
    }
    Err(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::*;
    use crate::files::open::Unopened;

    /// Whether each name opens, with `openat2` and without.
    fn opened(directory: &Path, name: &str, follows_links: bool) -> [Result<(), Errno>; 2] {
        [true, false].map(|opens_beneath| {
            let root = fs::File::open(directory).expect("a directory").into();
            Directory { root, opens_beneath, follows_links }.open(name.as_bytes()).map(drop)
        })
    }

    #[test]
    fn walk_opens_what_openat2_opens() {
        let directory = std::env::temp_dir().join(format!("kiln-walk-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("root/a/b")).expect("directories");
        fs::write(directory.join("root/a/b/c.txt"), "c").expect("written");
        fs::write(directory.join("secret"), "s").expect("written");
        for (link, to) in [
            ("root/file", "a/b/c.txt"),
            ("root/dir", "a"),
            ("root/up", ".."),
            ("root/a/loop", "loop"),
            ("root/a/back", "../"),
            ("root/a/b/up", ".."),
            ("root/round", "a/b/../b/./c.txt"),
            ("root/slash", "a//"),
            ("root/trail", "a/b/../"),
            ("root/chain", "dir/back/file"),
            ("root/a/out", "../../secret"),
            ("root/absolute", "/etc/passwd"),
            ("root/nowhere", "nope"),
        ] {
            symlink(to, directory.join(link)).expect("a link");
        }
        let root = directory.join("root");
        for name in ["a/b/c.txt", "a/b", "a"] {
            assert_eq!(opened(&root, name, false), [Ok(()), Ok(())], "{name}");
        }
        for name in ["file", "dir/b/c.txt", "dir", "up/secret", "up", "a/loop", "a/b/c.txt/d", "nope", "a/nope"] {
            assert!(opened(&root, name, false).iter().all(Result::is_err), "{name}");
        }
        let walk = Directory { root: fs::File::open(&root).expect("a directory").into(), opens_beneath: false, follows_links: false };
        for name in ["", ".", "..", "../secret", "a/../../secret", "/etc/passwd", "a//b", "a/"] {
            assert_eq!(walk.open(name.as_bytes()).map(drop), Err(Errno::NOENT), "{name}");
        }
        assert!(matches!(walk.open_cached(b"a"), Err(Unopened::NotCached)));
        for name in [
            "file",
            "dir/b/c.txt",
            "dir",
            "a/back",
            "a/back/a/b/c.txt",
            "a/b/up/b/c.txt",
            "round",
            "slash/b/c.txt",
            "trail",
            "trail/b",
            "chain",
        ] {
            assert_eq!(opened(&root, name, true), [Ok(()), Ok(())], "{name}");
        }
        for name in ["up/secret", "up", "a/loop", "a/out", "absolute", "file/x", "nowhere", "a/b/c.txt/.."] {
            assert!(opened(&root, name, true).iter().all(Result::is_err), "{name}");
        }
        fs::remove_dir_all(&directory).expect("removed");
    }

    /// xorshift64 (Marsaglia 2003): the next of a row below a bound.
    fn next(state: &mut u64, bound: usize) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state as usize % bound
    }

    #[test]
    fn walk_finds_what_openat2_finds_whatever_links_say() {
        const PARTS: [&str; 8] = ["..", "..", ".", "", "d", "e", "f", "l"];
        let directory = std::env::temp_dir().join(format!("kiln-links-{}", std::process::id()));
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let (mut found, mut absent) = (0, 0);
        for _ in 0..60 {
            let _ = fs::remove_dir_all(&directory);
            let root = directory.join("root");
            for place in ["", "d", "d/e", "e", "e/d"] {
                fs::create_dir_all(root.join(place)).expect("a directory");
                fs::write(root.join(place).join("f"), "f").expect("written");
                for link in ["l", "m"] {
                    let parts: Vec<&str> = (0..1 + next(&mut state, 4)).map(|_| PARTS[next(&mut state, PARTS.len())]).collect();
                    let target = Some(parts.join("/")).filter(|target| !target.is_empty()).unwrap_or_else(|| ".".to_owned());
                    symlink(target, root.join(place).join(link)).expect("a link");
                }
            }
            let [beneath, walked] = [true, false].map(|opens_beneath| {
                let root = fs::File::open(&root).expect("a directory").into();
                Directory { root, opens_beneath, follows_links: true }
            });
            for _ in 0..60 {
                let parts: Vec<&str> = (0..1 + next(&mut state, 4)).map(|_| ["d", "e", "f", "l", "m"][next(&mut state, 5)]).collect();
                let name = parts.join("/");
                let inode = |directory: &Directory| directory.open(name.as_bytes()).and_then(|file| Ok(fstat(file)?.st_ino)).ok();
                assert_eq!(inode(&walked), inode(&beneath), "{name} in {}", root.display());
                *(if inode(&walked).is_some() { &mut found } else { &mut absent }) += 1;
            }
        }
        assert!(found > 200 && absent > 200, "{found} {absent}");
        fs::remove_dir_all(&directory).expect("removed");
    }
}
