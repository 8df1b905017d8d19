//! How many connections each client has, in the whole process (feature `client-limit`; without it `clients/absent.rs` stands here).
//!
//! A client is an IPv4 address, or the first 64 bits of an IPv6 address, which is what one network is given. Trusted proxies are exempt: each brings many
//! clients. The table holds open connections only, so the connection limit bounds it. Cost: one of 16 locks and one look-up when a connection comes and when it
//! goes, and an allocation; a request touches nothing of this. Its hash is keyed at random: clients can't choose what collides.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use semantics::client::Trust;

use crate::settings::Settings;

/// Locks of the table: workers seldom meet at one.
const SHARDS: usize = 16;

/// The table, or none where the site has no such limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients(Option<Arc<Table>>);

#[derive(Debug)]
struct Table {
    /// Connections of one client.
    limit: u32,
    trusted: Option<&'static Trust<'static>>,
    hasher: RandomState,
    shards: [Mutex<HashMap<Key, u32>>; SHARDS],
}

/// One client.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Key {
    V4(u32),
    /// The first 64 bits.
    V6(u64),
}

/// One connection of a client, until it is dropped.
#[derive(Debug)]
pub(crate) struct Visit {
    /// `None`: it does not count. Boxed: every connection of the site holds one.
    counted: Option<Box<(Arc<Table>, Key)>>,
}

impl Clients {
    pub(crate) fn new(settings: &'static Settings) -> Self {
        Self(settings.limits.connections_per_client.map(|limit| {
            Arc::new(Table { limit, trusted: settings.trusted_proxies, hasher: RandomState::new(), shards: Default::default() })
        }))
    }

    /// Counts one more connection of a client; `None`: it has as many as it may.
    pub(crate) fn take(&self, client: IpAddr) -> Option<Visit> {
        let Some(table) = &self.0 else { return Some(Visit { counted: None }) };
        let client = client.to_canonical();
        if table.trusted.is_some_and(|trust| trust.networks.contains(client)) {
            return Some(Visit { counted: None });
        }
        let key = Key::of(client);
        let mut shard = table.shard(key);
        let open = shard.entry(key).or_default();
        if *open >= table.limit {
            // At a limit of 0 this one was made for nothing.
            if *open == 0 {
                shard.remove(&key);
            }
            return None;
        }
        *open += 1;
        Some(Visit { counted: Some(Box::new((Arc::clone(table), key))) })
    }
}

impl Table {
    fn shard(&self, key: Key) -> MutexGuard<'_, HashMap<Key, u32>> {
        let [first, ..] = &self.shards;
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards.get(number).unwrap_or(first).lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Key {
    fn of(client: IpAddr) -> Self {
        match client {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6((address.to_bits() >> 64) as u64),
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let Some(counted) = self.counted.take() else { return };
        let (table, key) = &*counted;
        let mut shard = table.shard(*key);
        match shard.get_mut(key) {
            Some(open) if *open > 1 => *open -= 1,
            _ => drop(shard.remove(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        thread,
    };

    use semantics::{cidr::Networks, client::ForwardingFields};

    use super::*;

    static TRUST: Trust<'static> =
        Trust { networks: Networks { v4: &[(0x0a00_0000, 0x0aff_ffff)], v6: &[] }, fields: ForwardingFields::Either };

    fn clients(limit: u32) -> Clients {
        Clients(Some(Arc::new(Table { limit, trusted: Some(&TRUST), hasher: RandomState::new(), shards: Default::default() })))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Entries of the table.
    fn entries(clients: &Clients) -> usize {
        clients.0.iter().flat_map(|table| &table.shards).map(|shard| shard.lock().unwrap().len()).sum()
    }

    #[test]
    fn client_at_its_limit_is_refused_until_one_ends() {
        let clients = clients(2);
        let held = [clients.take(address("192.0.2.1")), clients.take(address("192.0.2.1"))];
        assert!(held.iter().all(Option::is_some) && clients.take(address("192.0.2.1")).is_none());
        assert!(clients.take(address("192.0.2.2")).is_some());
        drop(held);
        assert_eq!(entries(&clients), 0);
        assert!(clients.take(address("192.0.2.1")).is_some());
    }

    #[test]
    fn network_of_64_bits_is_one_client() {
        let clients = clients(1);
        let _held = clients.take(address("2001:db8:0:1::1"));
        assert!(clients.take(address("2001:db8:0:1:ffff::2")).is_none());
        assert!(clients.take(address("2001:db8:0:2::1")).is_some());
    }

    #[test]
    fn mapped_address_is_the_same_client() {
        let clients = clients(1);
        let _held = clients.take(address("192.0.2.1"));
        assert!(clients.take(address("::ffff:192.0.2.1")).is_none());
    }

    #[test]
    fn trusted_proxy_is_exempt() {
        let clients = clients(1);
        let held: Vec<_> = (0..100).map_while(|_| clients.take(address("10.1.2.3"))).collect();
        assert_eq!((held.len(), entries(&clients)), (100, 0));
    }

    #[test]
    fn limit_of_nothing_leaves_no_entry() {
        let clients = clients(0);
        assert!(clients.take(address("192.0.2.1")).is_none());
        assert_eq!(entries(&clients), 0);
    }

    #[test]
    fn visit_ends_with_a_panic() {
        let clients = clients(1);
        let visit = clients.take(address("192.0.2.1"));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _visit = visit;
            panic!("while it is held");
        }));
        assert!(panicked.is_err() && clients.take(address("192.0.2.1")).is_some());
    }

    #[test]
    fn many_threads_never_pass_the_limit_and_leave_nothing() {
        let clients = clients(8);
        thread::scope(|scope| {
            for thread in 0..8_u8 {
                let clients = &clients;
                scope.spawn(move || {
                    for round in 0..2_000_u16 {
                        let client = IpAddr::from([192, 0, 2, (round % 5) as u8]);
                        let held: Vec<_> = (0..=thread).map_while(|_| clients.take(client)).collect();
                        assert!(held.len() <= 8);
                    }
                });
            }
        });
        assert_eq!(entries(&clients), 0);
    }
}
