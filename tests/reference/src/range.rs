//! `Range`: which bytes of a file a GET asks for. Written for what comes to one part at most: how several are put together is pinned elsewhere.

use std::collections::BTreeSet;

use crate::Seen;

/// The offsets of the bytes that are asked for; `None`: all, without a range.
pub fn asked(seen: &Seen<'_>, etag: &str, length: usize) -> Option<BTreeSet<usize>> {
    let values: Vec<&str> = seen.lines("range").collect();
    let [value] = values[..] else { return None };
    if seen.request.method != "GET" || seen.lines("if-range").any(|tag| tag != etag) {
        return None;
    }
    let mut offsets = BTreeSet::new();
    for member in value.strip_prefix("bytes=")?.split(',') {
        let (first, last) = member.trim().split_once('-')?;
        match (first.parse::<usize>(), last.parse::<usize>()) {
            (Ok(first), Ok(last)) if first > last => return None,
            (Ok(first), Ok(last)) => offsets.extend(first..length.min(last + 1)),
            (Ok(first), Err(_)) if last.is_empty() => offsets.extend(first..length),
            // The last bytes of nothing are nothing, and nothing is a whole file here.
            (Err(_), Ok(1..)) if first.is_empty() && length == 0 => return None,
            (Err(_), Ok(last)) if first.is_empty() => offsets.extend(length.saturating_sub(last)..length),
            _ => return None,
        }
    }
    Some(offsets)
}
