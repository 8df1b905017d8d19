//! `access`: which clients a scope lets in, by address.
//!
//! A list's first rule that holds the client decides; where none does the client is refused if the list has an `allow`, else allowed. Scopes add up: every list
//! from the outermost to the route's own must allow, so that an inner one can only narrow. `access { replace }` ends the chain above it, which the compiler
//! has done before the lists come here.

use std::net::IpAddr;

use crate::cidr::Networks;

/// What a rule says to the clients it holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// They may go on.
    Allow,
    /// They are answered with 403.
    Refuse,
}

/// One `allow` or `refuse`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rule<'a> {
    /// What it says.
    pub verdict: Verdict,
    /// To whom.
    pub networks: Networks<'a>,
}

/// The rules of one scope, in written order. An empty list allows everybody.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct List<'a> {
    /// The rules.
    pub rules: &'a [Rule<'a>],
}

impl List<'_> {
    /// What this list alone says to a client.
    pub fn verdict(&self, client: IpAddr) -> Verdict {
        let mut otherwise = Verdict::Allow;
        for rule in self.rules {
            if rule.networks.contains(client) {
                return rule.verdict;
            }
            if rule.verdict == Verdict::Allow {
                otherwise = Verdict::Refuse;
            }
        }
        otherwise
    }
}

/// Whether a chain of lists, outermost first, lets a client in: all of them must.
pub fn allows(chain: &[List<'_>], client: IpAddr) -> bool {
    chain.iter().all(|list| list.verdict(client) == Verdict::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cidr::{Prefix, Ranges};

    /// `+10.0.0.0/8` allows, `-10.0.0.0/8` refuses.
    #[track_caller]
    fn check(chain: &[&[&str]], client: &str, expected: bool) {
        let ranges: Vec<Vec<(Verdict, Ranges)>> = chain
            .iter()
            .map(|list| {
                let rule = |text: &&str| {
                    let (sign, prefix) = text.split_at(1);
                    let verdict = if sign == "+" { Verdict::Allow } else { Verdict::Refuse };
                    (verdict, Ranges::build(&[Prefix::parse(prefix).unwrap()]))
                };
                list.iter().map(rule).collect()
            })
            .collect();
        let rules: Vec<Vec<Rule<'_>>> = ranges
            .iter()
            .map(|list| list.iter().map(|(verdict, ranges)| Rule { verdict: *verdict, networks: ranges.networks() }).collect())
            .collect();
        let lists: Vec<List<'_>> = rules.iter().map(|rules| List { rules }).collect();
        assert_eq!(allows(&lists, client.parse().unwrap()), expected, "{chain:?} {client}");
    }

    #[test]
    fn first_match_decides() {
        let list: &[&str] = &["-10.0.0.1/32", "+10.0.0.0/8", "-10.0.0.0/8"];
        check(&[list], "10.0.0.1", false);
        check(&[list], "10.0.0.2", true);
        check(&[list], "::ffff:10.0.0.2", true);
    }

    #[test]
    fn without_match_an_allow_makes_the_list_closed() {
        check(&[&["+10.0.0.0/8"]], "192.0.2.1", false);
        check(&[&["-10.0.0.0/8"]], "192.0.2.1", true);
        check(&[&["-10.0.0.0/8", "+127.0.0.1/32"]], "192.0.2.1", false);
        check(&[&["+127.0.0.1/32"]], "::1", false);
        check(&[&[]], "192.0.2.1", true);
        check(&[], "192.0.2.1", true);
    }

    #[test]
    fn inner_list_narrows_and_never_loosens() {
        let (outer, inner): (&[&str], &[&str]) = (&["+10.0.0.0/8"], &["+10.1.0.0/16", "+192.0.2.0/24"]);
        check(&[outer, inner], "10.1.0.1", true);
        check(&[outer, inner], "10.2.0.1", false);
        check(&[outer, inner], "192.0.2.1", false);
        check(&[&["-0.0.0.0/0"], &["+0.0.0.0/0"]], "192.0.2.1", false);
    }
}
