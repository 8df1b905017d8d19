//! Where an endpoint is.

use std::{net::SocketAddr, path::PathBuf};

/// Bytes of a path that `sun_path` holds, its last zero left out (unix(7)).
const PATH_BYTES_MAX: usize = 107;

/// An address that can be connected to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl Address {
    /// `10.0.0.5:3000`, `[::1]:3000`, `unix:/run/app.sock`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("unix:") {
            Some(path) => (path.starts_with('/') && path.len() <= PATH_BYTES_MAX).then(|| Self::Unix(path.into())),
            None => text.parse().ok().filter(|address: &SocketAddr| address.port() != 0).map(Self::Tcp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_numeric_or_an_absolute_path() {
        for text in ["10.0.0.5:3000", "[::1]:3000"] {
            assert_eq!(Address::parse(text), text.parse().ok().map(Address::Tcp));
        }
        assert_eq!(Address::parse("unix:/run/a.sock"), Some(Address::Unix("/run/a.sock".into())));
        let long = format!("unix:/{}", "x".repeat(PATH_BYTES_MAX));
        for text in ["", "10.0.0.5", "10.0.0.5:0", "app:3000", "::1:3000", "unix:run/a.sock", "unix:", &long] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
    }
}
