//! Where requests are sent on to.

use std::time::Duration;
use runtime::{Value, upstream};
use crate::late_values::{APP, APP_SPARE};

/// `upstream "app"`, site.kdl:45
pub static APP_UPSTREAM: upstream::Upstream = upstream::Upstream {
    name: "app",
    number: 0,
    endpoints: &APP_ENDPOINTS,
    pool: upstream::Pool {
        idle_connections: 128,
        idle_timeout: Duration::from_secs(15),
        requests_per_connection: 25_000,
        connection_age: Duration::from_hours(1),
    },
    eject: Some(upstream::Eject {
        after: 3,
        span: Duration::from_secs(10),
    }),
    retry: Some(upstream::Retry {
        times: 1,
        budget_percent: 20,
        on_connect: true,
        on_first_byte_timeout: false,
        on_reset: true,
        statuses: &[503],
    }),
    budget: upstream::Budget::new(),
};
static APP_ENDPOINTS: [upstream::Endpoint; 2] = [
    upstream::Endpoint::new(Value::Late(&APP), 1, false),
    upstream::Endpoint::new(Value::Late(&APP_SPARE), 1, true),
];
pub const APP_TIMEOUTS: upstream::Timeouts = upstream::Timeouts {
    connect: Duration::from_secs(1),
    first_byte: Duration::from_secs(30),
    between_bytes: Duration::from_secs(30),
    total: None,
    tunnel_idle: Duration::from_hours(1),
};
