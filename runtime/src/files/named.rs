//! A file that something else than the request's path names: an upstream, by a field of its answer (X-Accel-Redirect).

use std::sync::Arc;

use rustix::io::Errno;
use semantics::files;

use super::{
    Root, answer,
    found::{self, Found, Sought},
    open::Unopened,
    pinned, status,
};
use crate::{buffer::Buffer, builtin::refusal, exchange::Exchange, later::Later, response::Response, step::Step};

/// Answers with the file of that path below the root, in normal form; 404 where it is none. No other name is tried: a directory has no index here.
pub fn named<'a>(exchange: Exchange<'a>, root: &'static Root, path: &str) -> Step<'a> {
    let mut name = Buffer::take();
    let below = path.strip_prefix('/').unwrap_or(path);
    if below.is_empty() || below.ends_with('/') || !files::name(below, &root.rules, &mut name) {
        return Step::Ready(refusal(&exchange, 404));
    }
    if let Some(file) = found::kept(root, &name) {
        return Step::Ready(answer(&exchange, file));
    }
    let directory = match pinned::directory(root) {
        Ok(directory) => directory,
        Err(error) => return Step::Ready(refusal(&exchange, status(error))),
    };
    match (Sought { root, directory: &directory, name: &name }).look() {
        Err(Unopened::Errno(error)) => Step::Ready(answered(&exchange, Err(error))),
        Err(Unopened::NotCached) => Step::Later(Later::new(async move {
            let found = Sought::look_in_pool(root, Arc::clone(&directory), name).await;
            answered(&exchange, found)
        })),
        Ok(found) => Step::Ready(answered(&exchange, Ok(found))),
    }
}

fn answered(exchange: &Exchange<'_>, found: Result<Found, Errno>) -> Response {
    match found {
        Ok(Found::File(file)) => answer(exchange, file),
        Ok(Found::Directory | Found::Other) => refusal(exchange, 404),
        Err(error) => refusal(exchange, status(error)),
    }
}
