//! Values that only the host knows: `(env)"NAME"` and `(file)"/path"`, each with its place and, for a variable, a default.

use super::raw::{Name, RawEntry};
use crate::{
    ast::{Datum, Late, Node},
    diagnostic::{Code, Diagnostic, Diagnostics},
    schema::Kind,
};

/// Where such a value may stand, as a message says it.
const PLACES: &str = "late values stand in the address of `listen` and `endpoint`, the file of `access-log` and `error-log`, the values of `headers`, \
                      `request-headers` and `upstream-headers`, the values of `header`, `query` and `cookie` in `when`, the directory of `files`, \
                      and the root of `accel`";

/// What is wrong with the annotation of a value; `None` where it has none, or one that may stand there.
pub(super) fn misplaced(entry: &RawEntry, kind: Kind) -> Option<Diagnostic> {
    let annotation = entry.annotation.as_ref()?;
    if !is_known(annotation) {
        let text = annotation.text.escape_debug();
        let diagnostic = Diagnostic::new(Code::UnknownAnnotation, annotation.span, format!("unknown annotation `({text})`"));
        return Some(diagnostic.label("expected `(env)`, `(file)` or none"));
    }
    if kind == Kind::LateText {
        return None;
    }
    let diagnostic = Diagnostic::new(Code::MisplacedLate, annotation.span, format!("`({})` can't stand here", annotation.text));
    Some(diagnostic.label("this value must be known when the site is built").help(PLACES))
}

fn is_known(annotation: &Name) -> bool {
    matches!(annotation.text.as_str(), "env" | "file")
}

/// The late value that an annotated text is.
pub(super) fn datum(entry: &RawEntry, text: &str) -> Result<Datum, Diagnostic> {
    let fault = |message: &str, label: &str| Diagnostic::new(Code::BadLate, entry.value_span, message).label(label);
    let is_env = entry.annotation.as_ref().is_some_and(|annotation| annotation.text == "env");
    if is_env {
        // POSIX.1-2024, Base Definitions §8.1, and lower case as people have it.
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        return if is_name {
            Ok(Datum::Late(Late::Env(text.to_owned())))
        } else {
            Err(fault("not the name of a variable", "expected letters, digits and `_`, as in `(env)\"STAFF_KEY\"`"))
        };
    }
    if text.is_empty() || text.contains('\0') {
        return Err(fault("not the path of a file", "the path is empty or has a zero byte"));
    }
    Ok(Datum::Late(Late::File(text.to_owned())))
}

/// A `default=` of a word with late values belongs to exactly one of them, which is a variable.
pub(super) fn check_default(node: &Node, diagnostics: &mut Diagnostics) {
    let mut kinds = node.word.arguments.iter().map(|row| row.kind).chain(node.word.properties.iter().map(|row| row.kind));
    if !kinds.any(|kind| kind == Kind::LateText) {
        return;
    }
    let Some(default) = node.property("default") else { return };
    let properties = node.properties.iter().map(|property| &property.value);
    let mut late = node.values().chain(properties).filter_map(|value| value.late());
    let label = match (late.next(), late.next()) {
        (Some(Late::Env(_)), None) => return,
        (Some(Late::File(_)), None) => "a file has no default: it is there, or the server does not start",
        (None, _) => "no value of this word is late: write the text itself",
        (Some(_), Some(_)) => "several values of this word are late",
    };
    diagnostics.push(Diagnostic::new(Code::BadLate, default.span, "this default belongs to no value").label(label));
}
