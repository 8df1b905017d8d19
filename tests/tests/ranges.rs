//! Byte ranges as clients see them: exact bytes of a real binary, of a root and of an embedded page.

use kiln_tests::{
    client::Client,
    server::{Server, Shared},
    site::{Profile, build, scratch},
};

/// One server for all tests of this file, in a directory with files of its own.
static SERVER: Shared = Shared::new(|| {
    let directory = scratch("ranges");
    std::fs::create_dir_all(directory.join("tree")).expect("a writable directory");
    std::fs::write(directory.join("tree/large.bin"), large()).expect("a writable directory");
    Server::start(&build("tests/sites/engine/site.kdl", Profile::Dev, &[]), &directory)
});

/// 3 MiB in which no piece is like another.
fn large() -> Vec<u8> {
    (0..3 * 1024 * 1024 / 8_u64).flat_map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect()
}

fn client() -> Client {
    SERVER.client()
}

#[test]
fn ranges_of_a_file_are_its_bytes_on_a_connection_that_goes_on() {
    let (mut client, large) = (client(), large());
    let bytes = large.len();
    for (range, expected) in [
        ("0-0", &large[..1]),
        ("-9", &large[bytes - 9..]),
        ("1000001-1900000", &large[1_000_001..=1_900_000]),
        ("2000000-", &large[2_000_000..]),
        ("0-9,10-99999", &large[..100_000]),
    ] {
        let answer = client.get("engine.test", "/root/large.bin", &format!("range: bytes={range}\r\n"));
        assert!((answer.status, answer.body.as_slice()) == (206, expected), "{range}");
        assert!(answer.field("content-range").is_some_and(|text| text.ends_with("/3145728")), "{range}");
    }
    let answer = client.get("engine.test", "/root/large.bin", "range: bytes=3145728-\r\n");
    assert_eq!((answer.status, answer.field("content-range"), answer.field("x-vhost")), (416, Some("bytes */3145728"), Some("1")));
    let head = client.ask("HEAD /root/large.bin HTTP/1.1\r\nhost: engine.test\r\nrange: bytes=0-9\r\n\r\n");
    assert_eq!((head.status, head.field("content-length"), head.field("accept-ranges")), (200, Some("3145728"), Some("bytes")));
}

#[test]
fn several_ranges_come_as_one_multipart_body() {
    let (mut client, large) = (client(), large());
    for (target, content) in [("/root/large.bin", large), ("/embed/page.html", client.get("engine.test", "/embed/page.html", "").body)] {
        let answer = client.get("engine.test", target, "range: bytes=-100,0-49,80-89\r\n");
        let content_type = answer.field("content-type").expect("a content type");
        let boundary = content_type.strip_prefix("multipart/byteranges; boundary=").expect("a boundary");
        let text = answer.body.escape_ascii().to_string();
        let parts: Vec<&str> = text.split(&format!("--{boundary}")).collect();
        assert_eq!((answer.status, parts.len(), parts[0], parts[4]), (206, 5, "", "--\\r\\n"), "{target}");
        let bytes = content.len();
        for (part, (first, last)) in parts[1..4].iter().zip([(bytes - 100, bytes - 1), (0, 49), (80, 89)]) {
            let (head, body) = part.split_once("\\r\\n\\r\\n").expect("a head");
            assert!(head.ends_with(&format!("content-range: bytes {first}-{last}/{bytes}")), "{target} {head}");
            assert_eq!(body, format!("{}\\r\\n", content[first..=last].escape_ascii()), "{target}");
        }
    }
}

#[test]
fn range_of_a_coded_page_is_of_its_coded_bytes() {
    let mut client = client();
    let coded = client.get("engine.test", "/embed/page.html", "accept-encoding: br\r\n");
    let tag = coded.field("etag").expect("an entity tag");
    let lines = format!("accept-encoding: br\r\nif-range: {tag}\r\n");
    let part = client.get("engine.test", "/embed/page.html", &format!("{lines}range: bytes=5-\r\n"));
    assert_eq!((part.status, part.field("etag"), part.field("content-encoding")), (206, Some(tag), Some("br")));
    assert_eq!((part.body.as_slice(), part.field("vary")), (&coded.body[5..], Some("accept-encoding")));
    // The tag is not that of the plain bytes: the whole is sent.
    let plain = client.get("engine.test", "/embed/page.html", &format!("if-range: {tag}\r\nrange: bytes=5-\r\n"));
    assert_eq!((plain.status, plain.field("content-encoding")), (200, None));
}

#[test]
fn part_of_a_file_that_shrinks_ends_the_connection() {
    const BYTES: u64 = 1 << 30;
    // The directory is made with the server.
    drop(client());
    let path = scratch("ranges").join("tree/shrinks.bin");
    for range in ["1-", "0-0,9-"] {
        let mut client = client();
        let file = std::fs::File::create(&path).expect("a writable directory");
        file.set_len(BYTES).expect("a sparse file");
        client.send(format!("GET /root/shrinks.bin HTTP/1.1\r\nhost: engine.test\r\nrange: bytes={range}\r\n\r\n"));
        client.begin_answer();
        file.set_len(0).expect("shorter");
        assert!((client.rest().expect("what was sent before").len() as u64) < BYTES, "{range}");
    }
}
