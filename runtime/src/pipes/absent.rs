//! The site proxies nothing (feature `proxy` is off): no body goes from one socket to another.

use std::{convert::Infallible, io, marker::PhantomData, os::fd::AsFd};

/// There is none.
#[derive(Clone, Copy, Debug)]
pub struct Outlet<'a> {
    never: Infallible,
    pipe: PhantomData<&'a ()>,
}

impl Outlet<'_> {
    pub(crate) fn send(&self, _socket: &impl AsFd, _bytes: usize) -> io::Result<usize> {
        match self.never {}
    }
}
