//! The thread over real files and a full disk.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use semantics::{
    late::Value,
    log::{Ending, Format, Part, Quoting, REDACTED},
};

use super::*;
use crate::access_log::Lines;

const FORMAT: Format<'static> = Format { parts: &[Part::Outcome], quoting: Quoting::Text, redacted: REDACTED };

fn settings(file: &str) -> &'static Settings {
    let file = Value::Text(file.to_owned().leak());
    let log: &'static AccessLog = Box::leak(Box::new(AccessLog { file, format: FORMAT }));
    Box::leak(Box::new(Settings { access_log: Some(log), ..crate::settings::tests::SETTINGS }))
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kiln-access-log-{name}-{}", std::process::id()));
    // It is there only where an earlier test was cut short.
    drop(fs::remove_file(&path));
    path
}

/// A log of one worker that begins to write into `file`.
fn started(file: &str) -> (LogWriter, Log) {
    let writer = LogWriter::start(settings(file), 1).unwrap();
    let log = writer.of_worker(&Arc::default());
    (writer, log)
}

fn write(log: &Log, line: &str) {
    let (lines, line) = Lines::of(line);
    log.finish(&lines, &line, &Ending::default());
    log.flush();
}

#[test]
fn lines_that_were_handed_over_are_in_the_file_at_the_end() {
    let path = scratch("end");
    let (mut writer, log) = started(path.to_str().unwrap());
    // As many as there are buffers: none is lost, however slow the thread is.
    (1..BUFFERS_MAX).for_each(|number| write(&log, &number.to_string()));
    writer.finish();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n31\n"), "{text}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(path).unwrap();
}

#[test]
fn lines_before_a_reopening_are_in_the_old_file() {
    let (path, moved) = (scratch("reopened"), scratch("moved"));
    let (mut writer, log) = started(path.to_str().unwrap());
    write(&log, "first");
    fs::rename(&path, &moved).unwrap();
    write(&log, "second");
    writer.reopen();
    write(&log, "third");
    writer.finish();
    assert_eq!(fs::read_to_string(&moved).unwrap(), "first\nsecond\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), "third\n");
    fs::remove_file(path).unwrap();
    fs::remove_file(moved).unwrap();
}

#[test]
fn full_disk_is_counted_and_ends_nothing() {
    let (mut writer, log) = started("/dev/full");
    write(&log, "line");
    while writer.failures() == 0 {
        thread::yield_now();
    }
    writer.finish();
}

static WITHOUT: Settings = crate::settings::tests::SETTINGS;

#[test]
fn file_that_cannot_be_opened_is_a_fault() {
    let directory = std::env::temp_dir();
    for file in [directory.to_str().unwrap(), "/dev/null/log"] {
        assert!(LogWriter::start(settings(file), 1).is_err() && check(settings(file)).is_err(), "{file}");
    }
    assert!(check(settings("/dev/null")).is_ok() && check(&WITHOUT).is_ok());
}
