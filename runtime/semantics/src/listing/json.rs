//! A listing as JSON for programs: one object, valid whatever the names are.
//!
//! `{"path":"/pub/","directories":1,"files":1,"bytes":12,"truncated":false,"entries":[{"name":"a","href":"./a","kind":"file","bytes":12,"modified":"..."}]}`.
//! A name that is no UTF-8 has U+FFFD in it; its `href` is exact.

use super::{Kind, Listing, html::Total, text};
use crate::date;

/// Appends the object and a line feed. Bounded as [`super::html`] is.
pub(super) fn json(listing: &Listing<'_>, out: &mut Vec<u8>) {
    let Total { directories, files, bytes } = Total::of(listing);
    let mut path = vec![b'/'];
    for part in [listing.above, listing.name].into_iter().filter(|part| !part.is_empty()) {
        path.extend_from_slice(part);
        path.push(b'/');
    }
    push(out, "{\"path\":");
    text::push_json(&path, out);
    push(
        out,
        &format!(",\"directories\":{directories},\"files\":{files},\"bytes\":{bytes},\"truncated\":{},\"entries\":[", listing.is_truncated),
    );
    for (at, entry) in listing.entries.iter().enumerate() {
        push(out, if at == 0 { "\n{\"name\":" } else { ",\n{\"name\":" });
        text::push_json(entry.name, out);
        push(out, ",\"href\":\"");
        text::push_href(entry.name, entry.kind == Kind::Directory, out);
        match entry.kind {
            Kind::Directory => push(out, "\",\"kind\":\"directory\""),
            Kind::File(bytes) => push(out, &format!("\",\"kind\":\"file\",\"bytes\":{bytes}")),
        }
        if let Some(seconds) = entry.modified {
            let mut moment = [0; 20];
            date::write_rfc3339(seconds, &mut moment);
            push(out, ",\"modified\":\"");
            out.extend_from_slice(&moment);
            push(out, "\"");
        }
        push(out, "}");
    }
    push(out, "\n]}\n");
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
