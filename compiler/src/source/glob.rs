//! The patterns of `include`: `*` stands for any bytes of one path component, a leading dot only for itself. Results are sorted.

use std::path::{Path, PathBuf};

use super::list;

/// Whether `pattern` can name more than one file.
pub fn is_pattern(pattern: &str) -> bool {
    pattern.contains('*')
}

/// The paths a pattern names, relative patterns below `directory`; in the order of their components' bytes.
pub fn expand(directory: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![if pattern.starts_with('/') { PathBuf::from("/") } else { directory.to_path_buf() }];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|base| step(base, part)).collect();
    }
    found
}

fn step(base: &Path, part: &str) -> Vec<PathBuf> {
    if !is_pattern(part) {
        return vec![base.join(part)];
    }
    let names = list(base).into_iter();
    names.filter(|name| part.starts_with('.') == name.starts_with('.') && takes(part, name)).map(|name| base.join(name)).collect()
}

/// Whether `name` is taken by `pattern`, where `*` stands for any bytes.
fn takes(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn pattern_with_stars_takes_names() {
        assert!(takes("*.kdl", "a.kdl"));
        assert!(takes("*", ""));
        assert!(takes("a*b*c", "a1b2c"));
        assert!(takes("a*bc", "abcbc"));
        assert!(!takes("*.kdl", "a.kdl.bak"));
        assert!(!takes("a*b*c", "acb"));
        assert!(!takes("ab*ba", "aba"));
    }
}
