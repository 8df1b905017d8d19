//! Globs over names of files: `*.css`, `assets/*`, `**/*.min.js`.
//!
//! A glob without `/` is held against the last segment of a name, one with `/` against the whole name. `*` is any run of bytes but `/`, `?` is one byte but
//! `/`, a segment `**` is any number of segments, also none. Nothing else is special. Time is at most the product of both lengths.

/// Whether the glob takes the decoded, relative name.
pub fn matches(glob: &str, name: &[u8]) -> bool {
    let glob = glob.as_bytes();
    if glob.contains(&b'/') || glob == b"**" {
        return path(glob, name);
    }
    segment(glob, name.rsplit(|&byte| byte == b'/').next().unwrap_or_default())
}

/// Segment by segment. Where one does not fit, the last `**` takes one more: an earlier one need never take more, as any fit behind it serves as well.
fn path(glob: &[u8], name: &[u8]) -> bool {
    let (mut glob, mut name) = (Some(glob), Some(name));
    let mut last = None;
    loop {
        let fits = match (glob.map(first), name.map(first)) {
            (None, None) => return true,
            (Some((b"**", behind)), _) => {
                last = Some((behind, name));
                Some((behind, name))
            }
            (Some((wanted, behind)), Some((given, rest))) if segment(wanted, given) => Some((behind, rest)),
            (None | Some(_), _) => None,
        };
        (glob, name) = match (fits, last) {
            (Some(fits), _) => fits,
            (None, Some((behind, Some(rest)))) => {
                let rest = first(rest).1;
                last = Some((behind, rest));
                (behind, rest)
            }
            (None, Some((_, None)) | None) => return false,
        };
    }
}

/// The first segment and what is behind its slash.
fn first(path: &[u8]) -> (&[u8], Option<&[u8]>) {
    match path.iter().position(|&byte| byte == b'/') {
        None => (path, None),
        Some(at) => (path.get(..at).unwrap_or_default(), path.get(at + 1..)),
    }
}

/// Byte by byte, with `*` as `**` above.
fn segment(mut glob: &[u8], mut name: &[u8]) -> bool {
    let mut last = None;
    loop {
        (glob, name) = match (glob, name) {
            ([], []) => return true,
            ([b'*', behind @ ..], _) => {
                last = Some((behind, name));
                (behind, name)
            }
            ([wanted, behind @ ..], [given, rest @ ..]) if wanted == given || *wanted == b'?' => (behind, rest),
            _ => match last {
                Some((behind, [_, rest @ ..])) => {
                    last = Some((behind, rest));
                    (behind, rest)
                }
                Some((_, [])) | None => return false,
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glob_without_slash_takes_last_segments() {
        for (glob, name, expected) in [
            ("*.css", "a.css", true),
            ("*.css", "deep/er/a.css", true),
            ("*.css", "a.css.map", false),
            ("*.css", "a.css/b", false),
            ("*", "a/b", true),
            ("a?c", "x/abc", true),
            ("a?c", "ac", false),
            ("*-*.js", "app-1f.min.js", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "ababa", false),
            ("app.js", "app.js", true),
            ("app.js", "app_js", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(glob, name.as_bytes()), expected, "{glob} {name}");
        }
    }

    #[test]
    fn glob_with_slash_takes_whole_names() {
        for (glob, name, expected) in [
            ("assets/*", "assets/a.js", true),
            ("assets/*", "assets/x/a.js", false),
            ("assets/*", "x/assets/a.js", false),
            ("assets/**", "assets/x/y/a.js", true),
            ("assets/**", "assets", true),
            ("assets/**", "assetsx", false),
            ("**/*.css", "a.css", true),
            ("**/*.css", "x/y/a.css", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**/z", "a/b/c/y", false),
            ("**/b/**/d", "a/b/c/b/x/d", true),
            ("**/b/*/d", "b/x/b/y/d", true),
            ("**/a/*", "a/a", true),
            ("**", "any/thing", true),
            ("a/?", "a//", false),
        ] {
            assert_eq!(matches(glob, name.as_bytes()), expected, "{glob} {name}");
        }
    }

    #[test]
    fn glob_of_many_stars_ends_soon() {
        // Exponential backtracking would not end in the life of this test.
        let glob = format!("{}b", "*a".repeat(200));
        assert!(!matches(&glob, "a".repeat(2000).as_bytes()));
        let glob = format!("{}b", "**/a/".repeat(100));
        assert!(!matches(&glob, "a/".repeat(1000).as_bytes()));
    }
}
