//! The site switches no protocols (feature `proxy-upgrade` is off): there are no tunnels.

use std::{
    convert::Infallible,
    io,
    marker::PhantomData,
    task::{Context, Poll},
    time::Duration,
};

/// There is none.
#[derive(Debug)]
pub(crate) enum Opened {}

/// There is none: an option of it takes no room and is known to be empty.
#[derive(Debug)]
pub(crate) enum Kept<T> {
    #[expect(dead_code, reason = "there is none")]
    Never(Infallible, PhantomData<T>),
}

impl<T> Kept<T> {
    pub(crate) fn parts(&mut self) -> (&mut Opened, &mut T) {
        let Self::Never(never, _) = self;
        match *never {}
    }
}

impl Opened {
    pub(crate) fn keep<T>(self, _state: T) -> Kept<T> {
        match self {}
    }

    pub(crate) fn poll_receive(&mut self, _context: &mut Context<'_>, _room: &mut [u8]) -> Poll<io::Result<usize>> {
        match *self {}
    }

    pub(crate) fn poll_send(&mut self, _context: &mut Context<'_>, _bytes: &[u8]) -> Poll<io::Result<usize>> {
        match *self {}
    }

    pub(crate) fn poll_shutdown(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }

    pub(crate) fn idle(&self) -> Option<Duration> {
        match *self {}
    }
}
