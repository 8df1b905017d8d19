//! Where requests are sent on to.

use std::time::Duration;
use runtime::{Value, upstream};
use crate::late_values::API;

/// `upstream "api"`, site.kdl:21
pub static API_UPSTREAM: upstream::Upstream = upstream::Upstream {
    name: "api",
    number: 0,
    endpoints: &API_ENDPOINTS,
    pool: upstream::Pool {
        idle_connections: 64,
        idle_timeout: Duration::from_secs(30),
        requests_per_connection: 25_000,
        connection_age: Duration::from_hours(1),
    },
    eject: None,
    retry: Some(upstream::Retry {
        times: 1,
        budget_percent: 20,
        on_connect: true,
        on_first_byte_timeout: false,
        on_reset: false,
        statuses: &[],
    }),
    budget: upstream::Budget::new(),
};
static API_ENDPOINTS: [upstream::Endpoint; 1] = [
    upstream::Endpoint::new(Value::Late(&API), 1, false),
];
pub const API_TIMEOUTS: upstream::Timeouts = upstream::Timeouts {
    connect: Duration::from_secs(1),
    first_byte: Duration::from_secs(10),
    between_bytes: Duration::from_secs(20),
    total: Some(Duration::from_mins(1)),
    tunnel_idle: Duration::from_hours(1),
};
