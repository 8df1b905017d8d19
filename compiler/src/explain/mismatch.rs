//! Why a pattern does not take a path, for people.

use semantics::pattern::{self, Captures};

/// The first thing that keeps `pattern` from taking `path`, if they begin with the same literal segment; `None` where it takes it or is far from it.
pub(super) fn near(pattern: &str, path: &str) -> Option<String> {
    if pattern::matches(pattern, path, &mut Captures::default()) {
        return None;
    }
    let mut wanted = pattern.trim_start_matches('/').split('/');
    let mut given = path.trim_start_matches('/').split('/');
    if wanted.next() != given.next() {
        return None;
    }
    loop {
        match (wanted.next(), given.next()) {
            (Some(wanted), Some(given)) if is_taken(wanted, given) => {}
            (Some(wanted), Some("")) if wanted.starts_with('{') => return Some(format!("the segment for `{wanted}` is empty")),
            (Some(""), Some(given)) => return Some(format!("the path goes on with `{given}`")),
            (Some(wanted), Some("")) => return Some(format!("the path ends before `{wanted}`")),
            (Some(wanted), Some(given)) => return Some(format!("segment `{given}` is not `{wanted}`")),
            (Some(""), None) => return Some("the path has no last slash".to_owned()),
            (Some(wanted), None) => return Some(format!("the path ends before `{wanted}`")),
            (None, Some("")) => return Some("the path has a last slash".to_owned()),
            (None, Some(given)) => return Some(format!("the path goes on with `{given}`")),
            (None, None) => return None,
        }
    }
}

fn is_taken(wanted: &str, given: &str) -> bool {
    wanted == given || (wanted.starts_with('{') && !given.is_empty())
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn near_names_the_first_difference() {
        for (pattern, path, expected) in [
            ("/api/upload", "/api/v1", Some("segment `v1` is not `upload`")),
            ("/api/upload", "/api", Some("the path ends before `upload`")),
            ("/api/", "/api", Some("the path has no last slash")),
            ("/api", "/api/", Some("the path has a last slash")),
            ("/api", "/api/v1", Some("the path goes on with `v1`")),
            ("/api/{id}", "/api/", Some("the segment for `{id}` is empty")),
            ("/other", "/api", None),
            ("/api/*", "/api/v1", None),
        ] {
            assert_eq!(near(pattern, path).as_deref(), expected, "{pattern} {path}");
        }
    }
}
