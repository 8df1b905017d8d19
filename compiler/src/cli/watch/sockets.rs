//! The listeners of a watched site: bound here, and passed to each of its processes.

use std::{
    collections::BTreeMap,
    env,
    fmt::{self, Display},
    fs, io,
    net::{SocketAddr, TcpListener},
    os::{
        fd::OwnedFd,
        unix::{
            fs::{FileTypeExt, PermissionsExt},
            net::{UnixListener, UnixStream},
        },
    },
    path::Path,
};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, listen, socket_with, sockopt};
use semantics::late::Late;

use crate::plan::{Address, LateId, LateSource, Listener, Plan};

/// Connections that wait while one process takes over from another; the kernel has a bound of its own.
const BACKLOG: i32 = 4096;
/// Permission bits of a Unix socket's file where the listener says nothing, as in the site.
const MODE: u16 = 0o660;

/// Sockets by the names and addresses of the listeners that they are for.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    bound: BTreeMap<(String, Place), Bound>,
}

/// Where a socket is.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Place {
    Tcp(SocketAddr),
    Unix(String),
}

/// A listening socket. The file of a Unix socket goes with it.
#[derive(Debug)]
struct Bound {
    socket: OwnedFd,
    file: Option<String>,
}

/// A socket for another process, and the name of its listener.
#[derive(Debug)]
pub(super) struct Passed {
    pub(super) name: String,
    pub(super) socket: OwnedFd,
}

impl Sockets {
    /// One socket for each listener of the plan; those that are bound already stay.
    pub(super) fn bind(&mut self, plan: &Plan) -> Result<Vec<Passed>, String> {
        let mut passed = Vec::with_capacity(plan.listeners.len());
        for listener in &plan.listeners {
            let place = place(plan, listener)?;
            let fault = |error: io::Error| format!("listener `{}`: {place} cannot be bound: {error}", listener.name);
            let key = (listener.name.clone(), place.clone());
            if !self.bound.contains_key(&key) {
                self.bound.insert(key.clone(), bound(&place, listener).map_err(fault)?);
            }
            let socket = self.bound[&key].socket.try_clone().map_err(fault)?;
            passed.push(Passed { name: listener.name.clone(), socket });
        }
        Ok(passed)
    }

    /// Closes those that the plan does not have any more.
    pub(super) fn keep(&mut self, plan: &Plan) {
        let wanted: Vec<_> =
            plan.listeners.iter().filter_map(|listener| Some((listener.name.clone(), place(plan, listener).ok()?))).collect();
        self.bound.retain(|key, _| wanted.contains(key));
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Whoever looks finds nobody listening there either way.
            drop(fs::remove_file(file));
        }
    }
}

impl Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(formatter, "{address}"),
            Self::Unix(path) => write!(formatter, "unix:{path}"),
        }
    }
}

fn bound(place: &Place, listener: &Listener) -> io::Result<Bound> {
    match place {
        Place::Tcp(address) => Ok(Bound { socket: tcp(*address, listener.options.is_dual_stack)?.into(), file: None }),
        Place::Unix(path) => Ok(Bound { socket: unix(path, listener.options.mode.unwrap_or(MODE))?.into(), file: Some(path.clone()) }),
    }
}

/// As the runtime binds: an IPv6 address takes IPv4 connections only where it is dual-stack.
fn tcp(address: SocketAddr, is_dual_stack: bool) -> io::Result<TcpListener> {
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

/// As the runtime binds: the file of a dead server is removed, and that of a living one is an address in use.
fn unix(path: &str, mode: u16) -> io::Result<UnixListener> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(Path::new(path), fs::Permissions::from_mode(mode.into()))?;
    Ok(listener)
}

/// Late addresses as the site itself will find them.
fn place(plan: &Plan, listener: &Listener) -> Result<Place, String> {
    match &listener.address {
        Address::Known(address) => Ok(Place::Tcp(*address)),
        Address::Late(id) => {
            let text = late(plan, *id)?;
            if let Some(path) = text.strip_prefix("unix:") {
                return Ok(Place::Unix(path.to_owned()));
            }
            text.parse()
                .map(Place::Tcp)
                .map_err(|_not_numeric| format!("listener `{}`: `{text}` is no numeric address with a port", listener.name))
        }
        Address::Unix(path) => Ok(Place::Unix(path.clone())),
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
