//! The oracle of three: the naive reference, the plan's evaluator and the real binary answer the same random requests in the same way.

use std::{collections::BTreeMap, env, io::ErrorKind, net::IpAddr, path::Path, process::Command};

use kiln::{build::Order, evaluate::Evaluator, model::Site, plan::Shape};
use kiln_tests::{
    client::Client,
    compiled::{Compiled, compile},
    echo::{Echo, Received},
    mutations,
    oracle::{Coverage, Plain, Reply, difference, embedded, finds_the_same, is_same, learn, with_absolute_roots},
    random::Random,
    requests::{LATE, sample},
    sent::{self, Hop},
    server::Server,
    site::{Profile, build, cache, repository, scratch},
    tools::note,
};
use reference::{Request, World, files::Forms};
use semantics::routes;

const ENTRY: &str = "tests/sites/oracle/site.kdl";
const SEED: u64 = 0x6b69_6c6e;
const REQUESTS: usize = 40_000;
/// The variables that say where the site's endpoints are.
const ENDPOINTS: [&str; 3] = ["ORACLE_A", "ORACLE_B", "ORACLE_C"];

#[test]
fn reference_evaluator_and_binary_agree_on_random_requests() {
    agree(compile(Path::new(ENTRY)), &build(ENTRY, Profile::Dev, &[]));
}

/// The same site as it would be emitted if it had thousands of routes.
#[test]
fn reference_evaluator_and_binary_of_records_agree_on_random_requests() {
    let mut compiled = compile(Path::new(ENTRY));
    for vhost in &mut compiled.plan.vhosts {
        let patterns: Vec<_> = vhost.patterns.iter().map(|pattern| pattern.text.as_str()).collect();
        vhost.shape = Shape::Records { tree: routes::encode(&patterns) };
    }
    compiled.plan.features.push("records");
    compiled.plan.features.sort_unstable();
    let out = scratch("bin").join("oracle-records");
    let order = Order {
        plan: &compiled.plan,
        dump: "",
        sources: "",
        entry: ENTRY,
        cache: &cache(),
        out: &out,
        profile: kiln::cargo::Profile::Dev,
        keeps_symbols: false,
    };
    let artifact = kiln::build::build(&order, &mut |_| ()).unwrap_or_else(|fault| panic!("{fault}"));
    agree(compiled, &artifact.path);
}

fn agree(Compiled { model, plan, blob, .. }: Compiled, binary: &Path) {
    let (seed, requests) = (setting("KILN_ORACLE_SEED", SEED), setting("KILN_ORACLE_REQUESTS", REQUESTS as u64) as usize);
    let directory = repository().join("tests/sites/oracle");
    let echoes: Vec<Echo> = ENDPOINTS.iter().map(|name| Echo::start(name)).collect();
    let late = late(echoes.iter().map(|echo| echo.address().to_string()));
    let model = with_absolute_roots(model, &directory, &late);
    let mut command = Command::new(binary);
    let mut server = Server::start_command(command.current_dir(&directory).envs(&late));
    server.wait_for_listeners(model.listeners.len());
    let mut binary = Binary { clients: BTreeMap::new(), server: &server, echoes };
    let mut forms = embedded(&plan, &blob);
    forms.extend(learn(&model, |request| binary.ask(request).0));
    let (evaluator, tags, world) = (Evaluator::new(&plan, &blob), tags(&forms), World { forms, late });

    let mut random = Random::new(seed);
    let (mut coverage, mut faults) = (Coverage::default(), Vec::new());
    for number in 0..requests {
        let request = sample(&mut random, &model, &tags);
        let (reply, hops) = binary.ask(&request.request);
        let outcome = sent::referred(&model, &request.request, &world, &hops);
        coverage.add(&outcome, request.is_derived);
        let evaluated = sent::evaluated(&evaluator, &request.request, &world, &hops);
        let mut found: Vec<String> =
            difference(&outcome, &request.request, &reply).map(|text| format!("binary: {text}")).into_iter().collect();
        found.extend((hops.len() != outcome.sent.len()).then(|| format!("expected {:?}, endpoints got {hops:?}", outcome.sent)));
        found.extend(sent::missed(&plan, &evaluated.sent, &hops));
        // What the evaluator would send on where a root has no file is none of the reference's, which has looked.
        let are_known = evaluated.reply.is_ok() || evaluated.sent.len() == outcome.sent.len();
        found.extend(sent::difference(&outcome.sent, &evaluated.sent).filter(|_| are_known));
        match evaluated.reply {
            Ok(evaluated) if !is_same(&evaluated, &reply) => found.push(format!("evaluator and binary: {evaluated:?}, {reply:?}")),
            Ok(_) => {}
            Err(search) if finds_the_same(&outcome, &request.request, &search, &directory) => {}
            Err(search) => found.push(format!("evaluator: {search:?}, reference: {:?}", outcome.answer)),
        }
        faults.extend(found.into_iter().map(|text| format!("request {number}, {:?}\n    {text}", request.request)));
    }
    let Coverage { derived, statuses, routes, guards, .. } = &coverage;
    note(&format!(
        "oracle: seed {seed}, {requests} requests, {} % derived, {} routes, {} verdicts of guards, statuses (0: closed) {statuses:?}",
        derived * 100 / requests,
        routes.len(),
        guards.len()
    ));
    assert!(faults.is_empty(), "{} disagreements; the first of them:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
    assert!(derived * 100 >= requests * 60, "only {derived} of {requests} requests come from the site's patterns");
    let wanted = [0, 200, 204, 206, 301, 302, 303, 304, 307, 308, 400, 403, 404, 405, 410, 412, 413, 416, 421, 500, 503];
    let unseen: Vec<&u16> = wanted.iter().filter(|status| !statuses.contains_key(status)).collect();
    assert!(unseen.is_empty(), "statuses that no request has met: {unseen:?}");
    assert_eq!(coverage.missing(&model), [""; 0], "not met with seed {seed}");
}

#[test]
fn every_planted_mutation_of_the_plan_is_detected() {
    let Compiled { model, plan, blob, .. } = compile(Path::new(ENTRY));
    let late = late((1..).map(|port| format!("127.0.0.1:{port}")));
    let model = with_absolute_roots(model, &repository().join("tests/sites/oracle"), &late);
    let world = World { forms: embedded(&plan, &blob), late };
    let (mut random, tags) = (Random::new(SEED), tags(&world.forms));
    let requests: Vec<Request> = (0..REQUESTS).map(|_| sample(&mut random, &model, &tags).request).collect();
    let faults: Vec<String> =
        requests.iter().filter_map(|request| difference_of(&model, &Evaluator::new(&plan, &blob), &world, request)).collect();
    assert!(
        faults.is_empty(),
        "{} differences without a mutation; the first:\n{}",
        faults.len(),
        faults[..faults.len().min(12)].join("\n")
    );

    assert!(mutations::all().count() >= 60);
    let mut unseen = Vec::new();
    for (name, mutate) in mutations::all() {
        let mut mutant = plan.clone();
        assert!(mutate(&mut mutant), "`{name}` changed nothing");
        match first_difference(&model, &Evaluator::new(&mutant, &blob), &world, &requests) {
            Some(number) => note(&format!("oracle: seen after {number} requests: {name}")),
            None => unseen.push(*name),
        }
    }
    assert_eq!(unseen, [""; 0], "mutations that no request has seen");
}

/// The number of the first request on which evaluator and reference differ.
fn first_difference(model: &Site, evaluator: &Evaluator<'_>, world: &World, requests: &[Request]) -> Option<usize> {
    requests.iter().position(|request| difference_of(model, evaluator, world, request).is_some())
}

/// How evaluator and reference differ on a request; files of a root are left to the other test.
fn difference_of(model: &Site, evaluator: &Evaluator<'_>, world: &World, request: &Request) -> Option<String> {
    let evaluated = sent::evaluated(evaluator, request, world, &[]);
    let reply = evaluated.reply.ok()?;
    // What an echo replies has the bytes that it got: both are told of the same ones.
    let hops = evaluated.sent.iter().map(|forwarded| Hop {
        received: Received { head: forwarded.heads[0].clone(), body: request.body(), ..Received::default() },
        ..Hop::default()
    });
    let outcome = sent::referred(model, request, world, &hops.collect::<Vec<_>>());
    let found = difference(&outcome, request, &reply).or_else(|| sent::difference(&outcome.sent, &evaluated.sent));
    found.map(|text| format!("{request:?}\n    {text}"))
}

/// What the host has: addresses for the endpoints among it.
fn late(addresses: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    let endpoints = ENDPOINTS.iter().map(|name| (*name).to_owned()).zip(addresses);
    endpoints.chain([(LATE.0.to_owned(), LATE.1.to_owned())]).collect()
}

/// The entity tags of all files.
fn tags(forms: &Forms) -> Vec<String> {
    forms.values().flat_map(|forms| forms.values().map(|form| form.etag.clone())).collect()
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The binary behind one keep-alive connection for each peer and listener, opened anew when it was closed.
struct Binary<'s> {
    clients: BTreeMap<(IpAddr, usize), Client>,
    server: &'s Server,
    echoes: Vec<Echo>,
}

impl Binary<'_> {
    /// What comes back, and what endpoints got, in the order of an intercept's: the first upstream has no endpoint of the second.
    fn ask(&mut self, request: &Request) -> (Reply, Vec<Hop>) {
        let fields: String = request.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut body = request.body();
        if request.fields.iter().any(|(name, _)| name == "transfer-encoding") {
            body = [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
        }
        let key = (request.client, request.listener);
        let client = self.clients.entry(key).or_insert_with(|| Client::connect_from(key.0, self.server.listener(key.1)));
        let head = format!("{} {} HTTP/1.1\r\nhost: {}\r\n{fields}\r\n", request.method, request.target, request.host);
        client.send([head.as_bytes(), &body].concat());
        let reply = match client.try_answer(request.method == "HEAD") {
            Ok(answer) => {
                if answer.field("connection") == Some("close") {
                    client.end();
                    self.clients.remove(&key);
                }
                Some(Plain::of(&answer))
            }
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => {
                self.clients.remove(&key);
                None
            }
            Err(error) => panic!("{request:?}: {error}"),
        };
        let hop =
            |echo: &Echo| echo.take().into_iter().map(|received| Hop { endpoint: echo.name().to_owned(), received }).collect::<Vec<_>>();
        (reply, self.echoes.iter().flat_map(hop).collect())
    }
}
