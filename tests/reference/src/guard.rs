//! `when`, walked as it is written.

use kiln::model::{Guard, Map, Text};
use regex::Regex;
use semantics::{guard::Protocol, method::Method};

use crate::{Seen, client, path, template};

/// Whether a guard holds. The named groups of its regexes become parameters, also where it does not hold: the caller takes them away.
pub fn holds(guard: &Guard, seen: &mut Seen<'_>) -> bool {
    match guard {
        Guard::All(parts) => parts.iter().all(|part| holds(part, seen)),
        Guard::Any(parts) => parts.iter().any(|part| holds(part, seen)),
        Guard::ClientIp(networks) => networks.iter().any(|network| client::holds(*network, seen.client)),
        Guard::Cookie { name, values } => seen.cookies(name).any(|found| is_wanted(found.as_bytes(), values, seen)),
        Guard::Extension(wanted) => has_extension(&seen.path, wanted),
        Guard::Header { name, values } => seen.lines(name).any(|line| is_wanted(line.as_bytes(), values, seen)),
        Guard::Host(patterns) => patterns.iter().any(|pattern| *pattern == seen.host || path::is_below(&seen.host, pattern)),
        Guard::Map(name) => row(map(seen, name), seen).is_some(),
        Guard::Method(methods) => methods.contains(Method::parse(seen.request.method.as_bytes())),
        Guard::Not(inner) => !holds(inner, seen),
        Guard::Path(patterns) => patterns.iter().any(|pattern| path::matched(pattern, &seen.path).is_some()),
        // Tests speak HTTP/1.1.
        Guard::Protocol(protocols) => protocols.contains(&Protocol::H1),
        Guard::Query { name, values } => seen.query_values(name).any(|value| is_wanted(&template::decoded(value), values, seen)),
        Guard::Regex(regex) => {
            let compiled = Regex::new(&regex.text).expect("it was built");
            let path = seen.path.clone();
            let Some(found) = compiled.captures(&path) else { return false };
            let groups = regex.groups.iter().map(|name| (name.clone(), found.name(name).map_or("", |group| group.as_str()).to_owned()));
            seen.parameters.extend(groups);
            true
        }
    }
}

/// No value: presence is enough.
fn is_wanted(found: &[u8], values: &[Text], seen: &Seen<'_>) -> bool {
    values.is_empty() || values.iter().any(|value| seen.text(value).as_bytes() == found)
}

/// Of the last segment; `a.tar.gz` has the extensions `gz` and `tar.gz`.
fn has_extension(path: &str, wanted: &[String]) -> bool {
    let segment = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    match wanted {
        [] => segment.rsplit_once('.').is_some_and(|(_, extension)| !extension.is_empty()),
        wanted => wanted.iter().any(|extension| segment.ends_with(&format!(".{}", extension.to_ascii_lowercase()))),
    }
}

/// The map of a name.
pub fn map<'s>(seen: &Seen<'s>, name: &str) -> &'s Map {
    seen.site.maps.iter().find(|map| map.name == name).expect("the compiler knows it")
}

/// The value of the row that a request has in a map.
pub fn row<'m>(map: &'m Map, seen: &Seen<'_>) -> Option<&'m str> {
    let key = template::rendered(&map.from, seen, 0, false);
    map.rows.iter().find(|(row, _)| row.as_bytes() == key).map(|(_, value)| value.as_str())
}
