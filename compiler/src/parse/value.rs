//! Values by the type their schema row says: durations and sizes are texts with a unit, numbers have a range.

use std::time::Duration;

use super::{
    late,
    raw::{RawEntry, RawValue},
};
use crate::{
    ast::{Datum, Value},
    diagnostic::{Code, Diagnostic},
    schema::{Kind, nearest::nearest},
};

/// What stands for no duration.
const OFF: &str = "off";

const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const DURATION_UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
const SIZE_UNITS: [(&str, u64); 5] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];

/// The value of an entry as `kind`, or what is wrong with it.
pub(super) fn typed(entry: &RawEntry, kind: Kind) -> Result<Value, Diagnostic> {
    let datum = match (kind, &entry.value) {
        (Kind::LateText, RawValue::Text(text)) if entry.annotation.is_some() => late::datum(entry, text)?,
        (Kind::Bool, RawValue::Bool(value)) => Datum::Bool(*value),
        (Kind::Choice(choices), RawValue::Text(text)) => choice(entry, choices, text)?,
        (Kind::Duration, RawValue::Text(text)) => {
            duration(text).map(Datum::Duration).map_err(|fault| fault.diagnostic(entry, Code::BadDuration, kind))?
        }
        (Kind::DurationOrOff, RawValue::Text(text)) if text == OFF => Datum::Text(text.clone()),
        (Kind::DurationOrOff, RawValue::Text(text)) => {
            duration(text).map(Datum::Duration).map_err(|fault| fault.diagnostic(entry, Code::BadDuration, kind))?
        }
        (Kind::Integer(from, to), RawValue::Integer(value)) => integer(entry, *value, from, to)?,
        (Kind::Size(from, to), RawValue::Text(text)) => size_within(entry, text, from, to)?,
        (Kind::Status, RawValue::Integer(value)) => integer(entry, *value, 0, i64::MAX)?,
        (Kind::LateText | Kind::Text, RawValue::Text(text)) => Datum::Text(text.clone()),
        (
            Kind::Bool
            | Kind::Choice(_)
            | Kind::Duration
            | Kind::DurationOrOff
            | Kind::Integer(..)
            | Kind::LateText
            | Kind::Size(..)
            | Kind::Status
            | Kind::Text,
            _,
        ) => return Err(wrong_type(entry, kind)),
    };
    Ok(Value { datum, span: entry.value_span })
}

/// Whether an entry could be meant as `kind`: decides which of several optional arguments it is.
pub(super) fn fits(entry: &RawEntry, kind: Kind) -> bool {
    match kind {
        Kind::Bool => matches!(entry.value, RawValue::Bool(_)),
        Kind::Integer(..) | Kind::Status => matches!(entry.value, RawValue::Float | RawValue::Integer(_)),
        Kind::Choice(_) | Kind::Duration | Kind::DurationOrOff | Kind::LateText | Kind::Size(..) | Kind::Text => {
            matches!(entry.value, RawValue::Text(_))
        }
    }
}

fn wrong_type(entry: &RawEntry, kind: Kind) -> Diagnostic {
    let found = match entry.value {
        RawValue::Bool(_) => "a boolean",
        RawValue::Float => "a number with a fraction",
        RawValue::Integer(_) => "a number",
        RawValue::Null => "`#null`",
        RawValue::Text(_) => "a text",
    };
    let diagnostic = Diagnostic::new(Code::WrongType, entry.value_span, format!("expected {}, found {found}", kind.title()))
        .label(format!("found {found}"));
    match (kind, &entry.value) {
        (Kind::DurationOrOff, RawValue::Integer(0)) => diagnostic.help("write `\"off\"`"),
        (Kind::Duration | Kind::DurationOrOff, RawValue::Integer(value)) => {
            diagnostic.help(format!("a bare number hides its unit: write `\"{value}s\"` for seconds"))
        }
        (Kind::Size(..), RawValue::Integer(value)) => {
            diagnostic.help(format!("a bare number hides its unit: write `\"{value}B\"` for bytes"))
        }
        (Kind::LateText | Kind::Text, RawValue::Integer(value)) => diagnostic.help(format!("write `\"{value}\"`")),
        (Kind::Bool, RawValue::Text(text)) if matches!(text.as_str(), "true" | "false") => diagnostic.help(format!("write `#{text}`")),
        (Kind::Integer(..) | Kind::Status, RawValue::Text(text)) if text.parse::<i64>().is_ok() => {
            diagnostic.help(format!("write `{text}` without quotes"))
        }
        (
            Kind::Bool
            | Kind::Choice(_)
            | Kind::Duration
            | Kind::DurationOrOff
            | Kind::Integer(..)
            | Kind::LateText
            | Kind::Size(..)
            | Kind::Status
            | Kind::Text,
            _,
        ) => diagnostic,
    }
}

fn choice(entry: &RawEntry, choices: &'static [&'static str], text: &str) -> Result<Datum, Diagnostic> {
    if choices.contains(&text) {
        return Ok(Datum::Text(text.to_owned()));
    }
    let label = match nearest(text, choices.iter().copied()) {
        Some(near) => format!("did you mean `\"{near}\"`?"),
        None => format!("expected {}", Kind::Choice(choices).title()),
    };
    Err(Diagnostic::new(Code::BadChoice, entry.value_span, format!("`\"{text}\"` is not a value of this word")).label(label))
}

fn integer(entry: &RawEntry, value: i128, from: i64, to: i64) -> Result<Datum, Diagnostic> {
    let fitting = i64::try_from(value).ok().filter(|value| (from..=to).contains(value));
    fitting.map(Datum::Integer).ok_or_else(|| out_of_range(entry, &format!("from {from} to {to}")))
}

fn out_of_range(entry: &RawEntry, range: &str) -> Diagnostic {
    Diagnostic::new(Code::OutOfRange, entry.value_span, "the value is out of its range").label(format!("expected {range}"))
}

/// Why a text is no duration or size.
pub(crate) enum UnitFault {
    NoNumber,
    NoUnit,
    TooLarge,
    UnknownUnit(String),
    Zero,
}

impl UnitFault {
    fn diagnostic(&self, entry: &RawEntry, code: Code, kind: Kind) -> Diagnostic {
        let noun = if code == Code::BadDuration { "duration" } else { "size" };
        let units = if code == Code::BadDuration { "`ms`, `s`, `m`, `h`, `d`" } else { "`B`, `KiB`, `MiB`, `GiB`, `TiB`" };
        let message = format!("not a {noun}");
        let diagnostic = Diagnostic::new(code, entry.value_span, message);
        match self {
            Self::NoNumber => diagnostic.label(format!("expected {}", kind.title())),
            Self::NoUnit => diagnostic.label("the unit is missing").help(format!("units are {units}")),
            Self::TooLarge => {
                diagnostic.label(if code == Code::BadDuration { "more than a year" } else { "more than a machine can count" })
            }
            Self::UnknownUnit(unit) if unit.contains(|letter: char| letter == '.' || letter.is_ascii_digit()) => {
                let (whole, written) = if code == Code::BadDuration { ("90s", "1m30s") } else { ("1536KiB", "1.5MiB") };
                diagnostic.label("expected one whole number and one unit").help(format!("units are {units}: `\"{whole}\"` for {written}"))
            }
            Self::UnknownUnit(unit) => diagnostic.label(format!("`{unit}` is no unit of a {noun}")).help(format!("units are {units}")),
            Self::Zero if kind == Kind::DurationOrOff => diagnostic.label("expected more than nothing, or `\"off\"`"),
            Self::Zero => diagnostic.label("expected more than nothing"),
        }
    }
}

/// `"250ms"`, `"30s"`: one number, one unit.
pub(crate) fn duration(text: &str) -> Result<Duration, UnitFault> {
    let duration = Duration::from_millis(counted(text, &DURATION_UNITS)?);
    if duration.is_zero() {
        return Err(UnitFault::Zero);
    }
    if duration > YEAR { Err(UnitFault::TooLarge) } else { Ok(duration) }
}

/// `"32KiB"`: one number, one unit.
pub(crate) fn size(text: &str) -> Result<u64, UnitFault> {
    counted(text, &SIZE_UNITS)
}

fn size_within(entry: &RawEntry, text: &str, from: u64, to: u64) -> Result<Datum, Diagnostic> {
    let bytes = size(text).map_err(|fault| fault.diagnostic(entry, Code::BadSize, Kind::Size(from, to)))?;
    if (from..=to).contains(&bytes) {
        return Ok(Datum::Size(bytes));
    }
    Err(out_of_range(entry, &format!("from {} to {}", written_size(from), written_size(to))))
}

/// A size in its largest whole unit: `32KiB`.
pub(crate) fn written_size(bytes: u64) -> String {
    let units = SIZE_UNITS.iter().rev();
    let whole = units
        .filter(|(_, factor)| bytes >= *factor && bytes.is_multiple_of(*factor))
        .map(|(unit, factor)| format!("{}{unit}", bytes / factor))
        .next();
    whole.unwrap_or_else(|| format!("{bytes}B"))
}

fn counted(text: &str, units: &[(&str, u64)]) -> Result<u64, UnitFault> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(UnitFault::NoNumber);
    }
    if unit.is_empty() {
        return Err(UnitFault::NoUnit);
    }
    let factor = units.iter().find(|(known, _)| *known == unit).map(|(_, factor)| *factor);
    let factor = factor.ok_or_else(|| UnitFault::UnknownUnit(unit.to_owned()))?;
    number.parse().ok().and_then(|number: u64| number.checked_mul(factor)).ok_or(UnitFault::TooLarge)
}
