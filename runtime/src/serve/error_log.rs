//! What the process says once it runs: to a file of the site's, else to stderr.
//!
//! Lines in the file begin with their time (RFC 3339, UTC). The file is appended to, created for its owner alone, and opened anew when the process is told so;
//! where that fails the old one goes on. Why a server can't start is always said on stderr.
//!
//! Only the control thread writes, and it must go on to hear signals: where stderr is a pipe that nobody reads, lines are lost, and the next one that is written
//! says how many.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use semantics::date;

use super::log_file::open;
use crate::{clock, settings::Settings};

/// Bytes that a pipe takes at once if it takes any (`PIPE_BUF`).
const PIECE_BYTES: usize = 4096;
/// How long a pipe is waited for that has no room; not again until it has had some.
const ROOM: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
const NOT_AT_ALL: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Where the process says what it has to say.
#[derive(Debug)]
pub(crate) struct ErrorLog {
    site: &'static str,
    file: Option<Opened>,
    /// Lines that were not written since the last one that was.
    lost: Cell<u64>,
}

#[derive(Debug)]
struct Opened {
    path: &'static str,
    file: File,
}

impl ErrorLog {
    /// Says everything on stderr.
    pub(crate) const fn stderr(site: &'static str) -> Self {
        Self { site, file: None, lost: Cell::new(0) }
    }

    /// The one that the settings name. Late values must be set.
    pub(crate) fn open(settings: &'static Settings) -> io::Result<Self> {
        let site = settings.manifest.site;
        match path(settings) {
            None => Ok(Self::stderr(site)),
            Some(path) => Ok(Self { site, file: Some(Opened { path, file: open(path)? }), lost: Cell::new(0) }),
        }
    }

    /// Opens the file anew; one that was moved away is left.
    pub(crate) fn reopen(&mut self) {
        let Some(opened) = &mut self.file else { return };
        match open(opened.path) {
            Ok(file) => opened.file = file,
            Err(error) => {
                let text = format!("can't open the error log {} anew, so the old file goes on: {error}", opened.path);
                self.say(&text);
            }
        }
    }

    /// One line. That it can't be written is no reason to stop.
    pub(crate) fn say(&self, text: &str) {
        let site = self.site;
        let lost = self.lost.get();
        let told = if lost > 0 { format!("{site}: {lost} lines before this one were lost\n") } else { String::new() };
        let written = match &self.file {
            None => write(&mut io::stderr(), format!("{told}{site}: {text}\n").as_bytes(), if lost > 0 { &NOT_AT_ALL } else { &ROOM }),
            // In one piece, so that lines of two processes of a site don't mix.
            Some(Opened { file, .. }) => {
                let mut time = [0; 20];
                date::write_rfc3339(clock::system_seconds(), &mut time);
                let time = String::from_utf8_lossy(&time);
                let told = if lost > 0 { format!("{time} {told}") } else { told };
                (&mut &*file).write_all(format!("{told}{time} {site}: {text}\n").as_bytes())
            }
        };
        self.lost.set(if written.is_ok() { 0 } else { lost + 1 });
    }
}

/// The file's path; `None`: stderr. Late values must be set.
pub(crate) fn path(settings: &'static Settings) -> Option<&'static str> {
    settings.error_log.map(|path| path.text()).filter(|&path| path != "stderr")
}

/// Writes where there is room, or will be soon.
fn write(out: &mut (impl AsFd + Write), text: &[u8], patience: &Timespec) -> io::Result<()> {
    text.chunks(PIECE_BYTES).try_for_each(|piece| {
        if poll(&mut [PollFd::new(out, PollFlags::OUT)], Some(patience))? == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        out.write_all(piece)
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use semantics::late::Value;

    use super::*;

    fn lines(path: &str) -> Vec<String> {
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn logged(path: &str) -> ErrorLog {
        ErrorLog { site: "test", file: Some(Opened { path: path.to_owned().leak(), file: open(path).unwrap() }), lost: Cell::new(0) }
    }

    fn scratch(name: &str) -> String {
        let path = std::env::temp_dir().join(format!("kiln-error-log-{name}-{}", std::process::id()));
        // It is there only where an earlier test was cut short.
        drop(fs::remove_file(&path));
        path.to_string_lossy().into_owned()
    }

    #[test]
    fn lines_are_appended_with_their_time() {
        let path = scratch("append");
        logged(&path).say("one");
        logged(&path).say("two");
        let lines = lines(&path);
        assert_eq!(lines.len(), 2);
        let (time, rest) = lines[1].split_once(' ').unwrap();
        assert_eq!((time.len(), rest), (20, "test: two"));
        assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn log_that_was_moved_away_is_opened_anew() {
        let (path, moved) = (scratch("reopen"), scratch("moved"));
        let mut log = logged(&path);
        fs::rename(&path, &moved).unwrap();
        log.say("still in the old one");
        log.reopen();
        log.say("in the new one");
        assert_eq!((lines(&moved).len(), lines(&path).len()), (1, 1));
        fs::remove_file(&path).unwrap();
        fs::remove_file(&moved).unwrap();
    }

    #[test]
    fn log_that_cannot_be_opened_anew_goes_on() {
        let (path, moved) = (scratch("blocked"), scratch("kept"));
        let mut log = logged(&path);
        fs::rename(&path, &moved).unwrap();
        fs::create_dir(&path).unwrap();
        log.reopen();
        assert!(lines(&moved)[0].contains("can't open the error log"));
        fs::remove_dir(&path).unwrap();
        fs::remove_file(&moved).unwrap();
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted_and_told() {
        let (reader, mut writer) = io::pipe().unwrap();
        let full = (0..1024).find_map(|_| write(&mut writer, &[b'x'; PIECE_BYTES], &NOT_AT_ALL).err());
        assert_eq!(full.map(|error| error.kind()), Some(io::ErrorKind::WouldBlock));
        drop(reader);
        let path = scratch("lost");
        let mut log =
            ErrorLog { site: "test", file: Some(Opened { path: "/dev/full", file: open("/dev/full").unwrap() }), lost: Cell::new(0) };
        log.say("one");
        log.say("two");
        log.file = logged(&path).file;
        log.say("three");
        log.say("four");
        let said: Vec<_> = lines(&path).iter().map(|line| line[21..].to_owned()).collect();
        assert_eq!(said, ["test: 2 lines before this one were lost", "test: three", "test: four"]);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn stderr_is_no_file() {
        static STDERR: Settings = Settings { error_log: Some(Value::Text("stderr")), ..crate::serve::tests::SETTINGS };
        static NONE: Settings = Settings { error_log: None, ..crate::serve::tests::SETTINGS };
        assert_eq!((path(&STDERR), path(&NONE)), (None, None));
    }
}
