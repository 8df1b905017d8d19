//! The targets of `runtime/semantics/fuzz` on the stable toolchain: with their committed inputs, with the corpus of requests, and with as many mutations of
//! both as take a few seconds, the same ones each time. `KILN_FUZZ_ROUNDS` asks for more.
#![forbid(unsafe_code)]

mod chunked;
mod forward;
mod head;
mod pipeline;
mod reply;

use std::{env, fs, path::Path};

/// Mutations for each target.
const ROUNDS: u64 = 20_000;

/// Pieces that mutations insert.
const WORDS: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b"\0",
    b"0\r\n\r\n",
    b"5\r\nhello\r\n",
    b"\r\n\r\n",
    b"Content-Length: 5\r\n",
    b"content-length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: close\r\n",
    b"Connection: upgrade\r\nUpgrade: x\r\n",
    b"Expect: 100-continue\r\n",
    b"Host: a\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 204 No Content\r\n",
    b"Connection: x-t, te\r\n",
    b"TE: trailers\r\n",
    b"X-Forwarded-For: 192.0.2.1\r\n",
    b"X_T: y\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\n",
    b"http://a/",
    b"HTTP/1.0",
    b";a=\"b\"",
    b"X-T: y\r\n",
    b"\x80",
    b"\x7f",
    b"%2e",
];

#[test]
fn heads_mean_one_thing_however_they_are_cut() {
    run("head", head::check);
}

#[test]
fn chunked_bodies_mean_one_thing_however_they_are_cut() {
    run("chunked", chunked::check);
}

#[test]
fn forwarded_requests_are_the_ones_that_came() {
    run("forward", forward::check);
}

#[test]
fn answers_are_read_as_hyper_reads_them() {
    run("reply", reply::check);
}

#[test]
fn pipelines_are_read_as_hyper_reads_them() {
    run("pipeline", pipeline::check);
}

#[test]
fn hyper_reads_what_is_plain() {
    let bytes = b"POST /a?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: v\r\n\r\nGET http://a/c HTTP/1.1\r\nHost: a\r\n\r\n";
    let (ours, theirs) = (pipeline::by_kiln(bytes), pipeline::by_hyper(bytes));
    assert_eq!((ours.len(), ours[0].body.as_slice(), ours[1].target.as_str()), (2, &b"abc"[..], "/c"));
    assert_eq!(ours, theirs);
}

#[test]
fn hyper_reads_answers_that_are_plain() {
    for (answer, body) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab", "ab"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "ab"),
        ("HTTP/1.0 200 OK\r\n\r\nab", "ab"),
    ] {
        let asked = semantics::reply::Asked { method: semantics::method::Method::GET, upgrade: None };
        let scanned = semantics::reply::scan(answer.as_bytes(), semantics::reply::LIMITS, asked, &mut Vec::new()).unwrap().unwrap();
        let ours = reply::by_kiln(&scanned, &answer.as_bytes()[scanned.head_bytes..]);
        assert_eq!((ours.status, ours.body.as_slice(), ours.is_complete), (200, body.as_bytes(), true));
        assert_eq!(reply::by_hyper(answer.as_bytes(), asked.method), Some(ours));
    }
}

fn run(target: &str, check: fn(&[u8])) {
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| check(seed));
    let rounds = env::var("KILN_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let mut random = Random(1);
    for _ in 0..rounds {
        let mut bytes = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &seeds, &mut random);
        }
        bytes.truncate(2048);
        check(&bytes);
    }
}

/// The requests of the corpus (for bodies, what stands behind their heads), and what was found by fuzzing.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let (corpus, column) =
        if target == "reply" { (include_str!("../corpora/reply.txt"), 2) } else { (include_str!("../corpora/http1.txt"), 5) };
    let rows = corpus.lines().filter(|line| !line.starts_with('#'));
    let mut seeds: Vec<Vec<u8>> = rows.filter_map(|line| line.split('\t').nth(column)).map(unescape).collect();
    match target {
        "chunked" => {
            seeds = seeds
                .iter()
                .filter_map(|seed| Some([b"\x07", &seed[find(seed, b"\r\n\r\n")? + 4..]].concat()))
                .filter(|body| body.len() > 6)
                .collect();
        }
        "forward" | "reply" => {
            seeds = (0..8).flat_map(|choice| seeds.iter().map(move |seed| [&[choice * 9], &seed[..]].concat())).collect()
        }
        _ => {}
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&directory).expect("committed inputs").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    seeds.extend(files.into_iter().map(|file| fs::read(file).expect("a file")));
    assert!(seeds.len() > 20);
    seeds
}

/// `\r`, `\n`, `\t`, `\\`, `\xE9`; what repeats a byte is left as it is.
fn unescape(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some((front, behind)) = rest.split_once('\\') {
        bytes.extend_from_slice(front.as_bytes());
        let (kind, behind) = behind.split_at(1);
        rest = behind;
        match kind {
            "r" => bytes.push(b'\r'),
            "n" => bytes.push(b'\n'),
            "t" => bytes.push(b'\t'),
            "x" => {
                bytes.push(u8::from_str_radix(&behind[..2], 16).expect("two digits"));
                rest = &behind[2..];
            }
            other => bytes.extend_from_slice(other.as_bytes()),
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(8)).min(bytes.len());
    match random.below(7) {
        0 => {
            bytes.splice(at..at, random.pick(WORDS).iter().copied());
        }
        1 => {
            bytes.splice(at..end, random.pick(WORDS).iter().copied());
        }
        2 => drop(bytes.drain(at..end)),
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        4 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.below(256) as u8;
            }
        }
        5 => bytes.extend_from_slice(random.pick(seeds).as_slice()),
        _ => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
