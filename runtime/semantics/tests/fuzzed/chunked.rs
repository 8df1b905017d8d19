//! A chunked body in pieces is the body at once: the same bytes, the same end, the same refusal.

use semantics::chunked::{BadChunk, Decoder, Progress};

/// What was decoded, and how it ended: `Some` with the bytes of framing and body, `None` where more is needed.
type Decoded = (Vec<u8>, Result<Option<usize>, BadChunk>);

/// The first byte says how the others are cut.
pub(crate) fn check(bytes: &[u8]) {
    let Some((&seed, body)) = bytes.split_first() else { return };
    let at_once = decode(body, &mut || body.len().max(1));
    let mut state = u32::from(seed) + 1;
    let in_pieces = decode(body, &mut || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (state >> 24) as usize % 7
    });
    assert_eq!(at_once, in_pieces, "{:?}", String::from_utf8_lossy(body));
    if let (decoded, Ok(Some(end))) = &at_once {
        assert!(decoded.len() < *end && body[..*end].ends_with(b"\r\n\r\n"));
    }
}

fn decode(input: &[u8], piece: &mut dyn FnMut() -> usize) -> Decoded {
    let (mut decoder, mut body, mut at, mut arrived) = (Decoder::default(), Vec::new(), 0, 0);
    loop {
        match decoder.advance(&input[at..arrived]) {
            Ok(Progress::Data { skip, data }) => {
                body.extend_from_slice(&input[at + skip..at + skip + data]);
                at += skip + data;
            }
            Ok(Progress::End { skip }) => return (body, Ok(Some(at + skip))),
            Ok(Progress::More { .. }) if arrived == input.len() => return (body, Ok(None)),
            Ok(Progress::More { skip }) => {
                at += skip;
                arrived = (arrived + piece()).min(input.len());
            }
            Err(bad) => return (body, Err(bad)),
        }
    }
}
