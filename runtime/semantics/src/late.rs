//! Values that are known on the host only: `(env)"NAME"` and `(file)"/run/secrets/x"`. Set once, at start; read as text from then on.
//!
//! Reading the environment and files is the runtime's; here is what they are called, what becomes of the bytes that were found, and where the text stays.
//! They may be secrets: `Debug` and `Display` never show a value, and [`Late::equals`] takes as long for a wrong text as for the right one.

use std::{fmt, sync::OnceLock};

use crate::ascii;

/// Bytes that one value may have.
pub const LATE_BYTES_MAX: usize = 64 * 1024;

/// Where a value is looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source<'a> {
    /// A variable of the environment.
    Env {
        /// Its name.
        name: &'a str,
        /// What counts where it is not set or empty.
        default: Option<&'a str>,
    },
    /// A file of the host.
    File {
        /// Its path.
        path: &'a str,
    },
}

/// A value that is set once, before the first request: a `static` of generated code.
#[derive(Clone, Eq, PartialEq)]
pub struct Late<'a> {
    source: Source<'a>,
    value: OnceLock<String>,
}

/// Why a value can't be had.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LateFault {
    /// A byte that can't stand in a field's value, at this offset (RFC 9110 §5.5: control bytes but HTAB).
    ControlByte(usize),
    /// Nothing was found, or nothing but a line's end.
    Missing,
    /// It is no UTF-8.
    NotText,
    /// It has more than [`LATE_BYTES_MAX`] bytes.
    TooLong,
}

impl<'a> Late<'a> {
    /// A variable of the environment; one that is empty counts as not set.
    pub const fn env(name: &'a str, default: Option<&'a str>) -> Self {
        Self { source: Source::Env { name, default }, value: OnceLock::new() }
    }

    /// A file; the line feed (or CRLF) at its end is no part of the value.
    pub const fn file(path: &'a str) -> Self {
        Self { source: Source::File { path }, value: OnceLock::new() }
    }

    /// Where it is looked for.
    pub fn source(&self) -> Source<'a> {
        self.source
    }

    /// It has been set.
    pub fn is_set(&self) -> bool {
        self.value.get().is_some()
    }

    /// The value; empty before it is set, which no request sees.
    pub fn text(&self) -> &str {
        self.value.get().map_or("", String::as_str)
    }

    /// Keeps what was found (`None`: nothing), or the default, as the value. One that is set already stays.
    pub fn set(&self, found: Option<Vec<u8>>) -> Result<(), LateFault> {
        let mut found = found.unwrap_or_default();
        let default = match self.source {
            Source::Env { default, .. } => default,
            Source::File { .. } => {
                let end = found.strip_suffix(b"\n").map_or(found.len(), |text| text.strip_suffix(b"\r").unwrap_or(text).len());
                found.truncate(end);
                None
            }
        };
        if found.len() > LATE_BYTES_MAX {
            return Err(LateFault::TooLong);
        }
        let text = match found.is_empty() {
            true => default.ok_or(LateFault::Missing)?.to_owned(),
            false => String::from_utf8(found).map_err(|_invalid| LateFault::NotText)?,
        };
        if let Some(at) = text.bytes().position(|byte| ascii::is(byte, ascii::CONTROL) && byte != b'\t') {
            return Err(LateFault::ControlByte(at));
        }
        self.value.get_or_init(|| text);
        Ok(())
    }

    /// Whether the value is set and is `bytes`, which has `length` of them. How long it takes depends on the lengths only, not on where they differ.
    pub(crate) fn equals(&self, length: usize, bytes: impl Iterator<Item = u8>) -> bool {
        let Some(value) = self.value.get() else { return false };
        let difference = value.bytes().zip(bytes).fold(0, |difference, (one, other)| difference | (one ^ other));
        difference == 0 && value.len() == length
    }
}

impl fmt::Debug for Late<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Late").field("source", &self.source).field("is_set", &self.is_set()).finish()
    }
}

impl fmt::Display for Source<'_> {
    /// As people name it, without the default, which may be a secret too.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env { name, .. } => write!(out, "environment variable `{name}`"),
            Self::File { path } => write!(out, "file `{path}`"),
        }
    }
}

impl fmt::Display for LateFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ControlByte(at) => write!(out, "has a control byte at offset {at}"),
            Self::Missing => write!(out, "is not set, or empty"),
            Self::NotText => write!(out, "is no UTF-8 text"),
            Self::TooLong => write!(out, "has more than {LATE_BYTES_MAX} bytes"),
        }
    }
}

/// A text that the site file writes out, or one that is known on the host only.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Value<'a> {
    /// Known at start.
    Late(&'a Late<'a>),
    /// Known at build.
    Text(&'a str),
}

impl<'a> Value<'a> {
    /// The text; empty for a late value before it is set.
    pub fn text(self) -> &'a str {
        match self {
            Self::Late(late) => late.text(),
            Self::Text(text) => text,
        }
    }
}

impl fmt::Display for Value<'_> {
    /// The text, or what it will be read from: for addresses and roots, which are no secrets.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(late) if late.is_set() => write!(out, "{} ({})", late.text(), late.source()),
            Self::Late(late) => write!(out, "{}", late.source()),
            Self::Text(text) => write!(out, "{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(late: &Late<'_>, found: Option<&[u8]>, expected: Result<&str, LateFault>) {
        assert!(!late.is_set() && late.text().is_empty());
        assert_eq!(late.set(found.map(<[u8]>::to_vec)).map(|()| late.text()), expected, "{found:?}");
        assert_eq!(late.is_set(), expected.is_ok());
    }

    #[test]
    fn variable_is_taken_as_it_is() {
        for (found, expected) in [
            (Some(&b"abc"[..]), Ok("abc")),
            (Some(b" a\tb "), Ok(" a\tb ")),
            (Some("ä".as_bytes()), Ok("ä")),
            (Some(b""), Err(LateFault::Missing)),
            (None, Err(LateFault::Missing)),
            (Some(b"a\nb"), Err(LateFault::ControlByte(1))),
            (Some(b"abc\r\n"), Err(LateFault::ControlByte(3))),
            (Some(b"a\xFF"), Err(LateFault::NotText)),
        ] {
            check(&Late::env("A", None), found, expected);
        }
    }

    #[test]
    fn default_counts_where_the_variable_is_not_set_or_empty() {
        for (found, expected) in [(None, "d"), (Some(&b""[..]), "d"), (Some(b"e"), "e")] {
            check(&Late::env("A", Some("d")), found, Ok(expected));
        }
        check(&Late::env("A", Some("d\0")), None, Err(LateFault::ControlByte(1)));
    }

    #[test]
    fn line_end_of_a_file_is_no_part_of_its_value() {
        for (found, expected) in [
            (&b"abc\n"[..], Ok("abc")),
            (b"abc\r\n", Ok("abc")),
            (b"abc", Ok("abc")),
            (b"abc\n\n", Err(LateFault::ControlByte(3))),
            (b"a\nb\n", Err(LateFault::ControlByte(1))),
            (b"\n", Err(LateFault::Missing)),
            (b"", Err(LateFault::Missing)),
        ] {
            check(&Late::file("/x"), Some(found), expected);
        }
    }

    #[test]
    fn value_has_a_limit() {
        check(&Late::file("/x"), Some(&[b'x'; LATE_BYTES_MAX + 1]), Err(LateFault::TooLong));
        let late = Late::env("A", None);
        assert_eq!(late.set(Some(vec![b'x'; LATE_BYTES_MAX])), Ok(()));
    }

    #[test]
    fn value_is_set_once() {
        let late = Late::env("A", None);
        assert_eq!((late.set(Some(b"one".into())), late.set(Some(b"two".into()))), (Ok(()), Ok(())));
        assert_eq!(Value::Late(&late).text(), "one");
    }

    #[test]
    fn only_the_whole_value_is_equal() {
        let late = Late::env("A", None);
        let equals = |text: &str| late.equals(text.len(), text.bytes());
        assert!(!equals(""));
        late.set(Some(b"key".into())).unwrap();
        assert!(equals("key") && !equals("kez") && !equals("ke") && !equals("keyy") && !equals("") && !equals("KEY"));
    }

    #[test]
    fn value_says_where_it_comes_from() {
        let late = Late::env("ADDRESS", None);
        assert_eq!(Value::Late(&late).to_string(), "environment variable `ADDRESS`");
        late.set(Some(b"127.0.0.1:1".into())).unwrap();
        assert_eq!(Value::Late(&late).to_string(), "127.0.0.1:1 (environment variable `ADDRESS`)");
        assert_eq!(Value::Text("a").to_string(), "a");
    }

    #[test]
    fn debug_shows_no_value() {
        let late = Late::env("A", None);
        late.set(Some(b"secret".into())).unwrap();
        assert_eq!(format!("{late:?}"), "Late { source: Env { name: \"A\", default: None }, is_set: true }");
    }
}
