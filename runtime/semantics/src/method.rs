//! Request methods (RFC 9110 §9, IANA's registry) as a number and as a set.

/// A method that is registered with IANA (or is in wide use, such as `PURGE`), or [`Method::OTHER`] for any other token.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Method(u8);

/// A set of known methods. `Method::OTHER` is in [`Methods::ANY`] only.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Methods(u64);

impl Method {
    pub const GET: Self = Self(0);
    pub const HEAD: Self = Self(1);
    pub const POST: Self = Self(2);
    pub const PUT: Self = Self(3);
    pub const DELETE: Self = Self(4);
    pub const CONNECT: Self = Self(5);
    pub const OPTIONS: Self = Self(6);
    pub const TRACE: Self = Self(7);
    pub const PATCH: Self = Self(8);
    // .. the other registered names follow, in the registry's order
    pub const OTHER: Self = Self(63);

    /// The method that a token (case-sensitive, RFC 9110 §9.1) names; `OTHER` for a token that is not in the table.
    pub fn parse(token: &[u8]) -> Self { todo!() }
    /// Its token; `OTHER` has none.
    pub fn name(self) -> Option<&'static str> { todo!() }
    /// All known names, in the order of their numbers.
    pub fn names() -> &'static [&'static str] { todo!() }
}

impl Methods {
    pub const ANY: Self = Self(u64::MAX);
    pub const NONE: Self = Self(0);
    pub const GET_HEAD: Self = Self(0b11);
    pub const fn of(methods: &[Method]) -> Self { todo!() }
    pub const fn contains(self, method: Method) -> bool { todo!() }
    pub const fn union(self, other: Self) -> Self { todo!() }
    pub const fn intersects(self, other: Self) -> bool { todo!() }
    pub const fn is_empty(self) -> bool { todo!() }
    pub const fn is_any(self) -> bool { todo!() }
    pub fn iter(self) -> impl Iterator<Item = Method> { todo!() as std::vec::IntoIter<Method> }
}
