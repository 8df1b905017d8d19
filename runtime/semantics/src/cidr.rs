//! Prefixes of addresses (CIDR, RFC 4632 and RFC 4291 §2.3) and sets of them as sorted ranges.
//!
//! An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) is the IPv4 address, in prefixes and in what is looked up: a listener for both families
//! reports IPv4 clients that way. So `::/0` holds every IPv6 address and no IPv4 one. A look-up is a binary search in constant data and allocates nothing.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Bits that an IPv4-mapped IPv6 address has before the IPv4 address.
const MAPPED_BITS: u8 = 96;

/// A network: its first address, and how many of the address's bits are fixed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Prefix {
    address: IpAddr,
    bits: u8,
}

/// Why a text is no prefix.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PrefixFault {
    /// What stands before the slash is no address.
    Address,
    /// What stands behind the slash is no number of bits of that family.
    Bits,
    /// Bits behind the prefix are set; this is the network that was probably meant.
    HostBits(Prefix),
}

impl Prefix {
    /// Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address.
    pub fn parse(text: &str) -> Result<Self, PrefixFault> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| PrefixFault::Address)?;
        let width = width(address);
        let bits = match bits {
            Some(digits) => number(digits).filter(|bits| *bits <= width).ok_or(PrefixFault::Bits)?,
            None => width,
        };
        let written = Self::canonical(address, bits);
        let network = Self { address: written.first(), bits: written.bits };
        if network == written { Ok(network) } else { Err(PrefixFault::HostBits(network)) }
    }

    /// The prefix that holds one address.
    pub fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { address, bits: width(address) }
    }

    /// Its first address.
    pub fn first(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & !free_v4(self.bits)).into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !free_v6(self.bits)).into(),
        }
    }

    /// Its last address.
    pub fn last(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() | free_v4(self.bits)).into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() | free_v6(self.bits)).into(),
        }
    }

    /// The number of fixed bits: 0 to 32, or 0 to 128.
    pub fn bits(self) -> u8 {
        self.bits
    }

    /// Whether the address lies in it.
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && (self.first()..=self.last()).contains(&address)
    }

    /// A mapped prefix as the IPv4 prefix; one that is shorter than the mapping is IPv6's.
    fn canonical(address: IpAddr, bits: u8) -> Self {
        match (address, address.to_canonical(), bits.checked_sub(MAPPED_BITS)) {
            (IpAddr::V6(_), mapped @ IpAddr::V4(_), Some(bits)) => Self { address: mapped, bits },
            _ => Self { address, bits },
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.address, self.bits)
    }
}

/// Bits of an address of that family.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// A decimal number without sign and without leading zeros.
fn number(digits: &str) -> Option<u8> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_plain)
}

/// The bits that are not fixed.
fn free_v4(bits: u8) -> u32 {
    u32::MAX.checked_shr(bits.into()).unwrap_or(0)
}

fn free_v6(bits: u8) -> u128 {
    u128::MAX.checked_shr(bits.into()).unwrap_or(0)
}

/// A set of addresses as constant data: per family the first and last address of each range, ascending, with a gap between each two.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Networks<'a> {
    /// IPv4 ranges, both ends inclusive.
    pub v4: &'a [(u32, u32)],
    /// IPv6 ranges, both ends inclusive.
    pub v6: &'a [(u128, u128)],
}

impl Networks<'_> {
    /// No address.
    pub const NONE: Networks<'static> = Networks { v4: &[], v6: &[] };

    /// Whether the address is in the set.
    #[inline]
    pub fn contains(&self, address: IpAddr) -> bool {
        match address.to_canonical() {
            IpAddr::V4(address) => is_within(self.v4, address.to_bits()),
            IpAddr::V6(address) => is_within(self.v6, address.to_bits()),
        }
    }

    /// Whether there is no address in it.
    pub fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }
}

#[inline]
fn is_within<N: Copy + Ord>(ranges: &[(N, N)], address: N) -> bool {
    let behind = ranges.partition_point(|(first, _)| *first <= address);
    behind.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|(_, last)| address <= *last)
}

/// The ranges of a [`Networks`], owned by who builds it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Ranges {
    /// IPv4 ranges.
    pub v4: Vec<(u32, u32)>,
    /// IPv6 ranges.
    pub v6: Vec<(u128, u128)>,
}

impl Ranges {
    /// Sorts the prefixes and merges what overlaps or touches. Deterministic: the order of `prefixes` does not matter.
    pub fn build(prefixes: &[Prefix]) -> Self {
        let mut ranges = Self::default();
        for prefix in prefixes {
            match (prefix.first(), prefix.last()) {
                (IpAddr::V4(first), IpAddr::V4(last)) => ranges.v4.push((first.to_bits(), last.to_bits())),
                (IpAddr::V6(first), IpAddr::V6(last)) => ranges.v6.push((first.to_bits(), last.to_bits())),
                // Both ends are of the prefix's own family.
                _ => {}
            }
        }
        Self { v4: merged(ranges.v4, |last| last.checked_add(1)), v6: merged(ranges.v6, |last| last.checked_add(1)) }
    }

    /// The set, borrowed.
    pub fn networks(&self) -> Networks<'_> {
        Networks { v4: &self.v4, v6: &self.v6 }
    }
}

fn merged<N: Copy + Ord>(mut ranges: Vec<(N, N)>, next: impl Fn(N) -> Option<N>) -> Vec<(N, N)> {
    ranges.sort_unstable();
    let mut merged: Vec<(N, N)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if next(*end).is_none_or(|next| first <= next) => *end = last.max(*end),
            _ => merged.push((first, last)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prefix(text: &str) -> Prefix {
        Prefix::parse(text).unwrap()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn prefixes_are_parsed_to_their_canonical_form() {
        for (text, canonical) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("192.0.2.1", "192.0.2.1/32"),
            ("192.0.2.1/32", "192.0.2.1/32"),
            ("::/0", "::/0"),
            ("2001:DB8::/32", "2001:db8::/32"),
            ("::1", "::1/128"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.1", "192.0.2.1/32"),
            ("::/90", "::/90"),
        ] {
            assert_eq!(Prefix::parse(text).map(|prefix| prefix.to_string()).as_deref(), Ok(canonical), "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_prefix_are_refused() {
        for text in ["", "/8", "10.0.0/8", "10.0.0.0.0", "a", "010.0.0.0/8", "fe80::1%1", "[::1]", " 10.0.0.1"] {
            assert_eq!(Prefix::parse(text), Err(PrefixFault::Address), "{text}");
        }
        for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/-1", "::/129", "::/1000", "::/8/8"] {
            assert_eq!(Prefix::parse(text), Err(PrefixFault::Bits), "{text}");
        }
        for (text, meant) in [
            ("10.0.0.1/8", "10.0.0.0/8"),
            ("10.0.0.1/0", "0.0.0.0/0"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("::ffff:10.0.0.1/104", "10.0.0.0/8"),
            ("::ffff:0:0/95", "::fffe:0:0/95"),
        ] {
            assert_eq!(Prefix::parse(text), Err(PrefixFault::HostBits(prefix(meant))), "{text}");
        }
    }

    #[test]
    fn ranges_are_sorted_and_merged() {
        let texts = ["10.128.0.0/9", "10.1.2.3", "10.0.0.0/9", "192.0.2.0/25", "192.0.2.128/25", "255.255.255.255", "255.255.255.254/31"];
        let ranges = Ranges::build(&texts.map(prefix));
        assert_eq!(ranges.v4, [(0x0A00_0000, 0x0AFF_FFFF), (0xC000_0200, 0xC000_02FF), (0xFFFF_FFFE, 0xFFFF_FFFF)]);
        assert!(ranges.v6.is_empty());
        assert_eq!(Ranges::build(&["::/0", "::1"].map(prefix)).v6, [(0, u128::MAX)]);
    }

    #[test]
    fn mapped_address_is_the_ipv4_address() {
        let ranges = Ranges::build(&[prefix("10.0.0.0/8"), prefix("2001:db8::/32")]);
        let networks = ranges.networks();
        for (text, is_inside) in [
            ("10.0.0.0", true),
            ("10.255.255.255", true),
            ("::ffff:10.1.2.3", true),
            ("9.255.255.255", false),
            ("11.0.0.0", false),
            ("::ffff:11.0.0.0", false),
            ("::10.1.2.3", false),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:db9::", false),
        ] {
            assert_eq!(networks.contains(address(text)), is_inside, "{text}");
        }
        assert!(!Ranges::build(&[prefix("::/0")]).networks().contains(address("::ffff:1.2.3.4")));
        assert!(!Networks::NONE.contains(address("::1")) && Networks::NONE.is_empty());
    }

    fn any_address() -> impl Strategy<Value = IpAddr> {
        // Few leading bits differ, so that prefixes and addresses meet.
        let v4 = any::<(u8, u8)>().prop_map(|(a, b)| IpAddr::from([10, a % 4, 0, b % 8]));
        let v6 = any::<(u16, u16)>().prop_map(|(a, b)| IpAddr::from([0x2001, a % 4, 0, 0, 0, 0, 0, b % 8]));
        let mapped = any::<(u8, u8)>().prop_map(|(a, b)| IpAddr::from(Ipv4Addr::new(10, a % 4, 0, b % 8).to_ipv6_mapped()));
        prop_oneof![v4, v6, mapped]
    }

    fn any_prefix() -> impl Strategy<Value = Prefix> {
        (any_address(), any::<u8>()).prop_map(|(address, bits)| {
            let address = address.to_canonical();
            let wide = Prefix { address, bits: bits % (width(address) + 1) };
            Prefix { address: wide.first(), bits: wide.bits }
        })
    }

    proptest! {
        #[test]
        fn set_holds_what_any_prefix_holds(prefixes in proptest::collection::vec(any_prefix(), 0..8), address in any_address()) {
            let ranges = Ranges::build(&prefixes);
            let expected = prefixes.iter().any(|prefix| prefix.contains(address));
            prop_assert_eq!(ranges.networks().contains(address), expected);
            prop_assert!(ranges.v4.is_sorted_by(|a, b| a.1 < b.0 - 1));
        }

        #[test]
        fn displayed_prefix_is_parsed_again(prefix in any_prefix()) {
            prop_assert_eq!(Prefix::parse(&prefix.to_string()), Ok(prefix));
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in "[0-9a-f:./]{0,24}") {
            let _ = Prefix::parse(&text);
        }
    }
}
