//! The site switches no protocols (feature `proxy-upgrade` is off): no upstream is asked to.

use std::time::Duration;

use crate::{
    buffer::{Buffer, Chunk},
    response::Response,
    upstream::{Connection, Lease},
};

/// Nobody has asked for this.
pub(crate) fn response(_lines: (Buffer, bool), _early: Option<Chunk>, _end: (Connection, Lease), _idle: Duration) -> Response {
    Response::Abort
}
