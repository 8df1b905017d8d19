//! `tunnel`: what follows a 101 (RFC 9110 §7.8): bytes both ways, until both ends have nothing more to say (feature `proxy-upgrade`; without it
//! `tunnel/absent.rs` stands here).
//!
//! Whoever has asked the other end to switch gives a [`Tunnel`]; an engine moves the bytes, with its own bounds, deadlines and records.

use std::{
    fmt::Debug,
    io,
    task::{Context, Poll},
    time::Duration,
};

use crate::buffer::Buffer;

/// The other end. When it is dropped, its connection is closed.
pub(crate) trait Tunnel: Debug {
    /// Fills `room` from its front with what has come from the other end, and gives how many bytes; 0: it sends no more. What came with its head comes first.
    fn poll_receive(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Sends of `bytes`, which are not none, what the other end takes, and gives how many.
    fn poll_send(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;

    /// Tells the other end that nothing more comes. It may go on sending.
    fn poll_shutdown(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// For so long no byte may move in either direction; `None`: for ever.
    fn idle(&self) -> Option<Duration>;
}

/// A 101 and what is behind it.
#[derive(Debug)]
pub struct Switched {
    head: Buffer,
    has_date: bool,
    opened: Option<Opened>,
}

/// A tunnel that is to be served.
#[derive(Debug)]
pub(crate) struct Opened(Box<dyn Tunnel>);

/// A tunnel with what an engine keeps for it; small where there is none.
#[derive(Debug)]
pub(crate) struct Kept<T>(Box<(Opened, T)>);

impl<T> Kept<T> {
    /// Both of it.
    pub(crate) fn parts(&mut self) -> (&mut Opened, &mut T) {
        let (opened, state) = &mut *self.0;
        (opened, state)
    }
}

impl Switched {
    /// `head` is as [`crate::response::Response::head_lines`] has it, `upgrade` among its lines.
    pub(crate) fn new(head: Buffer, tunnel: Box<dyn Tunnel>) -> Self {
        Self { head, has_date: false, opened: Some(Opened(tunnel)) }
    }

    /// The same, where `date` may be among its lines.
    pub(crate) fn with_date(self, has_date: bool) -> Self {
        Self { has_date, ..self }
    }

    pub(crate) fn has_date(&self) -> bool {
        self.has_date
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        &self.head
    }

    /// Gives it once.
    pub(crate) fn open(&mut self) -> Option<Opened> {
        self.opened.take()
    }
}

impl Opened {
    pub(crate) fn keep<T>(self, state: T) -> Kept<T> {
        Kept(Box::new((self, state)))
    }

    pub(crate) fn poll_receive(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.poll_receive(context, room)
    }

    pub(crate) fn poll_send(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_send(context, bytes)
    }

    pub(crate) fn poll_shutdown(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_shutdown(context)
    }

    pub(crate) fn idle(&self) -> Option<Duration> {
        self.0.idle()
    }
}
