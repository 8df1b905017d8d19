//! Where requests are sent on to.

use std::time::Duration;
use runtime::{Value, upstream};
use crate::late_values::{NEXT_SHOP, SHOP, STORE};

/// `upstream "shop"`, site.kdl:53
pub static SHOP_UPSTREAM: upstream::Upstream = upstream::Upstream {
    name: "shop",
    number: 0,
    endpoints: &SHOP_ENDPOINTS,
    pool: upstream::Pool {
        idle_connections: 64,
        idle_timeout: Duration::from_secs(30),
        requests_per_connection: 25_000,
        connection_age: Duration::from_hours(1),
    },
    eject: None,
    retry: None,
    budget: upstream::Budget::new(),
};
static SHOP_ENDPOINTS: [upstream::Endpoint; 1] = [
    upstream::Endpoint::new(Value::Late(&SHOP), 1, false),
];
pub const SHOP_TIMEOUTS: upstream::Timeouts = upstream::Timeouts {
    connect: Duration::from_secs(2),
    first_byte: Duration::from_secs(30),
    between_bytes: Duration::from_mins(1),
    total: None,
    tunnel_idle: Duration::from_hours(1),
};

/// `upstream "next-shop"`, site.kdl:54
pub static NEXT_SHOP_UPSTREAM: upstream::Upstream = upstream::Upstream {
    name: "next-shop",
    number: 1,
    endpoints: &NEXT_SHOP_ENDPOINTS,
    pool: upstream::Pool {
        idle_connections: 64,
        idle_timeout: Duration::from_secs(30),
        requests_per_connection: 25_000,
        connection_age: Duration::from_hours(1),
    },
    eject: None,
    retry: None,
    budget: upstream::Budget::new(),
};
static NEXT_SHOP_ENDPOINTS: [upstream::Endpoint; 1] = [
    upstream::Endpoint::new(Value::Late(&NEXT_SHOP), 1, false),
];
pub const NEXT_SHOP_TIMEOUTS: upstream::Timeouts = upstream::Timeouts {
    connect: Duration::from_secs(2),
    first_byte: Duration::from_secs(30),
    between_bytes: Duration::from_mins(1),
    total: None,
    tunnel_idle: Duration::from_hours(1),
};

/// `upstream "store"`, site.kdl:55
pub static STORE_UPSTREAM: upstream::Upstream = upstream::Upstream {
    name: "store",
    number: 2,
    endpoints: &STORE_ENDPOINTS,
    pool: upstream::Pool {
        idle_connections: 16,
        idle_timeout: Duration::from_secs(30),
        requests_per_connection: 25_000,
        connection_age: Duration::from_hours(1),
    },
    eject: None,
    retry: None,
    budget: upstream::Budget::new(),
};
static STORE_ENDPOINTS: [upstream::Endpoint; 1] = [
    upstream::Endpoint::new(Value::Late(&STORE), 1, false),
];
pub const STORE_TIMEOUTS: upstream::Timeouts = upstream::Timeouts {
    connect: Duration::from_secs(2),
    first_byte: Duration::from_secs(20),
    between_bytes: Duration::from_secs(20),
    total: Some(Duration::from_mins(5)),
    tunnel_idle: Duration::from_hours(1),
};
