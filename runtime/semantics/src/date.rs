//! HTTP dates (RFC 9110 §5.6.7): IMF-fixdate written, all three forms read.

/// Writes seconds since the epoch as IMF-fixdate, 29 bytes.
pub fn write(seconds: u64, out: &mut [u8; 29]) { todo!() }
/// Reads any of the three forms; `None` where it is none of them.
pub fn parse(text: &[u8], now: u64) -> Option<u64> { todo!() }
