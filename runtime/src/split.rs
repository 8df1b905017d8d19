//! `split`: which share of the traffic a request belongs to (feature `split`). The same key gives the same share, on every machine. Generated code has a
//! handler for each share.

use semantics::{
    shares::Shares,
    template::{self, Part, Place, Subject},
};

use crate::{buffer::Buffer, exchange::Exchange};

/// One split.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Parts of the key.
    pub by: &'static [Part<'static>],
    /// Keeps splits by the same key independent of each other.
    pub salt: &'static str,
    /// The shares' weights in written order.
    pub weights: &'static [u32],
}

/// The number of the share that this request's key belongs to.
pub fn pick(exchange: &Exchange<'_>, split: &Split) -> usize {
    let mut key = Buffer::take();
    let captures = exchange.slot.captures.borrow();
    template::render(
        split.by,
        &Subject { head: exchange.head, captures: &captures, status: 0, request_id: exchange.slot },
        Place::Value,
        &mut key,
    );
    Shares { salt: split.salt, weights: split.weights }.pick(&key)
}
