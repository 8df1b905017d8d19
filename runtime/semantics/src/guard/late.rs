//! The leaves that may compare with values which are known on the host only: apart, so that the others stay as cheap as they are.
//!
//! A late value is compared in a time that does not tell how much of it was right.

use crate::{cookie, head::Head, late::Value, query};

/// Any line of the field `name` (lower case) equals one of `values`.
pub fn header_late(head: &Head<'_>, name: &str, values: &[Value<'_>]) -> bool {
    head.fields.all(name).any(|line| is_any(values, line))
}

/// Any cookie `name` equals one of `values` (case-sensitive, not decoded).
pub fn cookie_late(head: &Head<'_>, name: &str, values: &[Value<'_>]) -> bool {
    cookie::values(head.fields, name).any(|found| is_any(values, found))
}

/// Any value of the query key, decoded once, equals one of `values`.
pub fn query_late(head: &Head<'_>, key: &str, values: &[Value<'_>]) -> bool {
    let mut found = query::values(head.query.unwrap_or_default(), key);
    found.any(|found| values.iter().any(|value| is(*value, query::decoded(found).count(), query::decoded(found))))
}

fn is_any(values: &[Value<'_>], found: &[u8]) -> bool {
    values.iter().any(|value| is(*value, found.len(), found.iter().copied()))
}

fn is(value: Value<'_>, length: usize, found: impl Iterator<Item = u8>) -> bool {
    match value {
        Value::Late(late) => late.equals(length, found),
        Value::Text(text) => found.eq(text.bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{late::Late, samples};

    #[test]
    fn late_and_written_values_are_asked_alike() {
        let late = Late::env("A", None);
        late.set(Some(b"x y".into())).unwrap();
        let values = [Value::Text("1"), Value::Late(&late)];
        let fields = [("x-a", "0"), ("x-a", "x y"), ("x-b", "1"), ("cookie", "s=x y; t=2")];
        samples::with_head("GET", "/?a=x+y&b=1&c=x%2By", &fields, |head| {
            assert!(header_late(head, "x-a", &values) && header_late(head, "x-b", &values) && !header_late(head, "x-c", &values));
            assert!(cookie_late(head, "s", &values) && !cookie_late(head, "t", &values) && !cookie_late(head, "S", &values));
            assert!(query_late(head, "a", &values) && query_late(head, "b", &values));
            assert!(!query_late(head, "c", &values) && !query_late(head, "d", &values));
            assert!(!header_late(head, "x-a", &[]));
        });
    }

    #[test]
    fn value_that_is_not_set_equals_nothing() {
        let late = Late::env("A", None);
        samples::with_head("GET", "/?a=", &[("x-a", ""), ("cookie", "s=")], |head| {
            let values = [Value::Late(&late)];
            assert!(!header_late(head, "x-a", &values) && !cookie_late(head, "s", &values) && !query_late(head, "a", &values));
        });
    }
}
