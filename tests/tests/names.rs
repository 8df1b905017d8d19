//! Names of files in every byte that a file system takes, from a root: each is answered with its own bytes, or is as if it were not there.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::PathBuf};

use kiln_tests::{client::Client, files::start, server::Server, site::scratch};

const HOST: &str = "tree.test";
/// The longest name that Linux has (limits.h).
const NAME_BYTES_MAX: usize = 255;

/// A directory without anything of an earlier run.
fn tree(name: &str) -> PathBuf {
    let directory = scratch(&format!("names-{name}"));
    drop(fs::remove_dir_all(directory.join("tree")));
    fs::create_dir_all(directory.join("tree")).expect("a writable directory");
    directory
}

/// Puts a file there whose content no other file has.
fn put(directory: &std::path::Path, name: &[u8]) {
    let path = directory.join("tree").join(OsStr::from_bytes(name));
    let parent = path.parent().expect("a name in a directory");
    fs::create_dir_all(parent).and_then(|()| fs::write(&path, content(name))).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn content(name: &[u8]) -> Vec<u8> {
    [b"the file ", name, b"\n"].concat()
}

/// Every byte as an escape, but slashes.
fn escaped(name: &[u8], hexadecimal: fn(u8) -> String) -> String {
    name.iter().map(|&byte| if byte == b'/' { "/".to_owned() } else { hexadecimal(byte) }).collect()
}

fn upper(byte: u8) -> String {
    format!("%{byte:02X}")
}

fn lower(byte: u8) -> String {
    format!("%{byte:02x}")
}

/// What may stand in a path as it is: visible ASCII but what ends a path, begins an escape or is taken for a slash.
fn is_legal_raw(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_graphic() && !b"?#%\\".contains(byte))
}

/// Asks for a name in all its spellings. A connection ends with a path that has no normal form.
fn ask(server: &Server, client: &mut Client, name: &[u8]) -> Vec<(String, u16, Vec<u8>)> {
    ask_below(server, client, "", name)
}

/// The same below a route's prefix.
fn ask_below(server: &Server, client: &mut Client, prefix: &str, name: &[u8]) -> Vec<(String, u16, Vec<u8>)> {
    let mut spellings = vec![escaped(name, upper), escaped(name, lower)];
    spellings.extend(is_legal_raw(name).then(|| String::from_utf8_lossy(name).into_owned()));
    spellings
        .into_iter()
        .map(|spelling| {
            let answer = client.get(HOST, &format!("{prefix}/{spelling}"), "");
            if answer.field("connection") == Some("close") {
                *client = server.client();
            }
            (spelling, answer.status, answer.body)
        })
        .collect()
}

/// What of every legal byte is a whole name, begins one and ends one.
fn names() -> Vec<Vec<u8>> {
    let bytes = (1..=u8::MAX).filter(|&byte| byte != b'/');
    let names = bytes.flat_map(|byte| [vec![byte], vec![byte, b'x'], vec![b'x', byte], vec![b'x', byte, b'y'], vec![byte, byte, byte]]);
    names.filter(|name| name != b".").collect()
}

#[test]
fn name_of_any_byte_is_its_file_or_hidden() {
    let directory = tree("bytes");
    names().iter().for_each(|name| put(&directory, name));
    let server = start(&directory);
    let mut client = server.client();
    let mut faults = Vec::new();
    for name in names() {
        let is_hidden = name.starts_with(b".") || name.ends_with(b"~");
        for (spelling, status, body) in ask(&server, &mut client, &name) {
            let is_right = match is_hidden {
                // A segment of dots that is encoded has no normal form at all.
                true => (status == 404 || (status == 400 && spelling.contains('%'))) && !body.ends_with(b"\n\n"),
                false => status == 200 && body == content(&name),
            };
            if !is_right {
                faults.push(format!("{spelling}: {status} {}", body.escape_ascii()));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
}

#[test]
fn directory_of_any_byte_is_redirected_to_its_one_spelling() {
    let directory = tree("directories");
    let bytes = (1..=u8::MAX).filter(|&byte| byte != b'/');
    let names: Vec<Vec<u8>> = bytes.map(|byte| vec![b'x', byte, b'y']).collect();
    names.iter().for_each(|name| put(&directory, &[name, &b"/index.html"[..]].concat()));
    let server = start(&directory);
    let mut client = server.client();
    for name in names {
        let spelling = escaped(&name, lower);
        let answer = client.get(HOST, &format!("/{spelling}?a=%2f"), "");
        let location = answer.field("location").unwrap_or_default();
        assert_eq!(answer.status, 308, "{spelling}");
        assert!(location.starts_with("/x") && location.ends_with("y/?a=%2f"), "{spelling}: {location}");
        assert!(location.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\\"<>".contains(&byte)), "{spelling}: {location}");
        let index = client.get(HOST, location, "");
        assert_eq!((index.status, index.body), (200, content(&[&name, &b"/index.html"[..]].concat())), "{spelling}: {location}");
    }
}

#[test]
fn longest_names_are_served_and_longer_ones_are_absent() {
    let directory = tree("long");
    let longest: Vec<Vec<u8>> = vec![
        vec![b'a'; NAME_BYTES_MAX],
        vec![0xFF; NAME_BYTES_MAX],
        vec![b'%'; NAME_BYTES_MAX],
        "\u{20AC}".repeat(NAME_BYTES_MAX / 3).into_bytes(),
    ];
    longest.iter().for_each(|name| put(&directory, name));
    let server = start(&directory);
    let mut client = server.client();
    for name in longest {
        for (spelling, status, body) in ask(&server, &mut client, &name) {
            assert!(status == 200 && body == content(&name), "{spelling}: {status}");
        }
        let longer = [&name[..], b"b"].concat();
        for (spelling, status, _) in ask(&server, &mut client, &longer) {
            assert_eq!(status, 404, "{spelling}");
        }
    }
}

#[test]
fn deepest_path_that_the_kernel_takes_is_served_and_deeper_ones_are_absent() {
    // PATH_MAX is 4,096 with the zero at the end; the root is held open and takes nothing of it.
    const PATH_BYTES_MAX: usize = 4_095;
    let directory = tree("deep");
    let segment = [vec![b'd'; 199], vec![b'/']].concat();
    let deep = segment.repeat(20);
    let name = [&deep[..], &vec![b'f'; PATH_BYTES_MAX - deep.len()]].concat();
    // Longer than a path may be once the scratch directory stands before it: made step by step.
    put_deep(&directory, &deep, &name[deep.len()..], &content(&name));
    let server = start(&directory);
    let mut client = server.client();
    let answer = client.get(HOST, &format!("/{}", String::from_utf8_lossy(&name)), "");
    assert!(answer.status == 200 && answer.body == content(&name), "{}", answer.status);
    for path in [[&name[..], b"f"].concat(), [&name[..], b"/f"].concat(), b"d/".repeat(3_000), vec![b'a'; 8_000]] {
        let answer = client.get(HOST, &format!("/{}", String::from_utf8_lossy(&path)), "");
        assert_eq!(answer.status, 404, "{} bytes", path.len());
    }
}

/// Makes directories one below the other, relative to each other, and a file in the last.
fn put_deep(directory: &std::path::Path, directories: &[u8], name: &[u8], content: &[u8]) {
    use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
    let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = open(directory.join("tree"), step, Mode::empty()).expect("the tree");
    for part in directories.split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
        mkdirat(&at, part, Mode::RWXU).expect("a writable directory");
        at = openat(&at, part, step, Mode::empty()).expect("a directory just made");
    }
    let file = openat(&at, name, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC, Mode::RWXU).expect("a writable directory");
    std::io::Write::write_all(&mut fs::File::from(file), content).expect("a writable file");
}

#[test]
fn names_that_only_look_alike_are_files_of_their_own() {
    let directory = tree("alike");
    // Composed and decomposed, a ligature, a name that no UTF-8 is, cases, an escape as text.
    let names: Vec<&[u8]> = vec![
        "caf\u{E9}.txt".as_bytes(),
        "cafe\u{301}.txt".as_bytes(),
        "\u{FB01}le.txt".as_bytes(),
        b"file.txt",
        b"FILE.txt",
        b"caf\xE9.txt",
        b"a b",
        b"a+b",
        b"a%20b",
        b"a%2520b",
        "\u{212B}".as_bytes(),
        "\u{C5}".as_bytes(),
        "A\u{30A}".as_bytes(),
        "\u{202E}txt.exe".as_bytes(),
        b"\xC0\xAE\xC0\xAE",
        b"dir;a=1/b;c",
    ];
    names.iter().for_each(|name| put(&directory, name));
    let server = start(&directory);
    let mut client = server.client();
    for name in names {
        for (spelling, status, body) in ask(&server, &mut client, name) {
            assert!(status == 200 && body == content(name), "{spelling}: {status} {}", body.escape_ascii());
        }
    }
}

#[test]
fn dotfiles_and_backups_are_absent_however_they_are_written() {
    let directory = tree("hidden");
    let hidden: Vec<&[u8]> = vec![
        b".env",
        b".git/config",
        b"a/.htpasswd",
        b"...",
        b"..a",
        b"index.html~",
        b"a.bak",
        b"a.BAK",
        b"a.Orig",
        b"a.save",
        b".a.swp",
        b"a.swo",
        b"b.bak/inner.txt",
        b".well-known/.secret",
        b".well-known.txt",
        b".WELL-KNOWN/a",
    ];
    let shown: Vec<&[u8]> = vec![b".well-known/a", b"a/.well-known/b", b"~a", b"bak", b"a.bakery", b"a.swap", b"a..b", b"a."];
    hidden.iter().chain(&shown).for_each(|name| put(&directory, name));
    let server = start(&directory);
    let mut client = server.client();
    for name in hidden {
        for (spelling, status, body) in ask(&server, &mut client, name) {
            assert!(matches!(status, 400 | 404) && !body.starts_with(b"the file"), "{spelling}: {status} {}", body.escape_ascii());
        }
        // A route that says `hidden` has them; escaped dots alone are no path there, either.
        for (spelling, status, body) in ask_below(&server, &mut client, "/hidden", name) {
            let is_refused = status == 400 && name.iter().all(|byte| *byte == b'.') && spelling.contains('%');
            assert!(is_refused || (status == 200 && body == content(name)), "{spelling}: {status} {}", body.escape_ascii());
        }
    }
    for name in shown {
        for (spelling, status, body) in ask(&server, &mut client, name) {
            assert!(status == 200 && body == content(name), "{spelling}: {status}");
        }
    }
}
