//! Trees and files of a size that people have: 100,000 small files, one file of 20 GiB. Exact bytes, and a server that stays small.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::Client,
    files::{binary, start},
    random::Random,
    server::{Server, deadline},
    site::scratch,
    tools::note,
};

const HOST: &str = "tree.test";
const FILES: usize = 100_000;
const FILES_PER_DIRECTORY: usize = 1_000;
/// Files that are asked for whatever it takes; more are while there is time.
const ASKED_MIN: usize = 20_000;
const ASKING: Duration = Duration::from_secs(3);
const CLIENTS: usize = 64;
const THREADS: usize = 4;
/// What a server may hold open: its connections, 1,024 files that each of its two workers keeps, its own.
const DESCRIPTORS_MAX: usize = CLIENTS + 2 * 1_024 + 64;
/// What may come to its memory while it serves many files to 64 connections.
const GROWTH_KIB_MAX: u64 = 24 * 1024;

/// Below the root.
fn name(number: usize) -> String {
    format!("{:02}/{:05}.txt", number / FILES_PER_DIRECTORY, number)
}

/// Another length and other bytes for each; every hundredth is longer than what is read at once.
fn content(number: usize) -> Vec<u8> {
    let mut random = Random::new(number as u64);
    let bytes = if number.is_multiple_of(100) { 70_000 } else { random.below(600) };
    let mut content = format!("{number}\n").into_bytes();
    while content.len() < bytes {
        content.extend(random.number().to_le_bytes());
    }
    content
}

/// The tree, made by the first run that needs it: the marker is its last file. One test makes it while another waits: a second
/// maker would cut files short that the first one's server already answers.
fn many() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(make).clone()
}

fn make() -> PathBuf {
    let directory = scratch("trees-many");
    let marker = directory.join("made-1");
    if !marker.exists() {
        for number in 0..FILES {
            let path = directory.join("tree").join(name(number));
            if number.is_multiple_of(FILES_PER_DIRECTORY) {
                fs::create_dir_all(path.parent().expect("a directory")).expect("a writable directory");
            }
            fs::write(&path, content(number)).expect("a writable directory");
        }
        fs::write(&marker, "").expect("a writable directory");
    }
    directory
}

/// Asks for every file of a share on several connections in turn, until the time is over. Gives how many were asked for and what was wrong.
fn ask_all(server: &Server, share: &[usize], clients: usize, until: Instant) -> (usize, Vec<String>) {
    let mut clients: Vec<Client> = (0..clients).map(|_| server.client()).collect();
    let (mut asked, mut faults) = (0, Vec::new());
    for numbers in share.chunks(clients.len()) {
        if asked >= ASKED_MIN / THREADS && Instant::now() > until {
            break;
        }
        for (client, &number) in clients.iter_mut().zip(numbers) {
            client.send(format!("GET /{} HTTP/1.1\r\nhost: {HOST}\r\n\r\n", name(number)));
        }
        for (client, &number) in clients.iter_mut().zip(numbers) {
            let answer = client.answer();
            asked += 1;
            if answer.status != 200 || answer.body != content(number) {
                faults.push(format!("{}: {}, {} bytes", name(number), answer.status, answer.body.len()));
            }
        }
    }
    (asked, faults)
}

#[test]
fn each_of_many_files_is_itself_and_the_server_stays_small() {
    let server = start(&many());
    let mut order: Vec<usize> = (0..FILES).collect();
    let mut random = Random::new(5);
    for last in (1..FILES).rev() {
        order.swap(last, random.below(last + 1));
    }
    // Warm: what a server takes for its first connections is not what is measured.
    let (asked, faults) = ask_all(&server, &order[..640], CLIENTS, deadline(Duration::ZERO));
    assert!(asked == 640 && faults.is_empty(), "{faults:#?}");
    let (resident, descriptors) = (server.resident_kib(), server.descriptors());
    let until = deadline(ASKING);
    let (asked, faults) = thread::scope(|scope| {
        let (server, clients) = (&server, CLIENTS / THREADS);
        let shares: Vec<_> =
            order.chunks(FILES / THREADS).map(|share| scope.spawn(move || ask_all(server, share, clients, until))).collect();
        let parts = shares.into_iter().map(|share| share.join().expect("a share that ends"));
        parts.reduce(|all, part| (all.0 + part.0, [all.1, part.1].concat())).expect("at least one share")
    });
    assert!(faults.is_empty(), "{} faults, the first of them: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    assert!(asked >= ASKED_MIN, "{asked}");
    let growth = server.resident_kib().saturating_sub(resident);
    let open = server.descriptors();
    note(&format!("trees: {asked} of {FILES} files compared, {growth} KiB more, {open} descriptors (from {descriptors})"));
    assert!(growth < GROWTH_KIB_MAX, "{growth} KiB");
    assert!(open < DESCRIPTORS_MAX, "{open} descriptors");
}

#[test]
fn files_that_are_kept_open_leave_descriptors_for_others() {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 300; exec \"$0\""]).arg(binary()).current_dir(many());
    let server = Server::start_command(&mut command);
    let order: Vec<usize> = (0..FILES).step_by(17).collect();
    let (asked, faults) = ask_all(&server, &order, CLIENTS, deadline(Duration::ZERO));
    assert!(faults.is_empty(), "{} of {asked} at fault, the first of them: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    // Whoever comes is let in without waiting for files to be closed one by one.
    let since = Instant::now();
    let mut more: Vec<Client> = (0..CLIENTS).map(|_| server.client()).collect();
    for client in &mut more {
        assert_eq!(client.get(HOST, &format!("/{}", name(1)), "").body, content(1));
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

const GIB: u64 = 1 << 30;
const LARGE_BYTES: u64 = 20 * GIB;
/// Where the large file says where it is: around the borders of what 31 and 32 bits count, and at its ends.
const MARKS: [u64; 6] = [0, 2 * GIB - 16, 4 * GIB - 16, 8 * GIB - 16, 16 * GIB - 16, LARGE_BYTES - 32];
const MARK_BYTES: usize = 32;

fn mark(number: usize) -> [u8; MARK_BYTES] {
    let mut random = Random::new(number as u64);
    std::array::from_fn(|_| random.below(255) as u8 + 1)
}

/// What the large file holds from `first` to `last`, both inclusive.
fn large_bytes(first: u64, last: u64) -> Vec<u8> {
    let mut bytes = vec![0; (last - first + 1) as usize];
    for (number, at) in MARKS.into_iter().enumerate() {
        for (offset, byte) in mark(number).into_iter().enumerate() {
            let position = at + offset as u64;
            if (first..=last).contains(&position) {
                bytes[(position - first) as usize] = byte;
            }
        }
    }
    bytes
}

/// A root with the large file in it.
fn large(name: &str) -> PathBuf {
    let directory = scratch(&format!("trees-{name}"));
    fs::create_dir_all(directory.join("tree")).expect("a writable directory");
    let file = File::create(directory.join("tree/large.bin")).expect("a writable directory");
    file.set_len(LARGE_BYTES).expect("a file system with sparse files");
    for (number, at) in MARKS.into_iter().enumerate() {
        file.write_all_at(&mark(number), at).expect("a writable file");
    }
    directory
}

/// Removed by the test that made it: it is sparse, but not every tool that copies a directory knows.
fn remove(directory: &Path) {
    fs::remove_file(directory.join("tree/large.bin")).expect("the file of the test");
}

#[test]
fn ranges_of_a_file_of_20_gib_are_its_bytes() {
    let directory = large("ranges");
    let server = start(&directory);
    let mut client = server.client();
    let end = LARGE_BYTES - 1;
    let mut ranges = vec![
        ("-1".to_owned(), end, end),
        ("-32".to_owned(), LARGE_BYTES - 32, end),
        (format!("{end}-"), end, end),
        (format!("{end}-99999999999999999999999999"), end, end),
        (format!("{}-{LARGE_BYTES}", end - 9), end - 9, end),
        // Longer than what is sent at once, across a border.
        (format!("{}-{}", 4 * GIB - (3 << 20), 4 * GIB + (3 << 20)), 4 * GIB - (3 << 20), 4 * GIB + (3 << 20)),
        ("-5000000".to_owned(), LARGE_BYTES - 5_000_000, end),
    ];
    for at in MARKS {
        let (first, last) = (at.saturating_sub(9), (at + 40).min(end));
        ranges.push((format!("{first}-{last}"), first, last));
    }
    for (range, first, last) in ranges {
        let answer = client.get(HOST, "/large.bin", &format!("range: bytes={range}\r\n"));
        assert_eq!((answer.status, answer.field("content-range")), (206, Some(&*format!("bytes {first}-{last}/{LARGE_BYTES}"))), "{range}");
        assert!(answer.body == large_bytes(first, last), "{range}");
    }
    for range in [format!("{LARGE_BYTES}-"), "99999999999-".to_owned()] {
        let answer = client.get(HOST, "/large.bin", &format!("range: bytes={range}\r\n"));
        assert_eq!((answer.status, answer.field("content-range")), (416, Some(&*format!("bytes */{LARGE_BYTES}"))), "{range}");
    }
    remove(&directory);
}

#[test]
fn parts_of_a_file_of_20_gib_come_in_one_body() {
    let directory = large("parts");
    let server = start(&directory);
    let parts = MARKS.map(|at| (at, at + MARK_BYTES as u64 - 1));
    let list = parts.map(|(first, last)| format!("{first}-{last}")).join(",");
    let answer = server.client().get(HOST, "/large.bin", &format!("range: bytes={list}\r\n"));
    let boundary = answer.field("content-type").and_then(|text| text.strip_prefix("multipart/byteranges; boundary=")).expect("a boundary");
    let mut expected = Vec::new();
    for (first, last) in parts {
        let opening = if expected.is_empty() { "" } else { "\r\n" };
        expected.extend_from_slice(
            format!("{opening}--{boundary}\r\ncontent-type: application/octet-stream\r\ncontent-range: bytes {first}-{last}/{LARGE_BYTES}\r\n\r\n")
                .as_bytes(),
        );
        expected.extend(large_bytes(first, last));
    }
    expected.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    assert_eq!((answer.status, answer.body.escape_ascii().to_string()), (206, expected.escape_ascii().to_string()));
    remove(&directory);
}

#[test]
fn validators_of_a_file_of_20_gib_are_those_of_head_and_if_range() {
    let directory = large("validators");
    let path = directory.join("tree/large.bin");
    File::options().write(true).open(&path).and_then(|file| file.set_modified(old())).expect("a file of ours");
    let server = start(&directory);
    let mut client = server.client();
    let head = client.ask(format!("HEAD /large.bin HTTP/1.1\r\nhost: {HOST}\r\n\r\n"));
    assert_eq!((head.status, head.field("content-length")), (200, Some("21474836480")));
    let (tag, date) = (head.field("etag").expect("a tag"), head.field("last-modified").expect("a date"));
    assert_eq!(date, "Tue, 14 Nov 2023 22:13:20 GMT");
    for condition in [tag, date] {
        let answer = client.get(HOST, "/large.bin", &format!("range: bytes=-32\r\nif-range: {condition}\r\n"));
        assert!((answer.status, &answer.body[..]) == (206, &mark(MARKS.len() - 1)[..]), "{condition}: {}", answer.status);
        let name = if condition == tag { "if-none-match" } else { "if-modified-since" };
        let answer = client.get(HOST, "/large.bin", &format!("range: bytes=-32\r\n{name}: {condition}\r\n"));
        assert_eq!((answer.status, answer.field("etag")), (304, Some(tag)), "{name}");
    }
    remove(&directory);
}

/// Tue, 14 Nov 2023 22:13:20 GMT.
fn old() -> std::time::SystemTime {
    std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

#[test]
fn download_of_20_gib_that_is_left_frees_what_it_held() {
    const MIB: usize = 1 << 20;
    let directory = large("left");
    let server = start(&directory);
    let mut kept = server.client();
    assert_eq!(kept.get(HOST, "/nothing", "").status, 404);
    let (resident, descriptors) = (server.resident_kib(), server.descriptors());
    for _ in 0..20 {
        let mut client = server.client();
        client.send(format!("GET /large.bin HTTP/1.1\r\nhost: {HOST}\r\n\r\n"));
        let head = client.head_answer();
        assert_eq!((head.status, head.field("content-length")), (200, Some("21474836480")));
        let body = client.take(8 * MIB).expect("a body");
        assert!(body == large_bytes(0, (8 * MIB - 1) as u64));
    }
    // A connection that was left is noticed by the next write on it.
    let until = deadline(Duration::from_secs(20));
    while server.descriptors() > descriptors + 8 {
        assert!(Instant::now() < until, "{} descriptors, {descriptors} at the start", server.descriptors());
        assert_eq!(kept.get(HOST, "/nothing", "").status, 404);
    }
    let growth = server.resident_kib().saturating_sub(resident);
    assert!(growth < 8 * 1024, "{growth} KiB");
    remove(&directory);
}
