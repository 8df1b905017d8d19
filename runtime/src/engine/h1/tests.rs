//! The engine over a scripted stream: no socket, no clock, polled by hand.

mod bodies;
mod delivery;
mod departures;
#[cfg(all(test, feature = "encode-gzip", feature = "memory"))]
mod encoded;
mod flight;
mod framing;
#[cfg(all(test, feature = "memory"))]
mod memory;
#[cfg(all(feature = "access-log", feature = "metrics"))]
mod recorded;
mod stage;
mod tunnel;
mod unmeasured;
mod waits;
