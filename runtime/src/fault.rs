//! What can go wrong with an exchange, whose side failed, and the status that says so: decided here and nowhere else.

use semantics::head::HeadFault;

/// A failure with a side and a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The request's body broke off: the client is gone.
    BodyDisconnected,
    /// The framing of the request's body is broken (RFC 9112 §7.1).
    BodyFraming,
    /// The request's body came too slowly, or not at all.
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
    /// The memory budget had no room for as long as was waited.
    MemoryTimedOut,
    /// The handler panicked.
    Panicked,
    /// Too many exchanges are in flight.
    RequestLimit,
    /// An upstream's answer stopped for too long.
    UpstreamBetweenBytesTimedOut,
    /// No connection to any endpoint that was tried.
    UpstreamConnectFailed,
    /// No connection to an endpoint within the connect timeout.
    UpstreamConnectTimedOut,
    /// Nothing of an upstream's answer came in time.
    UpstreamFirstByteTimedOut,
    /// An upstream's answer is in doubt: its head, or the framing of its body.
    UpstreamFraming,
    /// An upstream has no endpoint that could be asked.
    UpstreamNoEndpoint,
    /// The upstream's connection ended before its answer did.
    UpstreamReset,
    /// What was to be asked of the upstream is no request-target.
    UpstreamTarget,
    /// An upstream's answer was not complete in time.
    UpstreamTotalTimedOut,
}

/// Who failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// Who sent the request.
    Client,
    /// This process.
    Site,
    /// An endpoint that was asked.
    Upstream,
}

impl Fault {
    /// What faults are called in logs and counters: stable, for programs to look for.
    pub const NAMES: [&str; 27] = [
        "bad-request",
        "body-disconnected",
        "body-framing",
        "body-timed-out",
        "body-too-large",
        "client-limit",
        "connection-limit",
        "expectation-failed",
        "fields-too-large",
        "forwarding-contradiction",
        "head-timed-out",
        "length-required",
        "memory-timed-out",
        "not-implemented",
        "panicked",
        "request-limit",
        "upstream-between-bytes-timed-out",
        "upstream-connect-failed",
        "upstream-connect-timed-out",
        "upstream-first-byte-timed-out",
        "upstream-framing",
        "upstream-no-endpoint",
        "upstream-reset",
        "upstream-target",
        "upstream-total-timed-out",
        "uri-too-long",
        "version-not-supported",
    ];

    /// Where in [`Self::NAMES`] its name is.
    pub(crate) const fn number(self) -> usize {
        match self {
            Self::Head(HeadFault::BadRequest) => 0,
            Self::BodyDisconnected => 1,
            Self::BodyFraming => 2,
            Self::BodyTimedOut => 3,
            Self::BodyTooLarge => 4,
            Self::ClientLimit => 5,
            Self::ConnectionLimit => 6,
            Self::Head(HeadFault::ExpectationFailed) => 7,
            Self::Head(HeadFault::FieldsTooLarge) => 8,
            Self::ForwardingContradiction => 9,
            Self::HeadTimedOut => 10,
            Self::Head(HeadFault::LengthRequired) => 11,
            Self::MemoryTimedOut => 12,
            Self::Head(HeadFault::NotImplemented) => 13,
            Self::Panicked => 14,
            Self::RequestLimit => 15,
            Self::UpstreamBetweenBytesTimedOut => 16,
            Self::UpstreamConnectFailed => 17,
            Self::UpstreamConnectTimedOut => 18,
            Self::UpstreamFirstByteTimedOut => 19,
            Self::UpstreamFraming => 20,
            Self::UpstreamNoEndpoint => 21,
            Self::UpstreamReset => 22,
            Self::UpstreamTarget => 23,
            Self::UpstreamTotalTimedOut => 24,
            Self::Head(HeadFault::UriTooLong) => 25,
            Self::Head(HeadFault::VersionNotSupported) => 26,
        }
    }

    /// What it is called in logs and counters.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.number()]
    }

    /// The status of its answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BodyDisconnected | Self::BodyFraming | Self::ForwardingContradiction | Self::UpstreamTarget => 400,
            Self::BodyTimedOut | Self::HeadTimedOut => 408,
            Self::BodyTooLarge => 413,
            Self::ClientLimit => 429,
            Self::ConnectionLimit | Self::MemoryTimedOut | Self::RequestLimit | Self::UpstreamNoEndpoint => 503,
            Self::Head(fault) => fault.status(),
            Self::Panicked => 500,
            Self::UpstreamBetweenBytesTimedOut
            | Self::UpstreamConnectTimedOut
            | Self::UpstreamFirstByteTimedOut
            | Self::UpstreamTotalTimedOut => 504,
            Self::UpstreamConnectFailed | Self::UpstreamFraming | Self::UpstreamReset => 502,
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
            | Self::HeadTimedOut
            | Self::UpstreamTarget => Side::Client,
            Self::ConnectionLimit | Self::MemoryTimedOut | Self::Panicked | Self::RequestLimit => Side::Site,
            Self::UpstreamBetweenBytesTimedOut
            | Self::UpstreamConnectFailed
            | Self::UpstreamConnectTimedOut
            | Self::UpstreamFirstByteTimedOut
            | Self::UpstreamFraming
            | Self::UpstreamNoEndpoint
            | Self::UpstreamReset
            | Self::UpstreamTotalTimedOut => Side::Upstream,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_the_name_of_its_variant() {
        let faults = [
            Fault::BodyDisconnected,
            Fault::BodyFraming,
            Fault::BodyTimedOut,
            Fault::BodyTooLarge,
            Fault::ClientLimit,
            Fault::ConnectionLimit,
            Fault::ForwardingContradiction,
            Fault::Head(HeadFault::BadRequest),
            Fault::Head(HeadFault::ExpectationFailed),
            Fault::Head(HeadFault::FieldsTooLarge),
            Fault::Head(HeadFault::LengthRequired),
            Fault::Head(HeadFault::NotImplemented),
            Fault::Head(HeadFault::UriTooLong),
            Fault::Head(HeadFault::VersionNotSupported),
            Fault::HeadTimedOut,
            Fault::MemoryTimedOut,
            Fault::Panicked,
            Fault::RequestLimit,
            Fault::UpstreamBetweenBytesTimedOut,
            Fault::UpstreamConnectFailed,
            Fault::UpstreamConnectTimedOut,
            Fault::UpstreamFirstByteTimedOut,
            Fault::UpstreamFraming,
            Fault::UpstreamNoEndpoint,
            Fault::UpstreamReset,
            Fault::UpstreamTarget,
            Fault::UpstreamTotalTimedOut,
        ];
        assert_eq!(faults.len(), Fault::NAMES.len());
        for fault in faults {
            let shown = format!("{fault:?}");
            let variant = shown.trim_start_matches("Head(").trim_end_matches(')');
            let words = variant.chars().flat_map(|letter| letter.is_uppercase().then_some('-').into_iter().chain(letter.to_lowercase()));
            assert_eq!(words.collect::<String>().trim_start_matches('-'), fault.name());
        }
    }
}
