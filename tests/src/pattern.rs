//! Bodies too long to be held: a pattern that begins anew at each of its ends, sent and compared piece by piece.

use std::io::{self, ErrorKind, Read, Write};

/// Sends so many bytes of it.
pub fn send(stream: &mut impl Write, bytes: u64, pattern: &[u8]) -> io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(pattern.len());
        stream.write_all(&pattern[..most])?;
        left -= most as u64;
    }
    Ok(())
}

/// Compares what has been read and then what is read with so many bytes of it; panics at the first that is another, or where there are fewer.
pub fn expect(stream: &mut impl Read, first: &[u8], bytes: u64, pattern: &[u8]) {
    let mut taken = 0;
    compare(first, &mut taken, pattern);
    let mut chunk = vec![0; 256 * 1024];
    while taken < bytes {
        let most = usize::try_from(bytes - taken).unwrap_or(usize::MAX).min(chunk.len());
        let count = loop {
            match stream.read(&mut chunk[..most]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result.unwrap_or_else(|error| panic!("{error} behind {taken} of {bytes} bytes")),
            }
        };
        assert_ne!(count, 0, "the end behind {taken} of {bytes} bytes");
        compare(&chunk[..count], &mut taken, pattern);
    }
    assert_eq!(taken, bytes, "more bytes than there should be");
}

fn compare(mut piece: &[u8], taken: &mut u64, pattern: &[u8]) {
    while !piece.is_empty() {
        let at = usize::try_from(*taken % pattern.len() as u64).expect("a position in memory");
        let most = piece.len().min(pattern.len() - at);
        assert!(piece[..most] == pattern[at..at + most], "other bytes behind {taken}");
        piece = &piece[most..];
        *taken += most as u64;
    }
}
