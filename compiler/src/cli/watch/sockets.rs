//! The listeners of a watched site: bound here, and passed to each of its processes.

use std::{
    collections::BTreeMap,
    env, fs, io,
    net::{SocketAddr, TcpListener},
    os::fd::OwnedFd,
};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, listen, socket_with, sockopt};
use semantics::late::Late;

use crate::plan::{Address, LateId, LateSource, Listener, Plan};

/// Connections that wait while one process takes over from another; the kernel has a bound of its own.
const BACKLOG: i32 = 4096;

/// Sockets by the names and addresses of the listeners that they are for.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    bound: BTreeMap<(String, SocketAddr), TcpListener>,
}

/// A socket for another process, and the name of its listener.
#[derive(Debug)]
pub(super) struct Passed {
    pub(super) name: String,
    pub(super) socket: OwnedFd,
}

impl Sockets {
    /// One socket for each listener of the plan that has an address; those that are bound already stay. Unix sockets are bound by the site's own process.
    pub(super) fn bind(&mut self, plan: &Plan) -> Result<Vec<Passed>, String> {
        let mut passed = Vec::with_capacity(plan.listeners.len());
        for listener in &plan.listeners {
            let Some(address) = address(plan, listener)? else { continue };
            let fault = |error: io::Error| format!("listener `{}`: {address} cannot be bound: {error}", listener.name);
            let key = (listener.name.clone(), address);
            if !self.bound.contains_key(&key) {
                self.bound.insert(key.clone(), bound(address, listener.options.is_dual_stack).map_err(fault)?);
            }
            let socket = self.bound[&key].try_clone().map_err(fault)?.into();
            passed.push(Passed { name: listener.name.clone(), socket });
        }
        Ok(passed)
    }

    /// Closes those that the plan does not have any more.
    pub(super) fn keep(&mut self, plan: &Plan) {
        let wanted: Vec<_> =
            plan.listeners.iter().filter_map(|listener| Some((listener.name.clone(), address(plan, listener).ok()??))).collect();
        self.bound.retain(|key, _| wanted.contains(key));
    }
}

/// As the runtime binds: an IPv6 address takes IPv4 connections only where it is dual-stack.
fn bound(address: SocketAddr, is_dual_stack: bool) -> io::Result<TcpListener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, Some(ipproto::TCP))?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    if address.is_ipv6() {
        sockopt::set_ipv6_v6only(&socket, !is_dual_stack)?;
    }
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

/// `None` for the path of a socket.
fn address(plan: &Plan, listener: &Listener) -> Result<Option<SocketAddr>, String> {
    match &listener.address {
        Address::Known(address) => Ok(Some(*address)),
        Address::Late(id) => {
            let text = late(plan, *id)?;
            if text.starts_with("unix:") {
                return Ok(None);
            }
            text.parse()
                .map(Some)
                .map_err(|_not_numeric| format!("listener `{}`: `{text}` is no numeric address with a port", listener.name))
        }
        Address::Unix(_) => Ok(None),
    }
}

/// The value as the site itself will find it: its process gets this one's environment.
fn late(plan: &Plan, id: LateId) -> Result<String, String> {
    let (late, found) = match &plan.lates[id.0 as usize].source {
        LateSource::Env { name, default } => {
            (Late::env(name, default.as_deref()), env::var_os(name).map(|value| value.into_encoded_bytes()))
        }
        LateSource::File { path } => (Late::file(path), Some(fs::read(path).map_err(|error| format!("{path}: {error}"))?)),
    };
    match late.set(found) {
        Ok(()) => Ok(late.text().to_owned()),
        Err(fault) => Err(format!("{} {fault}", late.source())),
    }
}
