//! `kiln new`: a small site to begin with.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{Console, Outcome};

/// The starter's files: names below the directory, and texts.
const FILES: [(&str, &str); 3] = [
    ("site.kdl", include_str!("../starter/site.kdl")),
    ("public/index.html", include_str!("../starter/index.html")),
    (".gitignore", include_str!("../starter/gitignore")),
];

/// What the starter's site is called in its text.
const NAME: &str = "\"starter\"";

/// Bytes of a site's name at most.
const NAME_BYTES_MAX: usize = 64;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The directory, made if it is not there.
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let directory = &arguments.directory;
    let taken: Vec<&str> = FILES.iter().map(|(name, _)| *name).filter(|name| directory.join(name).symlink_metadata().is_ok()).collect();
    if !taken.is_empty() {
        let what = taken.join(", ");
        return Err(console.fault(format!("{} has {what} already: nothing was written", directory.display())));
    }
    let name = format!("\"{}\"", site_name(directory));
    for (file, text) in FILES {
        let path = directory.join(file);
        write(&path, &text.replacen(NAME, &name, 1)).map_err(|error| console.fault(format!("{}: {error}", path.display())))?;
        console.note("new", &path.display().to_string());
    }
    let site = directory.join("site.kdl");
    console.note("next", &format!("kiln run {}", site.strip_prefix(".").unwrap_or(&site).display()));
    Ok(())
}

/// Writes a file that must not be there yet.
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or_else(|| Path::new("")))?;
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

/// The directory's own name as the name of a site.
fn site_name(directory: &Path) -> String {
    let path = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
    let name = path.components().next_back().map(|last| last.as_os_str().to_string_lossy().to_lowercase()).unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '.');
    let name: String = name.chars().map(|letter| if fits(letter) { letter } else { '-' }).take(NAME_BYTES_MAX).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "site".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_names_become_site_names() {
        assert_eq!(site_name(Path::new("/srv/My Shop")), "my-shop");
        assert_eq!(site_name(Path::new("/srv/shop.example")), "shop.example");
        assert_eq!(site_name(Path::new("/srv/..._")), "site");
        assert_eq!(site_name(Path::new("/")), "site");
    }

    #[test]
    fn starter_is_formatted_and_names_itself_once() {
        let (_, site) = FILES[0];
        assert_eq!(crate::format::format(site), site);
        assert_eq!(site.matches(NAME).count(), 1);
    }
}
