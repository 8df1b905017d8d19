//! The site switches no protocols (feature `proxy-upgrade` is off): there are no tunnels.

use std::{
    io,
    task::{Context, Poll},
    time::Duration,
};

/// There is none.
#[derive(Debug)]
pub(crate) enum Opened {}

impl Opened {
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
