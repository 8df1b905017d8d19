//! One sample after the other: prove, load, prove, look at the rules; what breaks a rule is kept apart and taken anew.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{Options, seconds};
use crate::{
    access_log,
    answer::{Proof, prove},
    fault::Fault,
    load::{self, Measured, Pace, Span, Target},
    payload, pin,
    plan::{Bench, Cell, Load, Plan, Variant},
    process, request,
    results::Results,
    rules::{Invalid, Watch},
    sample::Sample,
    schedule::Entry,
    server::{Launch, Place, Server},
};

/// How long a new process may take to its first answer.
const START: Duration = Duration::from_secs(20);

/// Servers that run, and answers that are known.
pub(super) struct Measure<'m> {
    bench: Bench,
    settle: Duration,
    launches: &'m BTreeMap<String, Launch>,
    plan: &'m Plan,
    running: BTreeMap<String, Server>,
    /// What those who proxy send requests on to, on the generator's core.
    origins: BTreeMap<String, Server>,
    /// By cell and variant.
    proofs: BTreeMap<(String, String), Proof>,
}

/// One variant of one cell.
#[derive(Clone, Copy)]
struct Case<'c> {
    cell: &'c Cell,
    variant: &'c Variant,
    request: &'c [u8],
}

/// Why a sample is not one that counts.
enum Broken {
    Fault(Fault),
    Rule(Invalid),
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<'m> Measure<'m> {
    pub(super) fn new(bench: Bench, (launches, plan): (&'m BTreeMap<String, Launch>, &'m Plan), options: &Options) -> Self {
        let (running, origins, proofs) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { bench, settle: seconds(options.settle), launches, plan, running, origins, proofs }
    }

    /// Starts the servers that all samples share, proves each variant once, and waits until nothing changes any more.
    pub(super) fn settle(&mut self, cells: &[&Cell]) -> Result<(), Fault> {
        for variant in cells.iter().flat_map(|cell| &cell.variants) {
            if let Some(origin) = self.plan.origins.get(&variant.server).filter(|origin| !self.origins.contains_key(*origin)) {
                let place = Place { core: pin::GENERATOR, origin: None };
                let mut server = Server::start(self.launch(origin), place)?;
                server.settle()?;
                self.origins.insert(origin.clone(), server);
            }
        }
        for cell in cells.iter().filter(|cell| !cell.is_fresh()) {
            let request = request::render(&cell.target, cell.fields, cell.closes());
            for variant in &cell.variants {
                if !self.running.contains_key(&variant.server) {
                    self.running.insert(variant.server.clone(), self.start(&variant.server)?);
                }
                let case = Case { cell, variant, request: &request };
                let server = &self.running[&variant.server];
                let proof = case.prove(server)?;
                self.proofs.insert(case.key(), proof);
            }
        }
        for (name, server) in &mut self.running {
            server.settle()?;
            let is_there = server.outlives(self.settle).map_err(Fault::io(name))?;
            if !is_there || !server.is_same() {
                return Err(Fault::Server(format!("{name} did not stay as it was for {:?}", self.settle)));
            }
        }
        Ok(())
    }

    fn start(&self, server: &str) -> Result<Server, Fault> {
        let origin = self.plan.origins.get(server).map(|origin| self.origins[origin].address(None)).transpose()?;
        Server::start(self.launch(server), Place { origin, ..Place::SERVER })
    }

    fn launch(&self, server: &str) -> &Launch {
        self.launches.get(server).expect("a server that was prepared")
    }

    /// Takes one sample that counts, or ends with a fault after too many that do not. Gives a line for people.
    pub(super) fn take(&mut self, cell: &Cell, entry: &Entry, results: &mut Results) -> Result<String, Fault> {
        let variant = cell.variants.iter().find(|variant| variant.name == entry.variant).expect("a variant of this cell");
        let request = request::render(&cell.target, cell.fields, cell.closes());
        let case = Case { cell, variant, request: &request };
        for attempt in 0..self.bench.attempts {
            let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let mut sample = Sample { entry: entry.clone(), attempt, began, figures: BTreeMap::new(), failure: None };
            let taken = match cell.load {
                Load::Idle { seconds } => self.idle(case, seconds, &mut sample),
                Load::Start => self.first_answer(case, &mut sample),
                Load::ConnectionPerRequest => self.saturate(case, Pace::PerConnection, &mut sample),
                Load::KeepAlive { depth } => self.saturate(case, Pace::Closed { depth }, &mut sample),
                Load::Paced { rate } => self.saturate(case, Pace::Fixed { rate }, &mut sample),
            };
            match taken {
                Ok(()) => {
                    results.push(&sample)?;
                    return Ok(line(cell, &sample));
                }
                Err(Broken::Rule(why)) => results.push_invalid(&sample, &why)?,
                Err(Broken::Fault(fault)) => return Err(fault),
            }
        }
        Err(Fault::Refused(format!(
            "{} / {}: {} samples in a row were invalid: see invalid/",
            cell.name, variant.name, self.bench.attempts
        )))
    }

    fn saturate(&self, case: Case<'_>, pace: Pace, sample: &mut Sample) -> Result<(), Broken> {
        let server = &self.running[&case.variant.server];
        let proof = &self.proofs[&case.key()];
        case.prove_again(server, proof)?;
        let log = self.plan.logs.get(&case.variant.server);
        log.map(|log| access_log::clear(log, server)).transpose()?;
        let watch = Watch::begin();
        let target = case.target(server, proof)?;
        let span = Span { warm_up: seconds(self.bench.warm_up), measured: seconds(self.bench.measured) };
        let origin = self.plan.origins.get(&case.variant.server).map(|origin| &self.origins[origin]);
        let mut of_origin = Vec::new();
        let measured = load::run(&target, pace, span, &mut || {
            of_origin.extend(origin.map(|origin| process::cpu(origin.family())).transpose()?);
            process::cpu(server.family())
        })?;
        let mut utilization = enter(&measured, sample);
        if let [first, .., last] = of_origin[..] {
            // It has the generator's core, too: together they are busy or not.
            utilization.1 += (last - first) as f64 / 1e9 / measured.elapsed.as_secs_f64();
            sample.set("generator_utilization", utilization.1);
        }
        sample.failure.clone_from(&measured.failure);
        weigh(server, sample)?;
        let busy = (!matches!(pace, Pace::Fixed { .. })).then_some(utilization);
        watch.end(server, busy, measured.elapsed.as_secs_f64(), &self.bench).map_err(Broken::Rule)?;
        if let Some(log) = log {
            sample.set("log_lines_lost", measured.answers_total as f64 - access_log::lines(log, server)? as f64);
        }
        if sample.failure.is_none() {
            case.prove_again(server, proof)?;
        }
        Ok(())
    }

    fn idle(&mut self, case: Case<'_>, span: f64, sample: &mut Sample) -> Result<(), Broken> {
        let mut server = self.start(&case.variant.server)?;
        let proof = case.prove(&server)?;
        server.settle()?;
        let watch = Watch::begin();
        let held = load::idle::open(&case.target(&server, &proof)?)?;
        let is_there = server.outlives(seconds(span)).map_err(Fault::io("the server"))?;
        weigh(&server, sample)?;
        sample.set("connections", held.count() as f64);
        if !is_there {
            return Err(Broken::Rule(Invalid::Identity));
        }
        watch.end(&server, None, span, &self.bench).map_err(Broken::Rule)?;
        drop(held);
        self.known(case, proof)
    }

    fn first_answer(&mut self, case: Case<'_>, sample: &mut Sample) -> Result<(), Broken> {
        let began = Instant::now();
        let mut server = self.start(&case.variant.server)?;
        let proof = loop {
            match case.prove(&server) {
                Ok(proof) => break proof,
                Err(fault) if began.elapsed() > START => return Err(fault.into()),
                Err(_) => {}
            }
        };
        sample.set("start_ms", began.elapsed().as_secs_f64() * 1e3);
        server.settle()?;
        weigh(&server, sample)?;
        self.known(case, proof)
    }

    /// The first proof of a variant is remembered, all others are compared with it.
    fn known(&mut self, case: Case<'_>, proof: Proof) -> Result<(), Broken> {
        let known = self.proofs.entry(case.key()).or_insert_with(|| proof.clone());
        if *known == proof { Ok(()) } else { Err(Broken::Rule(Invalid::Payload("another answer than the first time".to_owned()))) }
    }

    /// For `answers.json`.
    pub(super) fn proofs_json(&self) -> Value {
        let one = |((cell, variant), proof): (&(String, String), &Proof)| {
            let lines: Vec<&str> = proof.head.lines().collect();
            json!({ "cell": cell, "variant": variant, "head": lines, "bytes": proof.bytes, "body_sha256": proof.body_sha256 })
        };
        self.proofs.iter().map(one).collect()
    }
}

impl<'c> Case<'c> {
    fn key(&self) -> (String, String) {
        (self.cell.name.clone(), self.variant.name.clone())
    }

    fn prove(&self, server: &Server) -> Result<Proof, Fault> {
        let address = server.address(self.variant.listener.as_deref())?;
        prove(address, self.request, &payload::body(self.cell.bytes), self.cell.closes())
    }

    fn prove_again(&self, server: &Server, known: &Proof) -> Result<(), Broken> {
        let rule = |what: String| Err(Broken::Rule(Invalid::Payload(what)));
        match self.prove(server) {
            Ok(proof) if proof == *known => Ok(()),
            Ok(_) => rule("another answer than the first time".to_owned()),
            Err(fault) => rule(fault.to_string()),
        }
    }

    fn target(&self, server: &Server, proof: &Proof) -> Result<Target<'c>, Fault> {
        let address = server.address(self.variant.listener.as_deref())?;
        Ok(Target { address, request: self.request, answer_bytes: proof.bytes, connections: self.cell.connections })
    }
}

/// Enters what was counted; gives the parts of their cores that server and generator used.
fn enter(measured: &Measured, sample: &mut Sample) -> (f64, f64) {
    let elapsed = measured.elapsed.as_secs_f64();
    let answers = measured.answers as f64;
    let utilization = (measured.server_cpu.as_secs_f64() / elapsed, measured.generator_cpu.as_secs_f64() / elapsed);
    sample.set("answers", answers);
    sample.set("elapsed_s", elapsed);
    sample.set("requests_per_second", answers / elapsed);
    sample.set("cpu_us", measured.server_cpu.as_secs_f64() * 1e6 / answers.max(1.0));
    sample.set("server_utilization", utilization.0);
    sample.set("generator_utilization", utilization.1);
    sample.set("p50_us", measured.latency.quantile_us(0.5));
    sample.set("p99_us", measured.latency.quantile_us(0.99));
    sample.set("lateness_p99_us", measured.lateness.quantile_us(0.99));
    sample.set("requests_total", measured.requests_total as f64);
    sample.set("answers_total", measured.answers_total as f64);
    if measured.answers == 0 && measured.failure.is_none() {
        sample.failure = Some("no answer within the span".to_owned());
    }
    utilization
}

/// What the server holds: `rss_kib` is that of its largest process, which holds the connections; the others are sums.
fn weigh(server: &Server, sample: &mut Sample) -> Result<(), Fault> {
    let weights = server.family().iter().map(|process| process::memory(process.id));
    let weights = weights.collect::<Result<Vec<_>, _>>().map_err(Fault::io("the server's memory"))?;
    sample.set("rss_kib", weights.iter().map(|weight| weight.rss_kib).fold(0.0, f64::max));
    sample.set("rss_sum_kib", weights.iter().map(|weight| weight.rss_kib).sum());
    sample.set("pss_sum_kib", weights.iter().map(|weight| weight.pss_kib).sum());
    sample.set("peak_rss_kib", weights.iter().map(|weight| weight.peak_rss_kib).fold(0.0, f64::max));
    sample.set("files", weights.iter().map(|weight| weight.files).sum());
    sample.set("threads", server.family().iter().map(|process| process.threads.len() as f64).sum());
    Ok(())
}

fn line(cell: &Cell, sample: &Sample) -> String {
    let figure = |name: &str| sample.figures.get(name).map(|figure| format!("{name} {figure:.2}"));
    let names = cell.comparisons.iter().map(|comparison| comparison.figure.as_str());
    let figures: Vec<String> = names.chain(["server_utilization", "generator_utilization"]).filter_map(figure).collect();
    let failure = sample.failure.as_deref().map(|failure| format!(" FAILED: {failure}")).unwrap_or_default();
    format!("{:24} {:28} {}{failure}", cell.name, sample.entry.variant, figures.join(", "))
}
