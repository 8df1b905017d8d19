//! The normal form of paths and hosts, and how patterns take paths: by splitting at every slash.

/// The normal form of a raw path; `None` where it has none.
pub fn normal(raw: &str) -> Option<String> {
    let segments = raw.strip_prefix('/')?.split('/').map(unescaped).collect::<Option<Vec<_>>>()?;
    let mut kept = Vec::new();
    for segment in &segments {
        match segment.as_str() {
            ".." => drop(kept.pop()?),
            "" | "." => {}
            name => kept.push(name),
        }
    }
    kept.extend(segments.last().filter(|last| matches!(last.as_str(), "" | "." | "..")).map(|_| ""));
    Some(format!("/{}", kept.join("/")))
}

/// Escapes of unreserved characters decoded, others upper-cased; what may not stand in a path but is visible becomes one. Dots are never encoded.
fn unescaped(part: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = part;
    while let Some(first) = rest.chars().next() {
        let hex = (first == '%').then(|| rest.get(1..3).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())));
        let byte = match hex {
            Some(hex) => u8::from_str_radix(hex?, 16).ok()?,
            None => u8::try_from(first).ok().filter(|byte| byte.is_ascii_graphic() && *byte != b'\\')?,
        };
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (hex.is_none() && b"!$&'()*+,;=:@".contains(&byte));
        match byte {
            0 => return None,
            _ if is_plain => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        rest = &rest[if hex.is_some() { 3 } else { 1 }..];
    }
    let is_hidden_dots = part.contains('%') && out.bytes().all(|byte| byte == b'.');
    (!is_hidden_dots).then_some(out)
}

/// Lower case, without port and trailing dot.
pub fn host(field: &str) -> String {
    let name = field.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit())).map_or(field, |(name, _)| name);
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// The port that was sent with a host.
pub fn port(field: &str) -> Option<&str> {
    let (_, port) = field.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(port)
}

/// `*.example` takes one or more labels before `.example`, and not `example`.
pub fn is_below(host: &str, wildcard: &str) -> bool {
    wildcard.strip_prefix('*').is_some_and(|suffix| host.len() > suffix.len() && host.ends_with(suffix))
}

/// How a pattern takes a path in normal form: the texts of its parameters, and whether the path is the prefix of its rest without the slash.
pub fn matched(pattern: &str, path: &str) -> Option<(Vec<String>, bool)> {
    taken(&pattern.split('/').collect::<Vec<_>>(), &path.split('/').collect::<Vec<_>>())
}

fn taken(wanted: &[&str], given: &[&str]) -> Option<(Vec<String>, bool)> {
    match (wanted, given) {
        ([], []) => Some((Vec::new(), false)),
        ([rest], given) if is_rest(rest) => Some((vec![given.join("/")], given.is_empty())),
        ([want, wanted @ ..], [give, given @ ..]) if want == give => taken(wanted, given),
        ([want, wanted @ ..], [give, given @ ..]) if want.starts_with('{') && !is_rest(want) && !give.is_empty() => {
            let (mut texts, is_bare) = taken(wanted, given)?;
            texts.insert(0, (*give).to_owned());
            Some((texts, is_bare))
        }
        _ => None,
    }
}

/// Sorts patterns best first, segment by segment: a literal (all below 0x7F), a parameter, a rest; a shorter one before the one that goes on.
pub fn rank(pattern: &str) -> Vec<&str> {
    let segment = |segment| if is_rest(segment) { "\u{7f}2" } else { segment };
    pattern.split('/').map(|text| if text.starts_with('{') && !is_rest(text) { "\u{7f}1" } else { segment(text) }).collect()
}

/// `*` or `{name*}`.
pub fn is_rest(segment: &str) -> bool {
    segment == "*" || segment.ends_with("*}")
}
