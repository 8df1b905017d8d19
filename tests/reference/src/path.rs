//! The normal form of paths and hosts, and how patterns take paths: by splitting at every slash.

/// The normal form of a raw path; `None` where it has none.
pub fn normal(raw: &str) -> Option<String> {
    let merged: Vec<&str> = raw.strip_prefix('/')?.split('/').collect();
    let mut kept: Vec<String> = Vec::new();
    for (position, part) in merged.iter().enumerate() {
        let segment = unescaped(part)?;
        let is_dots = !segment.is_empty() && segment.bytes().all(|byte| byte == b'.');
        match segment.as_str() {
            _ if is_dots && part.contains('%') => return None,
            ".." => drop(kept.pop()?),
            "" | "." => {}
            _ => {
                kept.push(segment);
                continue;
            }
        }
        if position + 1 == merged.len() {
            kept.push(String::new());
        }
    }
    Some(format!("/{}", kept.join("/")))
}

/// Escapes of unreserved characters decoded, others upper-cased.
fn unescaped(part: &str) -> Option<String> {
    let mut pieces = part.split('%');
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        let hex = piece.get(..2).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        match u8::from_str_radix(hex, 16).ok()? {
            0 => return None,
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => out.push(byte.into()),
            _ => out.push_str(&format!("%{}", hex.to_ascii_uppercase())),
        }
        out.push_str(&piece[2..]);
    }
    let is_raw_valid = part.chars().all(|raw| (' '..='~').contains(&raw) && raw != '\\');
    is_raw_valid.then_some(out)
}

/// Lower case, without port and trailing dot.
pub fn host(field: &str) -> String {
    let port = field.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = port.map_or(field, |(name, _)| name);
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// `*.example` takes one or more labels before `.example`, and not `example`.
pub fn is_below(host: &str, wildcard: &str) -> bool {
    wildcard.strip_prefix('*').is_some_and(|suffix| host.len() > suffix.len() && host.ends_with(suffix))
}

/// Whether a pattern takes a path in normal form: the texts of its parameters, and whether the path is the prefix of its rest without the slash.
pub fn matched(pattern: &str, path: &str) -> Option<(Vec<String>, bool)> {
    let segments = |text: &str| text.split('/').skip(1).map(str::to_owned).collect::<Vec<_>>();
    taken(&segments(pattern), &segments(path))
}

fn taken(wanted: &[String], given: &[String]) -> Option<(Vec<String>, bool)> {
    match (wanted, given) {
        ([], []) => Some((Vec::new(), false)),
        ([rest], given) if kind(rest) == REST => Some((vec![given.join("/")], given.is_empty())),
        ([want, wanted @ ..], [give, given @ ..]) => {
            let is_parameter = kind(want) == PARAMETER && !give.is_empty();
            let (mut texts, is_bare) = (is_parameter || want == give).then(|| taken(wanted, given))??;
            if is_parameter {
                texts.insert(0, give.clone());
            }
            Some((texts, is_bare))
        }
        _ => None,
    }
}

/// Sorts patterns best first: a literal, a parameter, a rest, segment by segment; a shorter one before the one that goes on.
pub fn rank(pattern: &str) -> Vec<(u8, &str)> {
    pattern.split('/').skip(1).map(|segment| (kind(segment), if kind(segment) == LITERAL { segment } else { "" })).collect()
}

const LITERAL: u8 = 0;
const PARAMETER: u8 = 1;
const REST: u8 = 2;

fn kind(segment: &str) -> u8 {
    match segment.strip_prefix('{') {
        _ if segment == "*" => REST,
        Some(name) if name.ends_with("*}") => REST,
        Some(_) => PARAMETER,
        None => LITERAL,
    }
}
