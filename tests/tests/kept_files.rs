//! Files that the server keeps open between requests: whatever becomes of their names is seen soon, and until then what is sent is what they were.
//!
//! A file is kept once nothing has changed it for some seconds: all that these tests ask for is made at once, and has come of age when the first of them starts.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::{FileExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, Instant, SystemTime},
};

use kiln_tests::{
    client::{Client, pause},
    files::{start, start_bound},
    race::race,
    server::{Server, deadline},
    site::scratch,
};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

const HOST: &str = "tree.test";
/// How long a change may go unseen: a second, a tick of the clock, and what a busy machine takes.
const UNSEEN_MAX: Duration = Duration::from_secs(6);
/// How long a file must be as it is before it is kept.
const AGE: Duration = Duration::from_secs(4);
const SECRET: &str = "the secret that lies outside";
/// A body that is kept in memory, one that is read at once, and one that is sent in pieces.
const LENGTHS: [usize; 3] = [900, 40_000, 300_000];

/// The tree of all tests, old enough to be kept: a directory for each, with a file of each length.
static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = scratch("kept-files");
    for part in ["tree", "outside"] {
        drop(fs::remove_dir_all(directory.join(part)));
    }
    for test in ["renamed", "removed", "fifo", "link", "moved", "closed", "place", "raced/dir", "raced/other"] {
        for length in LENGTHS {
            put(&directory.join("tree").join(test).join(format!("{length}.txt")), &content(test, length));
            put(&directory.join("outside").join(format!("{length}.txt")), SECRET.as_bytes());
        }
    }
    let made = SystemTime::now();
    // The site is built meanwhile.
    drop(start(&directory));
    pause(AGE.saturating_sub(made.elapsed().unwrap_or_default()).max(Duration::from_millis(1)));
    directory
});

fn put(path: &Path, content: &[u8]) {
    let parent = path.parent().expect("a file in a directory");
    fs::create_dir_all(parent).and_then(|()| fs::write(path, content)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn content(word: &str, length: usize) -> Vec<u8> {
    let mut content = format!("{word} ").into_bytes().repeat(length / word.len() + 1);
    content.truncate(length);
    content
}

/// A server that keeps the files of a test, and connections to both of its workers.
fn keeping(server: &Server, test: &str) -> Vec<Client> {
    let mut clients: Vec<Client> = (0..12).map(|_| server.client()).collect();
    for client in &mut clients {
        for length in LENGTHS {
            for _ in 0..2 {
                let answer = client.get(HOST, &format!("/{test}/{length}.txt"), "");
                assert!(answer.status == 200 && answer.body == content(test, length), "{test} {length}");
            }
        }
    }
    clients
}

/// Asks on each connection until it sees the change (`is_new` of status and body); before, it gets what there was, whole.
#[track_caller]
fn is_seen_soon(clients: &mut [Client], test: &str, is_new: impl Fn(u16, &[u8], usize) -> bool) {
    let until = deadline(UNSEEN_MAX);
    for client in clients {
        for length in LENGTHS {
            loop {
                let answer = client.get(HOST, &format!("/{test}/{length}.txt"), "");
                if is_new(answer.status, &answer.body, length) {
                    break;
                }
                assert!(
                    answer.status == 200 && answer.body == content(test, length),
                    "{test} {length}: {} {}",
                    answer.status,
                    answer.body.len()
                );
                assert!(Instant::now() < until, "{test} {length}: still as it was");
            }
        }
    }
}

fn file(test: &str, length: usize) -> PathBuf {
    DIRECTORY.join("tree").join(test).join(format!("{length}.txt"))
}

#[test]
fn file_that_is_replaced_is_seen_soon() {
    let server = start(&DIRECTORY);
    let mut clients = keeping(&server, "renamed");
    // Another length, and the same length and time: told apart by the file itself.
    for (word, is_like) in [("another file", false), ("replaced", true)] {
        for length in LENGTHS {
            let (path, next) = (file("renamed", length), DIRECTORY.join("tree/renamed/next"));
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a file of ours");
            put(&next, &content(word, if is_like { length } else { length + 7 }));
            if is_like {
                File::options().write(true).open(&next).and_then(|next| next.set_modified(modified)).expect("a file of ours");
            }
            fs::rename(&next, &path).expect("one directory");
        }
        let until = deadline(UNSEEN_MAX);
        for client in &mut clients {
            for length in LENGTHS {
                let expected = content(word, if is_like { length } else { length + 7 });
                while client.get(HOST, &format!("/renamed/{length}.txt"), "").body != expected {
                    assert!(Instant::now() < until, "{length}: still as it was");
                }
            }
        }
    }
}

#[test]
fn file_that_is_gone_is_seen_soon_and_its_disk_is_free() {
    let mut server = start(&DIRECTORY);
    let mut clients = keeping(&server, "removed");
    LENGTHS.iter().for_each(|length| fs::remove_file(file("removed", *length)).expect("a file of ours"));
    is_seen_soon(&mut clients, "removed", |status, _, _| status == 404);
    // Who has asked once has closed it in its worker; a descriptor of it anywhere would hold the disk's blocks.
    let held = |server: &Server| {
        let open = fs::read_dir(format!("/proc/{}/fd", server.id())).expect("a running process");
        open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target.to_string_lossy().contains("removed"))
    };
    let until = deadline(UNSEEN_MAX);
    while held(&server) {
        assert!(Instant::now() < until, "still open");
    }
    assert_eq!(server.counter("panics"), 0);
}

#[test]
fn name_that_becomes_something_else_is_seen_soon() {
    let server = start(&DIRECTORY);
    let (mut fifos, mut links) = (keeping(&server, "fifo"), keeping(&server, "link"));
    for length in LENGTHS {
        let (fifo, link) = (file("fifo", length), file("link", length));
        fs::remove_file(&fifo).and_then(|()| Ok(mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0)?)).expect("a FIFO");
        fs::remove_file(&link).and_then(|()| symlink(format!("../../outside/{length}.txt"), &link)).expect("a link");
    }
    is_seen_soon(&mut fifos, "fifo", |status, _, _| status == 404);
    is_seen_soon(&mut links, "link", |status, _, _| status == 404);
}

#[test]
fn directory_that_is_moved_away_is_seen_soon() {
    let server = start(&DIRECTORY);
    let mut clients = keeping(&server, "moved");
    fs::rename(DIRECTORY.join("tree/moved"), DIRECTORY.join("outside/moved")).expect("one file system");
    symlink("../outside/moved", DIRECTORY.join("tree/moved")).expect("a link");
    is_seen_soon(&mut clients, "moved", |status, _, _| status == 404);
}

#[test]
fn permission_that_is_taken_away_is_seen_soon() {
    let Some(server) = start_bound(&DIRECTORY) else { return };
    let mut clients = keeping(&server, "closed");
    LENGTHS.iter().for_each(|length| fs::set_permissions(file("closed", *length), Permissions::from_mode(0o0)).expect("a file of ours"));
    is_seen_soon(&mut clients, "closed", |status, _, _| status == 403);
}

#[test]
fn file_that_is_written_in_place_is_seen_soon() {
    let server = start(&DIRECTORY);
    let mut clients = keeping(&server, "place");
    let tags = LENGTHS.map(|length| clients[0].get(HOST, &format!("/place/{length}.txt"), "").field("etag").expect("a tag").to_owned());
    for length in LENGTHS {
        let file = File::options().write(true).open(file("place", length)).expect("a file of ours");
        file.write_all_at(&content("PLACE", length), 0).expect("a writable file");
    }
    // What is read from the disk is new at once, what is kept in memory soon.
    is_seen_soon(&mut clients, "place", |status, body, length| status == 200 && body == content("PLACE", length));
    // The tag is that of the new content: with the old one nothing is current.
    for (length, old) in LENGTHS.iter().zip(tags) {
        let target = format!("/place/{length}.txt");
        let new = clients[0].get(HOST, &target, "").field("etag").expect("a tag").to_owned();
        let mut status = |tag: &str| clients[1].get(HOST, &target, &format!("if-none-match: {tag}\r\n")).status;
        assert_eq!((status(&new), status(&old)), (304, 200), "{length}: {new} {old}");
    }
    for length in LENGTHS {
        File::options().write(true).open(file("place", length)).and_then(|file| file.set_len(100)).expect("a file of ours");
    }
    let until = deadline(UNSEEN_MAX);
    for (client, length) in clients.iter_mut().zip(LENGTHS.into_iter().cycle()) {
        // A promise that cannot be kept ends the connection.
        while client.try_get(HOST, &format!("/place/{length}.txt"), "").ok().is_none_or(|answer| answer.body.len() != 100) {
            assert!(Instant::now() < until, "{length}: still as it was");
            *client = server.client();
        }
    }
}

#[test]
fn kept_directory_swapped_with_a_link_never_leads_outside() {
    let server = start(&DIRECTORY);
    drop(keeping(&server, "raced/dir"));
    let (dir, other) = (DIRECTORY.join("tree/raced/dir"), DIRECTORY.join("tree/raced/other"));
    let links = ["../../outside", "other", "../outside"].map(|target| {
        let link = DIRECTORY.join(format!("tree/raced/link{}", target.len()));
        symlink(target, &link).expect("a writable directory");
        link
    });
    let exchange = |one: &Path, two: &Path| renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).expect("two names of one file system");
    let change = |turn: usize| match turn % 4 {
        3 => exchange(&dir, &other),
        way => {
            exchange(&dir, &links[way]);
            exchange(&dir, &links[way]);
        }
    };
    race(server, &["dir", "other"], change, |client, turn| {
        let length = LENGTHS[turn % LENGTHS.len()];
        let answer = client.try_get(HOST, &format!("/raced/dir/{length}.txt"), "")?;
        let states = [("dir", content("raced/dir", length)), ("other", content("raced/other", length))];
        Ok(match states.iter().find(|(_, content)| *content == answer.body) {
            Some((state, _)) if answer.status == 200 => Ok(*state),
            _ if answer.status == 404 && !answer.text().contains(SECRET) => Ok("absent"),
            _ => Err(format!("{}: {:?}", answer.status, answer.text().chars().take(100).collect::<String>())),
        })
    });
}
