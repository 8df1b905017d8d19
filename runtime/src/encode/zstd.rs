//! zstd (RFC 8878) by its authors' library in C: level 3 with tables and a window that keep it small (docs/decisions/0014-encode.md).

use std::{cell::RefCell, io};

use semantics::negotiate::Coding;
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, ResetDirective, SafeResult, get_error_name, zstd_sys::ZSTD_EndDirective};

use crate::encode::{Coder, Encoder, Progress, Until, keep};

/// Window and tables: log2 of bytes and of entries. Far below the 8 MiB window that HTTP clients must take (RFC 9659).
const PARAMETERS: [CParameter; 4] =
    [CParameter::CompressionLevel(3), CParameter::WindowLog(17), CParameter::HashLog(15), CParameter::ChainLog(15)];

/// The coder.
pub const ZSTD: Coder = Coder { coding: Coding::Zstd, memory_bytes: 1152 * 1024, is_flushed_often: false, make };

thread_local! {
    // The box is what an exchange holds.
    #[expect(clippy::vec_box, reason = "the pool hands out boxes")]
    static POOL: RefCell<Vec<Box<Zstd>>> = const { RefCell::new(Vec::new()) };
}

struct Zstd {
    context: CCtx<'static>,
}

fn make() -> Box<dyn Encoder> {
    POOL.with_borrow_mut(Vec::pop).unwrap_or_else(|| {
        let mut context = CCtx::create();
        for parameter in PARAMETERS {
            // All are within their bounds, which the tests see to; one that is not would leave the level's own.
            let _ = context.set_parameter(parameter);
        }
        Box::new(Zstd { context })
    })
}

impl Encoder for Zstd {
    fn encode(&mut self, input: &[u8], room: &mut [u8], until: Until) -> io::Result<Progress> {
        let (mut input, mut room) = (InBuffer::around(input), OutBuffer::around(room));
        let directive = match until {
            Until::End => ZSTD_EndDirective::ZSTD_e_end,
            Until::Flush => ZSTD_EndDirective::ZSTD_e_flush,
            Until::More => ZSTD_EndDirective::ZSTD_e_continue,
        };
        let left = said(self.context.compress_stream2(&mut room, &mut input, directive))?;
        let (taken, given) = (input.pos(), room.pos());
        let is_done = match until {
            Until::End | Until::Flush => left == 0,
            Until::More => taken == input.src.len(),
        };
        Ok(Progress { taken, given, is_done })
    }

    fn give_back(mut self: Box<Self>) {
        if said(self.context.reset(ResetDirective::SessionOnly)).is_ok() {
            // While the thread ends its pool may be gone: it is freed then.
            let _ = POOL.try_with(|pool| keep(pool, self));
        }
    }
}

fn said(result: SafeResult) -> io::Result<usize> {
    result.map_err(|code| io::Error::new(io::ErrorKind::InvalidData, get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_taken_and_keep_it_small() {
        let mut context = CCtx::create();
        for parameter in PARAMETERS {
            assert!(context.set_parameter(parameter).is_ok(), "{parameter:?}");
        }
        let mut encoder = make();
        let text: Vec<u8> = (0..2_000_000_u32).map(|number| (number % 251) as u8 ^ (number / 4001) as u8).collect();
        let mut room = vec![0; 65_536];
        let mut rest = &text[..];
        while !rest.is_empty() {
            rest = &rest[encoder.encode(rest, &mut room, Until::More).unwrap().taken..];
        }
        encoder.give_back();
        let bytes = POOL.with_borrow(|pool| pool[0].context.sizeof());
        assert!(bytes <= ZSTD.memory_bytes, "{bytes}");
    }
}
