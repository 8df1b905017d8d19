//! Files from a root that change while they are asked for: every answer is one of the states there were, whole, and nothing from outside the root.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use kiln_tests::{
    answer::Answer,
    client::Client,
    files::start,
    race::{CUT, Judged, race},
    random::Random,
    site::scratch,
};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

const HOST: &str = "tree.test";
/// In everything that lies outside of the root, and nowhere below it.
const SECRET: &str = "the secret that lies outside";

/// A directory with an empty root `tree`, and `outside` with the secret under the names that tests ask for.
fn site(name: &str) -> PathBuf {
    let directory = scratch(&format!("races-{name}"));
    for part in ["tree", "outside", "elsewhere"] {
        drop(fs::remove_dir_all(directory.join(part)));
    }
    fs::create_dir_all(directory.join("tree")).expect("a writable directory");
    for file in ["page.txt", "index.html", "inner/page.txt", "inner/index.html", "it"] {
        put(&directory.join("outside").join(file), SECRET.as_bytes());
    }
    directory
}

fn put(path: &Path, content: &[u8]) {
    let parent = path.parent().expect("a file in a directory");
    fs::create_dir_all(parent).and_then(|()| fs::write(path, content)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Swaps two names in one step.
fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("two names on a file system that can exchange them");
}

/// Bytes of a version of a file, which say which one they are; small, read in two chunks, or sent in many.
fn version(number: usize) -> Vec<u8> {
    let length = [900, 70_000, 700_000][number % 3];
    let mut content = format!("{number:>9}\n").into_bytes().repeat(length / 10);
    content.truncate(length);
    content
}

fn number_of(body: &[u8]) -> Option<usize> {
    String::from_utf8_lossy(body.get(..9)?).trim().parse().ok()
}

#[test]
fn file_swapped_by_rename_is_whole_and_its_tag_is_of_one_content() {
    let directory = site("rename");
    let (path, next) = (directory.join("tree/page.txt"), directory.join("tree/next"));
    let begin = std::time::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let write = |number: usize| {
        put(&next, &version(number));
        let file = fs::File::options().write(true).open(&next).expect("the file just written");
        file.set_modified(begin + Duration::from_secs(number as u64)).expect("a file of ours");
        fs::rename(&next, &path).expect("one directory");
    };
    write(0);
    let tags: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let whole = |answer: &Answer| -> Result<(String, usize), String> {
        let number = number_of(&answer.body).ok_or("no version")?;
        let tag = answer.field("etag").ok_or("no tag")?.to_owned();
        let known = *tags.lock().expect("no panic").entry(tag.clone()).or_insert(number);
        let is_whole = answer.status == 200 && answer.body == version(number) && known == number;
        is_whole.then_some((tag, number)).ok_or_else(|| format!("{}: version {number} under the tag of {known}", answer.status))
    };
    race(
        start(&directory),
        &["whole", "current", "part", "changed"],
        |turn| write(turn + 1),
        |client, turn| {
            let first = client.try_get(HOST, "/page.txt", "")?;
            let (tag, number) = match whole(&first) {
                Ok(known) => known,
                Err(fault) => return Ok(Err(fault)),
            };
            let lines = match turn % 3 {
                0 => return Ok(Ok("whole")),
                1 => format!("if-none-match: {tag}\r\n"),
                _ => format!("if-range: {tag}\r\nrange: bytes=800-80000\r\n"),
            };
            let answer = client.try_get(HOST, "/page.txt", &lines)?;
            let content = version(number);
            Ok(match answer.status {
                200 => whole(&answer).map(|_| "changed"),
                206 if answer.field("etag") == Some(&*tag) && answer.body == content[800..content.len().min(80_001)] => Ok("part"),
                304 if answer.field("etag") == Some(&*tag) => Ok("current"),
                status => Err(format!("{lines}: {status}, {} bytes", answer.body.len())),
            })
        },
    );
}

/// Judges an answer by what lies at the name inside; anything from outside is a fault.
fn judge(answer: &Answer, inside: &[u8]) -> Judged {
    if String::from_utf8_lossy(&answer.body).contains(SECRET) || answer.field("content-length") == Some(&*SECRET.len().to_string()) {
        return Err(format!("{}: {:?}", answer.status, answer.text()));
    }
    match answer.status {
        200 if answer.body == inside => Ok("inside"),
        308 if answer.field("location").is_some_and(|location| location.ends_with('/') && !location.starts_with("//")) => Ok("directory"),
        403 => Ok("forbidden"),
        404 => Ok("absent"),
        status => Err(format!("{status}: {:?}", answer.text())),
    }
}

#[test]
fn directory_swapped_with_a_link_never_leads_outside() {
    let directory = site("directory");
    let inside = b"what lies inside\n";
    for file in ["page.txt", "index.html", "inner/page.txt", "inner/index.html"] {
        put(&directory.join("tree/dir").join(file), inside);
        put(&directory.join("tree/other").join(file), inside);
    }
    // Relative, absolute, by way of /proc, and a link that stays inside: none is followed.
    let links: Vec<PathBuf> = (0..4).map(|number| directory.join(format!("tree/link{number}"))).collect();
    let targets = [PathBuf::from("../outside"), directory.join("outside"), Path::new("/proc/self/cwd/outside").into(), "other".into()];
    for (link, target) in links.iter().zip(targets) {
        symlink(target, link).expect("a writable directory");
    }
    let dir = directory.join("tree/dir");
    let change = |turn: usize| {
        exchange(&dir, &links[turn / 2 % links.len()]);
    };
    let targets = ["/dir/page.txt", "/dir/", "/dir", "/dir/inner/page.txt", "/dir/inner/", "/dir/inner"];
    race(start(&directory), &["inside", "absent", "directory"], change, |client, turn| {
        Ok(judge(&client.try_get(HOST, targets[turn % targets.len()], "")?, inside))
    });
}

#[test]
fn coded_file_swapped_by_rename_is_whole() {
    let directory = site("coded-rename");
    let (path, next) = (directory.join("tree/page.txt"), directory.join("tree/next"));
    let write = |number: usize| {
        put(&next, &version(number));
        fs::rename(&next, &path).expect("one directory");
    };
    write(0);
    let codings = ["gzip", "br", "zstd", "identity"];
    race(
        start(&directory),
        &codings,
        |turn| write(turn + 1),
        |client, turn| {
            let coding = codings[turn % codings.len()];
            let answer = client.try_get(HOST, "/coded/page.txt", &format!("accept-encoding: {coding}\r\n"))?;
            let body = answer.decoded_body().unwrap_or_default();
            let is_whole = number_of(&body).is_some_and(|number| body == version(number));
            // The smallest version is below what is coded.
            let is_coded = body.len() < 1_000 || answer.field("content-encoding").unwrap_or("identity") == coding;
            Ok(if answer.status == 200 && is_whole && is_coded {
                Ok(coding)
            } else {
                Err(format!("{coding}: {}, {} bytes, {:?}", answer.status, body.len(), answer.fields))
            })
        },
    );
}

#[test]
fn form_that_becomes_anything_else_is_the_file_or_its_form() {
    let directory = site("form");
    let (path, next) = (directory.join("tree/page.txt.gz"), directory.join("tree/next"));
    let inside = version(1);
    put(&directory.join("tree/page.txt"), &inside);
    let form = gzip(&inside);
    put(&path, &form);
    let change = |turn: usize| {
        match turn % 6 {
            0 => symlink("../outside/page.txt", &next).expect("a link"),
            1 => mknodat(CWD, &next, FileType::Fifo, Mode::RWXU, 0).expect("a FIFO"),
            2 => symlink(directory.join("outside/page.txt"), &next).expect("a link"),
            3 => drop(UnixListener::bind(&next).expect("a socket")),
            _ => put(&next, &form),
        }
        fs::rename(&next, &path).expect("one directory");
        if turn % 6 == 5 {
            fs::remove_file(&path).expect("what was just put there");
        }
    };
    race(start(&directory), &["form", "coded"], change, |client, _| {
        let answer = client.try_get(HOST, "/coded/page.txt", "accept-encoding: gzip\r\n")?;
        let is_inside =
            answer.status == 200 && answer.decoded_body().as_deref() == Ok(&inside) && answer.field("vary") == Some("accept-encoding");
        // Without its form the file is coded on its way, and its tag is weak.
        let is_weak = answer.field("etag").is_some_and(|tag| tag.starts_with("W/"));
        Ok(match (is_inside, answer.body == form) {
            (true, true) if !is_weak => Ok("form"),
            (true, false) if is_weak => Ok("coded"),
            _ => Err(format!("{}: {} bytes, {:?}", answer.status, answer.body.len(), answer.fields)),
        })
    });
}

/// A form that is not the one kiln makes.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut writer = flate2::GzBuilder::new().comment("by hand").write(Vec::new(), flate2::Compression::fast());
    io::Write::write_all(&mut writer, content).and_then(|()| writer.finish()).expect("memory to write to")
}

#[test]
fn link_that_is_followed_never_leads_outside() {
    let directory = site("link");
    let inside = b"what lies inside\n";
    for file in ["real/page.txt", "real/index.html", "real/inner/page.txt", "real/inner/index.html"] {
        put(&directory.join("tree").join(file), inside);
    }
    let (dir, next) = (directory.join("tree/dir"), directory.join("tree/next"));
    let outside = directory.join("outside");
    let targets = [
        "real",
        "../outside",
        "./real/../real",
        "real/../../outside",
        "../tree/real",
        &*outside.to_string_lossy(),
        "/proc/self/cwd/outside",
    ];
    let change = |turn: usize| {
        symlink(targets[turn % targets.len()], &next).and_then(|()| fs::rename(&next, &dir)).expect("a link in place of another");
    };
    change(0);
    let asked = ["/links/dir/page.txt", "/links/dir/", "/links/dir", "/links/dir/inner/page.txt", "/links/dir/inner/", "/links/dir/inner"];
    race(start(&directory), &["inside", "absent", "directory"], change, |client, turn| {
        Ok(judge(&client.try_get(HOST, asked[turn % asked.len()], "")?, inside))
    });
}

#[test]
fn coded_download_of_a_file_that_shrinks_is_not_taken_for_whole() {
    const BYTES: usize = 24 << 20;
    let directory = site("coded");
    let path = directory.join("tree/page.txt");
    // Letters without order: no coding makes much less of them, so that more is left than a connection holds.
    let mut random = Random::new(9);
    let text: Vec<u8> = (0..BYTES / 8).flat_map(|_| random.number().to_le_bytes()).map(|byte| b'!' + byte % 90).collect();
    let mut server = start(&directory);
    for coding in ["gzip", "br", "zstd"] {
        put(&path, &text);
        let mut client = server.client();
        client.send(format!("GET /coded/page.txt HTTP/1.1\r\nhost: {HOST}\r\naccept-encoding: {coding}\r\n\r\n"));
        let head = client.head_answer();
        assert_eq!((head.status, head.field("content-encoding"), head.field("content-length")), (200, Some(coding), None));
        fs::File::options().write(true).open(&path).and_then(|file| file.set_len(1 << 20)).expect("shorter");
        let rest = client.rest().expect("what was sent before");
        assert!(!rest.ends_with(b"0\r\n\r\n") && rest.len() < BYTES, "{coding}: {} bytes, as if they were all", rest.len());
    }
    assert_eq!(server.counter("panics"), 0);
}

#[test]
fn name_that_becomes_anything_else_is_its_file_or_none() {
    let directory = site("anything");
    let (path, next) = (directory.join("tree/it"), directory.join("tree/next"));
    let inside = version(1);
    put(&path, &inside);
    let clear = |path: &Path| {
        if fs::symlink_metadata(path).is_ok_and(|entry| entry.is_dir()) { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    };
    let change = |turn: usize| {
        match turn % 9 {
            0 => symlink("../outside/it", &next).expect("a link"),
            1 => mknodat(CWD, &next, FileType::Fifo, Mode::RWXU, 0).expect("a FIFO"),
            2 => put(&next.join("index.html"), b"never asked for\n"),
            3 => symlink(directory.join("outside/it"), &next).expect("a link"),
            4 => drop(UnixListener::bind(&next).expect("a socket")),
            5 => symlink("it", &next).expect("a link to itself"),
            6 => fs::create_dir(&next).expect("a directory"),
            7 => put(&next, b""),
            _ => {
                put(&next, &inside);
                fs::set_permissions(&next, std::os::unix::fs::PermissionsExt::from_mode(0o0)).expect("a file of ours");
            }
        }
        exchange(&next, &path);
        clear(&next).expect("what was there before");
        // For a moment nothing is there, then the file itself again.
        clear(&path).expect("what was just put there");
        put(&next, &inside);
        fs::rename(&next, &path).expect("one directory");
    };
    race(start(&directory), &["inside", "absent", "directory", "empty"], change, |client, turn| {
        let answer = match turn % 4 {
            0 => client.try_get(HOST, "/it", "range: bytes=0-\r\n")?,
            _ => client.try_get(HOST, "/it", "")?,
        };
        Ok(match answer.status {
            200 if answer.body.is_empty() => Ok("empty"),
            206 if answer.body == inside => Ok("inside"),
            // A range of nothing.
            416 if answer.field("content-range") == Some("bytes */0") => Ok("empty"),
            _ => judge(&answer, &inside),
        })
    });
}

#[test]
fn file_written_in_place_is_as_long_as_promised_or_cut() {
    let directory = site("place");
    let path = directory.join("tree/page.txt");
    // Each byte tells its position, so that whatever is sent can be judged.
    let pattern: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let lengths = [0, 1, 900, 60_000, 70_000, pattern.len()];
    put(&path, &pattern);
    let file = fs::File::options().write(true).open(&path).expect("a file of ours");
    let change = |turn: usize| {
        use std::os::unix::fs::FileExt;
        let (from, to) = (lengths[turn % lengths.len()], lengths[(turn * 7 + 3) % lengths.len()]);
        file.set_len(from as u64).expect("shorter");
        if to > from {
            file.write_all_at(&pattern[from..to], from as u64).expect("longer");
        }
    };
    race(start(&directory), &["whole", CUT], change, |client, _| {
        client.send(format!("GET /page.txt HTTP/1.1\r\nhost: {HOST}\r\n\r\n"));
        let head = match client.try_answer(true) {
            // Cut before a byte of it was sent: the head is taken back, and the connection is closed.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Ok(CUT)),
            head => head?,
        };
        let promised: usize = head.field("content-length").and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
        if head.status != 200 || promised > pattern.len() {
            return Ok(Err(format!("{}: {promised} bytes", head.status)));
        }
        let (body, is_whole) = client.take_or_rest(promised)?;
        Ok(match (is_of(&body, &pattern), is_whole) {
            (false, _) => Err("bytes of something else".to_owned()),
            (true, true) => Ok("whole"),
            (true, false) => Ok(CUT),
        })
    });
}

/// Whether a body is of the file and of nothing else. The kernel may give zeros for what is cut off, or put there anew, while it is read or sent.
fn is_of(body: &[u8], pattern: &[u8]) -> bool {
    pattern.starts_with(body) || body.iter().zip(pattern).all(|(byte, expected)| byte == expected || *byte == 0)
}

#[test]
fn download_of_a_file_that_shrinks_is_cut_and_of_one_that_grows_is_what_was_promised() {
    const MIB: u64 = 1 << 20;
    let directory = site("download");
    let path = directory.join("tree/page.txt");
    let pattern: Vec<u8> = (0..16 * MIB as u32 / 4).flat_map(u32::to_le_bytes).collect();
    let mut server = start(&directory);
    let file = |length: u64| {
        put(&path, &pattern[..length as usize]);
        fs::File::options().write(true).open(&path).expect("a file of ours")
    };
    let begin = |client: &mut Client| {
        client.send(format!("GET /page.txt HTTP/1.1\r\nhost: {HOST}\r\n\r\n"));
        client.head_answer()
    };
    // More than any socket takes at once lies behind the end that the file gets.
    let (shrinking, mut client) = (file(16 * MIB), server.client());
    begin(&mut client);
    shrinking.set_len(MIB).expect("shorter");
    let body = client.rest().expect("what was sent before");
    assert!(body.len() < 16 << 20 && is_of(&body, &pattern), "{} bytes", body.len());
    assert!(body.iter().zip(&pattern).take(1 << 20).all(|(byte, expected)| byte == expected), "what is still there is something else");
    let (growing, mut client) = (file(8 * MIB), server.client());
    begin(&mut client);
    growing.set_len(16 * MIB).expect("longer");
    assert!(client.take(8 << 20).expect("what was promised") == pattern[..8 << 20]);
    assert_eq!(client.ask(format!("HEAD /page.txt HTTP/1.1\r\nhost: {HOST}\r\n\r\n")).field("content-length"), Some("16777216"));
    // Removed, or replaced by a rename: who has begun gets the rest of what was there.
    for is_replaced in [false, true] {
        drop(file(16 * MIB));
        let mut client = server.client();
        begin(&mut client);
        if is_replaced {
            put(&directory.join("tree/next"), b"another");
            fs::rename(directory.join("tree/next"), &path).expect("one directory");
        } else {
            fs::remove_file(&path).expect("a file of ours");
        }
        assert!(client.take(16 << 20).expect("what was promised") == pattern);
    }
    assert_eq!(server.counter("panics"), 0);
}

#[test]
fn root_that_is_renamed_or_replaced_is_not_followed() {
    let directory = site("root");
    let (root, elsewhere) = (directory.join("tree"), directory.join("elsewhere"));
    put(&root.join("page.txt"), b"the root\n");
    let mut server = start(&directory);
    // Each connection has its worker open the root.
    let mut clients: Vec<Client> = (0..16).map(|_| server.client()).collect();
    let mut all_get = |target: &str, expected: (u16, &str)| {
        for client in &mut clients {
            let answer = client.get(HOST, target, "");
            assert_eq!((answer.status, &*answer.text()), expected, "{target}");
        }
    };
    all_get("/page.txt", (200, "the root\n"));
    fs::rename(&root, &elsewhere).expect("one directory");
    all_get("/page.txt", (200, "the root\n"));
    symlink("outside", &root).expect("a writable directory");
    all_get("/page.txt", (200, "the root\n"));
    put(&elsewhere.join("new.txt"), b"new\n");
    all_get("/new.txt", (200, "new\n"));
    fs::remove_dir_all(&elsewhere).expect("a directory of ours");
    all_get("/other.txt", (404, "404 Not Found\n"));
    fs::remove_file(&root).expect("the link");
    assert_eq!(server.counter("panics"), 0);
}

#[test]
fn root_that_is_not_there_is_404_until_it_is() {
    let directory = site("late");
    fs::rename(directory.join("tree"), directory.join("elsewhere")).expect("an empty root");
    let server = start(&directory);
    let mut client = server.client();
    assert_eq!(client.get(HOST, "/page.txt", "").status, 404);
    put(&directory.join("tree/page.txt"), b"there\n");
    assert_eq!((client.get(HOST, "/page.txt", "").status, client.get(HOST, "/page.txt", "").text()), (200, "there\n".to_owned()));
}
