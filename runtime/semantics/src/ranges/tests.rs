//! The RFC's own examples, the edges, and a reference that counts bytes.

use proptest::{collection, prelude::*};

use super::*;

fn parts(text: &[(u64, u64)]) -> Ranged {
    let mut parts = Parts::default();
    for (first, last) in text {
        assert!(parts.push(Part { first: *first, last: *last }));
    }
    Ranged::Parts(parts)
}

#[test]
fn range_of_rfc_examples() {
    // RFC 9110 §14.1.2, of 10,000 bytes.
    for (value, expected) in [
        ("bytes=0-499", parts(&[(0, 499)])),
        ("bytes=500-999", parts(&[(500, 999)])),
        ("bytes=-500", parts(&[(9500, 9999)])),
        ("bytes=9500-", parts(&[(9500, 9999)])),
        ("bytes=0-0,-1", parts(&[(0, 0), (9999, 9999)])),
        ("bytes= 0-999, 4500-5499, -1000", parts(&[(0, 999), (4500, 5499), (9000, 9999)])),
        ("bytes=500-600,601-999", parts(&[(500, 999)])),
        ("bytes=500-700,601-999", parts(&[(500, 999)])),
    ] {
        assert_eq!(of(value.as_bytes(), 10_000), expected, "{value}");
    }
}

#[test]
fn range_at_the_edges_of_a_representation() {
    for (value, length, expected) in [
        ("BYTES=0-9", 100, parts(&[(0, 9)])),
        ("bytes=0-", 100, parts(&[(0, 99)])),
        ("bytes=99-", 100, parts(&[(99, 99)])),
        ("bytes=99-100", 100, parts(&[(99, 99)])),
        ("bytes=95-99999999999999999999999999", 100, parts(&[(95, 99)])),
        ("bytes=-1000", 100, parts(&[(0, 99)])),
        ("bytes=-99999999999999999999999999", 100, parts(&[(0, 99)])),
        ("bytes=,0-1 ,\t5-6,,", 100, parts(&[(0, 1), (5, 6)])),
        ("bytes=0-1,500-600", 100, parts(&[(0, 1)])),
        ("bytes=50-51,0-1", 100, parts(&[(50, 51), (0, 1)])),
        ("bytes=5-6,90-,0-4", 100, parts(&[(0, 6), (90, 99)])),
        ("bytes=0-1,4-5,10-11,2-9", 100, Ranged::Parts(Parts { parts: merged(), count: 1 })),
        ("bytes=100-", 100, Ranged::Unsatisfiable),
        ("bytes=99999999999999999999999999-", 100, Ranged::Unsatisfiable),
        ("bytes=-0", 100, Ranged::Unsatisfiable),
        ("bytes=200-210,500-600,-0", 100, Ranged::Unsatisfiable),
        ("bytes=0-0", 0, Ranged::Unsatisfiable),
        ("bytes=0-", 0, Ranged::Unsatisfiable),
        ("bytes=-0", 0, Ranged::Unsatisfiable),
        ("bytes=-1", 0, Ranged::Whole),
        ("bytes=0-0,-1", 0, Ranged::Whole),
    ] {
        let ranged = of(value.as_bytes(), length);
        match (ranged, expected) {
            (Ranged::Parts(got), Ranged::Parts(expected)) => assert_eq!(got.as_slice(), expected.as_slice(), "{value}"),
            (got, expected) => assert_eq!(got, expected, "{value} of {length}"),
        }
    }
}

/// What four parts come to that touch.
fn merged() -> [Part; PARTS_MAX] {
    let mut parts = [Part::default(); PARTS_MAX];
    parts[0] = Part { first: 0, last: 11 };
    parts
}

#[test]
fn range_that_is_none_is_ignored() {
    for value in [
        "",
        "bytes",
        "bytes=",
        "bytes=,",
        "bytes= , ",
        "items=0-9",
        "bytes:0-9",
        "bytes =0-9",
        "bytes=9-0",
        "bytes=--5",
        "bytes=-",
        "bytes=5",
        "bytes=a-b",
        "bytes=0-9;x",
        "bytes=0 - 9",
        "bytes=0-9 10-19",
        "bytes=0x1-2",
        "bytes=+1-2",
        "bytes=1-2-3",
        "bytes=0-1,x",
        "bytes=500-,9-0",
        "bytes=\u{663}-9",
    ] {
        assert_eq!(of(value.as_bytes(), 100), Ranged::Whole, "{value}");
    }
}

fn set(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<u8> {
    format!("bytes={}", ranges.map(|(first, last)| format!("{first}-{last}")).collect::<Vec<_>>().join(",")).into_bytes()
}

#[test]
fn range_of_more_than_its_bound_is_ignored() {
    let apart = |count: u64| of(&set((0..count).map(|at| (at * 10, at * 10))), 10_000);
    let Ranged::Parts(parts) = apart(PARTS_MAX as u64) else { panic!("as many as there may be") };
    assert_eq!(parts.as_slice().len(), PARTS_MAX);
    assert_eq!(apart(PARTS_MAX as u64 + 1), Ranged::Whole);
    let touching = of(&set((0..1_000).map(|at| (at * 10, at * 10 + 9))), 10_000);
    assert!(matches!(touching, Ranged::Parts(parts) if parts.single() == Some(Part { first: 0, last: 9_999 })));
    let overlapping = |count: u32| of(&set((0..=u64::from(count)).map(|at| (at * 5, at * 5 + 9))), 10_000);
    assert!(matches!(overlapping(OVERLAPS_MAX), Ranged::Parts(parts) if parts.single() == Some(Part { first: 0, last: 19 })));
    assert_eq!(overlapping(OVERLAPS_MAX + 1), Ranged::Whole);
}

/// The same by a table of bytes: what is asked for, cut into runs, in the order in which a member first asked for a byte of them.
fn counted(members: &[Asked], length: u64) -> Vec<Part> {
    let mut asked = vec![None; length as usize];
    for (number, member) in members.iter().enumerate() {
        for (at, byte) in asked.iter_mut().enumerate() {
            let at = at as u64;
            let is_in = match *member {
                Asked::From(first) => at >= first,
                Asked::Last(bytes) => at + bytes >= length,
                Asked::Within(part) => (part.first..=part.last).contains(&at),
            };
            if is_in && byte.is_none() {
                *byte = Some(number);
            }
        }
    }
    let mut runs: Vec<(usize, Part)> = Vec::new();
    for (at, number) in asked.iter().enumerate().filter_map(|(at, number)| Some((at as u64, (*number)?))) {
        match runs.last_mut() {
            Some((first_asked, part)) if part.last + 1 == at => (*first_asked, part.last) = ((*first_asked).min(number), at),
            _ => runs.push((number, Part { first: at, last: at })),
        }
    }
    runs.sort_by_key(|(number, _)| *number);
    runs.into_iter().map(|(_, part)| part).collect()
}

fn member() -> impl Strategy<Value = Asked> {
    let within = (0_u64..70, 0_u64..12).prop_map(|(first, more)| Asked::Within(Part { first, last: first + more }));
    prop_oneof![6 => within, 1 => (0_u64..70).prop_map(Asked::From), 1 => (0_u64..20).prop_map(Asked::Last)]
}

fn written(member: &Asked) -> String {
    match member {
        Asked::From(first) => format!("{first}-"),
        Asked::Last(bytes) => format!("-{bytes}"),
        Asked::Within(part) => format!("{}-{}", part.first, part.last),
    }
}

proptest! {
    #[test]
    fn range_is_what_counting_bytes_says(members in collection::vec(member(), 1..20), length in 1_u64..64) {
        let value = format!("bytes={}", members.iter().map(written).collect::<Vec<_>>().join(", "));
        let expected = counted(&members, length);
        match of(value.as_bytes(), length) {
            Ranged::Parts(parts) => prop_assert_eq!(parts.as_slice(), &*expected),
            Ranged::Unsatisfiable => prop_assert!(expected.is_empty()),
            // Too much: never with so few members.
            Ranged::Whole => prop_assert!(members.len() > OVERLAPS_MAX as usize + 1),
        }
    }

    #[test]
    fn range_of_any_bytes_lies_within(value in "bytes=[0-9, -]{0,40}", length in any::<u64>()) {
        if let Ranged::Parts(parts) = of(value.as_bytes(), length) {
            let parts = parts.as_slice();
            prop_assert!(!parts.is_empty() && parts.iter().all(|part| part.first <= part.last && part.last < length));
            prop_assert!(parts.iter().enumerate().all(|(at, part)| parts[..at].iter().all(|other| !part.touches(*other))));
        }
    }
}
