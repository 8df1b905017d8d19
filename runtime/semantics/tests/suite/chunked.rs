//! The chunked coding: bodies whole and in pieces, and what is refused.

use semantics::chunked::{BadChunk, Decoder, Progress};

/// The body, and how many bytes of the input belong to it; `None` where more is needed. The input comes in pieces of `piece` bytes.
fn decode(input: &[u8], piece: usize) -> Result<Option<(Vec<u8>, usize)>, BadChunk> {
    let (mut decoder, mut body, mut at) = (Decoder::default(), Vec::new(), 0);
    let mut arrived = 0;
    loop {
        match decoder.advance(&input[at..arrived])? {
            Progress::Data { skip, data } => {
                assert!(data > 0);
                body.extend_from_slice(&input[at + skip..at + skip + data]);
                at += skip + data;
            }
            Progress::End { skip } => return Ok(Some((body, at + skip))),
            Progress::More { skip } => {
                at += skip;
                assert_eq!(at, arrived, "framing is consumed as it comes");
                if arrived == input.len() {
                    return Ok(None);
                }
                arrived = (arrived + piece).min(input.len());
            }
        }
    }
}

#[track_caller]
fn check(input: &[u8], expected: Result<Option<(&[u8], usize)>, BadChunk>) {
    for piece in [1, 2, 3, 7, input.len().max(1)] {
        let found = decode(input, piece);
        let found = found.as_ref().map(|found| found.as_ref().map(|(body, length)| (body.as_slice(), *length))).map_err(|bad| *bad);
        assert_eq!(found, expected, "{:?} by {piece}", String::from_utf8_lossy(input));
    }
}

#[test]
fn valid_bodies_are_decoded() {
    check(b"5\r\nhello\r\n0\r\n\r\n", Ok(Some((b"hello", 15))));
    check(b"5\r\nhello\r\n0\r\n\r\nGET /", Ok(Some((b"hello", 15))));
    check(b"000005\r\nhello\r\n0000\r\n\r\n", Ok(Some((b"hello", 23))));
    check(b"1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", Ok(Some((b"hello", 20))));
    check(b"A\r\n0123456789\r\n0\r\n\r\n", Ok(Some((b"0123456789", 20))));
    check(b"0\r\n\r\n", Ok(Some((b"", 5))));
    check(b"5;a\r\nhello\r\n0;b=c;d=\"e;\\\"\r\"\r\n\r\n", Err(BadChunk));
    check(b"5;a\r\nhello\r\n0 ; b=c;d=\"e;\\\"\"\r\n\r\n", Ok(Some((b"hello", 32))));
    check(b"1\r\na\r\n0\r\nX-T: y\r\nEtag: \"\xFF\"\r\n\r\n", Ok(Some((b"a", 30))));
    check(b"5\r\nhel", Ok(None));
    check(b"5\r\nhello\r\n0\r\n", Ok(None));
}

#[test]
fn ambiguous_framing_is_refused() {
    for input in [
        "+5\r\nhello",
        "-5\r\n",
        "0x5\r\n",
        "\r\n",
        " 5\r\n",
        "5 \r\n",
        "5\0\r\n",
        "5\n",
        "5\r5",
        "5,5\r\n",
        "5:x\r\n",
        "5\t\r\n",
        "g\r\n",
        "10000000000000005\r\n",
        "fffffffffffffffff\r\n",
        "fffffffffffffffe\r\n",
        "8000000000000000\r\n",
        "00000000000000005\r\n",
        "7\r\nhello\r\n0\r\n\r\n",
        "5\r\nhelloAA0\r\n",
        "5\r\nhello\n0\r\n",
        "5\r\nhello\r0",
        "5\rhello\r0\r\r",
        "5;\r\n",
        "5; \r\n",
        "5;;a\r\n",
        "5;a\n",
        "5;a\rb\r\n",
        "5;a=\0\r\n",
        "5;a=\"x\r\ny\"\r\n",
        "5;a=\"x\n\"\r\n",
        "5;\nxx\r\n",
        "5;=a\r\n",
        "0\r\nno colon here\r\n",
        "0\r\nX-T: y\n",
        "0\r\n\n",
        "0\r\n X: y\r\n",
        "0\r\nX : y\r\n",
        "0\r\nX: \0\r\n",
        "0\r\n: y\r\n",
        "0\r\nX: y\r\n z\r\n",
        "0\r\nContent-Length: 3\r\n",
        "0\r\nHost: evil\r\n",
        "0\r\ntransfer-ENCODING: chunked\r\n",
        "0\r\nX: y\r\nTrailer: x\r\n",
    ] {
        check(input.as_bytes(), Err(BadChunk));
    }
}

#[test]
fn lines_and_trailers_are_bounded() {
    let extension = |length: usize| format!("1;{}\r\na\r\n0\r\n\r\n", "a".repeat(length)).into_bytes();
    assert!(decode(&extension(4000), 512).is_ok_and(|body| body.is_some()));
    check(&extension(4096), Err(BadChunk));
    let trailer = |length: usize| format!("0\r\nX: {}\r\n\r\n", "a".repeat(length)).into_bytes();
    assert!(decode(&trailer(8000), 512).is_ok_and(|body| body.is_some()));
    check(&trailer(8192), Err(BadChunk));
}

#[test]
fn framing_far_above_the_data_is_refused() {
    let tiny = format!("1;{}\r\na\r\n", "a".repeat(1000)).repeat(20);
    check(tiny.as_bytes(), Err(BadChunk));
    // One signature for each chunk of data is in use and fine.
    let signed = format!("400;chunk-signature={}\r\n{}\r\n", "0".repeat(64), "b".repeat(1024)).repeat(100);
    assert_eq!(decode(signed.as_bytes(), 4096), Ok(None));
    let small = "1\r\na\r\n".repeat(100_000);
    assert_eq!(decode(small.as_bytes(), 4096), Ok(None));
}

#[test]
fn the_end_is_told_again() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.advance(b"0\r\n\r\nX"), Ok(Progress::End { skip: 5 }));
    assert_eq!(decoder.advance(b"X"), Ok(Progress::End { skip: 0 }));
    assert_eq!(decoder.advance(b""), Ok(Progress::End { skip: 0 }));
}
