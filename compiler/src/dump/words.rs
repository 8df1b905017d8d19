//! Values in the words of the site language: durations, sizes, methods, templates, guards, header edits.

use std::time::Duration;

use semantics::{edits, guard::Protocol, method::Method};

use crate::{
    fingerprint,
    plan::{Defaulted, Edit, Guard, LateId, LogPart, MapId, Part, Plan, Route, Value, Vhost},
};

/// Longest body that is shown whole, bytes.
const BODY_MAX: usize = 80;
/// Digits of a hash that stand for content too long to show.
const HASH_DIGITS: usize = 16;

/// A value that the language gave and not the site has a dot behind it.
pub fn mark(text: &str, is_default: bool) -> String {
    format!("{text}{}", if is_default { "." } else { "" })
}

/// A status, marked where nobody said it.
pub fn status(status: Defaulted<u16>) -> String {
    mark(&status.value.to_string(), status.is_default)
}

/// In the largest unit that leaves no fraction: `90s`, `1m`, `1500ms`.
pub fn duration(duration: Duration) -> String {
    const UNITS: [(u128, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let milliseconds = duration.as_millis();
    let unit = UNITS.iter().find(|(unit, _)| milliseconds >= *unit && milliseconds.is_multiple_of(*unit));
    unit.map_or_else(|| "0s".to_owned(), |(unit, name)| format!("{}{name}", milliseconds / unit))
}

/// Bytes in the largest unit that leaves no fraction: `32KiB`, `1500B`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes}B"), |(unit, name)| format!("{}{name}", bytes / unit))
}

/// Bytes for the eye: `18.4MiB`.
pub fn rough_size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| bytes >= *unit) else { return format!("{bytes}B") };
    // In tenths, rounded down: integers alone, so that it is the same everywhere.
    let tenths = u128::from(bytes) * 10 / u128::from(*unit);
    format!("{}.{}{name}", tenths / 10, tenths % 10)
}

/// `GET HEAD`; `*` for any.
pub fn methods(methods: semantics::method::Methods) -> String {
    if methods.is_any() {
        return "*".to_owned();
    }
    methods.iter().filter_map(Method::name).collect::<Vec<_>>().join(" ")
}

/// Text between quotes, escaped as KDL does.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A body between quotes; a long one is cut and says how long it is and what it hashes to, so that no change of it goes unseen.
pub fn body(text: &str) -> String {
    if text.len() <= BODY_MAX {
        return quoted(text);
    }
    let cut = (0..=BODY_MAX - 20).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("\"{}...\" {} {}", escaped(&text[..cut]), size(text.len() as u64), hash(text.as_bytes()))
}

/// `sha256 9f2c41d0a1b2c3d4`: content that the plan does not show.
pub fn hash(content: &[u8]) -> String {
    let mut digits = fingerprint::sha256(content);
    digits.truncate(HASH_DIGITS);
    format!("sha256 {digits}")
}

/// A path on one line: what would break or turn the line is escaped.
pub fn path(text: &str) -> String {
    escaped(text)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() || turns_text(control) => out.push_str(&format!("\\u{{{:x}}}", u32::from(control))),
            other => out.push(other),
        }
    }
    out
}

/// Letters that turn the direction of text, or end a line: a plan with them raw would read otherwise than it is.
const fn turns_text(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The names of the listeners that a vhost is on.
pub fn listeners(plan: &Plan, vhost: &Vhost) -> String {
    vhost.on.iter().map(|listener| plan.listeners[*listener].name.as_str()).collect::<Vec<_>>().join(" ")
}

/// `body 1MiB`.
pub fn body_limit(route: &Route) -> String {
    mark(&format!("body {}", size(route.body_limit.value)), route.body_limit.is_default)
}

/// What templates and guards are told with: the maps, regexes and late values of a plan by their names, and a route's parameters by theirs.
#[derive(Clone, Copy)]
pub struct Words<'p> {
    pub plan: &'p Plan,
    /// Names of the pattern's parameters.
    pub parameters: &'p [Option<String>],
}

impl Words<'_> {
    /// A template as it is written.
    pub fn template(&self, parts: &[Part]) -> String {
        parts.iter().map(|part| self.part(part)).collect()
    }

    fn part(&self, part: &Part) -> String {
        match part {
            Part::ClientIp => "{client-ip}".to_owned(),
            Part::Cookie(name) => format!("{{cookie.{name}}}"),
            Part::Header(name) => format!("{{header.{name}}}"),
            Part::Host => "{host}".to_owned(),
            Part::Late(id) => self.late(*id),
            Part::Map(id) => format!("{{map.{}}}", self.map(*id)),
            Part::Method => "{method}".to_owned(),
            Part::Parameter(index) => {
                let name = self.parameters.get(usize::from(*index)).and_then(Option::as_deref);
                format!("{{{}}}", name.unwrap_or("*"))
            }
            Part::Path => "{path}".to_owned(),
            Part::Query => "{query}".to_owned(),
            Part::QueryValue(name) => format!("{{query.{name}}}"),
            Part::RequestId => "{request-id}".to_owned(),
            Part::Scheme => "{scheme}".to_owned(),
            Part::Status => "{status}".to_owned(),
            Part::Target => "{target}".to_owned(),
            Part::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        }
    }

    /// The template of a log as it is written.
    pub fn log_template(&self, parts: &[LogPart]) -> String {
        parts.iter().map(|part| self.log_part(part)).collect()
    }

    fn log_part(&self, part: &LogPart) -> String {
        let name = match part {
            LogPart::Attempts => "{attempts}",
            LogPart::BodyBytes => "{bytes}",
            LogPart::Cause => "{cause}",
            LogPart::ConnectDuration => "{connect-duration}",
            LogPart::Duration => "{duration}",
            LogPart::Endpoint => "{endpoint}",
            LogPart::FirstByteDuration => "{first-byte-duration}",
            LogPart::Outcome => "{outcome}",
            LogPart::Protocol => "{protocol}",
            LogPart::ReceivedBytes => "{received-bytes}",
            LogPart::Route => "{route}",
            LogPart::SentBytes => "{sent-bytes}",
            LogPart::Template(part) => return self.part(part),
            LogPart::Time => "{time}",
            LogPart::TimeCommon => "{time-common}",
            LogPart::Upstream => "{upstream}",
            LogPart::UpstreamStatus => "{upstream-status}",
            LogPart::Vhost => "{vhost}",
            LogPart::WrittenTarget => "{written-target}",
        };
        name.to_owned()
    }

    /// A guard on one line: several of `any` and nested ones between parentheses.
    pub fn guard(&self, guard: &Guard) -> String {
        match guard {
            Guard::All(guards) => self.joined(guards, " and "),
            Guard::Any(guards) => self.joined(guards, " or "),
            Guard::ClientIp(networks) => networks.iter().fold("client-ip".to_owned(), |text, network| format!("{text} {network}")),
            Guard::Cookie { name, values } => self.with_values(&format!("cookie {name}"), values),
            Guard::Extension(extensions) => with_texts("extension", extensions),
            Guard::Header { name, values } => self.with_values(&format!("header {name}"), values),
            Guard::Host(hosts) => with_texts("host", hosts),
            Guard::Map(id) => format!("map {}", self.map(*id)),
            Guard::Method(wanted) => format!("method {}", methods(*wanted)),
            Guard::Not(inner) => format!("not {}", self.nested(inner)),
            Guard::Path(patterns) => with_texts("path", patterns),
            Guard::Protocol(protocols) => {
                protocols.iter().fold("protocol".to_owned(), |text, known| format!("{text} {}", protocol(*known)))
            }
            Guard::Query { name, values } => self.with_values(&format!("query {name}"), values),
            Guard::Regex(id) => format!("regex {}", quoted(&self.plan.regexes[id.0 as usize].text)),
        }
    }

    fn joined(&self, guards: &[Guard], word: &str) -> String {
        guards.iter().map(|inner| self.nested(inner)).collect::<Vec<_>>().join(word)
    }

    fn nested(&self, inner: &Guard) -> String {
        let is_several = matches!(inner, Guard::All(guards) | Guard::Any(guards) if guards.len() > 1);
        if is_several { format!("({})", self.guard(inner)) } else { self.guard(inner) }
    }

    fn with_values(&self, word: &str, values: &[Value]) -> String {
        let value = |value: &Value| match value {
            Value::Late(id) => self.late(*id),
            Value::Text(text) => quoted(text),
        };
        values.iter().fold(word.to_owned(), |text, written| format!("{text} {}", value(written)))
    }

    /// A text, or what it is called that is known on the host only.
    pub fn value(&self, value: &Value) -> String {
        match value {
            Value::Late(id) => self.late(*id),
            Value::Text(text) => path(text),
        }
    }

    fn late(&self, id: LateId) -> String {
        path(&self.plan.lates[id.0 as usize].source.to_string())
    }

    fn map(&self, id: MapId) -> &str {
        &self.plan.maps[id.0 as usize].name
    }

    /// One header edit: `+ name "value"` for set, with its word behind for `add` and `default`; `- name` for remove.
    pub fn edit(&self, edit: &Edit) -> String {
        let value = || quoted(&self.template(&edit.value));
        let mut text = match edit.action {
            edits::Action::Add => format!("+ {} {}  add", edit.name, value()),
            edits::Action::Default => format!("+ {} {}  default", edit.name, value()),
            edits::Action::Remove => format!("- {}", edit.name),
            edits::Action::Set => format!("+ {} {}", edit.name, value()),
        };
        for (word, statuses) in [("only", &edit.only), ("except", &edit.except)] {
            if !statuses.is_empty() {
                text.push_str(&statuses.iter().fold(format!("  {word}"), |text, status| format!("{text} {status}")));
            }
        }
        text
    }
}

fn with_texts(word: &str, texts: &[String]) -> String {
    texts.iter().fold(word.to_owned(), |line, text| format!("{line} {}", quoted(text)))
}

/// As `protocol` names it.
pub const fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::H1 => "h1",
        Protocol::H2 => "h2",
        Protocol::H3 => "h3",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_has_largest_whole_unit() {
        for (milliseconds, expected) in
            [(0, "0s"), (1_500, "1500ms"), (10_000, "10s"), (90_000, "90s"), (3_600_000, "1h"), (86_400_000, "1d")]
        {
            assert_eq!(duration(Duration::from_millis(milliseconds)), expected);
        }
    }

    #[test]
    fn size_has_largest_whole_unit() {
        for (bytes, expected) in [(0, "0B"), (1_500, "1500B"), (32 << 10, "32KiB"), (16 << 20, "16MiB"), (1 << 30, "1GiB")] {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(rough_size(19_293_798), "18.3MiB");
    }

    #[test]
    fn quoted_escapes_and_bodies_are_cut() {
        assert_eq!(quoted("a\"\n\u{1}"), "\"a\\\"\\n\\u{1}\"");
        assert_eq!(quoted("a\u{202e}b"), "\"a\\u{202e}b\"");
        assert_eq!(quoted(&"x".repeat(1024)), format!("\"{}\"", "x".repeat(1024)));
        assert_eq!(body(&"x".repeat(1024)), format!("\"{}...\" 1KiB {}", "x".repeat(60), hash(&[b'x'; 1024])));
    }
}
