//! Unix sockets (feature `unix`; without it `unix/absent.rs` stands here): `unix:` and the path of a socket's file.
//!
//! Such a socket can't be shared out by the kernel: the first worker accepts for all and hands over. The file of a dead server is removed at start, that of a
//! living one is an address in use; our own is removed when the drain is over, if it is still ours. Whoever connects is of this machine and counts as 127.0.0.1.

use std::{
    cell::Cell,
    fs,
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr},
    os::{
        fd::OwnedFd,
        unix::{
            fs::{FileTypeExt, MetadataExt, PermissionsExt},
            net,
        },
    },
    path::{Path, PathBuf},
    task::{Context, Poll, ready},
};

use socket2::{Domain, SockAddr, Socket, Type};
use tokio::{
    io::Interest,
    net::{UnixListener, UnixStream},
};

use crate::{
    engine::h1::{Departure, Transport},
    listen::{BindFault, door, inbox, tcp},
    response::FilePiece,
    rooms::Spread,
};

/// Bytes of a path that `sun_path` holds, its last zero left out (unix(7)).
const PATH_BYTES_MAX: usize = 107;
/// Connections that the kernel queues; it clamps to net.core.somaxconn.
const BACKLOG: i32 = 4096;
/// Who connects: this machine.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A stream that no runtime knows.
pub(crate) type Stream = net::UnixStream;
/// A listening socket that no runtime knows.
pub(crate) type Bound = net::UnixListener;
/// A listening socket of a runtime.
pub(crate) type Listener = UnixListener;

/// The path in an address, if that is of this kind.
pub(crate) fn path(address: &str) -> Option<&Path> {
    address.strip_prefix("unix:").map(Path::new)
}

/// A socket's file that this process has made.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
}

/// Listens at `path`, whose file gets the permission bits `mode`.
pub(crate) fn bind(path: &Path, mode: u16) -> Result<(Bound, SocketFile), BindFault> {
    make_way(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    // Nobody can connect before it listens, so the file never is more open than it should be.
    fs::set_permissions(path, fs::Permissions::from_mode(u32::from(mode) & 0o777))?;
    let file = SocketFile { path: path.to_owned(), identity: identity(&fs::symlink_metadata(path)?) };
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok((OwnedFd::from(socket).into(), file))
}

/// Looks whether it could listen at `path`; one where a server listens is no fault.
pub(crate) fn check(path: &Path) -> Result<(), BindFault> {
    match make_way(path) {
        Err(BindFault::Io(error)) if error.kind() == ErrorKind::AddrInUse => return Ok(()),
        found => found?,
    }
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    fs::remove_file(path)?;
    Ok(())
}

/// A socket that was passed to this process.
pub(crate) fn adopt(socket: Socket) -> io::Result<(Bound, PathBuf)> {
    socket.set_nonblocking(true)?;
    let path = socket.local_addr()?.as_pathname().map(Path::to_owned).unwrap_or_default();
    Ok((OwnedFd::from(socket).into(), path))
}

/// Hands a socket to the running runtime.
pub(crate) fn listen(bound: Bound) -> io::Result<Listener> {
    UnixListener::from_std(bound)
}

/// Hands a stream to the running runtime.
pub(crate) fn join(stream: Stream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

impl SocketFile {
    /// Removes it, unless somebody else's stands there by now.
    pub(crate) fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| identity(&found) == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Says why no socket can be at `path`, and removes the file of a dead server.
fn make_way(path: &Path) -> Result<(), BindFault> {
    let bytes = path.as_os_str().len();
    if bytes > PATH_BYTES_MAX {
        return Err(BindFault::PathTooLong(bytes));
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => Err(BindFault::NotASocket),
        Ok(_) if is_alive(path)? => Err(BindFault::Io(ErrorKind::AddrInUse.into())),
        Ok(_) => Ok(fs::remove_file(path)?),
        Err(_) if !path.parent().is_some_and(Path::is_dir) => Err(BindFault::NoDirectory),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether a server listens there. Does not wait where its queue is full.
fn is_alive(path: &Path) -> io::Result<bool> {
    let probe = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    probe.set_nonblocking(true)?;
    match probe.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(false),
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
        Err(error) => Err(error),
    }
}

fn identity(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

impl door::Queue for UnixListener {
    type Stream = UnixStream;
    const SPREAD: Spread = Spread::Even;

    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(UnixStream, IpAddr)>> {
        let (stream, _) = ready!(Self::poll_accept(self, context))?;
        Poll::Ready(Ok((stream, CLIENT)))
    }

    fn close(self, mut each: impl FnMut(UnixStream, IpAddr)) -> io::Result<()> {
        let listener = self.into_std()?;
        door::empty(
            || listener.accept(),
            |(stream, _)| {
                if let Ok(stream) = join(stream) {
                    each(stream, CLIENT);
                }
            },
        );
        Ok(())
    }
}

impl door::Handable for UnixStream {
    fn leave(self) -> io::Result<inbox::Stream> {
        Ok(inbox::Stream::Unix(self.into_std()?))
    }
}

impl Transport for UnixStream {
    fn receive_now(&self, room: &mut [u8]) -> io::Result<usize> {
        tcp::receive(self, room, || {
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(ErrorKind::WouldBlock.into()));
        })
    }

    fn receive_into_now(&self, into: &mut Vec<u8>) -> io::Result<usize> {
        tcp::receive_into(self, into, || {
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(ErrorKind::WouldBlock.into()));
        })
    }

    fn poll_departure(&self, context: &mut Context<'_>, has_forgotten: &Cell<bool>) -> Poll<Departure> {
        while let Poll::Ready(ready) = self.poll_read_ready(context) {
            if let Some(departure) = tcp::departure(self, ready) {
                return Poll::Ready(departure);
            }
            has_forgotten.set(true);
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(ErrorKind::WouldBlock.into()));
        }
        Poll::Pending
    }

    fn send_now(&self, head: &[u8], body: &[u8]) -> io::Result<usize> {
        tcp::send(self, head, body)
    }

    const SENDS_FILES: bool = true;

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(context)
    }

    fn send_file_now(&self, piece: &FilePiece<'_>) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, || tcp::send_file(self, piece))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt;

    use super::*;
    use crate::listen::tcp::tests;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("kiln-unix-{name}-{}", std::process::id()));
        // They are there only where an earlier test was cut short.
        drop(fs::remove_file(&path));
        path
    }

    #[test]
    fn file_of_a_dead_server_is_removed_and_of_a_living_one_in_use() {
        let path = scratch("stale");
        let (living, _) = bind(&path, 0o660).unwrap();
        assert!(matches!(bind(&path, 0o660), Err(BindFault::Io(error)) if error.kind() == ErrorKind::AddrInUse));
        assert!(check(&path).is_ok());
        drop(living);
        assert!(path.exists());
        let (_, file) = bind(&path, 0o660).unwrap();
        file.remove();
        assert!(!path.exists());
    }

    #[test]
    fn client_that_closes_is_told_from_one_that_sends_no_more() {
        tests::run(async {
            let (near, mut far) = UnixStream::pair().unwrap();
            far.write_all(b"more").await.unwrap();
            near.readable().await.unwrap();
            assert_eq!(tests::seen(&near).await, None);
            far.shutdown().await.unwrap();
            assert_eq!(poll_fn(|context| near.poll_departure(context, &Cell::new(false))).await, Departure::Ended);
            drop(far);
            assert_eq!(poll_fn(|context| near.poll_departure(context, &Cell::new(false))).await, Departure::Reset);
        });
    }

    #[test]
    fn mode_is_that_of_the_listener() {
        let path = scratch("mode");
        let (_living, file) = bind(&path, 0o604).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o604);
        file.remove();
    }

    #[test]
    fn file_of_somebody_else_is_left() {
        let path = scratch("other");
        let (living, file) = bind(&path, 0o660).unwrap();
        let kept = path.with_extension("kept");
        fs::rename(&path, &kept).unwrap();
        let (_second, other) = bind(&path, 0o660).unwrap();
        file.remove();
        assert!(path.exists());
        other.remove();
        assert!(!path.exists());
        drop(living);
        fs::remove_file(&kept).unwrap();
    }

    #[test]
    fn path_has_107_bytes_at_most() {
        let path = scratch("long");
        let fit = |bytes: usize| PathBuf::from(format!("{}{}", path.display(), "x".repeat(bytes - path.as_os_str().len())));
        assert!(matches!(bind(&fit(108), 0o660), Err(BindFault::PathTooLong(108))));
        let (_living, file) = bind(&fit(107), 0o660).unwrap();
        file.remove();
    }

    #[test]
    fn file_that_is_no_socket_is_left() {
        let path = scratch("file");
        fs::write(&path, "kept").unwrap();
        assert!(matches!(bind(&path, 0o660), Err(BindFault::NotASocket)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn passed_socket_is_known_by_its_path() {
        let path = scratch("passed");
        let (living, file) = bind(&path, 0o660).unwrap();
        let (adopted, found) = adopt(OwnedFd::from(living).into()).unwrap();
        assert_eq!(found, path);
        let _client = net::UnixStream::connect(&path).unwrap();
        assert!(adopted.accept().is_ok());
        file.remove();
    }

    #[test]
    fn missing_directory_is_said() {
        assert!(matches!(bind(&scratch("none").join("socket"), 0o660), Err(BindFault::NoDirectory)));
        assert!(matches!(check(&scratch("none").join("socket")), Err(BindFault::NoDirectory)));
    }
}
