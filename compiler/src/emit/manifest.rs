//! The files of the package that are not Rust: Cargo.toml with exactly the features in use, `plan.txt`, `manifest.txt`, and the crate of embedded files.

use std::{borrow::Cow, fmt::Write};

use super::{Form, file::comment};
use crate::{package::Package, plan::Plan};

/// What the crate of embedded files says of itself: an edit of a route never recompiles it.
const ASSETS: &str = "//! The embedded files, large maps and records of the site, as blobs.\n#![forbid(unsafe_code)]\n\n";

/// Bytes that the crate of embedded files holds: its static and its file.
#[derive(Clone, Debug)]
pub(super) struct Blob<'b> {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) bytes: Cow<'b, [u8]>,
}

pub(super) fn files(plan: &Plan, blobs: &[Blob<'_>], form: &Form<'_>, package: &mut Package) {
    let embedded = form.assets.as_deref().map(|bytes| Blob { name: "BLOB".to_owned(), file: "assets.bin".to_owned(), bytes: bytes.into() });
    let blobs: Vec<_> = blobs.iter().chain(&embedded).collect();
    package.add("Cargo.toml", cargo_toml(plan, form, !blobs.is_empty()));
    package.add("plan.txt", form.dump.to_owned());
    package.add("manifest.txt", form.manifest.to_owned());
    if blobs.is_empty() {
        return;
    }
    let mut text = ASSETS.to_owned();
    for Blob { name, file, bytes } in blobs {
        writeln!(text, "pub static {name}: &[u8] = include_bytes!(\"../{file}\");").expect("a string takes all");
        package.add(&format!("assets/{file}"), bytes.to_vec());
    }
    package.add("assets/Cargo.toml", assets_toml(form));
    package.add("assets/src/lib.rs", text);
}

fn cargo_toml(plan: &Plan, form: &Form<'_>, has_assets: bool) -> String {
    let Form { package, binary, runtime, .. } = form;
    let features: Vec<_> = plan.features.iter().map(|feature| format!("\"{feature}\"")).collect();
    let features = features.join(", ");
    let assets = if has_assets { format!("assets = {{ package = \"{package}-assets\", path = \"assets\" }}\n") } else { String::new() };
    format!(
        "# Site `{site}`, written by kiln from {entry}. Change the KDL, not this file.
[package]
name = \"{package}\"
version = \"0.0.0\"
edition = \"2024\"
publish = false

[[bin]]
name = \"{binary}\"
path = \"src/main.rs\"
test = false
doctest = false
bench = false

[dependencies]
{assets}runtime = {{ package = \"kiln-runtime\", path = \"{runtime}\", default-features = false, features = [{features}] }}
",
        site = plan.site,
        entry = comment(form.entry),
    )
}

fn assets_toml(form: &Form<'_>) -> String {
    format!(
        "# Written by kiln. Change the KDL, not this file.
[package]
name = \"{package}-assets\"
version = \"0.0.0\"
edition = \"2024\"
publish = false

[lib]
name = \"assets\"
test = false
doctest = false
bench = false

[dependencies]
",
        package = form.package,
    )
}
