//! Directories that are listed: one as people have them, and one whose names mean something elsewhere.

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::ffi::OsStrExt,
    path::Path,
    time::{Duration, SystemTime},
};

/// 2026-11-30T09:00:00Z.
const NEWEST: u64 = 1_796_029_200;

/// Name, bytes, and minutes before [`NEWEST`].
const RELEASES: [(&str, u64, u64); 15] = [
    ("CHANGELOG.md", 38_311, 190),
    ("handbook.epub", 1_204_118, 41_000),
    ("handbook.pdf", 2_482_312, 41_003),
    ("index.json", 14_100, 12),
    ("install.sh", 6_312, 212_000),
    ("introduction.webm", 92_482_312, 350_000),
    ("kiln-1.2.0-x86_64-linux.tar.zst", 11_345_678, 98_100),
    ("kiln-1.9.3-x86_64-linux.tar.zst", 12_945_678, 32_400),
    ("kiln-1.10.0-x86_64-linux.tar.zst", 13_045_678, 12),
    ("kiln-1.10.0-source.tar.gz", 4_318_222, 14),
    ("kiln-live-1.10.0-amd64.iso", 4_482_312_192, 9),
    ("kiln_1.10.0_amd64.deb", 11_045_678, 12),
    ("README.txt", 4_120, 98_000),
    ("screenshot.png", 482_312, 350_000),
    ("SHA256SUMS", 812, 8),
];
const DIRECTORIES: [(&str, u64); 4] = [("documentation", 1_450), ("images", 202_000), ("nightly", 15), ("patches", 30_100)];

/// Names that mean something in HTML, URLs, scripts, terminals or file systems. None of them is hidden.
pub const HOSTILE: &[&[u8]] = &[
    b"<img src=x onerror=document.title='run'>.png",
    b"<script>document.title='run'<",
    b"javascript:document.title='run'",
    b"data:text,run",
    b"a\" onmouseover=\"document.title='run'",
    b"a' autofocus onfocus='document.title=1",
    b"&lt;b&gt; &amp; &#x41;",
    b"100%25 sure? #yes & no=1;x",
    b"%2e%2e%2fup",
    b"\\\\host\\share",
    b"two\nlines\ttabs\r.txt",
    b"terminal\x1B[31m\x07.txt",
    b"invalid\xFF\xC3\x28utf8.bin",
    "evil\u{202E}txt.exe".as_bytes(),
    "line\u{2028}paragraph\u{2029}.txt".as_bytes(),
    "zero\u{200B}width\u{FEFF}.txt".as_bytes(),
    "\u{627}\u{644}\u{645}\u{644}\u{641}\u{627}\u{62A}.txt".as_bytes(),
    "gr\u{F6}\u{DF}e \u{65E5}\u{672C}\u{8A9E} \u{1F389}.txt".as_bytes(),
    b"  spaces at both ends  ",
    b"-rf",
    b"con.txt;sh",
    b"${HOME} `id` $(id)",
    b"{{7*7}} <%= 7 %>",
    &[b'x'; 255],
];

/// Fills a directory with what a project gives away. Sizes are real, the files take no room.
pub fn fill_with_releases(directory: &Path) {
    for (name, minutes) in DIRECTORIES {
        let path = directory.join(name);
        fs::create_dir_all(path.join("2026")).expect("a writable directory");
        set_age(&path, minutes);
    }
    for (name, bytes, minutes) in RELEASES {
        let path = directory.join(name);
        File::create(&path).and_then(|file| file.set_len(bytes)).expect("a writable directory");
        set_age(&path, minutes);
    }
}

/// Fills a directory with files of [`HOSTILE`] names; each holds its name.
pub fn fill_with_hostile_names(directory: &Path) {
    fs::create_dir_all(directory.join("<b>directory?#%")).expect("a writable directory");
    for (number, name) in HOSTILE.iter().enumerate() {
        let path = directory.join(OsStr::from_bytes(name));
        fs::write(&path, name).expect("a writable directory");
        set_age(&path, number as u64 * 997);
    }
}

fn set_age(path: &Path, minutes: u64) {
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(NEWEST - 60 * minutes);
    File::open(path).and_then(|file| file.set_modified(modified)).expect("a file of ours");
}
