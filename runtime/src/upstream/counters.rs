//! What the endpoints have done, told in lines: of all workers together.

use std::sync::atomic::Ordering;

use super::{Endpoint, Upstream};

/// A line for each endpoint of each upstream.
pub(crate) fn lines(upstreams: &[&'static Upstream]) -> Vec<String> {
    let endpoints = upstreams.iter().flat_map(|upstream| upstream.endpoints.iter().map(|endpoint| (upstream.name, endpoint)));
    endpoints.map(|(upstream, endpoint)| line(upstream, endpoint)).collect()
}

fn line(upstream: &str, endpoint: &Endpoint) -> String {
    let counts = endpoint.counts();
    let read = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    format!(
        "upstream {upstream} endpoint {}: active {}, exchanges {}, connects {}, failures {}, ejections {}",
        endpoint.address(),
        counts.active.load(Ordering::Relaxed),
        read(&counts.exchanges),
        read(&counts.connects),
        read(&counts.failures),
        read(&counts.ejections),
    )
}

#[cfg(test)]
mod tests {
    use semantics::late::Value;

    use super::*;
    use crate::upstream::{Budget, Pool};

    static ENDPOINTS: [Endpoint; 2] =
        [Endpoint::new(Value::Text("10.0.0.5:3000"), 1, false), Endpoint::new(Value::Text("unix:/run/app"), 1, true)];
    static APP: Upstream = Upstream {
        name: "app",
        number: 0,
        endpoints: &ENDPOINTS,
        pool: Pool {
            idle_connections: 0,
            idle_timeout: std::time::Duration::ZERO,
            requests_per_connection: 1,
            connection_age: std::time::Duration::ZERO,
        },
        eject: None,
        retry: None,
        budget: Budget::new(),
    };

    #[test]
    fn each_endpoint_has_a_line() {
        ENDPOINTS[1].counts().exchanges.store(3, Ordering::Relaxed);
        assert_eq!(
            lines(&[&APP]),
            [
                "upstream app endpoint 10.0.0.5:3000: active 0, exchanges 0, connects 0, failures 0, ejections 0",
                "upstream app endpoint unix:/run/app: active 0, exchanges 3, connects 0, failures 0, ejections 0",
            ]
        );
    }
}
