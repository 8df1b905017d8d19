//! Values in the words of the site language: durations, sizes, methods, templates, guards, header edits.

use std::time::Duration;

use semantics::{edits, method::Method};

use crate::{
    model::Text,
    plan::{Edit, Guard, Part},
};

/// Longest text that is shown whole, bytes.
const TEXT_MAX: usize = 80;

/// A value that the language gave and not the site has a dot behind it.
pub fn mark(text: &str, is_default: bool) -> String {
    format!("{text}{}", if is_default { "." } else { "" })
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

/// Text between quotes, escaped as KDL does; a long one is cut and says how long it is.
pub fn quoted(text: &str) -> String {
    if text.len() <= TEXT_MAX {
        return format!("\"{}\"", escaped(text));
    }
    let cut = (0..=TEXT_MAX - 20).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("\"{}...\" {} in all", escaped(&text[..cut]), size(text.len() as u64))
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
            control if control.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(control))),
            other => out.push(other),
        }
    }
    out
}

/// A template as it is written; `parameters` are the names of its pattern's.
pub fn template(parts: &[Part], parameters: &[Option<String>]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(&text.replace('{', "{{").replace('}', "}}")),
            Part::ClientIp => out.push_str("{client-ip}"),
            Part::Header(name) => out.push_str(&format!("{{header.{name}}}")),
            Part::Host => out.push_str("{host}"),
            Part::Method => out.push_str("{method}"),
            Part::Parameter(index) => {
                let name = parameters.get(usize::from(*index)).and_then(Option::as_deref);
                out.push_str(&format!("{{{}}}", name.unwrap_or("*")));
            }
            Part::Path => out.push_str("{path}"),
            Part::Query => out.push_str("{query}"),
            Part::QueryValue(name) => out.push_str(&format!("{{query.{name}}}")),
            Part::Scheme => out.push_str("{scheme}"),
            Part::Status => out.push_str("{status}"),
            Part::Target => out.push_str("{target}"),
        }
    }
    out
}

/// A guard on one line: several of `any` and nested ones between parentheses.
pub fn guard(guard: &Guard) -> String {
    match guard {
        Guard::All(guards) => joined(guards, " and "),
        Guard::Any(guards) => joined(guards, " or "),
        Guard::Header { name, values } => with_values(&format!("header {name}"), &known(values)),
        Guard::Host(hosts) => with_values("host", hosts),
        Guard::Method(wanted) => format!("method {}", methods(*wanted)),
        Guard::Not(inner) => format!("not {}", nested(inner)),
        Guard::Path(patterns) => with_values("path", patterns),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => unreachable!("resolve gives none of these yet"),
    }
}

fn known(values: &[Text]) -> Vec<String> {
    values.iter().filter_map(Text::known).map(str::to_owned).collect()
}

fn joined(guards: &[Guard], word: &str) -> String {
    guards.iter().map(nested).collect::<Vec<_>>().join(word)
}

fn nested(inner: &Guard) -> String {
    match inner {
        Guard::All(_) | Guard::Any(_) => format!("({})", guard(inner)),
        Guard::Header { .. } | Guard::Host(_) | Guard::Method(_) | Guard::Not(_) | Guard::Path(_) => guard(inner),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => guard(inner),
    }
}

fn with_values(word: &str, values: &[String]) -> String {
    values.iter().fold(word.to_owned(), |text, value| format!("{text} {}", quoted(value)))
}

/// One header edit: `+ name "value"` for set, with its word behind for `add` and `default`; `- name` for remove.
pub fn edit(edit: &Edit, parameters: &[Option<String>]) -> String {
    let value = || quoted(&template(&edit.value, parameters));
    let mut text = match edit.action {
        edits::Action::Add => format!("+ {} {}  add", edit.name, value()),
        edits::Action::Default => format!("+ {} {}  default", edit.name, value()),
        edits::Action::Remove => format!("- {}", edit.name),
        edits::Action::Set => format!("+ {} {}", edit.name, value()),
    };
    if !edit.only.is_empty() {
        let statuses: Vec<_> = edit.only.iter().map(u16::to_string).collect();
        text.push_str(&format!("  only {}", statuses.join(" ")));
    }
    text
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
    fn quoted_escapes_and_cuts() {
        assert_eq!(quoted("a\"\n\u{1}"), "\"a\\\"\\n\\u{1}\"");
        assert_eq!(quoted(&"x".repeat(1024)), format!("\"{}...\" 1KiB in all", "x".repeat(60)));
    }

    #[test]
    fn guard_nests_with_parentheses() {
        let header = Guard::Header { name: "x-a".to_owned(), values: vec![Text::Known("1".to_owned())] };
        let any = Guard::Any(vec![header.clone(), Guard::Host(vec!["*.example".to_owned()])]);
        let all = Guard::All(vec![header, Guard::Not(Box::new(any))]);
        assert_eq!(guard(&all), "header x-a \"1\" and not (header x-a \"1\" or host \"*.example\")");
    }
}
