//! A request as a client wrote it, and what the upstreams of a site answer to it.

use std::net::IpAddr;

use crate::Answer;

/// One request as a client wrote it: the target in origin form, all fields but Host; the peer's address and the listener it came to.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub host: String,
    pub target: String,
    pub fields: Vec<(String, String)>,
    pub client: IpAddr,
    pub listener: usize,
    /// What upstreams answer, in the order they are asked.
    pub replies: Vec<Answer>,
}

impl Request {
    /// Bytes that it says its body has.
    pub fn content_length(&self) -> u64 {
        let field = self.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        field.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
    }

    /// What its body is: as many letters as it says.
    pub fn body(&self) -> Vec<u8> {
        match self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding")) {
            true => b"bbb".to_vec(),
            false => vec![b'b'; self.content_length() as usize],
        }
    }
}
