//! A document root of all kinds of files, with something beside it that must never be seen. The same bytes and times in every run.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    sync::LazyLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

/// In every file that lies beside the document root, and in none below it.
pub const SECRET: &str = "nobody may see this";
/// Last modification of everything but what [`TIMES`] lists.
pub const MODIFIED: &str = "Tue, 14 Nov 2023 22:13:20 GMT";
const MODIFIED_SECONDS: u64 = 1_700_000_000;
/// Files of another time, in seconds since the epoch.
const TIMES: &[(&str, u64)] = &[("old.txt", 631_152_000), ("future.txt", 4_102_444_800)];
/// Hundred bytes, each telling its place.
pub const HUNDRED: &str = "0123456789101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354";

/// What [`files`] holds in four forms, and a page with one that is smaller.
pub const SIBLINGS: &[(&str, &str, &str)] = &[
    ("coded.txt", "coded.txt.gz", "gzip"),
    ("coded.txt", "coded.txt.br", "br"),
    ("coded.txt", "coded.txt.zst", "zstd"),
    ("dir/coded.js", "dir/coded.js.gz", "gzip"),
    ("dir/coded.js", "dir/coded.js.br", "br"),
];

/// Every served file by its name, and what it holds.
pub fn files() -> &'static [(&'static str, Vec<u8>)] {
    &FILES
}

static FILES: LazyLock<Vec<(&'static str, Vec<u8>)>> = LazyLock::new(|| {
    let mut files = plain();
    for (name, sibling, coding) in SIBLINGS {
        let content = &files.iter().find(|(known, _)| known == name).expect("a file with a sibling").1;
        files.push((*sibling, encode(coding, content)));
    }
    files
});

/// What one of [`files`] holds.
pub fn content(name: &str) -> &'static [u8] {
    &files().iter().find(|(known, _)| *known == name).expect("a file of the document root").1
}

/// In a form that kiln's own compression does not make, so that it can be told from it.
fn encode(coding: &str, content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    match coding {
        "br" => {
            let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, 1, 16);
            writer.write_all(content).expect("memory to write to");
            writer.into_inner()
        }
        "gzip" => {
            let mut writer = flate2::GzBuilder::new().comment("by hand").write(Vec::new(), flate2::Compression::fast());
            writer.write_all(content).expect("memory to write to");
            writer.finish().expect("memory to write to")
        }
        _ => zstd::encode_all(content, 1).expect("memory to write to"),
    }
}

fn plain() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("coded.txt", "a text that has a form for each coding\n".repeat(60).into_bytes()),
        ("dir/coded.js", "export const coded = true;\n".repeat(60).into_bytes()),
        ("only.css.gz", encode("gzip", b"a form of nothing")),
        ("index.html", format!("<!doctype html>\n<title>root</title>\n<p>{}\n", "the index of the root, ".repeat(60)).into_bytes()),
        ("a.txt", text(HUNDRED)),
        ("one.txt", text("1")),
        ("empty.txt", text("")),
        ("big.bin", (0..1_048_576_u32 / 4).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()),
        ("style.css", "body { color: #123456; margin: 0 }\n".repeat(80).into_bytes()),
        ("app.js", "export const answer = 42;\n".repeat(80).into_bytes()),
        ("module.mjs", text("export {};\n")),
        ("data.json", format!("{{\"key\":\"{}\"}}\n", "value ".repeat(300)).into_bytes()),
        ("feed.xml", "<entry>text of an entry</entry>\n".repeat(80).into_bytes()),
        ("drawing.svg", format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>\n", "<g/>".repeat(400)).into_bytes()),
        ("image.png", [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 2_000]].concat()),
        ("image.webp", [b"RIFF".to_vec(), vec![0; 20]].concat()),
        ("film.mp4", vec![0; 64]),
        ("font.woff2", [b"wOF2".to_vec(), vec![0; 20]].concat()),
        ("code.wasm", b"\0asm\x01\0\0\0".to_vec()),
        ("UPPER.TXT", text("upper\n")),
        ("noextension", text("no extension\n")),
        ("unknown.extension", text("<script>unknown</script>\n")),
        ("old.txt", text("old\n")),
        ("future.txt", text("future\n")),
        ("page.html", text("<p>page\n")),
        ("dir/index.html", text("<p>index of a directory\n")),
        ("dir/x.txt", text("x in a directory\n")),
        ("dir/deep/index.html", text("<p>deep index\n")),
        ("bare/file.txt", text("file in a directory without an index\n")),
        ("odd/index.html/file.txt", text("its directory is called like an index\n")),
        ("sp ace.txt", text("space\n")),
        ("per%25cent.txt", text("percent\n")),
        ("plus+plus.txt", text("plus\n")),
        ("semi;colon.txt", text("semicolon\n")),
        ("question?mark.txt", text("question mark\n")),
        ("ha#sh.txt", text("hash\n")),
        ("uml\u{E4}ut.txt", text("umlaut\n")),
        ("colon:name.txt", text("colon\n")),
        ("tilde~.txt", text("tilde\n")),
        ("a&b=c,d.txt", text("delimiters\n")),
        ("quote\"s'.txt", text("quotes\n")),
        ("br[ack]{ets}.txt", text("brackets\n")),
        (".well-known/security.txt", text("contact: nobody\n")),
    ]
}

/// Makes `docroot` and what lies beside it below a directory.
pub fn make(directory: &Path) {
    let root = directory.join("docroot");
    // Called like a form of a file, and none.
    fs::create_dir_all(root.join("style.css.gz")).expect("a writable directory");
    for (name, content) in files() {
        put(&root.join(name), content, TIMES.iter().find(|(known, _)| known == name).map_or(MODIFIED_SECONDS, |(_, seconds)| *seconds));
    }
    for hidden in [".hidden", ".git/config", "page.html~", "page.html.bak"] {
        put(&root.join(hidden), SECRET.as_bytes(), MODIFIED_SECONDS);
    }
    for outside in ["outside/secret.txt", "outside/index.html", "secret.txt"] {
        put(&directory.join(outside), SECRET.as_bytes(), MODIFIED_SECONDS);
    }
    for (link, target) in [("link-out.txt", "../outside/secret.txt"), ("link-dir-out", "../outside"), ("link-in.txt", "a.txt")] {
        replace(&root.join(link), |link| symlink(target, link));
    }
    replace(&root.join("fifo"), |fifo| Ok(mknodat(CWD, fifo, FileType::Fifo, Mode::RWXU, 0)?));
}

fn put(path: &Path, content: &[u8], modified: u64) {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, content)?;
        File::options().write(true).open(path)?.set_modified(at(modified))
    };
    write().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn replace(path: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) {
    // It is not there in the first run.
    drop(fs::remove_file(path));
    make(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}
