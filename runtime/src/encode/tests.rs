//! Encoders and streams over every coding that is linked: what is decoded again is what went in.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, Read, Write},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use proptest::prelude::*;

use super::*;
use crate::{answer, coders, unmeasured::Source};

const CODERS: [Coder; 3] = [coders::BROTLI, coders::GZIP, coders::ZSTD];

fn decoded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        Coding::Brotli => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut out).map(|_| ()),
        Coding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut out).map(|_| ()),
        Coding::Zstd => zstd::stream::copy_decode(bytes, &mut out),
        Coding::Identity => out.write_all(bytes),
    }
    .expect("it decodes");
    out
}

/// What can be had of a body that has not ended.
fn decoded_so_far(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 1 << 20];
    let mut filled = 0;
    let mut reader: Box<dyn Read> = match coding {
        Coding::Brotli => Box::new(brotli::Decompressor::new(bytes, 1)),
        Coding::Gzip => Box::new(flate2::read::GzDecoder::new(bytes)),
        Coding::Zstd => Box::new(zstd::Decoder::new(bytes).expect("a decoder")),
        Coding::Identity => Box::new(bytes),
    };
    while let Ok(bytes @ 1..) = reader.read(&mut out[filled..]) {
        filled += bytes;
    }
    out.truncate(filled);
    out
}

/// Text that neither repeats itself nor is without order.
fn text(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let words = ["answer ", "client ", "engine ", "field ", "<p>", "</p>\n", "exchange ", "policy ", "0123 ", "the ", "of "];
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(words[(state >> 24) as usize % words.len()].as_bytes());
        if state & 0xF00 == 0 {
            text.push((state >> 16) as u8);
        }
    }
    text.truncate(bytes);
    text
}

/// Runs one encoder over the input, cut where `cuts` say, flushed behind the pieces that they say, into rooms of so many bytes.
fn coded(coder: &Coder, input: &[u8], cuts: &[(usize, bool)], room: usize) -> Vec<u8> {
    let mut encoder = coder.take();
    let mut room = vec![0; room];
    let mut out = Vec::new();
    let mut ask = |mut piece: &[u8], until: Until| {
        for _ in 0..10_000_000 {
            let Progress { taken, given, is_done } = encoder.encode(piece, &mut room, until).expect("it codes");
            piece = &piece[taken..];
            out.extend_from_slice(&room[..given]);
            if is_done {
                return;
            }
        }
        panic!("{coder:?} never comes to an end");
    };
    let mut rest = input;
    for &(bytes, is_flushed) in cuts {
        let (piece, behind) = rest.split_at(bytes.min(rest.len()));
        rest = behind;
        ask(piece, Until::More);
        if is_flushed {
            ask(b"", Until::Flush);
        }
    }
    ask(rest, Until::More);
    ask(b"", Until::End);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoder_given_any_cuts_and_flushes_gives_what_decodes_to_its_input(
        bytes in 0_usize..200_000,
        cuts in prop::collection::vec((0_usize..40_000, any::<bool>()), 0..12),
        room in 1_usize..70_000,
        noise in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let room = if bytes > 20_000 { room.max(64) } else { room };
        let input = [text(bytes), noise].concat();
        for coder in CODERS {
            prop_assert!(decoded(coder.coding, &coded(&coder, &input, &cuts, room)) == input, "{:?}", coder);
        }
    }
}

#[test]
fn flush_gives_all_that_was_put_in() {
    for coder in CODERS {
        let input = text(5000);
        let mut encoder = coder.take();
        let mut room = vec![0; 65_536];
        let first = encoder.encode(&input, &mut room, Until::Flush).unwrap();
        assert!(first.is_done && first.taken == input.len(), "{coder:?} {first:?}");
        assert!(decoded_so_far(coder.coding, &room[..first.given]) == input, "{coder:?}");
    }
}

#[test]
fn encoder_that_was_left_in_the_middle_is_as_new() {
    for coder in CODERS {
        let mut room = vec![0; 100];
        coder.take().encode(&text(100_000), &mut room, Until::More).unwrap();
        let input = text(3000);
        assert!(decoded(coder.coding, &coded(&coder, &input, &[], 4096)) == input, "{coder:?}");
    }
}

/// A source in pieces; an empty one is a rest, and `None` a failure.
#[derive(Debug)]
struct Script(VecDeque<Option<Vec<u8>>>);

impl Source for Script {
    fn poll_chunk(&mut self, _context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let Some(piece) = self.0.pop_front() else { return Poll::Ready(None) };
        let Some(piece) = piece else { return Poll::Ready(Some(Err(io::ErrorKind::BrokenPipe.into()))) };
        if piece.is_empty() {
            return Poll::Pending;
        }
        assert!(piece.len() <= room);
        let mut chunk = Chunk::take();
        chunk.memory()[..piece.len()].copy_from_slice(&piece);
        chunk.set_filled(piece.len());
        Poll::Ready(Some(Ok(chunk)))
    }

    fn has_ended(&self) -> bool {
        false
    }
}

fn scripted(pieces: Vec<Option<Vec<u8>>>) -> Response {
    Response::Unmeasured(Unmeasured::new(200, Box::new(Script(pieces.into()))))
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls until the end; the pieces, and how often it was woken by itself.
fn drained(encoded: &mut Encoded) -> (Vec<Vec<u8>>, usize) {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut pieces = Vec::new();
    for _ in 0..1_000_000 {
        match encoded.poll_chunk(&mut Context::from_waker(&waker), CHUNK_BYTES) {
            Poll::Ready(None) => return (pieces, wakes.0.load(Ordering::Relaxed)),
            Poll::Ready(Some(piece)) => pieces.push(piece.expect("it codes").to_vec()),
            Poll::Pending => {}
        }
    }
    panic!("it never comes to an end");
}

#[test]
fn stream_of_any_source_decodes_to_it() {
    static BODY: [u8; 200_001] = [b'x'; 200_001];
    let mut pieces: Vec<_> = text(300_000).chunks(50_000).map(|piece| Some(piece.to_vec())).collect();
    pieces.insert(2, Some(Vec::new()));
    for coder in CODERS {
        let mut encoded = Encoded::new(scripted(pieces.clone()), &coder);
        let (coded, _) = drained(&mut encoded);
        assert!(encoded.has_ended());
        assert!(decoded(coder.coding, &coded.concat()) == text(300_000), "{coder:?}");
        let prebuilt = Response::Prebuilt(answer::Answer { status: 200, head: b"", body: &BODY });
        let (coded, _) = drained(&mut Encoded::new(prebuilt, &coder));
        assert!(decoded(coder.coding, &coded.concat()) == BODY, "{coder:?}");
        let (coded, _) = drained(&mut Encoded::new(scripted(Vec::new()), &coder));
        assert!(decoded(coder.coding, &coded.concat()).is_empty(), "{coder:?}");
    }
}

#[test]
fn turn_takes_one_piece_and_lets_others_go_first() {
    static BODY: [u8; 1 << 20] = [b'x'; 1 << 20];
    for coder in CODERS {
        let prebuilt = Response::Prebuilt(answer::Answer { status: 200, head: b"", body: &BODY });
        let mut encoded = Encoded::new(prebuilt, &coder);
        let (_, wakes) = drained(&mut encoded);
        assert_eq!(wakes, 16, "{coder:?}");
    }
}

/// A source that has what was put in, and rests else.
#[derive(Clone, Debug, Default)]
struct Tap(Rc<RefCell<Vec<u8>>>);

impl Source for Tap {
    fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        Script([Some(self.0.take())].into()).poll_chunk(context, room)
    }

    fn has_ended(&self) -> bool {
        false
    }
}

#[test]
fn stream_is_flushed_when_its_source_rests() {
    for coder in CODERS {
        let tap = Tap::default();
        let mut encoded = Encoded::new(Response::Unmeasured(Unmeasured::new(200, Box::new(tap.clone()))), &coder);
        let (mut sent, mut expected) = (Vec::new(), Vec::new());
        for event in [&b"data: 1\n\n"[..], b"data: 2\n\n"] {
            *tap.0.borrow_mut() = event.to_vec();
            expected.extend_from_slice(event);
            while let Poll::Ready(Some(piece)) = encoded.poll_chunk(&mut Context::from_waker(Waker::noop()), CHUNK_BYTES) {
                sent.extend_from_slice(&piece.unwrap());
            }
            assert_eq!(decoded_so_far(coder.coding, &sent), expected, "{coder:?}");
        }
    }
}

#[test]
fn stream_of_a_source_that_fails_does_not_end() {
    for coder in CODERS {
        let mut encoded = Encoded::new(scripted(vec![Some(text(10)), None]), &coder);
        let polled = encoded.poll_chunk(&mut Context::from_waker(Waker::noop()), CHUNK_BYTES);
        assert!(matches!(polled, Poll::Ready(Some(Err(_)))) && !encoded.has_ended(), "{coder:?}");
    }
}

#[test]
fn encoders_in_use_are_bounded() {
    let mut all: Vec<_> = (0..coder::ENCODERS_MAX - 1).map(|_| coders::GZIP.take()).collect();
    assert!(coder::has_room());
    all.push(coders::GZIP.take());
    assert!(!coder::has_room());
    all.pop();
    assert!(coder::has_room());
}

#[test]
fn pool_keeps_no_more_than_its_bound() {
    let pool = RefCell::new(Vec::new());
    (0..coder::KEPT_MAX + 2).for_each(|number| keep(&pool, number));
    assert_eq!(pool.borrow().len(), coder::KEPT_MAX);
}
