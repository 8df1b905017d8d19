//! Diagnostics as a SARIF 2.1.0 log, which code-scanning pages read (OASIS sarif-v2.1.0; section numbers are its).
//!
//! Columns are UTF-16 code units (3.14.17), places are relative URIs below the repository's root, where kiln is expected to run.

use serde_json::{Value, json};

use super::{Code, Diagnostic, Diagnostics, Severity, code::Entry, place::Places};
use crate::source::{SourceMap, Span};

/// The log of one run. `entry` is the site file's path as the log shall show it; other files lie beside it.
pub fn sarif(diagnostics: &Diagnostics, sources: &SourceMap, entry: &str) -> Value {
    let mut log = Log { sources, entry, places: Places::new(sources), related_places: Places::new(sources) };
    let sorted = diagnostics.sorted();
    let results: Vec<Value> = sorted.iter().map(|diagnostic| log.result(diagnostic)).collect();
    let hidden = diagnostics.errors() + diagnostics.warnings() - results.len();
    let notifications: Vec<Value> = (hidden > 0)
        .then(|| json!({ "level": "warning", "message": { "text": format!("and {hidden} more, not shown") } }))
        .into_iter()
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "kiln",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Code::all().iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
            "results": results,
        }],
    })
}

/// What the page says about a code (3.49).
fn rule(entry: &Entry) -> Value {
    json!({
        "id": entry.code.to_string(),
        "shortDescription": { "text": entry.title },
        "fullDescription": { "text": entry.explanation.replace('\n', " ") },
        "help": { "text": entry.page() },
        "defaultConfiguration": { "level": level(entry.code) },
    })
}

fn level(code: Code) -> &'static str {
    match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

struct Log<'a> {
    sources: &'a SourceMap,
    entry: &'a str,
    places: Places<'a>,
    related_places: Places<'a>,
}

impl Log<'_> {
    /// One diagnostic (3.27).
    fn result(&mut self, diagnostic: &Diagnostic) -> Value {
        let location = match diagnostic.span {
            Some(span) => location(span, self.sources, self.entry, &mut self.places),
            None => json!({ "physicalLocation": { "artifactLocation": artifact(self.entry) } }),
        };
        let related: Vec<Value> = diagnostic.secondary.iter().zip(1..).map(|(label, id)| self.related(label, id)).collect();
        json!({
            "ruleId": diagnostic.code.to_string(),
            "ruleIndex": Code::all().iter().position(|entry| entry.code == diagnostic.code),
            "level": level(diagnostic.code),
            "message": { "text": text(diagnostic) },
            "locations": [location],
            "relatedLocations": related,
        })
    }

    fn related(&mut self, label: &super::Label, id: u32) -> Value {
        let mut related = location(label.span, self.sources, self.entry, &mut self.related_places);
        related["id"] = json!(id);
        related["message"] = json!({ "text": label.text });
        related
    }
}

/// Message, label, note and help as one text.
fn text(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.to_string();
    if !diagnostic.label.is_empty() {
        text += &format!(": {}", diagnostic.label);
    }
    if let Some(note) = &diagnostic.note {
        text += &format!("\nnote: {note}");
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("\nhelp: {help}");
    }
    text
}

fn location(span: Span, sources: &SourceMap, entry: &str, places: &mut Places<'_>) -> Value {
    let (start, end) = places.of(span);
    let path = beside(entry, &sources.source(span.file).name);
    json!({ "physicalLocation": {
        "artifactLocation": artifact(&path),
        "region": {
            "startLine": start.line,
            "startColumn": start.column_utf16,
            "endLine": end.line,
            "endColumn": end.column_utf16,
        },
    } })
}

/// A file's place (3.4): relative to whatever root the reader knows.
fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// The path of a file that is named relative to the directory of the entry file.
fn beside(entry: &str, name: &str) -> String {
    let mut parts: Vec<&str> = entry.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Percent-encodes what a path of a URI can't have (RFC 3986, 3.3).
fn uri(path: &str) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    path.bytes().map(|byte| if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::{beside, uri};

    #[test]
    fn files_lie_beside_the_entry() {
        assert_eq!(beside("site.kdl", "vhosts/a.kdl"), "vhosts/a.kdl");
        assert_eq!(beside("sites/shop/site.kdl", "../shared/a.kdl"), "sites/shared/a.kdl");
        assert_eq!(beside("../site.kdl", "../a.kdl"), "../../a.kdl");
        assert_eq!(uri("a b/é.kdl"), "a%20b/%C3%A9.kdl");
    }
}
