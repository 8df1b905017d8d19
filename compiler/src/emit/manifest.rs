//! The files of the package that are not Rust: Cargo.toml with exactly the features in use, `plan.txt`, `manifest.txt`, and the crate of embedded files.

use super::Form;
use crate::{package::Package, plan::Plan};

/// The crate of embedded files: an edit of a route never recompiles it.
const ASSETS: &str = "//! The embedded files of the site as one blob.\n#![forbid(unsafe_code)]\n\npub static BLOB: &[u8] = include_bytes!(\"../assets.bin\");\n";

pub(super) fn files(plan: &Plan, form: &Form<'_>, package: &mut Package) {
    package.add("Cargo.toml", cargo_toml(plan, form));
    package.add("plan.txt", form.dump.to_owned());
    package.add("manifest.txt", form.manifest.to_owned());
    if let Some(assets) = &form.assets {
        package.add("assets/Cargo.toml", assets_toml(form));
        package.add("assets/src/lib.rs", ASSETS.to_owned());
        package.add("assets/assets.bin", assets.clone());
    }
}

fn cargo_toml(plan: &Plan, form: &Form<'_>) -> String {
    let Form { package, binary, runtime, .. } = form;
    let features: Vec<_> = plan.features.iter().map(|feature| format!("\"{feature}\"")).collect();
    let features = features.join(", ");
    let assets =
        if form.assets.is_some() { format!("assets = {{ package = \"{package}-assets\", path = \"assets\" }}\n") } else { String::new() };
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
        entry = form.entry,
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
