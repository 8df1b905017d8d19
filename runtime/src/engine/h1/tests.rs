//! The engine over a scripted stream: no socket, no clock, polled by hand.

mod bodies;
mod framing;
mod stage;
mod waits;
