//! Why a site can't start, in words that say what to do.

use std::{fmt, io};

use super::log_file;
use crate::{listen::BindFault, settings::Listener};

/// Why a server can't start. Its text says what to do.
#[derive(Debug)]
pub enum StartFault {
    /// The access log can't be opened.
    AccessLog(&'static str, io::Error),
    /// The listener can't listen.
    Bind(&'static Listener, BindFault),
    /// The control thread has no runtime or no signals.
    Control(io::Error),
    /// The error log can't be opened.
    ErrorLog(&'static str, io::Error),
    /// Values of the host that can't be had: a line for each.
    Late(Vec<String>),
    /// So many workers need so many bytes each of `limits { memory }`, which has less.
    Memory {
        /// How many workers share it.
        workers: u64,
        /// Bytes that each needs.
        needed: u64,
    },
    /// A descriptor that was passed (LISTEN_FDS) can't be listened on.
    Passed(io::Error),
    /// So many embedded regexes are damaged.
    Regexes(usize),
    /// Addresses of endpoints that are none: a line for each.
    Upstreams(Vec<String>),
    /// A worker thread could not start.
    Worker(io::Error),
}

impl fmt::Display for StartFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AccessLog(path, error) => write!(formatter, "can't open the access log {path}: {}", log_file::advice(error)),
            Self::Bind(Listener { name, address, .. }, fault) => write!(formatter, "listener `{name}`: can't listen on {address}: {fault}"),
            Self::Control(error) => write!(formatter, "the control thread can't start: {error}"),
            Self::ErrorLog(path, error) => write!(formatter, "can't open the error log {path}: {}", log_file::advice(error)),
            Self::Late(lines) | Self::Upstreams(lines) => formatter.write_str(&lines.join("\n")),
            Self::Memory { workers, needed } => write!(
                formatter,
                "`limits {{ memory }}` has too little for the answer of one connection in each of {workers} workers: raise it to {} KiB, or lower `workers`",
                (workers * needed).div_ceil(1024)
            ),
            Self::Passed(error) => write!(formatter, "can't take the sockets that were passed (LISTEN_FDS): {error}"),
            Self::Regexes(damaged) => write!(formatter, "{damaged} embedded regexes are damaged; build the site anew"),
            Self::Worker(error) => write!(formatter, "a worker can't start: {error}"),
        }
    }
}

impl std::error::Error for StartFault {}

#[cfg(test)]
mod tests {
    use semantics::late::Value;

    use super::*;
    use crate::settings::ListenerOptions;

    static LISTENER: Listener = Listener { name: "public", address: Value::Text("127.0.0.1:8080"), options: ListenerOptions::DEFAULT };

    #[test]
    fn address_in_use_says_what_to_do() {
        let fault = StartFault::Bind(&LISTENER, io::Error::from(io::ErrorKind::AddrInUse).into());
        assert_eq!(
            fault.to_string(),
            "listener `public`: can't listen on 127.0.0.1:8080: address in use; stop the server that holds it (`ss -lntxp` shows which), or listen elsewhere"
        );
    }

    #[test]
    fn log_that_cannot_be_opened_says_what_to_do() {
        let said = |kind| StartFault::AccessLog("/logs/site.log", io::Error::from(kind)).to_string();
        assert_eq!(
            said(io::ErrorKind::NotFound),
            "can't open the access log /logs/site.log: its directory is not there; make it first, or name another file"
        );
        assert!(
            said(io::ErrorKind::IsADirectory).contains("name a file in it")
                && said(io::ErrorKind::PermissionDenied).contains("let the server")
        );
    }

    #[test]
    fn other_bind_faults_say_what_is_the_matter() {
        let said = |fault| StartFault::Bind(&LISTENER, fault).to_string();
        for (fault, word) in [
            (BindFault::Address, "numeric"),
            (BindFault::Congestion("reno cubic".to_owned()), "it has: reno cubic"),
            (BindFault::NoDirectory, "make it first"),
            (BindFault::NotASocket, "another kind"),
            (BindFault::PathTooLong(108), "108 bytes"),
        ] {
            let said = said(fault);
            assert!(said.contains(word), "{said}");
        }
    }
}
