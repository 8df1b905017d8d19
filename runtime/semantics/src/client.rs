//! Who the client is behind proxies that the site trusts: its address and its scheme, from X-Forwarded-For and X-Forwarded-Proto or Forwarded (RFC 7239).
//!
//! Nothing is believed that a peer outside of the trusted networks says. From a trusted peer the list of hops is walked from its right end (the newest) for as
//! long as the hop in hand is trusted: the first that is not is the client. If all are, it is the farthest. What stands left of the client is never read, since
//! the client may have written it. A hop that is no address (also `unknown` and `_hidden`, RFC 7239 §6) ends the walk: the client is the last trusted hop known.
//!
//! Which proxies write which field is for the site to say; with [`ForwardingFields::Either`] both are read and must not contradict each other. A proxy
//! that writes one of them passes on what the client wrote into the other, so preferring one would let clients choose their address.

use std::{iter, net::IpAddr};

use crate::{
    cidr::Networks,
    head::{Arrival, Fields, Scheme},
};

mod hops;

use self::hops::Hop;

/// The proxies whose word counts.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    /// Their addresses.
    pub networks: Networks<'a>,
    /// The fields they write.
    pub fields: ForwardingFields,
}

/// Which fields are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ForwardingFields {
    /// Both; where both were sent they must give the same address and the same scheme.
    Either,
    /// Forwarded only.
    Forwarded,
    /// X-Forwarded-For and X-Forwarded-Proto only.
    XForwarded,
}

/// The two kinds of fields name different clients, so that one of them may be forged: answered with 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Contradiction;

/// The client's address (IPv4 in its own form, never mapped) and scheme, for a request that `peer` has brought.
pub fn arrival(peer: Arrival, trust: &Trust<'_>, fields: Fields<'_>) -> Result<Arrival, Contradiction> {
    let peer = Arrival::direct(peer.client.to_canonical(), peer.scheme);
    if !trust.networks.contains(peer.client) {
        return Ok(peer);
    }
    let found = match trust.fields {
        ForwardingFields::Either => agreed(forwarded(peer, trust, fields), x_forwarded(peer, trust, fields))?,
        ForwardingFields::Forwarded => forwarded(peer, trust, fields),
        ForwardingFields::XForwarded => x_forwarded(peer, trust, fields),
    };
    Ok(Arrival { client: found.client.unwrap_or(peer.client), scheme: found.scheme.unwrap_or(peer.scheme), ..peer })
}

/// What one kind of fields says.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// `None` where the field was not sent.
    client: Option<IpAddr>,
    scheme: Option<Scheme>,
}

fn agreed(forwarded: Found, x_forwarded: Found) -> Result<Found, Contradiction> {
    let client = same(forwarded.client, x_forwarded.client)?;
    Ok(Found { client, scheme: same(forwarded.scheme, x_forwarded.scheme)? })
}

fn same<T: Eq>(one: Option<T>, other: Option<T>) -> Result<Option<T>, Contradiction> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(Contradiction),
        (one, other) => Ok(one.or(other)),
    }
}

fn forwarded(peer: Arrival, trust: &Trust<'_>, fields: Fields<'_>) -> Found {
    let hops = lines_from_the_last(fields, "forwarded").flat_map(hops::forwarded);
    let (client, last) = walk(peer.client, trust, hops);
    Found { client, scheme: last.and_then(|(_, hop)| hop.scheme) }
}

fn x_forwarded(peer: Arrival, trust: &Trust<'_>, fields: Fields<'_>) -> Found {
    let hops = lines_from_the_last(fields, "x-forwarded-for").flat_map(hops::x_forwarded_for);
    let (client, last) = walk(peer.client, trust, hops);
    // One value for each hop, or one in all: proxies that overwrite leave the one they know.
    let depth = last.map_or(0, |(depth, _)| depth);
    let mut schemes = lines_from_the_last(fields, "x-forwarded-proto").flat_map(hops::elements);
    let mut scheme = schemes.next();
    for _ in 0..depth {
        scheme = schemes.next().or(scheme);
    }
    Found { client, scheme: scheme.and_then(hops::scheme) }
}

/// The client (`None` without any hop), and the last hop that was read with its number from the right.
fn walk(peer: IpAddr, trust: &Trust<'_>, hops: impl Iterator<Item = Hop>) -> (Option<IpAddr>, Option<(usize, Hop)>) {
    let mut last = None;
    let mut client = peer;
    for (depth, hop) in hops.enumerate() {
        last = Some((depth, hop));
        match hop.address {
            Some(address) => client = address,
            None => break,
        }
        if !trust.networks.contains(client) {
            break;
        }
    }
    (last.map(|_| client), last)
}

/// The lines of a field, the last first. Each step counts from the front, which is bounded by the limit on fields and done for trusted peers only.
fn lines_from_the_last<'a>(fields: Fields<'a>, name: &'static str) -> impl Iterator<Item = &'a [u8]> {
    let mut left = fields.all(name).count();
    iter::from_fn(move || {
        left = left.checked_sub(1)?;
        fields.all(name).nth(left)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        cidr::{Prefix, Ranges},
        samples,
    };

    /// The client and scheme for a peer that came by http, `10.0.0.0/8` and `fd00::/8` being trusted.
    fn found(peer: &str, read: ForwardingFields, fields: &[(&str, &str)]) -> Result<(String, Scheme), Contradiction> {
        let ranges = Ranges::build(&["10.0.0.0/8", "fd00::/8"].map(|text| Prefix::parse(text).unwrap()));
        let trust = Trust { networks: ranges.networks(), fields: read };
        let peer = Arrival::direct(peer.parse().unwrap(), Scheme::Http);
        let arrival = samples::with_fields(fields, |fields| arrival(peer, &trust, fields))?;
        Ok((arrival.client.to_string(), arrival.scheme))
    }

    #[track_caller]
    fn check(peer: &str, fields: &[(&str, &str)], client: &str) {
        let (found, _) = found(peer, ForwardingFields::Either, fields).unwrap();
        assert_eq!(found, client, "{peer} {fields:?}");
    }

    #[test]
    fn x_forwarded_for_is_walked_from_the_right() {
        let name = "X-Forwarded-For";
        for (value, client) in [
            ("203.0.113.9", "203.0.113.9"),
            ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
            ("203.0.113.9,10.0.0.3,10.0.0.2", "203.0.113.9"),
            ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
            ("garbage, 203.0.113.9", "203.0.113.9"),
            ("203.0.113.9, garbage", "10.0.0.1"),
            ("203.0.113.9, garbage, 10.0.0.2", "10.0.0.2"),
            ("203.0.113.9, unknown", "10.0.0.1"),
            ("203.0.113.9, ,", "203.0.113.9"),
            ("203.0.113.9:1234", "203.0.113.9"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("203.0.113.9, fd00::1", "203.0.113.9"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
            ("203.0.113.9, ::ffff:10.0.0.2", "203.0.113.9"),
        ] {
            check("10.0.0.1", &[(name, value)], client);
        }
        check("10.0.0.1", &[(name, "203.0.113.9"), ("a", "b"), (name, "10.0.0.2, 10.0.0.3")], "203.0.113.9");
        check("10.0.0.1", &[(name, "198.51.100.1"), (name, "203.0.113.9")], "203.0.113.9");
        check("::ffff:10.0.0.1", &[], "10.0.0.1");
    }

    #[test]
    fn untrusted_peer_is_the_client() {
        let fields = [("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=1.2.3.4;proto=https"), ("x-forwarded-proto", "https")];
        assert_eq!(found("192.0.2.1", ForwardingFields::Either, &fields), Ok(("192.0.2.1".to_owned(), Scheme::Http)));
    }

    #[test]
    fn forwarded_is_walked_from_the_right() {
        for (value, client) in [
            ("for=203.0.113.9", "203.0.113.9"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=203.0.113.9;proto=http;by=10.0.0.1", "203.0.113.9"),
            ("for=198.51.100.1, for=203.0.113.9, for=10.0.0.2", "203.0.113.9"),
            ("for=198.51.100.1, for=unknown", "10.0.0.1"),
            ("for=198.51.100.1, for=_hidden, for=10.0.0.2", "10.0.0.2"),
            ("proto=https", "10.0.0.1"),
        ] {
            check("10.0.0.1", &[("Forwarded", value)], client);
        }
    }

    #[test]
    fn client_can_not_reach_behind_the_quotes_of_a_proxy() {
        for forged in ["for=\"", "for=\"a", "for=\"\\", "for=\\\"", "\"", "for=\";", "for=10.0.0.9, for=\"x"] {
            for added in ["for=203.0.113.9", "for=\"203.0.113.9:80\"", "proto=https;for=203.0.113.9;host=\"a\\\"b\""] {
                check("10.0.0.1", &[("forwarded", &format!("{forged}, {added}"))], "203.0.113.9");
                check("10.0.0.1", &[("forwarded", forged), ("forwarded", added)], "203.0.113.9");
            }
        }
    }

    #[test]
    fn scheme_is_that_of_the_client_hop() {
        for (fields, scheme) in [
            (&[("x-forwarded-proto", "https")][..], Scheme::Https),
            (&[("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https")], Scheme::Https),
            (&[("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https, http")], Scheme::Http),
            (&[("x-forwarded-for", "203.0.113.9, 10.0.0.2"), ("x-forwarded-proto", "https, http")], Scheme::Https),
            (&[("x-forwarded-for", "203.0.113.9, 10.0.0.2"), ("x-forwarded-proto", "WSS")], Scheme::Https),
            (&[("x-forwarded-proto", "gopher")], Scheme::Http),
            (&[("x-forwarded-proto", "")], Scheme::Http),
            (&[("forwarded", "for=203.0.113.9;proto=https, for=10.0.0.2;proto=http")], Scheme::Https),
            (&[("forwarded", "for=198.51.100.1;proto=https, for=203.0.113.9")], Scheme::Http),
            (&[("forwarded", "for=203.0.113.9"), ("x-forwarded-proto", "https")], Scheme::Https),
        ] {
            assert_eq!(found("10.0.0.1", ForwardingFields::Either, fields).map(|(_, scheme)| scheme), Ok(scheme), "{fields:?}");
        }
    }

    #[test]
    fn fields_that_disagree_are_a_contradiction() {
        let forged = [("forwarded", "for=10.0.0.9"), ("x-forwarded-for", "203.0.113.9")];
        assert_eq!(found("10.0.0.1", ForwardingFields::Either, &forged), Err(Contradiction));
        assert_eq!(found("10.0.0.1", ForwardingFields::Forwarded, &forged).unwrap().0, "10.0.0.9");
        assert_eq!(found("10.0.0.1", ForwardingFields::XForwarded, &forged).unwrap().0, "203.0.113.9");
        let scheme = [("forwarded", "for=203.0.113.9;proto=https"), ("x-forwarded-proto", "http")];
        assert_eq!(found("10.0.0.1", ForwardingFields::Either, &scheme), Err(Contradiction));
        check("10.0.0.1", &[("forwarded", "for=203.0.113.9"), ("x-forwarded-for", "1.1.1.1, 203.0.113.9")], "203.0.113.9");
    }

    proptest! {
        #[test]
        fn what_a_client_sends_never_changes_its_address(
            forged in "[ -~]{0,24}", field in 0_usize..2, is_own_line: bool, added in 0_usize..2,
        ) {
            let name = ["x-forwarded-for", "forwarded"][field];
            let added = [["203.0.113.9", "203.0.113.9:7"], ["for=203.0.113.9", "by=x;for=\"203.0.113.9\""]][field][added];
            let joined = format!("{forged}, {added}");
            let fields = if is_own_line { vec![(name, forged.as_str()), (name, added)] } else { vec![(name, joined.as_str())] };
            prop_assert_eq!(found("10.0.0.1", ForwardingFields::Either, &fields).unwrap().0, "203.0.113.9");
        }
    }
}
