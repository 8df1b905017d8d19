//! The language by example: every case of `tests/cases`, told to the naive reference, the plan's evaluator and a real binary.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use kiln::evaluate::Evaluator;
use kiln_tests::{
    cases::{self, Exchange, HEAD, Suite},
    client::Client,
    compiled::{Compiled, check, compile},
    echo::Echo,
    oracle::{Plain, embedded, late, named, with_absolute_roots},
    sent,
    server::Server,
    site::{Profile, build, copy_tree, repository, scratch, write},
};
use reference::World;

/// Cases and the site that they are about, in all its stages.
struct Told {
    suite: Suite,
    entry: PathBuf,
    compiled: Compiled,
    world: World,
}

/// The variables that say where endpoints are.
const UPSTREAMS: [&str; 7] = ["API", "APP", "APP_SPARE", "CASES_ECHO", "NEXT_SHOP", "SHOP", "STORE"];

static ECHO: LazyLock<Echo> = LazyLock::new(|| Echo::start("echo"));

static TOLD: LazyLock<Vec<Told>> = LazyLock::new(|| cases::all().into_iter().map(Told::new).collect());

impl Told {
    fn new(mut suite: Suite) -> Self {
        let entry = suite.entry.as_ref().map_or_else(|| written(&suite), |entry| repository().join(entry));
        // Samples take their addresses from the environment.
        suite.environment.extend(["LISTEN", "OPERATIONS"].map(|name| (name.to_owned(), "127.0.0.1:0".to_owned())));
        // Every endpoint is the echo.
        suite.environment.extend(UPSTREAMS.map(|name| (name.to_owned(), ECHO.address().to_string())));
        let directory = entry.parent().expect("a directory").to_owned();
        let mut compiled = compile(&entry);
        let late = late(&compiled.plan, &suite.environment, &directory);
        compiled.model = with_absolute_roots(compiled.model, &directory, &late);
        let mut forms = embedded(&compiled.plan, &compiled.blob);
        forms.extend(named(&compiled.model));
        Self { suite, entry, compiled, world: World { forms, late } }
    }

    fn directory(&self) -> &Path {
        self.entry.parent().expect("a directory")
    }

    fn listeners(&self) -> Vec<Option<String>> {
        self.compiled.model.listeners.iter().map(|listener| listener.name.clone()).collect()
    }
}

/// All blocks of a suite as one site.
fn written(suite: &Suite) -> PathBuf {
    let blocks = suite.cases.iter().enumerate();
    let mut files: Vec<(String, String)> = blocks.map(|(number, case)| (format!("vhosts/{number:03}.kdl"), rooted(&case.kdl))).collect();
    files.push(("site.kdl".to_owned(), format!("{HEAD}include \"vhosts/*.kdl\"\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let entry = write("cases", &files);
    copy_tree(&repository().join("tests/cases/tree"), &entry.with_file_name("tree"));
    entry
}

/// What is read at build time is relative to the file that names it, roots to where the binary is started: both are `tree` in a case.
fn rooted(kdl: &str) -> String {
    let mut pieces = kdl.split("files \"tree");
    let mut rooted = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (_, behind) = piece.split_once('"').expect("the end of a directory's name");
        let is_embedded = behind.trim_start_matches([' ', '{', '\n']).starts_with("embed");
        rooted.push_str(&format!("files \"{}tree{piece}", if is_embedded { "../" } else { "" }));
    }
    rooted.replace(" file=\"tree/", " file=\"../tree/")
}

/// Asks one reader for every exchange of every case and reports all faults.
#[track_caller]
fn report(mut ask: impl FnMut(&Told, &Exchange) -> Vec<String>) {
    let mut faults = Vec::new();
    for told in &*TOLD {
        for (case, exchange) in told.suite.cases.iter().flat_map(|case| case.exchanges.iter().map(move |exchange| (case, exchange))) {
            let found = ask(told, exchange).into_iter();
            faults.extend(
                found.map(|fault| format!("{}\n    {} {} at {}: {fault}", case.title, exchange.method, exchange.target, exchange.host)),
            );
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_case_has_exchanges_and_a_site() {
    let mut faults = Vec::new();
    let mut exchanges = 0;
    for Told { suite, .. } in &*TOLD {
        exchanges += suite.cases.iter().map(|case| case.exchanges.len()).sum::<usize>();
        let is_bad = |case: &&cases::Case| case.exchanges.is_empty() || (suite.entry.is_none() && case.kdl.is_empty());
        faults.extend(suite.cases.iter().filter(is_bad).map(|case| case.title.as_str()));
        if suite.entry.is_some() && suite.cases.iter().map(|case| case.exchanges.len()).sum::<usize>() < 15 {
            faults.push(suite.entry.as_deref().unwrap_or_default());
        }
    }
    assert_eq!(faults, [""; 0]);
    assert!(exchanges > 400, "{exchanges} exchanges");
}

#[test]
fn reference_reads_every_case_as_it_is_written() {
    report(|told, exchange| {
        let request = exchange.request(&told.listeners());
        let outcome = sent::referred(&told.compiled.model, &request, &told.world, &[]);
        let answer = outcome.answer.as_ref().map(|answer| (answer.status, &answer.fields[..], &answer.body[..]));
        let sent = outcome.sent.first().map(|sent| sent.requests[0].head());
        [exchange.faults(answer), exchange.faults_of_sent(sent.as_deref())].concat()
    });
}

#[test]
fn evaluator_reads_every_case_as_it_is_written() {
    report(|told, exchange| {
        let evaluator = Evaluator::new(&told.compiled.plan, &told.compiled.blob);
        let evaluated = sent::evaluated(&evaluator, &exchange.request(&told.listeners()), &told.world, &[]);
        match evaluated.reply {
            Ok(reply) => {
                let sent = evaluated.sent.first().map(|forwarded| forwarded.heads[0].clone());
                let faults = exchange.faults(reply.as_ref().map(|reply| (reply.status, &reply.fields[..], &reply.body[..])));
                [faults, exchange.faults_of_sent(sent.as_deref())].concat()
            }
            // It names a file of a root without reading it.
            Err(_) => Vec::new(),
        }
    });
}

#[test]
fn binary_answers_every_case_as_it_is_written() {
    let mut servers: BTreeMap<PathBuf, Server> = BTreeMap::new();
    report(|told, exchange| {
        let server = servers.entry(told.entry.clone()).or_insert_with(|| start(told));
        let position = exchange.request(&told.listeners()).listener;
        let mut client = Client::connect_from(exchange.client(), server.listener(position));
        client.send(exchange.bytes());
        let mut faults = match client.try_answer(exchange.method == "HEAD") {
            Ok(answer) => {
                let reply = Plain::of(&answer);
                exchange.faults(Some((reply.status, &reply.fields[..], &reply.body[..])))
            }
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => exchange.faults(None),
            Err(error) => vec![error.to_string()],
        };
        faults.extend(exchange.faults_of_sent(ECHO.take().first().map(|received| received.head.as_slice())));
        faults
    });
}

#[test]
fn binary_without_what_the_host_should_have_says_all_that_is_missing() {
    let binary = build(&TOLD[0].entry, Profile::Dev, &[]);
    let empty = scratch("no-values");
    let output = Command::new(binary).current_dir(empty).env_clear().output().expect("a binary");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines = |name: &str| said.lines().filter(|line| line.contains(name)).count();
    assert_eq!((lines("CASES_KEY"), lines("tree/secret.txt"), lines("CASES_ABSENT"), lines("CASES_EMPTY")), (1, 1, 0, 0), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("listening"), "{said}");
}

fn start(told: &Told) -> Server {
    let mut command = Command::new(build(&told.entry, Profile::Dev, &[]));
    let mut server = Server::start_command(command.current_dir(told.directory()).envs(&told.suite.environment));
    server.wait_for_listeners(told.compiled.model.listeners.len());
    server
}

/// Every KDL block of every page: a whole site, or a piece of one.
#[test]
fn every_block_of_the_documentation_is_a_site_without_errors() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a readable page");
        for (number, block) in cases::blocks(&text, "kdl").into_iter().enumerate() {
            let entry = write("documentation", &[("site.kdl", &whole(&rooted(&block)))]);
            copy_tree(&repository().join("tests/cases/tree"), &entry.with_file_name("tree"));
            copy_tree(&repository().join("tests/cases/tree"), &entry.parent().expect("a directory").with_file_name("tree"));
            let (diagnostics, sources, model) = check(&entry);
            if model.is_none() {
                let said = kiln::diagnostic::render::render(&diagnostics, &sources, kiln::diagnostic::render::Style::Plain);
                faults.push(format!("{}, block {number}:\n{said}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// README and everything below `docs` and `tests/cases`.
fn pages() -> Vec<PathBuf> {
    let mut open = vec![repository().join("docs"), repository().join("tests/cases")];
    let mut pages = vec![repository().join("README.md")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a readable directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Puts around a piece what a site needs.
fn whole(block: &str) -> String {
    let first = block.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("//")).unwrap_or_default();
    let word = first.split_whitespace().next().unwrap_or_default();
    let site = HEAD;
    let other = "vhost \"piece.test\" { route \"/\" { respond 200 \"x\" } }\n";
    match word {
        "site" if block.contains("vhost ") => block.to_owned(),
        "site" => format!("{block}{other}"),
        "vhost" => format!("{site}{block}"),
        "map" | "match" | "snippet" | "upstream" if block.contains("vhost ") => format!("{site}{block}"),
        "route" => format!("{site}vhost \"piece.test\" {{\n{block}}}\n"),
        _ => format!("{site}vhost \"piece.test\" {{\n    route \"/\" {{\n{block}}}\n}}\n"),
    }
}
