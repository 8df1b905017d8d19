//! The flags of a site's binary: `--version`, `--help`, `--check`; without one it serves.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use crate::settings::Settings;

/// What the command line asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Command {
    /// Look whether it could serve, and end.
    Check,
    /// Say what the flags are.
    Help,
    Serve,
    /// Say where the binary comes from.
    Version,
}

/// An argument that means nothing.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Unknown(pub(crate) String);

impl Command {
    /// Parses the arguments behind the program's name: at most one flag.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Unknown> {
        let mut command = Self::Serve;
        for argument in arguments {
            let text = argument.to_string_lossy();
            command = match (command, &*text) {
                (Self::Serve, "--check") => Self::Check,
                (Self::Serve, "--help" | "-h") => Self::Help,
                (Self::Serve, "--version" | "-V") => Self::Version,
                _ => return Err(Unknown(text.into_owned())),
            };
        }
        Ok(command)
    }
}

/// Writes what `--help` says.
pub(crate) fn help(settings: &Settings, out: &mut impl Write) -> io::Result<()> {
    let site = settings.manifest.site;
    writeln!(out, "{site}: a web server compiled by kiln\n")?;
    writeln!(out, "usage: {site} [--check | --help | --version]\n")?;
    writeln!(
        out,
        "Without a flag it serves until SIGTERM, SIGINT or SIGHUP, then finishes what is in flight; a second signal ends it at once.\n"
    )?;
    writeln!(
        out,
        "SIGUSR1 opens the logs anew; SIGUSR2 says how the counters stand, one line each, where the site says what went wrong.\n"
    )?;
    writeln!(out, "  --check    look whether it could serve here, and end")?;
    writeln!(out, "  --help     this text")?;
    writeln!(out, "  --version  what the binary was built from\n")?;
    writeln!(out, "listens on:")?;
    for listener in settings.listeners {
        writeln!(out, "  {}  {}", listener.address, listener.name)?;
    }
    Ok(())
}

/// Writes what `--version` says: the manifest's lines, the site's name among them.
pub(crate) fn version(settings: &Settings, out: &mut impl Write) -> io::Result<()> {
    out.write_all(settings.manifest.lines)?;
    if settings.manifest.lines.last().is_some_and(|&byte| byte != b'\n') {
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, Unknown> {
        Command::parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn no_argument_serves() {
        assert_eq!(parse(&[]), Ok(Command::Serve));
    }

    #[test]
    fn flags_are_known() {
        assert_eq!(parse(&["--check"]), Ok(Command::Check));
        assert_eq!(parse(&["-h"]), Ok(Command::Help));
        assert_eq!(parse(&["--version"]), Ok(Command::Version));
    }

    #[test]
    fn unknown_and_second_arguments_are_refused() {
        assert_eq!(parse(&["serve"]), Err(Unknown("serve".into())));
        assert_eq!(parse(&["--help", "--check"]), Err(Unknown("--check".into())));
    }
}
