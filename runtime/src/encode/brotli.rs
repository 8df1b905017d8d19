//! Brotli (RFC 7932) by its port to Rust: quality 4, a window of 128 KiB, flushed after each piece of the source, since it would hold some MiB of commands
//! else (docs/decisions/0014-encode.md). It can't be used again, so none is kept.

use std::io;

use brotli::enc::{
    StandardAlloc,
    encode::{BrotliEncoderOperation, BrotliEncoderParameter, BrotliEncoderStateStruct},
};
use semantics::negotiate::Coding;

use crate::encode::{Coder, Encoder, Progress, Until};

const QUALITY: u32 = 4;
/// Log2 of bytes.
const WINDOW: u32 = 17;

/// The coder.
pub const BROTLI: Coder = Coder { coding: Coding::Brotli, memory_bytes: 1856 * 1024, is_flushed_often: true, make };

struct Brotli {
    state: BrotliEncoderStateStruct<StandardAlloc>,
}

fn make() -> Box<dyn Encoder> {
    let mut state = BrotliEncoderStateStruct::new(StandardAlloc::default());
    state.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_QUALITY, QUALITY);
    state.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_LGWIN, WINDOW);
    Box::new(Brotli { state })
}

impl Encoder for Brotli {
    fn encode(&mut self, input: &[u8], room: &mut [u8], until: Until) -> io::Result<Progress> {
        let state = &mut self.state;
        let operation = match until {
            Until::End => BrotliEncoderOperation::BROTLI_OPERATION_FINISH,
            Until::Flush => BrotliEncoderOperation::BROTLI_OPERATION_FLUSH,
            Until::More => BrotliEncoderOperation::BROTLI_OPERATION_PROCESS,
        };
        let (mut left, mut taken, mut free, mut given) = (input.len(), 0, room.len(), 0);
        let is_well =
            state.compress_stream(operation, &mut left, input, &mut taken, &mut free, room, &mut given, &mut None, &mut |_, _, _, _| ());
        if !is_well {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let is_done = match until {
            Until::End => state.is_finished(),
            Until::Flush => left == 0 && !state.has_more_output(),
            Until::More => left == 0,
        };
        Ok(Progress { taken, given, is_done })
    }

    fn give_back(self: Box<Self>) {}
}
