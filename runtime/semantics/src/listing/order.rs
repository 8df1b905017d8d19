//! The order of names as people count: `2.txt` before `10.txt`, `a` beside `A`.

use std::cmp::Ordering;

/// Compares letters without case (ASCII) and runs of digits by their value; names that are equal so far by their bytes, so that the order is total.
pub(super) fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut left, mut right) = (one, other);
    while let ([a, after_a @ ..], [b, after_b @ ..]) = (left, right) {
        let ordering = if a.is_ascii_digit() && b.is_ascii_digit() {
            let (number_a, number_b);
            (number_a, left) = number(left);
            (number_b, right) = number(right);
            number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b))
        } else {
            (left, right) = (after_a, after_b);
            a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The digits at the front without leading zeros, and what stands behind them.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().position(|&byte| byte != b'0').unwrap_or(digits.len());
    (digits.get(zeros..).unwrap_or_default(), rest)
}
