//! Heads of files from a root, and the validators in them.
//!
//! The entity tag is strong: `"SECONDS-NANOSECONDS-SIZE"` of the last modification, hexadecimal, without the inode, so that copies on several hosts agree when their times do.
//! It presumes, as every server of files does, that a file which changes gets another time or size.

use rustix::fs::Stat;
use semantics::{
    conditional::{self, Verdict},
    date,
    head::Head,
    mime,
    ranges::{self, Ranged},
};

use crate::{buffer::Buffer, clock};

/// What tells one state of a file from another.
#[derive(Debug)]
pub(super) struct Validators {
    /// With its quotes.
    etag: Buffer,
    /// Seconds since the epoch, never in the future (RFC 9110 §8.8.2.1); `None` before the epoch.
    modified: Option<u64>,
}

impl Validators {
    pub(super) fn of(stat: &Stat) -> Self {
        let mut etag = Buffer::take();
        etag.push(b'"');
        etag.push_hex(stat.st_mtime.cast_unsigned());
        etag.push(b'-');
        etag.push_hex(stat.st_mtime_nsec);
        etag.push(b'-');
        etag.push_hex(stat.st_size.cast_unsigned());
        etag.push(b'"');
        Self { etag, modified: u64::try_from(stat.st_mtime).ok().map(clock::not_after_now) }
    }

    pub(super) fn evaluate(&self, head: &Head<'_>) -> Verdict {
        conditional::evaluate(head, self.modified_at(self.modified))
    }

    /// What a request whose conditions let it proceed asks for of `bytes`.
    pub(super) fn ranged(&self, head: &Head<'_>, bytes: u64) -> Ranged {
        // Within the second of its last modification a file may change again without another date.
        let modified = self.modified.filter(|modified| clock::not_after_now(modified.saturating_add(1)) > *modified);
        match conditional::is_range_current(head, self.modified_at(modified)) {
            true => ranges::requested(head, bytes),
            false => Ranged::Whole,
        }
    }

    fn modified_at(&self, modified: Option<u64>) -> conditional::Validators<'_> {
        conditional::Validators { etag: str::from_utf8(&self.etag).ok(), modified }
    }

    /// `etag` and `last-modified`.
    fn push_fields(&self, buffer: &mut Buffer) {
        buffer.extend_from_slice(b"etag: ");
        buffer.extend_from_slice(&self.etag);
        buffer.extend_from_slice(b"\r\n");
        if let Some(modified) = self.modified {
            let mut text = [0; 29];
            date::write(modified, &mut text);
            buffer.extend_from_slice(b"last-modified: ");
            buffer.extend_from_slice(&text);
            buffer.extend_from_slice(b"\r\n");
        }
    }
}

/// The head of a 200 with `bytes` of body.
pub(super) fn full(name: &[u8], bytes: u64, validators: &Validators) -> Buffer {
    let mut buffer = Buffer::take();
    buffer.push_status_line(200);
    buffer.push_field("content-type", mime::content_type_of(name));
    buffer.push_number_field("content-length", bytes);
    buffer.push_field("accept-ranges", "bytes");
    validators.push_fields(&mut buffer);
    buffer
}

/// The head of a 304: the validators that the 200 would have (RFC 9110 §15.4.5).
pub(super) fn not_modified(validators: &Validators) -> Buffer {
    let mut buffer = Buffer::take();
    buffer.push_status_line(304);
    validators.push_fields(&mut buffer);
    buffer
}
