//! What a site does not use costs it nothing (architecture, "Generated code"): one route, alone in its site and beside each feature on another vhost.
//!
//! The route's instructions stay within 2 % or 64, its system calls and allocations are the same, and no symbol of a feature's module is in a binary
//! without it (`nm` of the same build with symbols kept). Sizes, memory and start times are printed for `docs/benchmarks.md`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::Instant,
};

use kiln_tests::{
    client::Client,
    cost::{Counted, Load},
    server::Server,
    site::{Profile, build, scratch, write},
    tools::{find, note, run},
};

/// What one site has besides the route.
struct Case {
    name: &'static str,
    /// How names of what it links begin; no other site has one of them. None where all of it is inlined.
    symbols: &'static [&'static str],
    /// In the `site` block.
    site: &'static str,
    /// On a vhost beside the route's.
    vhost: &'static str,
    /// At the top level.
    top: &'static str,
    /// It works on every exchange of the site, as its words say: only that it costs nothing where it is not written is looked at.
    is_for_all: bool,
    /// So many instructions may come to the route's.
    instructions_more_max: f64,
}

impl Case {
    const NEW: Self =
        Self { name: "", symbols: &[], site: "", vhost: "", top: "", is_for_all: false, instructions_more_max: INSTRUCTIONS_MORE_MAX };
}

/// Each feature of the runtime that a site file can bring in.
const CASES: &[Case] = &[
    Case {
        name: "access-log",
        symbols: &["semantics::log::", "runtime::log_writer::", "runtime::record::Records"],
        site: r#"access-log "@DIR@/access.log" format="common""#,
        is_for_all: true,
        ..Case::NEW
    },
    Case {
        name: "limits",
        symbols: &["runtime::clients::Table", "runtime::memory::"],
        site: r#"limits { connections-per-client 1000; memory "64MiB" }"#,
        is_for_all: true,
        ..Case::NEW
    },
    Case { name: "metrics", symbols: &["runtime::record::Records"], site: "metrics", is_for_all: true, ..Case::NEW },
    Case {
        name: "request-id",
        symbols: &["runtime::request_id::", "sha2::"],
        vhost: r#"route "/" { respond 200 "{request-id}" template=#true }"#,
        ..Case::NEW
    },
    // Connections of two kinds are two copies of the engine, and neither is inlined as deeply as one.
    Case { name: "unix", symbols: &["runtime::unix::"], site: r#"listen "unix:@DIR@/site.sock""#, is_for_all: true, ..Case::NEW },
    Case { name: "access", symbols: &["runtime::access::"], vhost: r#"route "/" { access { allow "10.0.0.0/8" }; refuse }"#, ..Case::NEW },
    Case {
        name: "cors",
        symbols: &["runtime::cors::preflight"],
        vhost: r#"route "/" { cors { origin "https://a.example" }; refuse }"#,
        ..Case::NEW
    },
    Case { name: "embed", symbols: &["runtime::embed::"], vhost: r#"route "/*" { files "pages" { embed } }"#, ..Case::NEW },
    Case {
        name: "embed-listing",
        symbols: &["semantics::listing::", "runtime::embed::"],
        vhost: r#"route "/*" { files "pages" { embed; listing } }"#,
        ..Case::NEW
    },
    Case {
        name: "encode",
        symbols: &["runtime::encode::", "brotli::enc::", "ZSTD_compressStream2"],
        vhost: r#"encode "zstd" "br"; route "/" { refuse }"#,
        ..Case::NEW
    },
    Case {
        name: "encode-gzip",
        symbols: &["runtime::encode::", "runtime::encode_gzip::"],
        vhost: r#"encode "gzip"; route "/" { refuse }"#,
        ..Case::NEW
    },
    Case { name: "errors", vhost: r#"errors { page 404 file="pages/page.html" }; route "/" { refuse }"#, ..Case::NEW },
    Case { name: "files", symbols: &["runtime::files::", "runtime::sent_file::"], vhost: r#"route "/*" { files "pages" }"#, ..Case::NEW },
    Case {
        name: "headers",
        symbols: &["semantics::edits::append"],
        vhost: r#"headers { set "x-a" "{host}" }; route "/" { refuse }"#,
        ..Case::NEW
    },
    Case {
        name: "late",
        symbols: &["semantics::late::LateFault"],
        vhost: r#"route "/" { when { header "x-a" (env)"COSTS" default="none" }; refuse 404 }; route "/" { refuse }"#,
        ..Case::NEW
    },
    Case {
        name: "listing",
        symbols: &["runtime::listing::", "semantics::listing::", "runtime::files::", "runtime::sent_file::"],
        vhost: r#"route "/*" { files "pages" { listing } }"#,
        ..Case::NEW
    },
    Case {
        name: "proxy",
        // What an upstream gets and gives is edited.
        symbols: &["runtime::proxied::", "runtime::pipes::", "semantics::forward::", "semantics::reply::", "semantics::edits::append"],
        vhost: r#"route "/*" { proxy "http://127.0.0.1:9" }"#,
        ..Case::NEW
    },
    Case {
        name: "proxy-upgrade",
        symbols: &[
            "runtime::engine::h1::tunnel::",
            "runtime::proxied::",
            "runtime::pipes::",
            "semantics::forward::",
            "semantics::reply::",
            "semantics::edits::append",
        ],
        vhost: r#"route "/*" { proxy "http://127.0.0.1:9" { upgrade "websocket" } }"#,
        // Over what is asked for (64), and known: with one more kind of answer the engine is inlined less deeply, and each place that tells them apart costs more.
        instructions_more_max: 110.0,
        ..Case::NEW
    },
    Case { name: "redirect", symbols: &["runtime::redirect::"], vhost: r#"route "/{rest*}" { redirect "/x/{rest}" }"#, ..Case::NEW },
    Case {
        name: "regex",
        symbols: &["runtime::regex::", "regex_automata::"],
        vhost: r#"route "/*" { when { regex "^/a[0-9]+$" }; refuse }; route "/*" { refuse 404 }"#,
        ..Case::NEW
    },
    Case { name: "rewrite", symbols: &["runtime::rewrite::"], vhost: r#"route "/a" { rewrite "/b" }; route "/b" { refuse }"#, ..Case::NEW },
    Case {
        name: "split",
        symbols: &["runtime::split::"],
        vhost: r#"route "/" { split by="{client-ip}" { share 1 { refuse 404 }; share 1 { refuse 403 } } }"#,
        ..Case::NEW
    },
    Case {
        name: "trusted-proxies",
        symbols: &["semantics::client::"],
        site: r#"trusted-proxies "10.0.0.0/8""#,
        is_for_all: true,
        ..Case::NEW
    },
];

const ROUTE: &str = r#"vhost "cost.test" { route "/respond" { respond 200 "hello world\n" } }"#;
/// Part of the base's instructions that a feature elsewhere may add to the route's, or so many.
const INSTRUCTIONS_PART_MAX: f64 = 0.02;
const INSTRUCTIONS_MORE_MAX: f64 = 64.0;
/// Differences below are of counting: a read that finds nothing more or less, a buffer of lines that is written.
const SYSTEM_CALLS_MORE_MAX: f64 = 0.02;
/// The log's thread writes whole buffers, and what there is a few times a second.
const SYSTEM_CALLS_OF_LOG_MAX: f64 = 0.05;
const ALLOCATIONS_MAX: f64 = 0.01;

/// One built site.
struct Built {
    name: &'static str,
    binary: PathBuf,
    symbols: String,
}

#[test]
fn feature_on_another_vhost_costs_the_route_nothing() {
    let (Some(valgrind), Some(strace)) = (find("valgrind"), find("strace")) else { return };
    let sites = sites();
    let cost = |built: &Built| {
        let load = Load {
            name: format!("costs-{}", built.name),
            binary: built.binary.clone(),
            request: "GET /respond HTTP/1.1\r\nhost: cost.test\r\n\r\n".to_owned(),
            body_bytes: 12,
            environment: Vec::new(),
        };
        let (counted, calls) = (load.counted(&valgrind), load.system_calls(&strace));
        describe(built, &counted, calls);
        (counted, calls)
    };
    let mut faults = Vec::new();
    let mut compare = |built: &Built, base: &(Counted, f64), is_for_all: bool, more_max: f64| {
        let (counted, calls) = cost(built);
        let more = counted.instructions - base.0.instructions;
        if !is_for_all && more > more_max.max(INSTRUCTIONS_PART_MAX * base.0.instructions) {
            faults.push(format!("{}: {more:.0} instructions more", built.name));
        }
        if calls - base.1 > if is_for_all { SYSTEM_CALLS_OF_LOG_MAX } else { SYSTEM_CALLS_MORE_MAX } {
            faults.push(format!("{}: {calls:.3} system calls, {:.3} without it", built.name, base.1));
        }
        if counted.allocations > ALLOCATIONS_MAX {
            faults.push(format!("{}: {:.3} allocations", built.name, counted.allocations));
        }
    };
    let alone = cost(&sites.alone);
    for (case, built) in CASES.iter().zip(&sites.each) {
        compare(built, &alone, case.is_for_all, case.instructions_more_max);
    }
    compare(&sites.everything, &cost(&sites.vhosts), true, INSTRUCTIONS_MORE_MAX);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn code_is_linked_only_where_its_feature_is_used() {
    if find("nm").is_none() {
        return;
    }
    let sites = sites();
    let mut faults = Vec::new();
    for case in CASES {
        for symbol in case.symbols {
            let own = CASES.iter().zip(&sites.each).filter(|(own, _)| own.name == case.name).map(|(_, built)| built);
            if !own.chain([&sites.everything]).any(|built| built.symbols.contains(symbol)) {
                faults.push(format!("no symbol of {symbol} where it is used: the search is blind"));
            }
            let others = CASES.iter().zip(&sites.each).filter(|(other, _)| !other.symbols.contains(symbol)).map(|(_, built)| built);
            let without = others.chain([&sites.alone, &sites.vhosts]).filter(|built| built.symbols.contains(symbol));
            faults.extend(without.map(|built| format!("{symbol} is in the site of {}", built.name)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The route's site in all its forms.
struct Sites {
    /// With another vhost that has nothing.
    alone: Built,
    /// With as many of them as there are cases.
    vhosts: Built,
    each: Vec<Built>,
    everything: Built,
}

/// Built once for both tests, which run at the same time.
fn sites() -> &'static Sites {
    static SITES: OnceLock<Sites> = OnceLock::new();
    SITES.get_or_init(build_all)
}

fn build_all() -> Sites {
    const PLAIN: &str = r#"route "/" { refuse }"#;
    let vhost =
        |name: &str, case: &Case| format!("vhost \"{name}.test\" {{ {} }}\n", if case.vhost.is_empty() { PLAIN } else { case.vhost });
    let all = |part: &dyn Fn(&Case) -> String| CASES.iter().map(part).collect::<Vec<_>>().join("\n");
    let plain = Case { name: "alone", ..Case::NEW };
    Sites {
        alone: built(plain.name, "", &vhost("other", &plain), ""),
        vhosts: built("vhosts", "", &all(&|case| vhost(case.name, &plain)), ""),
        each: CASES.iter().map(|case| built(case.name, case.site, &vhost("other", case), case.top)).collect(),
        everything: built(
            "everything",
            &all(&|case| case.site.to_owned()),
            &all(&|case| vhost(case.name, case)),
            &all(&|case| case.top.to_owned()),
        ),
    }
}

fn built(name: &'static str, site: &str, vhosts: &str, top: &str) -> Built {
    let text = format!("site \"{name}\" language=1 {{\n    listen \"127.0.0.1:0\"\n    workers 1\n{site}\n}}\n{ROUTE}\n{vhosts}\n{top}\n");
    let text = text.replace("@DIR@", &scratch("cost").display().to_string());
    let page = "<!doctype html><title>page</title>";
    let entry = write(&format!("costs-{name}"), &[("site.kdl", &text), ("pages/page.html", page)]);
    let binary = build(entry, Profile::Release, &["--symbols"]);
    let symbols = find("nm").map(|nm| String::from_utf8_lossy(&run(Command::new(nm).arg("-C").arg(&binary)).stdout).into_owned());
    Built { name, binary, symbols: symbols.unwrap_or_default() }
}

/// A row for people: what the site weighs, and how soon it answers.
fn describe(built: &Built, counted: &Counted, calls: f64) {
    let start = Instant::now();
    let server = Server::start(&built.binary, Path::new("."));
    let mut client: Client = server.client();
    assert_eq!(client.get("cost.test", "/respond", "").status, 200);
    let started = start.elapsed();
    let resident = server.resident_kib();
    let size = stripped_bytes(&built.binary) as f64 / (1024.0 * 1024.0);
    note(&format!(
        "gate: cost: {:<16} {:>6.0} instructions  {calls:.3} system calls  {:.4} allocations  {size:.2} MiB  {resident} KiB resident  {:.1} ms",
        built.name,
        counted.instructions,
        counted.allocations,
        started.as_secs_f64() * 1000.0
    ));
}

/// Bytes of the binary as it is shipped.
fn stripped_bytes(binary: &Path) -> u64 {
    let stripped = binary.with_extension("stripped");
    if let Some(strip) = find("strip") {
        run(Command::new(strip).arg("-o").arg(&stripped).arg(binary));
    }
    fs::metadata(&stripped).map_or(0, |metadata| metadata.len())
}
