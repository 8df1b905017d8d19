//! Content coding negotiation by Accept-Encoding (RFC 9110 §12.5.3).

use std::iter;

use crate::{
    ascii::{is_token, trim},
    head::Head,
};

/// Codings kiln can offer, in the order of preference at equal weight.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Coding {
    /// RFC 8878.
    Zstd,
    /// RFC 7932.
    Brotli,
    /// RFC 1952.
    Gzip,
    /// No coding.
    Identity,
}

/// A set of codings that a representation exists in; identity is always in it. The bit of a coding is `1 << coding as u8`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Codings(pub u8);

impl Coding {
    /// All codings, in the order of preference.
    pub const ALL: [Self; 4] = [Self::Zstd, Self::Brotli, Self::Gzip, Self::Identity];

    /// Its name as a content coding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }

    /// What the name of a file that is compressed so ends with.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Zstd => ".zst",
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
            Self::Identity => "",
        }
    }

    /// The coding of that name, compared without case; `x-gzip` is gzip (RFC 9110 §8.4.1.3).
    fn parse(name: &[u8]) -> Option<Self> {
        let known = match name.len() {
            2 => Self::Brotli,
            4 if name.first().is_some_and(|first| first | 0x20 == b'z') => Self::Zstd,
            4 | 6 => Self::Gzip,
            8 => Self::Identity,
            _ => return None,
        };
        let is_known = name.eq_ignore_ascii_case(known.name().as_bytes()) || name.eq_ignore_ascii_case(b"x-gzip");
        is_known.then_some(known)
    }
}

impl Codings {
    /// Nothing but identity.
    pub const IDENTITY: Self = Self(1 << Coding::Identity as u8);
    /// Every coding.
    pub const ALL: Self = Self(0b1111);

    /// The set of `codings`, and identity.
    pub const fn of(codings: &[Coding]) -> Self {
        let (mut set, mut rest) = (Self::IDENTITY, codings);
        // By hand: iterators are not for constants yet.
        while let [first, behind @ ..] = rest {
            (set, rest) = (set.with(*first), behind);
        }
        set
    }

    /// The set with `coding`.
    pub const fn with(self, coding: Coding) -> Self {
        Self(self.0 | 1 << coding as u8)
    }

    /// Whether `coding` is in the set.
    pub const fn contains(self, coding: Coding) -> bool {
        matches!(coding, Coding::Identity) || self.0 >> coding as u8 & 1 != 0
    }

    /// Those of the set that change bytes, in the order of preference: all but identity.
    pub fn coded(self) -> impl Iterator<Item = Coding> {
        Coding::ALL.into_iter().filter(move |coding| *coding != Coding::Identity && self.contains(*coding))
    }
}

/// The best coding of `offered`; identity where nothing else is acceptable (also with `identity;q=0`, where only a 406 would be left: RFC 9110 allows to disregard).
///
/// Without Accept-Encoding: identity. Members that are not well-formed are ignored; of a coding that is named twice the greater weight counts.
pub fn coding(head: &Head<'_>, offered: Codings) -> Coding {
    if offered == Codings::IDENTITY {
        return Coding::Identity;
    }
    let mut lines = head.fields.all("accept-encoding");
    let Some(first) = lines.next() else { return Coding::Identity };
    match (usual(first), lines.next()) {
        (Some(named), None) => best(named, offered),
        (_, second) => {
            let order = Coding::ALL.into_iter().filter(|coding| offered.contains(*coding));
            weighed(iter::once(first).chain(second).chain(lines), order)
        }
    }
}

/// The same where the server has an order of preference of its own for codings of equal weight.
pub fn preferred(head: &Head<'_>, order: &[Coding]) -> Coding {
    weighed(head.fields.all("accept-encoding"), order.iter().copied())
}

/// What browsers send, which has no weights.
#[inline]
fn usual(line: &[u8]) -> Option<Codings> {
    match line {
        b"gzip, deflate, br, zstd" => Some(Codings::ALL),
        b"gzip, deflate, br" => Some(Codings::IDENTITY.with(Coding::Gzip).with(Coding::Brotli)),
        b"gzip, deflate" | b"gzip" => Some(Codings::IDENTITY.with(Coding::Gzip)),
        _ => None,
    }
}

/// The first of those that are named and offered: the lowest bit of both sets.
#[inline]
fn best(named: Codings, offered: Codings) -> Coding {
    Coding::ALL.get((named.0 & offered.0).trailing_zeros() as usize).copied().unwrap_or(Coding::Identity)
}

/// The best coding of those offered, in the order of preference, where there is something to weigh.
fn weighed<'h>(lines: impl Iterator<Item = &'h [u8]>, offered: impl DoubleEndedIterator<Item = Coding>) -> Coding {
    // Weights in thousandths; `None`: not named.
    let mut weights = [None::<u16>; 4];
    let mut others = None::<u16>;
    for line in lines {
        for member in line.split(|&byte| byte == b',') {
            let Some((name, weight)) = member_of(member) else { continue };
            if name == b"*" {
                others = others.max(Some(weight));
            } else if let Some(place) = Coding::parse(name).and_then(|coding| weights.get_mut(coding as usize)) {
                *place = (*place).max(Some(weight));
            }
        }
    }
    let mut best = Coding::Identity;
    // An identity that is not named is acceptable, but less wanted than anything that is.
    let mut best_weight = weights[Coding::Identity as usize].or(others).unwrap_or(0);
    for coding in offered.rev().filter(|coding| *coding != Coding::Identity) {
        let weight = weights.get(coding as usize).copied().flatten().or(others).unwrap_or(0);
        if weight > 0 && weight >= best_weight {
            best = coding;
            best_weight = weight;
        }
    }
    best
}

/// `coding [ OWS ";" OWS "q=" qvalue ]`.
fn member_of(member: &[u8]) -> Option<(&[u8], u16)> {
    let member = trim(member);
    // Members are short: a call of the vector search would cost more.
    let Some(at) = member.iter().position(|&byte| byte == b';') else {
        return is_token(member).then_some((member, 1000));
    };
    let (name, parameter) = (trim(member.get(..at)?), trim(member.get(at + 1..)?));
    let [b'q' | b'Q', b'=', value @ ..] = parameter else { return None };
    is_token(name).then_some((name, weight(value)?))
}

/// A member of Accept: its media range without parameters, and its weight in thousandths (RFC 9110 §12.5.1). `None` where the weight is none.
pub(crate) fn range(member: &[u8]) -> Option<(&[u8], u16)> {
    let mut parts = member.split(|&byte| byte == b';').map(trim);
    let range = parts.next()?;
    let written = parts.find_map(|part| match part {
        [b'q' | b'Q', b'=', value @ ..] => Some(value),
        _ => None,
    });
    Some((range, written.map_or(Some(1000), weight)?))
}

/// A qvalue in thousandths (RFC 9110 §12.4.2).
fn weight(value: &[u8]) -> Option<u16> {
    let (first, decimals) = match value {
        [first @ (b'0' | b'1')] => (first, &[][..]),
        [first @ (b'0' | b'1'), b'.', decimals @ ..] if decimals.len() <= 3 => (first, decimals),
        _ => return None,
    };
    let mut weight = u16::from(first - b'0');
    for at in 0..3 {
        let digit = decimals.get(at).copied().unwrap_or(b'0');
        if !digit.is_ascii_digit() {
            return None;
        }
        weight = weight * 10 + u16::from(digit - b'0');
    }
    (weight <= 1000).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::with_head;

    #[test]
    fn usual_line_is_weighed_as_any_other() {
        for line in ["gzip, deflate, br, zstd", "gzip, deflate, br", "gzip, deflate", "gzip"] {
            let named = usual(line.as_bytes()).unwrap();
            for offered in (0..16).map(|bits| Codings(bits).with(Coding::Identity)) {
                let order = Coding::ALL.into_iter().filter(|coding| offered.contains(*coding));
                assert_eq!(best(named, offered), weighed(iter::once(line.as_bytes()), order), "{line} {offered:?}");
            }
        }
        assert_eq!(usual(b"gzip;q=0"), None);
    }

    #[test]
    fn order_of_preference_counts_at_equal_weight_only() {
        let order = [Coding::Gzip, Coding::Zstd];
        for (value, expected) in [
            ("zstd, gzip, br", Coding::Gzip),
            ("br, zstd", Coding::Zstd),
            ("*", Coding::Gzip),
            ("gzip;q=0.9, zstd", Coding::Zstd),
            ("gzip;q=0, *;q=0.1", Coding::Zstd),
            ("br", Coding::Identity),
            ("identity, gzip;q=0.5", Coding::Identity),
            ("identity;q=0, br", Coding::Identity),
            ("identity;q=0.5, gzip;q=0.5", Coding::Gzip),
            ("", Coding::Identity),
        ] {
            with_head("GET", "/", &[("accept-encoding", value)], |head| assert_eq!(preferred(head, &order), expected, "{value}"));
        }
        with_head("GET", "/", &[], |head| assert_eq!(preferred(head, &order), Coding::Identity));
    }

    #[test]
    fn coding_is_known_by_each_of_its_names_alone() {
        for coding in Coding::ALL {
            assert_eq!(Coding::parse(coding.name().to_ascii_uppercase().as_bytes()), Some(coding));
        }
        assert_eq!(Coding::parse(b"X-Gzip"), Some(Coding::Gzip));
        for other in ["", "bz", "zstf", "gzpi", "y-gzip", "identitx", "deflate", "x"] {
            assert_eq!(Coding::parse(other.as_bytes()), None, "{other}");
        }
    }
}
