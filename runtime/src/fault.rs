//! What can go wrong with an exchange, whose side failed, and the status that says so: decided here and nowhere else.

use semantics::head::HeadFault;

/// A failure with a side and a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The request's body broke off: the client is gone.
    BodyDisconnected,
    /// The framing of the request's body is broken (RFC 9112 §7.1).
    BodyFraming,
    /// No byte of the request's body came within the body timeout.
    BodyTimedOut,
    /// The request's body is over the limit.
    BodyTooLarge,
    /// The client has as many connections as it may.
    ClientLimit,
    /// The connection limit is reached.
    ConnectionLimit,
    /// Trusted proxies name two different clients.
    ForwardingContradiction,
    /// The head was refused by the scan.
    Head(HeadFault),
    /// The head did not come to its end within the head timeout.
    HeadTimedOut,
    /// The handler panicked.
    Panicked,
}

/// Who failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// Who sent the request.
    Client,
    /// This process.
    Site,
}

impl Fault {
    /// The status of its answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BodyDisconnected | Self::BodyFraming | Self::ForwardingContradiction => 400,
            Self::BodyTimedOut | Self::HeadTimedOut => 408,
            Self::BodyTooLarge => 413,
            Self::ClientLimit => 429,
            Self::ConnectionLimit => 503,
            Self::Head(fault) => fault.status(),
            Self::Panicked => 500,
        }
    }

    /// Whose side failed.
    pub const fn side(self) -> Side {
        match self {
            Self::BodyDisconnected
            | Self::BodyFraming
            | Self::BodyTimedOut
            | Self::BodyTooLarge
            | Self::ClientLimit
            | Self::ForwardingContradiction
            | Self::Head(_)
            | Self::HeadTimedOut => Side::Client,
            Self::ConnectionLimit | Self::Panicked => Side::Site,
        }
    }
}
