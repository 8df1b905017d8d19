//! Large sites: the same meaning on any number of cores, and what `check` takes. The figures are in `docs/decisions/0001-kdl-parse.md`:
//! `cargo test --release -p kiln --test scale -- --ignored --nocapture`.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{fmt::Write, path::Path, time::Instant};

use kiln::{diagnostic::Diagnostics, model::Site, parse::parse_text, resolve::resolve};

/// `vhosts` vhosts with ten routes each, two statements a line as people write them.
fn text(vhosts: usize) -> String {
    let mut text = "site \"scale\" language=1 { listen \"127.0.0.1:8080\" }\n".to_owned();
    for vhost in 0..vhosts {
        writeln!(text, "vhost \"host{vhost}.example\" \"www.host{vhost}.example\" {{").unwrap();
        for route in 0..9 {
            writeln!(text, "    route \"/section{route}/{{id}}\" {{ respond 200 \"vhost {vhost} route {route}\\n\" }}").unwrap();
        }
        text.push_str("    route \"/old/{rest*}\" { redirect \"/new/{rest}\" status=308 }\n}\n");
    }
    text
}

fn site(text: String) -> Site {
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse_text(Path::new("site.kdl"), text, &mut diagnostics);
    resolve(&config.unwrap(), &sources, &mut diagnostics).unwrap()
}

#[test]
fn vhosts_read_by_several_threads_keep_their_order() {
    let site = site(text(500));
    let hosts: Vec<String> = site.vhosts.iter().map(|vhost| vhost.hosts[0].value.clone()).collect();
    let expected: Vec<String> = (0..500).map(|vhost| format!("host{vhost}.example")).collect();
    assert_eq!(hosts, expected);
    assert!(site.vhosts.iter().all(|vhost| vhost.routes.len() == 10));
}

#[test]
#[ignore = "a measurement: run it by hand, in release, on an idle machine"]
#[expect(clippy::print_stdout, reason = "a measurement prints its figures")]
fn parse_of_3000_vhosts_measured() {
    let text = text(3_000);
    println!("{} bytes", text.len());
    for _ in 0..3 {
        let start = Instant::now();
        let document = kdl::KdlDocument::parse_v2(&text).unwrap();
        println!("kdl alone, whole text: {} nodes in {:?}", document.nodes().len(), start.elapsed());
    }
    for _ in 0..3 {
        let mut diagnostics = Diagnostics::default();
        let start = Instant::now();
        let (sources, config) = parse_text(Path::new("site.kdl"), text.clone(), &mut diagnostics);
        let parsed = start.elapsed();
        let site = resolve(&config.unwrap(), &sources, &mut diagnostics).unwrap();
        println!("parse {parsed:?}, with resolve {:?}, {} vhosts", start.elapsed(), site.vhosts.len());
    }
    // 8 MiB as a main thread has them; 2,000 levels abort the process even so.
    let deep = std::thread::Builder::new().stack_size(8 << 20).spawn(|| {
        for levels in [64, 500, 1000] {
            let nested = "a {".repeat(levels) + &"}".repeat(levels);
            let start = Instant::now();
            let is_read = kdl::KdlDocument::parse_v2(&nested).is_ok();
            println!("kdl alone, {levels} levels: {is_read} in {:?}", start.elapsed());
        }
    });
    deep.unwrap().join().unwrap();
}
