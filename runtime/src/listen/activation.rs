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

use socket2::Socket;

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
    address: SocketAddr,
    socket: TcpListener,
}

impl Passed {
    /// Takes what was passed to this process; nothing the second time, and nothing that was meant for another process. A descriptor that is no listening TCP
    /// socket is a fault.
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

    /// The socket for a listener of that name and address; port 0 takes any port of its address.
    pub(crate) fn claim(&mut self, name: &str, address: SocketAddr) -> Option<TcpListener> {
        let position = |fits: &dyn Fn(&Named) -> bool| self.sockets.iter().position(fits);
        let found = position(&|passed| passed.name == name)
            .or_else(|| position(&|passed| passed.address == address))
            .or_else(|| position(&|passed| address.port() == 0 && passed.address.ip() == address.ip()))?;
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
    let socket = Socket::from(inherited::own(number)?);
    if !socket.is_listener()? {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("descriptor {number} is no listening socket")));
    }
    let socket = TcpListener::from(socket);
    Ok(Named { name, address: socket.local_addr()?, socket })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(names: &[&str]) -> (Passed, Vec<SocketAddr>) {
        let named = |name: &&str| {
            let socket = TcpListener::bind("127.0.0.1:0").unwrap();
            Named { name: (*name).to_owned(), address: socket.local_addr().unwrap(), socket }
        };
        let sockets: Vec<_> = names.iter().map(named).collect();
        let addresses = sockets.iter().map(|passed| passed.address).collect();
        (Passed { sockets }, addresses)
    }

    fn claimed(passed: &mut Passed, name: &str, address: SocketAddr) -> Option<SocketAddr> {
        passed.claim(name, address).map(|socket| socket.local_addr().unwrap())
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
    fn descriptors_of_another_process_are_left_alone() {
        assert_eq!(count("12", 12, "2"), 2);
        for (process, descriptors) in [("13", "2"), ("", "2"), ("12", ""), ("12", "-1"), ("12", "0")] {
            assert_eq!(count(process, 12, descriptors), 0, "{process} {descriptors}");
        }
        assert_eq!(count("12", 12, "100000"), PASSED_MAX);
    }

    #[test]
    fn descriptor_that_is_not_open_is_a_fault() {
        assert_eq!(named(1_000_000, String::new()).unwrap_err().raw_os_error(), Some(libc::EBADF));
    }
}
