//! The access log of a server that is measured: emptied before a sample, counted behind it.

use std::{
    fs::{self, File},
    path::Path,
    time::{Duration, Instant},
};

use crate::{fault::Fault, server::Server};

/// What is in no file yet is written within so long.
const SETTLED: Duration = Duration::from_millis(1200);
/// How long a log may go on growing behind the last answer.
const WAIT: Duration = Duration::from_secs(20);

/// Waits until nothing is written any more, and empties the file. Its writer appends.
pub fn clear(path: &Path, server: &Server) -> Result<(), Fault> {
    settled(path, server)?;
    File::create(path).map(drop).map_err(Fault::file(path))
}

/// Waits until nothing is written any more, and counts the lines.
pub fn lines(path: &Path, server: &Server) -> Result<u64, Fault> {
    settled(path, server)?;
    let text = fs::read(path).map_err(Fault::file(path))?;
    Ok(text.iter().filter(|byte| **byte == b'\n').count() as u64)
}

fn settled(path: &Path, server: &Server) -> Result<(), Fault> {
    let bytes = || fs::metadata(path).map(|metadata| metadata.len()).map_err(Fault::file(path));
    let deadline = Instant::now() + WAIT;
    let mut before = bytes()?;
    loop {
        if !server.outlives(SETTLED).map_err(Fault::file(path))? {
            return Err(Fault::Server("it ended while its log was waited for".to_owned()));
        }
        let now = bytes()?;
        if now == before {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Fault::Server(format!("{} goes on growing", path.display())));
        }
        before = now;
    }
}
