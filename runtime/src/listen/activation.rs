//! Socket activation: listening sockets that whoever started this process has bound for it (sd_listen_fds(3): LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES).
//!
//! A listener takes the socket that carries its name, else the one that is bound to its address. Such a socket has one queue, from which all workers accept:
//! nobody is refused while a new process starts and the old one drains. What is not passed is bound as ever.

use std::{
    env, io,
    net::{SocketAddr, TcpListener},
    os::fd::RawFd,
    process,
    sync::atomic::{AtomicBool, Ordering},
};

use socket2::{Domain, Type};

use super::{Address, Socket};
use crate::unix;

mod inherited;

/// The first descriptor that may be passed (`SD_LISTEN_FDS_START`).
const FIRST: RawFd = 3;
/// More descriptors than this are no list of listeners.
const PASSED_MAX: usize = 1024;

/// Descriptors are taken once: whoever takes one owns it.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Sockets that no listener has claimed yet.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    sockets: Vec<Named>,
}

#[derive(Debug)]
struct Named {
    /// Empty where none was given.
    name: String,
    address: Address,
    socket: Socket,
}

impl Passed {
    /// Takes what was passed to this process; nothing the second time, and nothing that was meant for another process. A descriptor that is no listening socket
    /// is a fault.
    pub(crate) fn take() -> io::Result<Self> {
        let variable = |name| env::var(name).unwrap_or_default();
        let names = variable("LISTEN_FDNAMES");
        let count = count(&variable("LISTEN_PID"), process::id(), &variable("LISTEN_FDS"));
        if count == 0 || IS_TAKEN.swap(true, Ordering::Relaxed) {
            return Ok(Self::default());
        }
        let names = names.split(':').map(str::to_owned).chain(std::iter::repeat(String::new()));
        let sockets = (FIRST..).zip(names).take(count).map(|(number, name)| named(number, name));
        Ok(Self { sockets: sockets.collect::<io::Result<_>>()? })
    }

    /// What each of those is called or bound to that no listener has claimed.
    pub(crate) fn unclaimed(&self) -> Vec<String> {
        self.sockets.iter().map(|passed| if passed.name.is_empty() { passed.address.to_string() } else { passed.name.clone() }).collect()
    }

    /// The socket for a listener of that name and address; port 0 takes any port of its address. A name alone is enough, but the kind must be the same.
    pub(crate) fn claim(&mut self, name: &str, address: &Address) -> Option<Socket> {
        let position = |fits: &dyn Fn(&Named) -> bool| self.sockets.iter().position(fits);
        let is_any_port = |passed: SocketAddr| address.tcp().is_some_and(|address| address.port() == 0 && passed.ip() == address.ip());
        let found = position(&|passed| passed.name == name && passed.address.tcp().is_some() == address.tcp().is_some())
            .or_else(|| position(&|passed| passed.address == *address))
            .or_else(|| position(&|passed| passed.address.tcp().is_some_and(is_any_port)))?;
        Some(self.sockets.remove(found).socket)
    }
}

/// How many descriptors were passed to the process `own`.
fn count(process: &str, own: u32, descriptors: &str) -> usize {
    if process.parse() != Ok(own) {
        return 0;
    }
    descriptors.parse().map_or(0, |count: usize| count.min(PASSED_MAX))
}

fn named(number: RawFd, name: String) -> io::Result<Named> {
    let of_it = |error: io::Error| io::Error::new(error.kind(), format!("descriptor {number}: {error}"));
    let socket = socket2::Socket::from(inherited::own(number).map_err(of_it)?);
    // A listening socket may also be one of packets, whose ends reads would not see.
    if !socket.is_listener().map_err(of_it)? || socket.r#type().map_err(of_it)? != Type::STREAM {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("descriptor {number} is no listening stream socket")));
    }
    if socket.domain()? == Domain::UNIX {
        let (socket, path) = unix::adopt(socket)?;
        return Ok(Named { name, address: Address::Unix(path), socket: Socket::Unix(socket) });
    }
    let socket = TcpListener::from(socket);
    Ok(Named { name, address: Address::Tcp(socket.local_addr()?), socket: Socket::Tcp(socket) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(names: &[&str]) -> (Passed, Vec<SocketAddr>) {
        let named = |name: &&str| {
            let socket = TcpListener::bind("127.0.0.1:0").unwrap();
            Named { name: (*name).to_owned(), address: Address::Tcp(socket.local_addr().unwrap()), socket: Socket::Tcp(socket) }
        };
        let sockets: Vec<_> = names.iter().map(named).collect();
        let addresses = sockets.iter().filter_map(|passed| passed.address.tcp()).collect();
        (Passed { sockets }, addresses)
    }

    fn claimed(passed: &mut Passed, name: &str, address: SocketAddr) -> Option<SocketAddr> {
        match passed.claim(name, &Address::Tcp(address))? {
            Socket::Tcp(socket) => socket.local_addr().ok(),
            Socket::Unix(socket) => panic!("{socket:?}"),
        }
    }

    #[test]
    fn listener_takes_the_socket_of_its_name_before_that_of_its_address() {
        let (mut passed, addresses) = passed(&["", "public"]);
        assert_eq!(claimed(&mut passed, "public", addresses[0]), Some(addresses[1]));
        assert_eq!(claimed(&mut passed, "public", addresses[0]), Some(addresses[0]));
        assert_eq!(claimed(&mut passed, "public", addresses[0]), None);
    }

    #[test]
    fn port_zero_takes_any_port_of_its_address() {
        let (mut passed, addresses) = passed(&[""]);
        assert_eq!(claimed(&mut passed, "x", SocketAddr::from(([127, 0, 0, 2], 0))), None);
        assert_eq!(claimed(&mut passed, "x", SocketAddr::from(([127, 0, 0, 1], 0))), Some(addresses[0]));
    }

    #[test]
    fn name_takes_no_socket_of_another_kind() {
        let (mut passed, _) = passed(&["public"]);
        assert!(passed.claim("public", &Address::Unix("/run/site.sock".into())).is_none());
    }

    #[test]
    fn descriptors_of_another_process_are_left_alone() {
        assert_eq!(count("12", 12, "2"), 2);
        for (process, descriptors) in [("13", "2"), ("", "2"), ("12", ""), ("12", "-1"), ("12", "0")] {
            assert_eq!(count(process, 12, descriptors), 0, "{process} {descriptors}");
        }
        assert_eq!(count("12", 12, "100000"), PASSED_MAX);
    }

    #[test]
    fn descriptor_that_is_not_open_is_a_fault() {
        let fault = named(1_000_000, String::new()).unwrap_err().to_string();
        assert!(fault.starts_with("descriptor 1000000: "), "{fault}");
    }

    #[test]
    fn listening_socket_of_packets_is_a_fault() {
        let path = env::temp_dir().join(format!("kiln-activation-packets-{}", process::id()));
        // It is there only where an earlier test was cut short.
        drop(std::fs::remove_file(&path));
        let socket = socket2::Socket::new(Domain::UNIX, Type::SEQPACKET, None).unwrap();
        socket.bind(&socket2::SockAddr::unix(&path).unwrap()).unwrap();
        socket.listen(1).unwrap();
        let fault = named(std::os::fd::IntoRawFd::into_raw_fd(socket), String::new()).unwrap_err().to_string();
        assert!(fault.contains("no listening stream socket"), "{fault}");
        std::fs::remove_file(path).unwrap();
    }
}
