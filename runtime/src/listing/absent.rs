//! Stands in for [`listing`](super) where no root of the site is listed: nothing of it is linked.

use std::{
    future::{Future, ready},
    os::fd::OwnedFd,
};

use rustix::{fs::Stat, io::Errno};
use semantics::files::Rules;

use crate::{buffer::Buffer, builtin::refusal, exchange::Exchange, response::Response};

/// Nobody opens a directory for it.
pub(crate) type Open = Box<dyn FnOnce() -> Result<OwnedFd, Errno> + Send>;
/// Nobody follows a link for it.
pub(crate) type Followed = Box<dyn Fn(&[u8]) -> Result<Stat, Errno> + Send>;

/// Never made.
#[expect(dead_code, reason = "nothing is listed")]
pub(crate) struct Asked {
    pub(crate) open: Open,
    pub(crate) name: Buffer,
    pub(crate) serves_hidden: bool,
    pub(crate) followed: Option<Followed>,
}

/// Nothing is.
#[inline(always)]
pub(crate) const fn lists(_rules: &Rules<'_>) -> bool {
    false
}

/// Never asked.
pub(crate) fn answer(exchange: &Exchange<'_>, _asked: Asked, _status: fn(Errno) -> u16) -> impl Future<Output = Response> {
    ready(refusal(exchange, 404))
}
