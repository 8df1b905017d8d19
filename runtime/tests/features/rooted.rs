//! `files` from a root.

use std::{
    fs,
    io::{ErrorKind, Write},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use runtime::{
    Rules, Tried, Value,
    files::{self, At, Root},
};
use rustix::fs::{Advice, CWD, Mode, RenameFlags, fadvise, mkfifoat, renameat_with};

use crate::handled::{Handled, get, handle, handle_between};

/// 2023-11-14 22:13:20, a Tuesday.
pub(crate) const MODIFIED: u64 = 1_700_000_000;
pub(crate) const DATE: &str = "Tue, 14 Nov 2023 22:13:20 GMT";

/// A directory of its own, removed at the end.
pub(crate) struct Place {
    directory: PathBuf,
    root: &'static Root,
}

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rooted-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("root")).expect("a new directory");
        let root = directory.join("root").to_str().expect("UTF-8").to_owned();
        Self { directory, root: Box::leak(Box::new(Root { directory: Value::Text(root.leak()), rules: Rules::NEW })) }
    }

    /// The same directory with other words.
    pub(crate) fn with(mut self, rules: Rules<'static>) -> Self {
        self.root = Box::leak(Box::new(Root { rules, ..*self.root }));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join("root").join(name)
    }

    pub(crate) fn write(&self, name: &str, body: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("below the root")).expect("directories");
        fs::write(&path, body).expect("written");
        set_modified(&path, MODIFIED);
    }

    pub(crate) fn get(&self, target: &str) -> Handled {
        self.get_with(target, "")
    }

    pub(crate) fn get_with(&self, target: &str, fields: &str) -> Handled {
        self.handle(&format!("GET {target} HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n"), || {})
    }

    /// `meanwhile` runs between head and body.
    fn handle(&self, request: &str, meanwhile: impl FnOnce()) -> Handled {
        let root = self.root;
        handle_between(
            request,
            |exchange| {
                assert!(exchange.matches("/f/*"));
                files::file(exchange, root, At::Capture(0))
            },
            meanwhile,
        )
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn set_modified(path: &Path, seconds: u64) {
    let file = fs::File::open(path).expect("it is there");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("a new date");
}

#[test]
fn named_file_is_that_file_and_no_other() {
    let place = Place::new("named");
    place.write("a b.txt", "0123456789");
    place.write("docs/index.html", "docs");
    place.write(".env", "secret");
    let root = place.root;
    let named = |path: &str, fields: &str| {
        let (path, request) = (path.to_owned(), format!("GET /else HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n"));
        handle_between(&request, move |exchange| files::named(exchange, root, &path), || {})
    };
    let answered = named("/a%20b.txt", "");
    assert_eq!(
        (answered.status, answered.body.as_str(), answered.field("content-type")),
        (200, "0123456789", Some("text/plain; charset=utf-8"))
    );
    assert_eq!(named("/docs/index.html", "").body, "docs");
    let part = named("/a%20b.txt", "range: bytes=2-3\r\n");
    assert_eq!((part.status, part.body.as_str()), (206, "23"));
    for path in ["/", "/docs", "/docs/", "/nothing", "/.env", "/a%2Fb", ""] {
        assert_eq!(named(path, "").status, 404, "{path}");
    }
}

#[test]
fn small_file_is_one_ready_answer() {
    let place = Place::new("small");
    place.write("a b.txt", "0123456789");
    let answered = place.get("/f/a%20b.txt");
    let etag = format!("\"{MODIFIED:x}-0-a\"");
    let expected = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 10\r\naccept-ranges: bytes\r\netag: {etag}\r\nlast-modified: {DATE}\r\n\n0123456789"
    );
    assert_eq!(answered.text(), expected);
    assert!(!answered.is_later && !answered.is_streamed, "written a moment ago: all of it is in the kernel's caches");
}

#[test]
fn empty_file_and_index_are_served() {
    let place = Place::new("index");
    place.write("empty.css", "");
    place.write("index.html", "root");
    place.write("docs/index.html", "docs");
    let answered = place.get("/f/empty.css");
    assert_eq!((answered.status, answered.field("content-length"), answered.body.as_str()), (200, Some("0"), ""));
    assert_eq!(place.get("/f/").body, "root");
    assert_eq!(place.get("/f/docs/?x").body, "docs");
}

#[test]
fn directory_with_its_index_redirects_to_its_slash() {
    let place = Place::new("directory");
    for index in ["index.html", "docs/index.html", "docs/x/index.html"] {
        place.write(index, "index");
    }
    for (target, location) in [("/f", "/f/"), ("/f?a=b", "/f/?a=b"), ("/f/docs", "/f/docs/"), ("//f//docs/x?y", "/f/docs/x/?y")] {
        let answered = place.get(target);
        assert_eq!((answered.status, answered.field("location")), (308, Some(location)), "{target}");
    }
    fs::create_dir_all(place.path("odd/index.html")).expect("a directory");
    fs::create_dir_all(place.path("bare")).expect("a directory");
    for target in ["/f/odd", "/f/odd/", "/f/bare", "/f/bare/", "/f/docs/x/y"] {
        assert_eq!(place.get(target).status, 404, "{target}");
    }
}

#[test]
fn search_goes_on_behind_the_own_name() {
    const TRIED: &[Tried<'_>] = &[Tried { before: "", behind: ".html" }, Tried { before: "other/", behind: "" }];
    let rules = Rules { tried: TRIED, spa: Some("app.html"), follows_links: true, ..Rules::NEW };
    let place = Place::new("search").with(rules);
    for (name, body) in [("app.html", "app"), ("a.html", "a"), ("other/b.txt", "b"), ("docs/index.html", "docs")] {
        place.write(name, body);
    }
    symlink("a.html", place.path("inside")).expect("a link");
    symlink("/etc/passwd", place.path("outside.txt")).expect("a link");
    for (target, status, body) in [
        ("/f/a", 200, "a"),
        ("/f/b.txt", 200, "b"),
        ("/f/inside", 200, "a"),
        ("/f/users/john.doe", 200, "app"),
        ("/f/docs/", 200, "docs"),
        ("/f/nothing/", 200, "app"),
        ("/f/docs", 308, ""),
        ("/f/missing.js", 404, "404 Not Found\n"),
        ("/f/outside.txt", 404, "404 Not Found\n"),
        ("/f/.hidden", 404, "404 Not Found\n"),
    ] {
        let answered = place.get(target);
        assert_eq!((answered.status, answered.body.as_str()), (status, body), "{target}");
    }
}

#[test]
fn miss_answers_where_there_is_no_file() {
    let place = Place::new("miss");
    place.write("a.txt", "a");
    let root = place.root;
    for (request, status) in [("GET /a.txt", 200), ("GET /b.txt", 403), ("GET /.hidden", 403), ("GET /", 403), ("POST /a.txt", 403)] {
        let request = format!("{request} HTTP/1.1\r\nhost: a.example\r\n\r\n");
        let answered =
            handle(&request, |exchange| files::file_or(exchange, root, At::Path, |exchange| runtime::respond::refused(exchange, 403)));
        assert_eq!(answered.status, status, "{request}");
    }
}

#[test]
fn large_file_is_streamed_whole() {
    let place = Place::new("large");
    let body = "0123456789abcdef".repeat(20_000);
    place.write("large.bin", &body);
    let answered = place.get("/f/large.bin");
    assert!(answered.is_streamed);
    assert_eq!(answered.body_bytes, body.len() as u64);
    assert!(answered.body == body);
}

#[test]
fn file_of_exactly_what_is_read_at_once_is_ready() {
    let place = Place::new("chunk");
    place.write("a", vec![b'x'; 16 * 1024]);
    place.write("b", vec![b'x'; 16 * 1024 + 1]);
    assert!(!place.get("/f/a").is_streamed);
    let answered = place.get("/f/b");
    assert_eq!((answered.is_streamed, answered.body.len()), (true, 16 * 1024 + 1));
}

#[test]
fn file_that_is_not_in_the_page_cache_is_read_in_the_pool() {
    let place = Place::new("cold");
    for (name, bytes) in [("small", 1_040), ("large", 300_000)] {
        place.write(name, vec![b'x'; bytes]);
        let file = fs::File::open(place.path(name)).expect("a file");
        file.sync_all().expect("on disk");
        fadvise(&file, 0, None, Advice::DontNeed).expect("advised");
        let answered = place.get(&format!("/f/{name}"));
        assert_eq!((answered.status, answered.body.len(), answered.fault), (200, bytes, None));
    }
}

#[test]
fn name_that_the_kernel_does_not_know_is_looked_up_in_the_pool() {
    let place = Place::new("unknown");
    let answered = place.get("/f/nope");
    assert_eq!((answered.status, answered.is_later), (404, true));
}

#[test]
fn head_request_reads_nothing() {
    let place = Place::new("head");
    place.write("a.txt", "0123456789");
    let root = place.root;
    let answered = handle("HEAD /a.txt HTTP/1.1\r\nhost: a.example\r\n\r\n", |exchange| files::file(exchange, root, At::Path));
    assert_eq!((answered.status, answered.body_bytes, answered.is_streamed), (200, 10, true));
    assert_eq!(get("/a.txt", |exchange| files::file(exchange, root, At::Path)).head, answered.head);
}

#[test]
fn file_that_shrinks_ends_in_an_error() {
    let place = Place::new("shrinks");
    place.write("a", vec![b'x'; 200_000]);
    let path = place.path("a");
    let shrink = || fs::OpenOptions::new().write(true).open(path).expect("a file").set_len(70_000).expect("shorter");
    let answered = place.handle("GET /f/a HTTP/1.1\r\nhost: a.example\r\n\r\n", shrink);
    assert_eq!((answered.status, answered.body.len(), answered.fault), (200, 70_000, Some(ErrorKind::UnexpectedEof)));
}

#[test]
fn file_that_grows_sends_what_was_promised() {
    let place = Place::new("grows");
    place.write("a", vec![b'x'; 100_000]);
    let path = place.path("a");
    let grow = || fs::OpenOptions::new().append(true).open(path).expect("a file").write_all(&[b'y'; 1_000]).expect("longer");
    let answered = place.handle("GET /f/a HTTP/1.1\r\nhost: a.example\r\n\r\n", grow);
    assert_eq!((answered.body.len(), answered.body.contains('y'), answered.fault), (100_000, false, None));
}

#[test]
fn file_that_vanishes_is_sent_to_its_end() {
    let place = Place::new("vanishes");
    place.write("a", vec![b'x'; 100_000]);
    let path = place.path("a");
    let answered = place.handle("GET /f/a HTTP/1.1\r\nhost: a.example\r\n\r\n", || fs::remove_file(path).expect("a file"));
    assert_eq!((answered.status, answered.body.len()), (200, 100_000));
    assert_eq!(place.get("/f/a").status, 404);
}

#[test]
fn nothing_but_regular_files_below_the_root_is_served() {
    let place = Place::new("below");
    place.write("a.txt", "a");
    place.write(".env", "secret");
    place.write("backup.txt~", "secret");
    place.write("dir/.git/config", "secret");
    fs::write(place.directory.join("secret.txt"), "secret").expect("written");
    mkfifoat(CWD, place.path("fifo"), Mode::RWXU).expect("a FIFO");
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).expect("a socket");
    for (link, to) in
        [("in.txt", "a.txt"), ("out.txt", "../secret.txt"), ("up", ".."), ("etc", "/etc"), ("self", "self"), ("zero", "/dev/zero")]
    {
        symlink(to, place.path(link)).expect("a link");
    }
    for target in [
        "/f/in.txt",
        "/f/out.txt",
        "/f/up/secret.txt",
        "/f/up",
        "/f/up/",
        "/f/etc/passwd",
        "/f/self",
        "/f/zero",
        "/f/fifo",
        "/f/socket",
        "/f/.env",
        "/f/backup.txt~",
        "/f/dir/.git/config",
        "/f/a.txt/",
        "/f/a.txt/b",
        "/f/nope",
        "/f/A.TXT",
        "/f/%252e%252e/secret.txt",
        "/f/..;/secret.txt",
        "/f/%5C..%5Csecret.txt",
        "/f/%FF",
    ] {
        let answered = place.get(target);
        assert_eq!((answered.status, answered.body.as_str()), (404, "404 Not Found\n"), "{target}");
    }
    assert_eq!(place.get(&format!("/f/{}", "n".repeat(300))).status, 404);
    assert_eq!(place.get(&format!("/f{}", "/d".repeat(2_500))).status, 404);
}

#[test]
fn directory_that_is_swapped_for_a_link_meanwhile_never_leads_out() {
    const SWAPS: usize = 20_000;
    let place = Place::new("swapped");
    place.write("dir/secret.txt", "public");
    fs::create_dir(place.directory.join("outside")).expect("a directory");
    fs::write(place.directory.join("outside/secret.txt"), "secret").expect("written");
    symlink("../outside", place.path("link")).expect("a link");
    let (dir, link) = (place.path("dir"), place.path("link"));
    let swapping = std::thread::spawn(move || {
        for _ in 0..SWAPS {
            renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).expect("exchanged");
        }
    });
    let mut served = 0;
    while !swapping.is_finished() {
        let answered = place.get("/f/dir/secret.txt");
        match answered.status {
            200 => assert_eq!(answered.body, "public"),
            status => assert!(matches!(status, 404 | 503), "{status}"),
        }
        served += u32::from(answered.status == 200);
    }
    swapping.join().expect("all swaps");
    assert!(served > 0);
}

#[test]
fn names_of_every_byte_are_found() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new("names");
    for byte in (1..=255_u8).filter(|byte| *byte != b'/') {
        let name = [b'x', byte, b'y'];
        fs::write(place.directory.join("root").join(std::ffi::OsStr::from_bytes(&name)), [byte]).expect("written");
    }
    for byte in (1..=255_u8).filter(|byte| *byte != b'/') {
        let answered = place.get(&format!("/f/x%{byte:02X}y"));
        assert_eq!((answered.status, answered.body_bytes), (200, 1), "{byte:02X}");
    }
}

#[test]
fn unreadable_file_is_403_unless_we_are_root() {
    let place = Place::new("unreadable");
    place.write("a.txt", "a");
    fs::set_permissions(place.path("a.txt"), fs::Permissions::from_mode(0o0)).expect("a new mode");
    let expected = if fs::read(place.path("a.txt")).is_ok() { 200 } else { 403 };
    assert_eq!(place.get("/f/a.txt").status, expected);
}

#[test]
fn unreadable_directory_is_403_unless_we_are_root() {
    let place = Place::new("closed").with(Rules { lists: true, ..Rules::NEW });
    place.write("closed/a.txt", "a");
    assert_eq!(place.get_with("/f/closed/", "accept: application/json\r\n").status, 200);
    // It can be searched, but not read.
    fs::set_permissions(place.path("closed"), fs::Permissions::from_mode(0o111)).expect("a new mode");
    let expected = if fs::read_dir(place.path("closed")).is_ok() { 200 } else { 403 };
    assert_eq!(place.get("/f/closed/").status, expected);
}

#[test]
fn missing_root_is_404_until_it_is_there() {
    let place = Place::new("missing");
    fs::remove_dir(place.directory.join("root")).expect("empty");
    assert_eq!(place.get("/f/a.txt").status, 404);
    place.write("a.txt", "a");
    assert_eq!(place.get("/f/a.txt").status, 200);
}

#[test]
fn conditions_give_304_and_412() {
    let place = Place::new("conditions");
    place.write("a.txt", "0123456789");
    let etag = format!("\"{MODIFIED:x}-0-a\"");
    for (fields, status) in [
        (format!("if-none-match: {etag}\r\n"), 304),
        (format!("if-none-match: \"x\", W/{etag}\r\n"), 304),
        ("if-none-match: \"x\"\r\n".to_owned(), 200),
        (format!("if-modified-since: {DATE}\r\n"), 304),
        ("if-modified-since: Tue, 14 Nov 2023 22:13:19 GMT\r\n".to_owned(), 200),
        ("if-modified-since: Tue Nov 14 22:13:20 2023\r\n".to_owned(), 304),
        (format!("if-unmodified-since: {DATE}\r\n"), 200),
        ("if-unmodified-since: Tue, 14 Nov 2023 22:13:19 GMT\r\n".to_owned(), 412),
        (format!("if-match: {etag}\r\n"), 200),
        ("if-match: \"x\"\r\n".to_owned(), 412),
    ] {
        assert_eq!(place.get_with("/f/a.txt", &fields).status, status, "{fields}");
    }
    let answered = place.get_with("/f/a.txt", &format!("if-none-match: {etag}\r\n"));
    assert_eq!(answered.text(), format!("HTTP/1.1 304 Not Modified\r\netag: {etag}\r\nlast-modified: {DATE}\r\n\n"));
}

#[test]
fn part_of_a_small_file_is_one_ready_answer() {
    let place = Place::new("part");
    place.write("a.txt", "0123456789");
    let etag = format!("\"{MODIFIED:x}-0-a\"");
    let answered = place.get_with("/f/a.txt", "range: bytes=3-5\r\n");
    let expected = format!(
        "HTTP/1.1 206 Partial Content\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\ncontent-range: bytes 3-5/10\r\n\
         accept-ranges: bytes\r\netag: {etag}\r\nlast-modified: {DATE}\r\n\n345"
    );
    assert_eq!((answered.text(), answered.status, answered.body_bytes), (expected, 206, 3));
    assert!(!answered.is_later && !answered.is_streamed);
}

#[test]
fn range_is_sent_only_where_it_holds() {
    let place = Place::new("ranges");
    place.write("a.txt", "0123456789");
    place.write("empty", "");
    let etag = format!("\"{MODIFIED:x}-0-a\"");
    let before = "Tue, 14 Nov 2023 22:13:19 GMT";
    for (fields, status, body) in [
        ("range: bytes=-3\r\n".to_owned(), 206, "789"),
        ("range: bytes=7-99\r\n".to_owned(), 206, "789"),
        ("range: bytes=0-1,2-3\r\n".to_owned(), 206, "0123"),
        ("range: bytes=10-\r\n".to_owned(), 416, "416 Range Not Satisfiable\n"),
        ("range: bytes=3-1\r\n".to_owned(), 200, "0123456789"),
        (format!("range: bytes=0-0\r\nif-range: {etag}\r\n"), 206, "0"),
        (format!("range: bytes=0-0\r\nif-range: W/{etag}\r\n"), 200, "0123456789"),
        (format!("range: bytes=0-0\r\nif-range: {DATE}\r\n"), 206, "0"),
        (format!("range: bytes=0-0\r\nif-range: {before}\r\n"), 200, "0123456789"),
        (format!("range: bytes=0-0\r\nif-none-match: {etag}\r\n"), 304, ""),
        (format!("range: bytes=0-0\r\nif-modified-since: {DATE}\r\n"), 304, ""),
        (format!("range: bytes=0-0\r\nif-unmodified-since: {before}\r\n"), 412, "412 Precondition Failed\n"),
        (format!("range: bytes=0-0\r\nif-unmodified-since: {DATE}\r\n"), 206, "0"),
    ] {
        let answered = place.get_with("/f/a.txt", &fields);
        assert_eq!((answered.status, answered.body.as_str()), (status, body), "{fields}");
    }
    assert_eq!(place.get_with("/f/a.txt", "range: bytes=10-\r\n").field("content-range"), Some("bytes */10"));
    for (range, status) in [("0-", 416), ("-0", 416), ("-5", 200)] {
        assert_eq!(place.get_with("/f/empty", &format!("range: bytes={range}\r\n")).status, status, "{range}");
    }
    assert_eq!(place.get_with("/f/", "range: bytes=0-0\r\n").status, 404);
}

#[test]
fn range_by_a_date_that_may_be_that_of_two_contents_is_not_sent() {
    let place = Place::new("fresh");
    place.write("a.txt", "0123456789");
    // Its date is sent as that of now.
    set_modified(&place.path("a.txt"), 4_102_444_800);
    let date = place.get("/f/a.txt").field("last-modified").map(str::to_owned).expect("a date");
    assert_eq!(place.get_with("/f/a.txt", &format!("range: bytes=0-0\r\nif-range: {date}\r\n")).status, 200);
}

#[test]
fn head_request_has_no_ranges() {
    let place = Place::new("headranges");
    place.write("a.txt", "0123456789");
    let ask = |fields: &str| place.handle(&format!("HEAD /f/a.txt HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n"), || {});
    assert_eq!(ask("range: bytes=0-1\r\n").head, place.get("/f/a.txt").head);
    assert_eq!(ask("range: bytes=10-\r\nif-range: \"x\"\r\n").status, 200);
}

/// Bytes that tell where they lie.
fn numbered(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| b'a' + (at / 7 % 23) as u8).collect()
}

#[test]
fn part_of_a_large_file_is_streamed_from_its_place() {
    let place = Place::new("largepart");
    let bytes = numbered(300_000);
    place.write("a", &bytes);
    for is_cold in [false, true] {
        if is_cold {
            let file = fs::File::open(place.path("a")).expect("a file");
            file.sync_all().expect("on disk");
            fadvise(&file, 0, None, Advice::DontNeed).expect("advised");
        }
        let answered = place.get_with("/f/a", "range: bytes=100001-280000\r\n");
        assert_eq!((answered.status, answered.is_streamed, answered.body_bytes), (206, true, 180_000));
        assert!(answered.body.as_bytes() == &bytes[100_001..=280_000]);
    }
}

#[test]
fn parts_of_a_file_come_as_multipart() {
    let place = Place::new("parts");
    let bytes = numbered(300_000);
    place.write("a.css", &bytes);
    let ranges = [(200_000, 299_999), (0, 0), (70_000, 140_000)];
    let answered = place.get_with("/f/a.css", "range: bytes=-100000,0-0,70000-140000\r\n");
    let content_type = answered.field("content-type").expect("a multipart type");
    let boundary = content_type.strip_prefix("multipart/byteranges; boundary=").expect("a boundary");
    let mut expected = String::new();
    for (first, last) in ranges {
        let line_end = if expected.is_empty() { "" } else { "\r\n" };
        expected.push_str(&format!("{line_end}--{boundary}\r\ncontent-type: text/css; charset=utf-8\r\n"));
        expected.push_str(&format!("content-range: bytes {first}-{last}/300000\r\n\r\n"));
        expected.push_str(str::from_utf8(&bytes[first..=last]).expect("ASCII"));
    }
    expected.push_str(&format!("\r\n--{boundary}--\r\n"));
    assert!(answered.body == expected);
    assert_eq!((answered.status, answered.body_bytes, answered.fault), (206, expected.len() as u64, None));
    assert_eq!(answered.field("content-length"), Some(expected.len().to_string().as_str()));
    assert!(answered.field("etag").is_some() && answered.field("content-range").is_none());
}

#[test]
fn parts_of_a_file_that_is_not_in_the_page_cache_are_read_in_the_pool() {
    let place = Place::new("coldparts");
    let bytes = numbered(300_000);
    place.write("a", &bytes);
    let ask = || place.get_with("/f/a", "range: bytes=0-9,150000-299999\r\n");
    let expected = ask().body;
    let file = fs::File::open(place.path("a")).expect("a file");
    file.sync_all().expect("on disk");
    fadvise(&file, 0, None, Advice::DontNeed).expect("advised");
    let answered = ask();
    assert!(answered.body == expected && answered.fault.is_none());
}

#[test]
fn parts_of_a_file_that_shrinks_end_in_an_error() {
    let place = Place::new("shrinkingparts");
    place.write("a", vec![b'x'; 200_000]);
    for (range, body_bytes) in [("100000-199999", Some(0)), ("60000-199999", Some(10_000)), ("0-9,100000-199999", None)] {
        let path = place.path("a");
        fs::OpenOptions::new().write(true).open(&path).expect("a file").set_len(200_000).expect("longer");
        let shrink = || fs::OpenOptions::new().write(true).open(path).expect("a file").set_len(70_000).expect("shorter");
        let answered = place.handle(&format!("GET /f/a HTTP/1.1\r\nhost: a.example\r\nrange: bytes={range}\r\n\r\n"), shrink);
        assert_eq!((answered.status, answered.fault), (206, Some(ErrorKind::UnexpectedEof)), "{range}");
        assert!(body_bytes.is_none_or(|bytes| answered.body.len() == bytes) && (answered.body.len() as u64) < answered.body_bytes);
    }
}

#[test]
fn end_of_a_file_of_twenty_gigabytes_is_found() {
    const BYTES: u64 = 20 << 30;
    let place = Place::new("sparse");
    place.write("a", "");
    let file = fs::OpenOptions::new().write(true).open(place.path("a")).expect("a file");
    if file.set_len(BYTES).is_err() {
        return;
    }
    std::os::unix::fs::FileExt::write_all_at(&file, b"the end", BYTES - 7).expect("written");
    let answered = place.get_with("/f/a", "range: bytes=-7\r\n");
    assert_eq!((answered.status, answered.body.as_str()), (206, "the end"));
    assert_eq!(answered.field("content-range"), Some(&*format!("bytes {}-{}/{BYTES}", BYTES - 7, BYTES - 1)));
    let answered = place.get_with("/f/a", &format!("range: bytes={}-{}\r\n", 10_u64 << 30, (10_u64 << 30) + 99_999));
    assert_eq!((answered.status, answered.body.len()), (206, 100_000));
    assert_eq!(place.get_with("/f/a", &format!("range: bytes={BYTES}-\r\n")).status, 416);
}

#[test]
fn date_in_the_future_is_sent_as_now() {
    let place = Place::new("future");
    place.write("a.txt", "a");
    set_modified(&place.path("a.txt"), 4_102_444_800);
    let answered = place.get("/f/a.txt");
    let modified = answered.field("last-modified").and_then(|text| semantics::date::parse(text.as_bytes(), MODIFIED)).expect("a date");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after the epoch").as_secs();
    assert!(modified <= now && modified + 60 > now, "{modified} {now}");
}

#[test]
fn content_that_changes_gets_another_etag() {
    let place = Place::new("changes");
    place.write("a.txt", "0123456789");
    let before = place.get("/f/a.txt").field("etag").map(str::to_owned);
    set_modified(&place.path("a.txt"), MODIFIED + 1);
    let touched = place.get("/f/a.txt").field("etag").map(str::to_owned);
    place.write("a.txt", "01234567890");
    let longer = place.get("/f/a.txt").field("etag").map(str::to_owned);
    assert!(before != touched && before != longer && touched != longer);
}
