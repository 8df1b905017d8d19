//! Byte ranges (RFC 9110 §14): what a GET's Range asks for of a representation whose length is known.
//!
//! A unit that is not `bytes`, a set that is not well-formed, and a set that asks for too much at once are as if there were no Range (§14.2): the whole is sent.
//! Parts that overlap or touch are sent as one, in the place of the first of them (§15.3.7.2), so that an answer never holds a byte twice.

use crate::{ascii::trim, head::Head, method::Method};

/// Parts that one answer has at most, at no time more while a set is read.
pub const PARTS_MAX: usize = 16;

/// Ranges that may overlap others of their set (§14.2 counts "more than two" as a sign of an attack).
pub const OVERLAPS_MAX: u32 = 2;

/// What is sent for a Range.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "read where it is made, and only for requests with a Range")]
pub enum Ranged {
    /// 206.
    Parts(Parts),
    /// 416.
    Unsatisfiable,
    /// 200: everything.
    Whole,
}

/// A part of a representation: offsets of its first and its last byte.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Part {
    /// Offset of the first byte.
    pub first: u64,
    /// Offset of the last byte, not before the first.
    pub last: u64,
}

/// At least one part, in the order to be sent; no two overlap or touch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Parts {
    parts: [Part; PARTS_MAX],
    count: usize,
}

/// One member of a set.
#[derive(Clone, Copy, Debug)]
enum Asked {
    From(u64),
    Last(u64),
    Within(Part),
}

/// What the request's Range asks for, where its conditions let it ask. Only a GET has ranges (§14.2), and only one line of them.
pub fn requested(head: &Head<'_>, length: u64) -> Ranged {
    let mut lines = head.fields.all("range");
    match (lines.next(), lines.next()) {
        (Some(line), None) if head.method == Method::GET => of(line, length),
        _ => Ranged::Whole,
    }
}

/// What a Range of that value asks for of `length` bytes.
pub fn of(value: &[u8], length: u64) -> Ranged {
    match value.split_at_checked(6) {
        Some((unit, set)) if unit.eq_ignore_ascii_case(b"bytes=") => parts_of(set, length).unwrap_or(Ranged::Whole),
        _ => Ranged::Whole,
    }
}

/// `None`: not well-formed, or too much.
fn parts_of(set: &[u8], length: u64) -> Option<Ranged> {
    let (mut parts, mut overlaps, mut is_empty) = (Parts::default(), 0, true);
    for member in set.split(|&byte| byte == b',').map(trim).filter(|member| !member.is_empty()) {
        is_empty = false;
        let part = match (Asked::parse(member)?, length.checked_sub(1)) {
            // A last so many bytes of nothing can be had (§14.1.2), but no 206 could name them.
            (Asked::Last(1..), None) => return None,
            (Asked::Last(0), _) | (_, None) => continue,
            (Asked::Last(bytes), Some(end)) => Part { first: length.saturating_sub(bytes), last: end },
            (Asked::From(first), Some(end)) => Part { first, last: end },
            (Asked::Within(part), Some(end)) => Part { first: part.first, last: part.last.min(end) },
        };
        if part.first < length {
            overlaps += u32::from(parts.as_slice().iter().any(|other| other.first <= part.last && part.first <= other.last));
            (overlaps <= OVERLAPS_MAX && parts.add(part)).then_some(())?;
        }
    }
    match (is_empty, parts.count) {
        (true, _) => None,
        (false, 0) => Some(Ranged::Unsatisfiable),
        (false, _) => Some(Ranged::Parts(parts)),
    }
}

impl Asked {
    /// `first-last`, `first-` or `-bytes`.
    fn parse(member: &[u8]) -> Option<Self> {
        let dash = member.iter().position(|&byte| byte == b'-')?;
        match (member.get(..dash)?, member.get(dash + 1..)?) {
            ([], bytes) => Some(Self::Last(number(bytes)?)),
            (first, []) => Some(Self::From(number(first)?)),
            (first, last) => {
                let part = Part { first: number(first)?, last: number(last)? };
                (part.first <= part.last).then_some(Self::Within(part))
            }
        }
    }
}

/// Digits; a number that is too large is the largest, beyond the end of everything.
fn number(digits: &[u8]) -> Option<u64> {
    let add = |number: u64, digit: &u8| digit.is_ascii_digit().then(|| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

impl Part {
    /// How many bytes it has.
    pub fn bytes(self) -> u64 {
        (self.last - self.first).saturating_add(1)
    }

    /// No byte lies between the two.
    fn touches(self, other: Self) -> bool {
        self.first <= other.last.saturating_add(1) && other.first <= self.last.saturating_add(1)
    }
}

impl Parts {
    /// The parts in the order to be sent.
    pub fn as_slice(&self) -> &[Part] {
        self.parts.get(..self.count).unwrap_or_default()
    }

    /// The part where there is only one.
    pub fn single(&self) -> Option<Part> {
        if let [part] = self.as_slice() { Some(*part) } else { None }
    }

    /// Adds a part, or lets those that it touches grow together with it. `false`: there is no room.
    fn add(&mut self, part: Part) -> bool {
        let before = *self;
        let (mut grown, mut place) = (part, None);
        self.count = 0;
        for other in before.as_slice() {
            if part.touches(*other) {
                grown = Part { first: grown.first.min(other.first), last: grown.last.max(other.last) };
                // One that is in the way already keeps its place.
                if place.is_some() {
                    continue;
                }
                place = Some(self.count);
            }
            self.push(*other);
        }
        match place.and_then(|place| self.parts.get_mut(place)) {
            Some(place) => *place = grown,
            None => return self.push(grown),
        }
        true
    }

    fn push(&mut self, part: Part) -> bool {
        let place = self.parts.get_mut(self.count);
        self.count += usize::from(place.is_some());
        place.map(|place| *place = part).is_some()
    }
}

#[cfg(test)]
mod tests;
