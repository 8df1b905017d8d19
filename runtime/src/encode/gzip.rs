//! gzip (RFC 1952) by zlib-rs: level 5, the format's largest window (docs/decisions/0014-encode.md).

use std::{cell::RefCell, io};

use flate2::{Compress, Compression, FlushCompress, Status};
use semantics::negotiate::Coding;

use crate::encode::{Coder, Encoder, Progress, Until, keep};

const LEVEL: u32 = 5;
/// Log2 of bytes.
const WINDOW: u8 = 15;

/// The coder.
pub const GZIP: Coder = Coder { coding: Coding::Gzip, memory_bytes: 384 * 1024, is_flushed_often: false, make };

thread_local! {
    // The box is what an exchange holds.
    #[expect(clippy::vec_box, reason = "the pool hands out boxes")]
    static POOL: RefCell<Vec<Box<Gzip>>> = const { RefCell::new(Vec::new()) };
}

struct Gzip {
    compress: Compress,
}

fn make() -> Box<dyn Encoder> {
    let kept = POOL.with_borrow_mut(Vec::pop);
    kept.unwrap_or_else(|| Box::new(Gzip { compress: Compress::new_gzip(Compression::new(LEVEL), WINDOW) }))
}

impl Encoder for Gzip {
    fn encode(&mut self, input: &[u8], room: &mut [u8], until: Until) -> io::Result<Progress> {
        let compress = &mut self.compress;
        let (taken_before, given_before) = (compress.total_in(), compress.total_out());
        let flush = match until {
            Until::End => FlushCompress::Finish,
            Until::Flush => FlushCompress::Sync,
            Until::More => FlushCompress::None,
        };
        let status = compress.compress(input, room, flush)?;
        let taken = (compress.total_in() - taken_before) as usize;
        let given = (compress.total_out() - given_before) as usize;
        let is_done = match until {
            Until::End => status == Status::StreamEnd,
            // A flush that filled the room may have more to give.
            Until::Flush => taken == input.len() && given < room.len(),
            Until::More => taken == input.len(),
        };
        Ok(Progress { taken, given, is_done })
    }

    fn give_back(mut self: Box<Self>) {
        self.compress.reset();
        // While the thread ends its pool may be gone: it is freed then.
        let _ = POOL.try_with(|pool| keep(pool, self));
    }
}
