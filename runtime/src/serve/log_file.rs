//! The file of a log: how it is opened, and what to do where it can't be.
//!
//! It is appended to and created for its owner alone. Whoever opens one must go on to hear signals, so a pipe is not waited for: without a reader it can't be
//! opened, and a full one says so.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
};

/// Opens the file, or makes it.
pub(crate) fn open(path: &str) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// What is the matter with it, and what to do about it.
pub(super) fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "it is a directory; name a file in it".to_owned(),
        io::ErrorKind::NotFound => "its directory is not there; make it first, or name another file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied; let the server's user write there, or name another file".to_owned(),
        _ if error.raw_os_error() == Some(libc::ENXIO) => {
            "it is a pipe that nobody reads, or a socket; start its reader first, or name a file".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

    use super::*;

    #[test]
    fn pipe_is_waited_for_neither_to_be_read_nor_to_have_room() {
        let path = std::env::temp_dir().join(format!("kiln-log-file-pipe-{}", std::process::id()));
        // It is there only where an earlier test was cut short.
        drop(fs::remove_file(&path));
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let text = path.to_str().unwrap();
        let error = open(text).unwrap_err();
        assert!(advice(&error).contains("nobody reads"), "{error}");
        let reader = rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap();
        let mut file = open(text).unwrap();
        let full = (0..1024).find_map(|_| file.write(&[b'x'; 4096]).err());
        assert_eq!(full.map(|error| error.kind()), Some(io::ErrorKind::WouldBlock));
        drop(reader);
        fs::remove_file(path).unwrap();
    }
}
