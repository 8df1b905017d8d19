//! Defaults and how an inner scope takes over from an outer one: the only file that knows a default value.
//!
//! The texts are written as a site file would write them; the schema shows them in the reference, and here they become values.

use std::time::Duration;

use semantics::client::ForwardingFields;

use crate::{
    ast::{Node, Value},
    model::{
        Balance, Defaulted, Eject, EncodedSlash, HostPolicy, Limits, LogFormat, Metrics, Pool, Retry, RetryOn, Timeouts, UpstreamTimeouts,
        Workers,
    },
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
pub const BALANCE: &str = "round-robin";
pub const ENDPOINT_WEIGHT: &str = "1";
pub const IDLE_CONNECTIONS: &str = "64";
pub const POOL_IDLE_TIMEOUT: &str = "30s";
pub const REQUESTS_PER_CONNECTION: &str = "25000";
pub const CONNECTION_AGE: &str = "1h";
pub const CONNECT_TIMEOUT: &str = "2s";
pub const FIRST_BYTE_TIMEOUT: &str = "30s";
pub const BETWEEN_BYTES_TIMEOUT: &str = "60s";
pub const TOTAL_TIMEOUT: &str = "off";
pub const TUNNEL_IDLE_TIMEOUT: &str = "1h";
/// Failures in a row.
const EJECTED_AFTER: u32 = 5;
const EJECTED_TIME: &str = "30s";
/// Where an upstream has several endpoints.
const RETRIES: u8 = 1;
const RETRY_PERCENT: u8 = 20;
/// What a request is sent again after.
pub const RETRIED: &str = "\"connect\" \"reset-before-response\"";
pub const PROXIED_HOST: &str = "preserve";
pub const ACCEL_HEADER: &str = "x-accel-redirect";
/// The port of a URL without one.
pub const HTTP_PORT: u16 = 80;

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

/// Endpoints are asked one after the other.
pub(super) const fn balance(written: Option<&Value>) -> Defaulted<Balance> {
    Defaulted { value: Balance::RoundRobin, is_default: written.is_none() }
}

pub(super) fn weight(written: Option<&Value>) -> Defaulted<u32> {
    Defaulted { value: written.map_or_else(|| number(ENDPOINT_WEIGHT), |value| value.integer() as u32), is_default: written.is_none() }
}

/// What a `pool` block says, or none.
pub(super) fn pool(block: Option<&Node>) -> Pool {
    let count = |word, default| defaulted(block, word, default, |value| value.integer() as u32, number);
    let timeout = |word, default| defaulted(block, word, default, Value::duration, duration);
    Pool {
        idle_connections: count("idle-connections", IDLE_CONNECTIONS),
        idle_timeout: timeout("idle-timeout", POOL_IDLE_TIMEOUT),
        requests_per_connection: count("requests-per-connection", REQUESTS_PER_CONNECTION),
        connection_age: timeout("connection-age", CONNECTION_AGE),
    }
}

/// What the `timeouts` of an upstream say, or none.
pub(super) fn upstream_timeouts(block: Option<&Node>) -> UpstreamTimeouts {
    let timeout = |word, default| defaulted(block, word, default, Value::duration, duration);
    UpstreamTimeouts {
        connect: timeout("connect", CONNECT_TIMEOUT),
        first_byte: timeout("first-byte", FIRST_BYTE_TIMEOUT),
        between_bytes: timeout("between-bytes", BETWEEN_BYTES_TIMEOUT),
        total: defaulted(block, "total", TOTAL_TIMEOUT, Value::duration_or_off, |text| value::duration(text).ok()),
        tunnel_idle: timeout("tunnel-idle", TUNNEL_IDLE_TIMEOUT),
    }
}

/// Those of an upstream, but for what the block of an action says.
pub(super) fn proxy_timeouts(block: Option<&Node>, outer: &UpstreamTimeouts) -> UpstreamTimeouts {
    let timeout = |word, outer: Defaulted<Duration>| written(block, word).map_or(outer, |value| Defaulted::written(value.duration()));
    UpstreamTimeouts {
        connect: timeout("connect", outer.connect),
        first_byte: timeout("first-byte", outer.first_byte),
        between_bytes: timeout("between-bytes", outer.between_bytes),
        total: written(block, "total").map_or(outer.total, |value| Defaulted::written(value.duration_or_off())),
        tunnel_idle: timeout("tunnel-idle", outer.tunnel_idle),
    }
}

/// As an `eject` says; without one an endpoint is ejected where there are others.
pub(super) fn eject(node: Option<&Node>, has_others: bool) -> Option<Eject> {
    let is_off = node.and_then(|node| node.argument("is-ejected")).is_some_and(|value| !value.bool());
    if is_off || (node.is_none() && !has_others) {
        return None;
    }
    let after = node.and_then(|node| node.property("after"));
    let time = node.and_then(|node| node.property("for"));
    Some(Eject {
        after: Defaulted { value: after.map_or(EJECTED_AFTER, |value| value.integer() as u32), is_default: after.is_none() },
        time: Defaulted { value: time.map_or_else(|| duration(EJECTED_TIME), Value::duration), is_default: time.is_none() },
    })
}

/// As a `retry` says, whose texts were read to `budget_percent` and `on`; without one a request is sent again where there are other endpoints.
pub(super) fn retry(node: Option<&Node>, budget_percent: Option<u8>, on: Option<RetryOn>, has_others: bool) -> Option<Retry> {
    let written = node.and_then(|node| node.argument("times")).map(|value| value.integer() as u8);
    if written == Some(0) || (node.is_none() && !has_others) {
        return None;
    }
    let is_on_default = on.is_none();
    let default = || RetryOn { connect: true, reset: true, ..RetryOn::default() };
    Some(Retry {
        times: Defaulted { value: written.unwrap_or(RETRIES), is_default: written.is_none() },
        budget_percent: Defaulted { value: budget_percent.unwrap_or(RETRY_PERCENT), is_default: budget_percent.is_none() },
        on: Defaulted { value: on.unwrap_or_else(default), is_default: is_on_default },
    })
}

/// The client's Host goes on where nobody says.
pub(super) fn proxied_host(written: Option<&Value>) -> Defaulted<HostPolicy> {
    let value = match written.map_or(PROXIED_HOST, Value::text) {
        "preserve" => HostPolicy::Preserve,
        "endpoint" => HostPolicy::Endpoint,
        literal => HostPolicy::Literal(literal.to_owned()),
    };
    Defaulted { value, is_default: written.is_none() }
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
