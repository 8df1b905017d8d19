//! Constants as a reader would write them: sizes in KiB steps, durations in their largest whole unit, counts with separators.

use std::time::Duration;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

const KIB: u64 = 1024;

/// Bytes: `16 * 1024 * 1024`, `32 * 1024`, or the plain number.
pub(super) fn size(bytes: u64) -> TokenStream {
    let (mut count, mut factors) = (bytes, 0);
    // A factor of one would say nothing.
    while count > KIB && count.is_multiple_of(KIB) && factors < 3 {
        count /= KIB;
        factors += 1;
    }
    let count = self::count(count);
    match factors {
        0 => quote!(#count),
        1 => quote!(#count * 1024),
        2 => quote!(#count * 1024 * 1024),
        _ => quote!(#count * 1024 * 1024 * 1024),
    }
}

/// `Duration::from_secs(10)`, `Duration::from_mins(5)`, `Duration::from_hours(1)`, `Duration::from_millis(1_500)`.
pub(super) fn duration(span: Duration) -> TokenStream {
    let seconds = span.as_secs();
    if span.subsec_nanos() != 0 {
        let millis = count(u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
        return quote!(Duration::from_millis(#millis));
    }
    if seconds == 0 || !seconds.is_multiple_of(60) {
        let seconds = count(seconds);
        return quote!(Duration::from_secs(#seconds));
    }
    if seconds.is_multiple_of(3600) {
        let hours = count(seconds / 3600);
        return quote!(Duration::from_hours(#hours));
    }
    let minutes = count(seconds / 60);
    quote!(Duration::from_mins(#minutes))
}

/// A number with `_` between thousands from five digits on.
pub(super) fn count(number: u64) -> Literal {
    let digits = number.to_string();
    if digits.len() < 5 {
        return Literal::u64_unsuffixed(number);
    }
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text.parse().expect("digits and `_` between them are a literal")
}

/// Permission bits: `0o660`.
pub(super) fn octal(bits: u16) -> Literal {
    format!("0o{bits:03o}").parse().expect("octal digits behind `0o` are a literal")
}

/// An IPv4 address as a number: `0x0a00_0000`.
pub(super) fn address_v4(bits: u32) -> Literal {
    hexadecimal(&format!("{bits:08x}"))
}

/// An IPv6 address as a number, `_` where it is written with colons: `0x2001_0db8_..`.
pub(super) fn address_v6(bits: u128) -> Literal {
    hexadecimal(&format!("{bits:032x}"))
}

fn hexadecimal(digits: &str) -> Literal {
    let mut text = String::from("0x");
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index.is_multiple_of(4) {
            text.push('_');
        }
        text.push(digit);
    }
    text.parse().expect("hexadecimal digits and `_` between them are a literal")
}

/// A byte string, `b"HTTP/1.1 200 OK\r\n"`.
pub(super) fn bytes(bytes: &[u8]) -> Literal {
    Literal::byte_string(bytes)
}

/// A string.
pub(super) fn text(text: &str) -> Literal {
    Literal::string(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_whole_units_are_products() {
        assert_eq!(size(32 * 1024).to_string(), "32 * 1024");
        assert_eq!(size(16 * 1024 * 1024).to_string(), "16 * 1024 * 1024");
        assert_eq!(size(1024 * 1024).to_string(), "1024 * 1024");
        assert_eq!(size(1024).to_string(), "1024");
        assert_eq!(size(1000).to_string(), "1000");
        assert_eq!(size(0).to_string(), "0");
        assert_eq!(size(1_048_577).to_string(), "1_048_577");
    }

    #[test]
    fn addresses_are_grouped_as_they_are_written() {
        assert_eq!(address_v4(0x0a00_0001).to_string(), "0x0a00_0001");
        assert_eq!(address_v6(0x2001_0db8 << 96).to_string(), "0x2001_0db8_0000_0000_0000_0000_0000_0000");
    }

    #[test]
    fn duration_uses_its_largest_whole_unit() {
        let text = |span| duration(span).to_string().replace(' ', "");
        assert_eq!(text(Duration::from_secs(75)), "Duration::from_secs(75)");
        assert_eq!(text(Duration::from_secs(300)), "Duration::from_mins(5)");
        assert_eq!(text(Duration::from_secs(86_400)), "Duration::from_hours(24)");
        assert_eq!(text(Duration::from_millis(1_500)), "Duration::from_millis(1500)");
        assert_eq!(text(Duration::ZERO), "Duration::from_secs(0)");
    }
}
