//! Pictures of a listing for the documentation: `cargo run -p kiln-tests --example listing_images [DIR]` writes `listing-{desktop,dark,phone}.png` to `docs/images`,
//! and the same of hostile names beside them where a directory is named.
//!
//! Needs Chromium and its driver. Letters are those of the machine's own fonts.

use std::{env, fs, path::PathBuf, process::ExitCode};

use kiln_tests::{
    browser::{Browser, Screen},
    listed::{fill_with_hostile_names, fill_with_releases},
    server::Server,
    site::{Profile, build, repository, scratch, write},
    tools::note,
};

const SITE: &str = r#"
site "listing" language=1 { listen "127.0.0.1:0" }
vhost default=#true { route "/downloads/*" { files "tree" { listing } } }
"#;

fn main() -> ExitCode {
    let Some(browser) = Browser::start() else { return ExitCode::FAILURE };
    let directory = scratch("listing-images");
    drop(fs::remove_dir_all(&directory));
    let (releases, hostile) = (directory.join("tree/kiln/stable"), directory.join("tree/hostile"));
    for path in [&releases, &hostile] {
        fs::create_dir_all(path).expect("a writable directory");
    }
    fill_with_releases(&releases);
    fill_with_hostile_names(&hostile);
    let server = Server::start(&build(write("listing-images", &[("site.kdl", SITE)]), Profile::Dev, &[]), &directory);
    let desktop = Screen { width: 1280, height: 800, scale: 1, is_dark: false, is_phone: false };
    let screens = [
        ("desktop", desktop),
        ("dark", Screen { is_dark: true, ..desktop }),
        ("phone", Screen { width: 390, height: 844, scale: 2, is_phone: true, ..desktop }),
    ];
    let named = env::args().nth(1).map(PathBuf::from);
    let images = named.clone().unwrap_or_else(|| repository().join("docs/images"));
    fs::create_dir_all(&images).expect("a writable directory");
    let mut pages = vec![("listing", "kiln/stable/")];
    pages.extend(named.map(|_| ("hostile", "hostile/")));
    for (kind, page) in pages {
        for (name, screen) in screens {
            browser.look_by(screen);
            browser.open(&format!("http://{}/downloads/{page}", server.address()));
            let path = images.join(format!("{kind}-{name}.png"));
            fs::write(&path, browser.picture()).expect("a writable directory");
            note(&path.display().to_string());
        }
    }
    ExitCode::SUCCESS
}
