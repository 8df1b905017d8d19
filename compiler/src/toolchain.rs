//! The Rust toolchain on this machine: found, asked for its version, or missing with one clear sentence.

use std::{
    env, fmt, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The oldest rustc that compiles the runtime: `rust-version` of this workspace.
const OLDEST: (u32, u32) = (1, 95);

/// What builds sites.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Host triple, which is also what sites are built for.
    pub host: String,
    /// `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub version: String,
    /// Where the standard library's sources are, if they are installed.
    pub sources: Option<PathBuf>,
    /// `/rustc/HASH`: what those sources are called in a binary.
    pub sources_name: String,
    pub cargo_home: PathBuf,
}

/// Why there is no usable toolchain.
#[derive(Debug)]
pub enum ToolchainFault {
    Broken { program: &'static str, said: String },
    Missing { program: &'static str },
    TooOld { found: String },
}

/// Variables that a nested cargo may see; prefixes end in `*`. All others could change what is built.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TERM",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "CARGO_HOME",
    "CARGO_BUILD_JOBS",
    "CARGO_HTTP_*",
    "CARGO_NET_*",
    "CARGO_REGISTRIES_*",
    "CARGO_REGISTRY_*",
    "RUSTUP_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SSH_AUTH_SOCK",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
];

/// Asks the toolchain on the `PATH`, as a build in `directory` will see it.
pub fn find(directory: &Path) -> Result<Toolchain, ToolchainFault> {
    ask("cargo", &["--version"], directory)?;
    let said = ask("rustc", &["--version", "--verbose"], directory)?;
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned());
    let broken = || ToolchainFault::Broken { program: "rustc", said: said.clone() };
    let (host, release) = value("host:").zip(value("release:")).ok_or_else(broken)?;
    if !is_recent(&release) {
        return Err(ToolchainFault::TooOld { found: release });
    }
    let sysroot = ask("rustc", &["--print", "sysroot"], directory)?;
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
    Ok(Toolchain {
        host,
        version: said.lines().next().unwrap_or_default().to_owned(),
        sources: sources.is_dir().then_some(sources),
        sources_name: format!("/rustc/{}", value("commit-hash:").unwrap_or_default()),
        cargo_home: cargo_home(),
    })
}

/// A command of the toolchain with nothing but [`PASSED`] in its environment.
pub fn command(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).env_clear();
    for (name, value) in env::vars_os() {
        let is_passed = name.to_str().is_some_and(|name| {
            PASSED.iter().any(|passed| passed.strip_suffix('*').map_or(*passed == name, |prefix| name.starts_with(prefix)))
        });
        if is_passed {
            command.env(name, value);
        }
    }
    command
}

fn ask(program: &'static str, arguments: &[&str], directory: &Path) -> Result<String, ToolchainFault> {
    let output = command(program, directory).args(arguments).output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ToolchainFault::Missing { program },
        _ => ToolchainFault::Broken { program, said: error.to_string() },
    })?;
    if !output.status.success() {
        return Err(ToolchainFault::Broken { program, said: String::from_utf8_lossy(&output.stderr).trim().to_owned() });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn is_recent(release: &str) -> bool {
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= OLDEST)
}

fn cargo_home() -> PathBuf {
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from).or(home).unwrap_or_default()
}

impl fmt::Display for ToolchainFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = OLDEST;
        let install = format!(
            "  = help: install Rust {major}.{minor} or newer (https://rustup.rs) and a C linker (Debian: gcc), with both on the PATH"
        );
        match self {
            Self::Broken { program, said } => write!(formatter, "`{program}` does not work: {said}\n{install}"),
            Self::Missing { program } => {
                write!(formatter, "kiln compiles sites with Rust, and there is no `{program}` on the PATH\n{install}")
            }
            Self::TooOld { found } => write!(formatter, "rustc {found} is too old to compile sites\n{install}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_older_than_needed_is_refused() {
        assert!(is_recent("1.95.0") && is_recent("1.96.0-nightly") && is_recent("2.0.0"));
        assert!(!is_recent("1.94.1") && !is_recent("0.9") && !is_recent("unknown"));
    }
}
