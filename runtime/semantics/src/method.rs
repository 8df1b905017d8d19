//! Request methods (RFC 9110 §9, IANA's registry) as a number and as a set.
//!
//! Numbers are positions in one list; they are an internal matter of a binary and may change from version to version.

/// A method that is registered with IANA (or is in wide use, such as `PURGE`), or [`Method::OTHER`] for any other token.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Method(u8);

/// A set of known methods. `Method::OTHER` is in [`Methods::ANY`] only.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Methods(u64);

/// The common ones first, then the registry's order (IANA, "HTTP Method Registry", without `*` and `PRI`, which are reserved), then `PURGE`.
const NAMES: [&str; 40] = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "ACL",
    "BASELINE-CONTROL",
    "BIND",
    "CHECKIN",
    "CHECKOUT",
    "COPY",
    "LABEL",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MKREDIRECTREF",
    "MKWORKSPACE",
    "MOVE",
    "ORDERPATCH",
    "PROPFIND",
    "PROPPATCH",
    "QUERY",
    "REBIND",
    "REPORT",
    "SEARCH",
    "UNBIND",
    "UNCHECKOUT",
    "UNLINK",
    "UNLOCK",
    "UPDATE",
    "UPDATEREDIRECTREF",
    "VERSION-CONTROL",
    "PURGE",
];

impl Method {
    /// RFC 9110 §9.3.1.
    pub const GET: Self = Self(0);
    /// RFC 9110 §9.3.2.
    pub const HEAD: Self = Self(1);
    /// RFC 9110 §9.3.3.
    pub const POST: Self = Self(2);
    /// RFC 9110 §9.3.4.
    pub const PUT: Self = Self(3);
    /// RFC 9110 §9.3.5.
    pub const DELETE: Self = Self(4);
    /// RFC 9110 §9.3.6.
    pub const CONNECT: Self = Self(5);
    /// RFC 9110 §9.3.7.
    pub const OPTIONS: Self = Self(6);
    /// RFC 9110 §9.3.8.
    pub const TRACE: Self = Self(7);
    /// RFC 5789.
    pub const PATCH: Self = Self(8);
    /// RFC 3744.
    pub const ACL: Self = Self(9);
    /// RFC 3253.
    pub const BASELINE_CONTROL: Self = Self(10);
    /// RFC 5842.
    pub const BIND: Self = Self(11);
    /// RFC 3253.
    pub const CHECKIN: Self = Self(12);
    /// RFC 3253.
    pub const CHECKOUT: Self = Self(13);
    /// RFC 4918.
    pub const COPY: Self = Self(14);
    /// RFC 3253.
    pub const LABEL: Self = Self(15);
    /// RFC 2068.
    pub const LINK: Self = Self(16);
    /// RFC 4918.
    pub const LOCK: Self = Self(17);
    /// RFC 3253.
    pub const MERGE: Self = Self(18);
    /// RFC 3253.
    pub const MKACTIVITY: Self = Self(19);
    /// RFC 4791.
    pub const MKCALENDAR: Self = Self(20);
    /// RFC 4918.
    pub const MKCOL: Self = Self(21);
    /// RFC 4437.
    pub const MKREDIRECTREF: Self = Self(22);
    /// RFC 3253.
    pub const MKWORKSPACE: Self = Self(23);
    /// RFC 4918.
    pub const MOVE: Self = Self(24);
    /// RFC 3648.
    pub const ORDERPATCH: Self = Self(25);
    /// RFC 4918.
    pub const PROPFIND: Self = Self(26);
    /// RFC 4918.
    pub const PROPPATCH: Self = Self(27);
    /// The safe method with a body (draft-ietf-httpbis-safe-method-w-body).
    pub const QUERY: Self = Self(28);
    /// RFC 5842.
    pub const REBIND: Self = Self(29);
    /// RFC 3253.
    pub const REPORT: Self = Self(30);
    /// RFC 5323.
    pub const SEARCH: Self = Self(31);
    /// RFC 5842.
    pub const UNBIND: Self = Self(32);
    /// RFC 3253.
    pub const UNCHECKOUT: Self = Self(33);
    /// RFC 2068.
    pub const UNLINK: Self = Self(34);
    /// RFC 4918.
    pub const UNLOCK: Self = Self(35);
    /// RFC 3253.
    pub const UPDATE: Self = Self(36);
    /// RFC 4437.
    pub const UPDATEREDIRECTREF: Self = Self(37);
    /// RFC 3253.
    pub const VERSION_CONTROL: Self = Self(38);
    /// Not registered: what caches are told to forget by.
    pub const PURGE: Self = Self(39);
    /// Any token that is not in the table.
    pub const OTHER: Self = Self(63);

    /// The method that a token (case-sensitive, RFC 9110 §9.1) names; `OTHER` for a token that is not in the table.
    pub fn parse(token: &[u8]) -> Self {
        let position = NAMES.iter().position(|name| name.as_bytes() == token);
        position.and_then(|number| u8::try_from(number).ok()).map_or(Self::OTHER, Self)
    }

    /// Its token; `OTHER` has none.
    pub fn name(self) -> Option<&'static str> {
        NAMES.get(usize::from(self.0)).copied()
    }

    /// All known names, in the order of their numbers.
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }
}

impl Methods {
    /// Every method, unknown tokens included.
    pub const ANY: Self = Self(u64::MAX);
    /// No method.
    pub const NONE: Self = Self(0);
    /// What GET alone brings.
    pub const GET_HEAD: Self = Self(0b11);

    /// The set of `methods`; `OTHER` is left out.
    pub const fn of(methods: &[Method]) -> Self {
        let mut set = 0;
        let mut rest = methods;
        while let [method, behind @ ..] = rest {
            if method.0 < Method::OTHER.0 {
                set |= 1 << method.0;
            }
            rest = behind;
        }
        Self(set)
    }

    /// The set as a number: bit `n` for the method of number `n`.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of that number.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Whether `method` is in the set.
    pub const fn contains(self, method: Method) -> bool {
        self.0 >> method.0 & 1 != 0
    }

    /// What is in one of the two.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a method is in both.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is no method in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is the set of every method, unknown tokens included.
    pub const fn is_any(self) -> bool {
        self.0 == u64::MAX
    }

    /// The known methods of the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Method> {
        (0..).take(NAMES.len()).map(Method).filter(move |method| self.contains(*method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (number, name) in Method::names().iter().enumerate() {
            let method = Method::parse(name.as_bytes());
            assert_eq!(usize::from(method.0), number);
            assert_eq!(method.name(), Some(*name));
        }
        assert_eq!(Method::parse(b"PATCH"), Method::PATCH);
        assert_eq!(Method::parse(b"VERSION-CONTROL"), Method::VERSION_CONTROL);
        assert_eq!(Method::parse(b"PURGE"), Method::PURGE);
        assert_eq!(Method::parse(b"get"), Method::OTHER);
        assert_eq!(Method::parse(b"PRI"), Method::OTHER);
        assert_eq!(Method::OTHER.name(), None);
    }

    #[test]
    fn sets_hold_known_methods() {
        let set = Methods::of(&[Method::PUT, Method::GET, Method::OTHER]);
        assert!(set.contains(Method::PUT) && !set.contains(Method::POST) && !set.contains(Method::OTHER));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Method::GET, Method::PUT]);
        assert!(Methods::ANY.contains(Method::OTHER) && Methods::ANY.is_any());
        assert!(Methods::of(&[]).is_empty());
        assert!(set.intersects(Methods::GET_HEAD) && set.union(Methods::ANY).is_any());
        assert_eq!(Methods::ANY.iter().count(), Method::names().len());
    }
}
