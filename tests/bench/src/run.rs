//! A run: builds the sites, starts the servers, takes every sample of the schedule, seals.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::{
    environment,
    fault::Fault,
    hash, payload,
    peer::Peer,
    pin,
    plan::{Bench, Cell, Plan, Source},
    results::{ENVIRONMENT, PLAN, Results, SCHEDULE},
    schedule::{Entry, schedule},
    server::Launch,
    site,
};

mod measure;

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Options {
    pub out: PathBuf,
    /// None: all.
    pub rows: Vec<String>,
    pub pairs: Option<usize>,
    /// Seconds of each sample.
    pub seconds: Option<f64>,
    /// Seconds before the first sample.
    pub settle: f64,
    pub is_contended: bool,
}

/// Measures and seals. Nothing is sealed if it ends with a fault.
pub fn run(options: &Options) -> Result<(), Fault> {
    if !pin::has_both() {
        return Err(Fault::Refused("a server and its generator need cores 0 and 1".to_owned()));
    }
    let path = site::package().join(PLAN);
    let plan = Plan::read(&path)?;
    let cells = plan.select(&options.rows)?;
    let bench = bench(&plan.bench, options);
    let mut results = Results::create(&options.out)?;
    results.write(PLAN, &std::fs::read(&path).map_err(Fault::file(&path))?)?;
    let entries = schedule(&cells, bench.pairs);
    results.write_json(SCHEDULE, &schedule_json(&bench, options.is_contended, &entries))?;
    let (launches, mut environment) = prepare(&plan, &cells, &results)?;
    environment["before"] = environment::moment();
    raise_file_limit()?;
    pin::pin(pin::GENERATOR).map_err(Fault::io("affinity"))?;
    let proofs = {
        let mut measure = measure::Measure::new(bench, (&launches, &plan), options);
        measure.settle(&cells)?;
        for (index, entry) in entries.iter().enumerate() {
            let cell = cells.iter().find(|cell| cell.name == entry.cell).expect("a cell of this schedule");
            let shown = measure.take(cell, entry, &mut results)?;
            say(&format!("{:4}/{} {shown}", index + 1, entries.len()));
        }
        measure.proofs_json()
    };
    environment["after"] = environment::moment();
    results.write_json(ENVIRONMENT, &environment)?;
    results.write_json("answers.json", &proofs)?;
    results.seal()
}

fn bench(plan: &Bench, options: &Options) -> Bench {
    Bench {
        pairs: options.pairs.unwrap_or(plan.pairs),
        measured: options.seconds.unwrap_or(plan.measured),
        // Short samples are for a look: their warm-up is as short.
        warm_up: options.seconds.map_or(plan.warm_up, |seconds| seconds.min(plan.warm_up)),
        starved_below: if options.is_contended { 0.0 } else { plan.starved_below },
        ..*plan
    }
}

fn schedule_json(bench: &Bench, is_contended: bool, entries: &[Entry]) -> Value {
    json!({
        "pairs": bench.pairs,
        "warm_up_seconds": bench.warm_up,
        "measured_seconds": bench.measured,
        "starved_below": bench.starved_below,
        "is_contended": is_contended,
        "entries": entries.iter().map(Entry::to_json).collect::<Vec<_>>(),
    })
}

/// Builds and finds all servers that the cells name; keeps their configurations with the results.
fn prepare(plan: &Plan, cells: &[&Cell], results: &Results) -> Result<(BTreeMap<String, Launch>, Value), Fault> {
    let scratch = site::scratch()?;
    let mut environment = environment::describe()?;
    let mut launches = BTreeMap::new();
    let measured: BTreeSet<&str> = cells.iter().flat_map(|cell| &cell.variants).map(|variant| &*variant.server).collect();
    let behind: BTreeSet<&str> = measured.iter().filter_map(|server| plan.origins.get(*server)).map(String::as_str).collect();
    let named = |server: &str| measured.contains(server) || behind.contains(server);
    for (name, source) in plan.servers.iter().filter(|(name, _)| named(name)) {
        say(&format!("prepare {name}"));
        let (launch, record) = match source {
            Source::Peer(peer, file) => found(*peer, file, &scratch, results)?,
            Source::Site(file) => {
                let built = site::build(file, &scratch)?;
                let text = site::package().join("sites").join(file).with_extension("kdl");
                results.write(&format!("configs/{file}.kdl"), &std::fs::read(&text).map_err(Fault::file(&text))?)?;
                (Launch::Site { binary: built.binary, directory: built.directory }, built.record)
            }
        };
        environment["servers"][name] = record;
        launches.insert(name.clone(), launch);
    }
    let payloads = payload::SIZES.into_iter().chain([payload::RESPOND.len()]);
    environment["payloads"] = payloads.map(|bytes| json!({ "bytes": bytes, "sha256": hash::bytes(&payload::body(bytes)) })).collect();
    Ok((launches, environment))
}

fn found(peer: Peer, file: &str, scratch: &Path, results: &Results) -> Result<(Launch, Value), Fault> {
    let program = peer.program().ok_or_else(|| Fault::Server(format!("{} is not installed", peer.name())))?;
    let template = site::package().join("peers").join(file).with_extension(peer.extension());
    let directory = scratch.join("peers").join(file);
    payload::write(&directory.join("www"))?;
    let kept = format!("configs/{file}.{}", peer.extension());
    results.write(&kept, &std::fs::read(&template).map_err(Fault::file(&template))?)?;
    let mut record = peer.describe(&program)?;
    record["config_sha256"] = hash::file(&template)?.into();
    Ok((Launch::Peer { peer, template, directory, program }, record))
}

/// As many descriptors as this user may have: servers inherit the limit.
fn raise_file_limit() -> Result<(), Fault> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).map_err(|error| Fault::io("RLIMIT_NOFILE")(error.into()))
}

fn say(line: &str) {
    // Nobody reads it if this fails.
    drop(writeln!(io::stderr(), "bench: {line}"));
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}
