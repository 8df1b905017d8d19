//! The site has no limit for one client (feature `client-limit` is off).

use std::net::IpAddr;

use crate::settings::Settings;

/// No table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients;

/// One connection, which counts nowhere.
#[derive(Debug)]
pub(crate) struct Visit;

impl Clients {
    pub(crate) fn new(_settings: &'static Settings) -> Self {
        Self
    }

    /// There is always room.
    #[inline(always)]
    pub(crate) fn take(&self, _client: IpAddr) -> Option<Visit> {
        Some(Visit)
    }
}
