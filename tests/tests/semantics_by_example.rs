//! The language by example: every case of `tests/cases`, told to the naive reference, the plan's evaluator and a real binary.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use kiln::evaluate::Evaluator;
use kiln_tests::{
    cases::{self, Case, Exchange},
    compiled::{Compiled, check, compile},
    oracle::{Plain, evaluated, learn, with_absolute_roots},
    server::Server,
    site::{Profile, build, repository, write},
};

static CASES: LazyLock<Vec<Case>> = LazyLock::new(cases::all);
/// All cases as one site.
static ENTRY: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut files: Vec<(String, String)> =
        CASES.iter().enumerate().map(|(number, case)| (format!("vhosts/{number:03}.kdl"), rooted(&case.kdl))).collect();
    files
        .push(("site.kdl".to_owned(), "site \"cases\" language=1 {\n    listen \"127.0.0.1:0\"\n}\ninclude \"vhosts/*.kdl\"\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let entry = write("cases", &files);
    copy_tree(&repository().join("tests/cases/tree"), &entry.with_file_name("tree"));
    entry
});

/// Embedded trees are relative to the file that names them, roots to where the binary is started: both are `tree` in a case.
fn rooted(kdl: &str) -> String {
    kdl.replace("files \"tree\" { embed", "files \"../tree\" { embed")
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable directory");
    for entry in fs::read_dir(from).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy_tree(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a readable file")),
        }
    }
}

/// Asks one reader for every exchange of every case and reports all faults.
#[track_caller]
fn report(mut ask: impl FnMut(&Exchange) -> Vec<String>) {
    let exchanges = CASES.iter().flat_map(|case| case.exchanges.iter().map(move |exchange| (case, exchange)));
    let mut faults = Vec::new();
    for (case, exchange) in exchanges {
        let found = ask(exchange).into_iter();
        faults.extend(
            found.map(|fault| format!("{}\n    {} {} at {}: {fault}", case.title, exchange.method, exchange.target, exchange.host)),
        );
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_case_has_a_site_and_exchanges() {
    assert!(CASES.len() > 25, "{} cases", CASES.len());
    let empty: Vec<&str> =
        CASES.iter().filter(|case| case.kdl.is_empty() || case.exchanges.is_empty()).map(|case| case.title.as_str()).collect();
    assert_eq!(empty, [""; 0]);
}

#[test]
fn reference_reads_every_case_as_it_is_written() {
    let (diagnostics, _, model) = check(&ENTRY);
    let model = with_absolute_roots(model.unwrap_or_else(|| panic!("{diagnostics:?}")), ENTRY.parent().expect("a directory"));
    let Compiled { plan, blob, .. } = compile(&ENTRY);
    let evaluator = Evaluator::new(&plan, &blob);
    let mut forms = learn(&model, |request| evaluated(&evaluator, request).ok().flatten());
    // Files of a root are not the evaluator's to read: their types are those of the same names in an embedded tree.
    let known: Vec<_> =
        forms.iter().filter_map(|(path, forms)| Some((path.file_name()?.to_owned(), forms.get("identity")?.clone()))).collect();
    let root = ENTRY.with_file_name("tree");
    for (name, form) in known {
        for directory in [root.clone(), root.join("sub")] {
            forms.entry(directory.join(&name)).or_insert_with(|| [("identity".to_owned(), form.clone())].into());
        }
    }
    report(|exchange| {
        let answer = reference::answer(&model, &exchange.request(), &forms).answer;
        exchange.faults(answer.as_ref().map(|answer| (answer.status, &answer.fields[..], &answer.body[..])))
    });
}

#[test]
fn evaluator_reads_every_case_as_it_is_written() {
    let Compiled { plan, blob, .. } = compile(&ENTRY);
    let evaluator = Evaluator::new(&plan, &blob);
    report(|exchange| match evaluated(&evaluator, &exchange.request()) {
        Ok(reply) => exchange.faults(reply.as_ref().map(|reply| (reply.status, &reply.fields[..], &reply.body[..]))),
        // It names a file of a root without reading it.
        Err(_) => Vec::new(),
    });
}

#[test]
fn binary_answers_every_case_as_it_is_written() {
    let server = Server::start(&build(&*ENTRY, Profile::Dev, &[]), ENTRY.parent().expect("a directory"));
    report(|exchange| {
        let mut client = server.client();
        client.send(exchange.bytes());
        match client.try_answer(exchange.method == "HEAD") {
            Ok(answer) => {
                let reply = Plain::of(&answer);
                exchange.faults(Some((reply.status, &reply.fields[..], &reply.body[..])))
            }
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => exchange.faults(None),
            Err(error) => vec![error.to_string()],
        }
    });
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
    let site = "site \"piece\" language=1 {\n    listen \"127.0.0.1:0\"\n}\n";
    let other = "vhost \"piece.test\" { route \"/\" { respond 200 \"x\" } }\n";
    match word {
        "site" if block.contains("vhost ") => block.to_owned(),
        "site" => format!("{block}{other}"),
        "vhost" => format!("{site}{block}"),
        "route" => format!("{site}vhost \"piece.test\" {{\n{block}}}\n"),
        _ => format!("{site}vhost \"piece.test\" {{\n    route \"/\" {{\n{block}}}\n}}\n"),
    }
}
