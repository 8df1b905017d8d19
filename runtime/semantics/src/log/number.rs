//! Numbers of a line.

/// Decimal digits.
pub(super) fn number(mut number: u64, out: &mut Vec<u8>) {
    if number < 10 {
        return out.push(b'0' + number as u8);
    }
    if number < 1000 {
        let number = number as u16;
        if number >= 100 {
            out.push(b'0' + (number / 100) as u8);
        }
        return out.extend_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
    }
    let mut digits = [0; 20];
    let mut start = digits.len();
    for place in digits.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
        start -= 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// `0.000123`.
pub(super) fn seconds(microseconds: u64, out: &mut Vec<u8>) {
    number(microseconds / 1_000_000, out);
    let mut rest = microseconds % 1_000_000;
    let mut digits = *b".000000";
    for place in digits.iter_mut().skip(1).rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits);
}
