//! Defaults and how an inner scope takes over from an outer one: the only file that knows a default value.
//!
//! The texts are written as a site file would write them; the schema shows them in the reference, and here they become values.

use std::time::Duration;

use semantics::client::ForwardingFields;

use crate::{
    ast::{Node, Value},
    model::{Defaulted, EncodedSlash, Limits, LogFormat, Metrics, Timeouts, Workers},
    parse::value,
};

pub const CONNECTIONS: &str = "16384";
pub const REQUESTS: &str = "65536";
pub const DELIVERY: &str = "coalesce";
/// Bytes that `coalesce` gathers at most.
pub const COALESCED_BYTES: u32 = 64 * 1024;
pub const ERROR_LOG: &str = "stderr";
pub const HEAD: &str = "32KiB";
pub const FIELDS: &str = "100";
pub const BODY: &str = "16MiB";
pub const HEAD_TIMEOUT: &str = "10s";
pub const BODY_TIMEOUT: &str = "30s";
pub const IDLE_TIMEOUT: &str = "75s";
pub const WRITE_TIMEOUT: &str = "30s";
pub const DRAIN_TIMEOUT: &str = "30s";
pub const FORWARDING_FIELDS: &str = "either";
pub const CANONICAL_STATUS: &str = "308";
pub const INDEX: &str = "index.html";
pub const RESPOND_STATUS: &str = "200";
pub const REDIRECT_STATUS: &str = "302";
pub const REFUSE_STATUS: &str = "403";
pub const ENCODED_BYTES: &str = "512B";

/// The limits of a `limits` block, or of none.
pub(super) fn limits(block: Option<&Node>) -> Limits {
    Limits {
        connections: defaulted(block, "connections", CONNECTIONS, |value| value.integer() as u32, number),
        connections_per_client: written(block, "connections-per-client").map(|value| value.integer() as u32),
        requests: defaulted(block, "requests", REQUESTS, |value| value.integer() as u32, number),
        memory: written(block, "memory").map(Value::size),
        head: defaulted(block, "head", HEAD, |value| value.size() as u32, |text| size(text) as u32),
        fields: defaulted(block, "fields", FIELDS, |value| value.integer() as u16, number),
        body: defaulted(block, "body", BODY, Value::size, size),
    }
}

/// The timeouts of a `timeouts` block, or of none.
pub(super) fn timeouts(block: Option<&Node>) -> Timeouts {
    let timeout = |word, default| defaulted(block, word, default, Value::duration, duration);
    Timeouts {
        head: timeout("head", HEAD_TIMEOUT),
        body: timeout("body", BODY_TIMEOUT),
        idle: timeout("idle", IDLE_TIMEOUT),
        write: timeout("write", WRITE_TIMEOUT),
        drain: timeout("drain", DRAIN_TIMEOUT),
    }
}

/// One worker for each core, unless the site says a number.
pub(super) fn workers(written: Option<std::num::NonZeroU16>) -> Defaulted<Workers> {
    written.map_or(Defaulted { value: Workers::PerCore, is_default: true }, |count| Defaulted {
        value: Workers::Count(count),
        is_default: false,
    })
}

/// Bytes of a body, as a `limit-body` says or an outer scope.
pub(super) fn body_limit(block: Option<&Node>, outer: Defaulted<u64>) -> Defaulted<u64> {
    let written = block.and_then(|node| node.argument("size"));
    written.map_or(outer, |value| Defaulted { value: value.size(), is_default: false })
}

/// What a route does with encoded separators where nobody says.
pub(super) const ENCODED_SLASH: EncodedSlash = EncodedSlash::Refuse;

/// As a `path` says it, or an outer scope.
pub(super) fn encoded_slash(written: Option<&Value>, outer: EncodedSlash) -> EncodedSlash {
    match written.map(Value::text) {
        Some("keep") => EncodedSlash::Keep,
        Some("raw") => EncodedSlash::Raw,
        _ => outer,
    }
}

/// Which fields trusted proxies write.
pub(super) fn forwarding_fields(written: Option<&Value>) -> Defaulted<ForwardingFields> {
    let value = match written.map_or(FORWARDING_FIELDS, Value::text) {
        "forwarded" => ForwardingFields::Forwarded,
        "x-forwarded" => ForwardingFields::XForwarded,
        _ => ForwardingFields::Either,
    };
    Defaulted { value, is_default: written.is_none() }
}

pub(super) fn index(written: Option<&Value>) -> Defaulted<String> {
    written.map_or_else(
        || Defaulted { value: INDEX.to_owned(), is_default: true },
        |value| Defaulted { value: value.text().to_owned(), is_default: false },
    )
}

/// Bytes from which on a body is encoded.
pub(super) fn encoded_bytes(written: Option<&Value>) -> Defaulted<u64> {
    Defaulted { value: written.map_or_else(|| size(ENCODED_BYTES), Value::size), is_default: written.is_none() }
}

/// The status of an action as written, or the default text's.
pub(super) fn status(written: Option<&Value>, default: &str) -> Defaulted<u16> {
    Defaulted { value: written.map_or_else(|| number(default), |value| value.integer() as u16), is_default: written.is_none() }
}

/// Whether exchanges are logged: as a `log` says it, or an outer scope.
pub(super) fn is_logged(word: Option<&Node>, outer: bool) -> bool {
    word.and_then(|node| node.argument("is-written")).map_or(outer, Value::bool)
}

/// Exchanges are logged where nobody says.
pub(super) const IS_LOGGED: bool = true;

/// One object a line where nobody says.
pub(super) fn log_format(written: Option<&Value>) -> Defaulted<LogFormat> {
    let value = match written.map(Value::text) {
        Some("combined") => LogFormat::Combined,
        Some("common") => LogFormat::Common,
        _ => LogFormat::Json,
    };
    Defaulted { value, is_default: written.is_none() }
}

/// What is counted apart: what a property does not say is.
pub(super) fn metrics(node: &Node) -> Metrics {
    let counted = |name: &str| {
        let written = node.property(name);
        Defaulted { value: written.is_none_or(Value::bool), is_default: written.is_none() }
    };
    Metrics { per_vhost: counted("per-vhost"), per_route: counted("per-route") }
}

/// What a word of a block says.
fn written<'n>(block: Option<&'n Node>, word: &str) -> Option<&'n Value> {
    block.and_then(|block| block.child(word)).and_then(|node| node.values().next())
}

fn defaulted<T>(block: Option<&Node>, word: &str, default: &str, read: impl Fn(&Value) -> T, parse: impl Fn(&str) -> T) -> Defaulted<T> {
    let written = written(block, word);
    Defaulted { value: written.map_or_else(|| parse(default), read), is_default: written.is_none() }
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().ok().expect("the defaults above are numbers")
}

fn size(text: &str) -> u64 {
    value::size(text).ok().expect("the defaults above are sizes")
}

fn duration(text: &str) -> Duration {
    value::duration(text).ok().expect("the defaults above are durations")
}

#[cfg(test)]
mod tests {
    use super::{limits, timeouts};

    #[test]
    fn defaults_without_blocks_are_values() {
        let limits = limits(None);
        assert_eq!((limits.head.value, limits.body.value, limits.connections.value, limits.fields.value), (32 << 10, 16 << 20, 16384, 100));
        assert!(limits.head.is_default && timeouts(None).drain.is_default);
        assert_eq!(timeouts(None).idle.value.as_secs(), 75);
    }
}
