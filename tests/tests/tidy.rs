//! The house's rules that a compiler does not check: layers, sizes, names, and what generated code may look like.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use kiln_tests::{site::repository, tools::run};

/// Levels of the runtime's modules, as `docs/architecture.md` draws them. A new module is entered here first.
const VALUES: &[&str] = &[
    "access_log",
    "answer",
    "at",
    "buffer",
    "builtin",
    "client",
    "clients",
    "clock",
    "cors",
    "deadlines",
    "edits",
    "embed_listing",
    "encode",
    "errors",
    "exchange",
    "fault",
    "file_pages",
    "file_reader",
    "intercept",
    "late",
    "later",
    "listing",
    "memory",
    "metrics",
    "open_file",
    "open_files",
    "pipes",
    "proxied",
    "ranged",
    "record",
    "request_body",
    "request_id",
    "response",
    "rewrite",
    "rooms",
    "sent_file",
    "settings",
    "site",
    "step",
    "switch",
    "tunnel",
    "turn",
    "unmeasured",
    "upstream",
    "worker",
    "written",
];
const FEATURES: &[&str] =
    &["access", "embed", "files", "guard", "proxy", "records", "redirect", "regex", "regex_captures", "respond", "split", "table"];
const TRANSPORT: &[&str] = &["engine", "listen", "unix"];
const SERVE: &[&str] = &["serve", "command", "log_writer"];

/// Compiler modules in the order of the pipeline: each may use what stands before it.
const STAGES: &[&[&str]] = &[
    &["source", "diagnostic", "packed"],
    &["ast", "schema"],
    &["model"],
    &["parse"],
    &["format", "inputs", "resolve"],
    &["plan"],
    &["answer", "assets", "fingerprint"],
    &["lower"],
    &["optimize"],
    &["dump", "evaluate", "reference"],
    &["explain", "package"],
    &["emit"],
    &["toolchain", "workspace"],
    &["cargo"],
    &["build"],
    &["cli"],
];

/// Uses of a later stage, each with its reason: the schema shows defaults, which `resolve::inherit` alone knows.
const EXCEPTIONS: &[(&str, &str)] = &[("schema", "resolve")];

/// Files where `unsafe` may stand in the runtime; each has its decision note.
const UNSAFE: &[&str] = &["runtime/src/listen/activation/inherited.rs"];

#[test]
fn runtime_modules_import_lower_levels_only() {
    let mut faults = Vec::new();
    for file in rust_files("runtime/src") {
        let module = top_module(&file, "runtime/src");
        if module == "lib" {
            continue;
        }
        let Some(allowed) = runtime_imports(&module) else {
            faults.push(format!("{}: `{module}` is in no level of tests/tests/tidy.rs", file.display()));
            continue;
        };
        for used in crate_paths(&file) {
            if used != module && !allowed.iter().any(|level| level.contains(&used.as_str())) && !is_item_of_root(&used) {
                faults.push(format!("{}: `{module}` may not use `crate::{used}`", file.display()));
            }
        }
    }
    none(&faults);
}

/// What a module may use. L0 imports L0; L1 imports L0; L2 imports L0 and L2; `serve` ties L0, the trait `Site` and L2.
fn runtime_imports(module: &str) -> Option<Vec<&'static [&'static str]>> {
    match module {
        value if VALUES.contains(&value) => Some(vec![VALUES]),
        feature if FEATURES.contains(&feature) => Some(vec![VALUES]),
        transport if TRANSPORT.contains(&transport) => Some(vec![VALUES, TRANSPORT]),
        serve if SERVE.contains(&serve) => Some(vec![VALUES, TRANSPORT, SERVE]),
        _ => None,
    }
}

#[test]
fn compiler_stages_import_earlier_stages_only() {
    let stage = |module: &str| STAGES.iter().position(|stage| stage.contains(&module));
    let mut faults = Vec::new();
    for file in rust_files("compiler/src") {
        let module = top_module(&file, "compiler/src");
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(own) = stage(&module) else {
            faults.push(format!("{}: `{module}` is no stage of tests/tests/tidy.rs", file.display()));
            continue;
        };
        for used in crate_paths(&file) {
            let is_allowed = EXCEPTIONS.contains(&(module.as_str(), used.as_str()));
            if used != module && !is_allowed && stage(&used).is_some_and(|used| used > own) {
                faults.push(format!("{}: `{module}` may not use the later `crate::{used}`", file.display()));
            }
        }
    }
    none(&faults);
}

#[test]
fn kdl_is_named_in_parse_node_only() {
    only_in(&["kdl::"], "compiler/src", &["compiler/src/parse/node.rs"]);
}

#[test]
fn runtime_paths_are_named_in_emit_abi_only() {
    only_in(&["runtime::", "runtime ::"], "compiler/src", &["compiler/src/emit/abi.rs"]);
}

#[test]
fn defaults_are_set_in_resolve_inherit_only() {
    only_in(&["is_default: true"], "compiler/src", &["compiler/src/resolve/inherit.rs"]);
}

#[test]
fn cargo_features_are_named_in_the_root_and_the_gated_values_only() {
    let mut allowed = ["lib", "exchange", "response", "request_body", "client"].map(|module| format!("runtime/src/{module}.rs")).to_vec();
    // What makes automata is the compiler's, what reads them the runtime's: one noun, one file.
    allowed.extend(["lib", "regexes"].map(|module| format!("runtime/semantics/src/{module}.rs")));
    only_in(&["#[cfg(feature", "cfg!(feature"], "runtime", &allowed.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn semantics_do_no_io_and_read_no_clock() {
    let io = ["fs::", "env::", "process::", "thread::", "TcpStream", "TcpListener", "UdpSocket"];
    only_in(&io, "runtime/semantics/src", &[]);
    only_in(&["Instant", "SystemTime", "async ", ".await"], "runtime/semantics/src", &[]);
}

#[test]
fn clocks_are_read_in_named_files_only() {
    let clocks = ["Instant::now", "SystemTime::now"];
    only_in(&clocks, "runtime/src", &["runtime/src/clock.rs", "runtime/src/serve/tests.rs"]);
    only_in(
        &clocks,
        "compiler/src",
        &["assets/date", "cli", "cli/console", "workspace"].map(|file| format!("compiler/src/{file}.rs")).each_ref().map(|file| &**file),
    );
}

/// Stages between `source` and the files that write are functions of what was read.
#[test]
fn compiler_reads_files_and_the_environment_in_named_files_only() {
    let mut allowed =
        ["assets", "assets/date", "assets/store", "build", "cargo", "package", "source", "source/tree", "toolchain", "workspace"]
            .map(|file| format!("compiler/src/{file}.rs"))
            .to_vec();
    allowed.extend(
        ["build", "console", "explain", "fmt", "new", "reference", "report", "watch/sockets"]
            .map(|file| format!("compiler/src/cli/{file}.rs")),
    );
    only_in(&["fs::", "env::", "File::open", "File::create"], "compiler/src", &allowed.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn reference_uses_the_model_and_no_stage() {
    let mut faults = Vec::new();
    for file in rust_files("tests/reference/src") {
        let text = read(&file);
        if text.lines().count() > 200 {
            faults.push(format!("{}: more than 200 lines are no longer read at one glance", file.display()));
        }
        let foreign = ["kiln::", "semantics::"].iter().flat_map(|root| paths_after(&text, root)).collect::<Vec<_>>();
        faults.extend(
            foreign
                .iter()
                .filter(|used| {
                    !["model", "answer", "access", "cidr", "client", "edits", "guard", "method", "pattern"].contains(&used.as_str())
                })
                .map(|used| format!("{}: {used}", file.display())),
        );
    }
    none(&faults);
}

#[test]
fn files_are_at_most_400_lines() {
    let mut faults = Vec::new();
    for file in tracked("*.rs") {
        let limit = if file.starts_with("tests") || file.components().any(|part| part.as_os_str() == "tests") { 800 } else { 400 };
        let lines = read(&file).lines().count();
        if lines > limit && !file.starts_with("generated") {
            faults.push(format!("{}: {lines} lines, {limit} are the limit", file.display()));
        }
    }
    none(&faults);
}

#[test]
fn module_files_have_the_name_of_their_module() {
    none(&tracked("*mod.rs").iter().filter(|file| file.ends_with("mod.rs")).map(|file| file.display().to_string()).collect::<Vec<_>>());
}

#[test]
fn type_and_module_names_are_in_the_glossary_of_refused_words_nowhere() {
    let glossary = read(Path::new("docs/glossary.md"));
    let (_, rule) = glossary.split_once("## Refused in names").expect("the section that this test reads");
    let refused: Vec<&str> = rule.split("`Engine`").next().unwrap_or_default().split('`').skip(1).step_by(2).collect();
    assert!(refused.len() > 15, "{refused:?}");
    let mut faults = Vec::new();
    for file in tracked("*.rs") {
        let text = read(&file);
        let in_engine = file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("engine"));
        let module = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let module_name = module.split('_').map(capitalised).collect::<String>();
        for name in type_names(&text).into_iter().chain([module_name]) {
            let words = camel_words(&name);
            let is_refused = words.iter().any(|word| refused.contains(&word.as_str()) || (word == "Engine" && !in_engine));
            if is_refused {
                faults.push(format!("{}: `{name}`", file.display()));
            }
        }
    }
    none(&faults);
}

#[test]
fn generated_code_has_no_async_and_no_generic_parameters() {
    let mut faults = Vec::new();
    for file in tracked("generated/*.rs") {
        for (number, line) in read(&file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let has_generics = code
                .split("fn ")
                .nth(1)
                .and_then(|rest| rest.split('(').next())
                .is_some_and(|name| name.contains('<') && !name.contains("<'"));
            if code.contains("async ") || code.contains(".await") || code.contains("#[allow") || has_generics || code.contains("::core::") {
                faults.push(format!("{}:{}: {line}", file.display(), number + 1));
            }
        }
    }
    none(&faults);
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    only_in(&[concat!("#[al", "low("), concat!("#![al", "low(")], "", &[]);
}

#[test]
fn tests_never_sleep() {
    only_in(&[concat!("thread::", "sleep"), concat!("time::", "sleep(")], "tests", &[]);
}

#[test]
fn unsafe_code_stands_in_listed_files_only() {
    let mut faults = Vec::new();
    for root in ["compiler/src/lib.rs", "runtime/semantics/src/lib.rs", "tests/src/lib.rs", "tests/reference/src/lib.rs"] {
        if !read(Path::new(root)).contains("#![forbid(unsafe_code)]") {
            faults.push(format!("{root}: no `#![forbid(unsafe_code)]`"));
        }
    }
    for main in tracked("generated/*/src/main.rs") {
        if !read(&main).contains("#![forbid(unsafe_code)]") {
            faults.push(format!("{}: no `#![forbid(unsafe_code)]`", main.display()));
        }
    }
    for file in rust_files("runtime/src") {
        let text = without_comments(&read(&file));
        let is_listed = UNSAFE.contains(&&*file.to_string_lossy());
        if text.contains("unsafe ") && !is_listed {
            faults.push(format!("{}: `unsafe` in a file that is not listed", file.display()));
        }
    }
    none(&faults);
}

#[test]
fn todos_have_a_number() {
    let word = concat!("TO", "DO");
    let mut faults = Vec::new();
    for file in tracked("*.rs") {
        for (number, line) in read(&file).lines().enumerate() {
            if line.contains(word) && !line.contains(&format!("{word}(#")) {
                faults.push(format!("{}:{}: {line}", file.display(), number + 1));
            }
        }
    }
    none(&faults);
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    let paths = [concat!("/wo", "rk/"), concat!("/ro", "ot/.c"), concat!("/ro", "ot/.r"), concat!("/ho", "me/")];
    let mut faults = Vec::new();
    for file in tracked("*") {
        let Ok(bytes) = std::fs::read(repository().join(&file)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        faults.extend(paths.iter().filter(|path| text.contains(**path)).map(|path| format!("{}: {path}", file.display())));
    }
    none(&faults);
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let readme = read(Path::new("README.md"));
    let command = readme.lines().find(|line| line.starts_with("cargo test")).expect("a test command");
    assert!(read(Path::new(".ci/run")).contains(&format!("if {command} >")), "{command}");
}

/// Fails with all of them.
#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n  {}", faults.len(), faults.join("\n  "));
}

/// None of the texts stands in code below `directory`, but in the listed files.
#[track_caller]
fn only_in(texts: &[&str], directory: &str, allowed: &[&str]) {
    let mut faults = Vec::new();
    for file in rust_files(directory) {
        let code = without_comments(&read(&file));
        if !allowed.contains(&&*file.to_string_lossy()) {
            faults.extend(texts.iter().filter(|text| code.contains(**text)).map(|text| format!("{}: `{text}`", file.display())));
        }
    }
    none(&faults);
}

/// Paths of tracked files, relative to the repository.
fn tracked(glob: &str) -> Vec<PathBuf> {
    let output = run(Command::new("git").current_dir(repository()).args(["ls-files", "--cached", "--", glob]));
    let files: Vec<PathBuf> = String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect();
    files.into_iter().filter(|file| repository().join(file).exists()).collect()
}

fn rust_files(directory: &str) -> Vec<PathBuf> {
    tracked("*.rs").into_iter().filter(|file| file.starts_with(directory)).collect()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// `engine` for `runtime/src/engine/h1.rs`.
fn top_module(file: &Path, root: &str) -> String {
    let relative = file.strip_prefix(root).expect("a file below the root");
    let first = relative.iter().next().unwrap_or_default().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The root re-exports the ABI and semantics; those names are types and constants, not modules.
fn is_item_of_root(name: &str) -> bool {
    // `coders` are constants, which the root alone names by their features.
    name.starts_with(|first: char| first.is_ascii_uppercase()) || name == "coders"
}

/// First names after `crate::` in code, groups in braces included.
fn crate_paths(file: &Path) -> Vec<String> {
    paths_after(&read(file), "crate::")
}

fn paths_after(text: &str, root: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut names = BTreeMap::new();
    for (at, _) in code.match_indices(root) {
        let is_end_of_word = code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let rest = &code[at + root.len()..];
        let group = rest.strip_prefix('{').map_or_else(|| vec![rest.to_owned()], top_level_parts);
        for part in group.iter().filter(|_| !is_end_of_word) {
            let name: String = part.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            names.insert(name, ());
        }
    }
    names.into_keys().filter(|name| !name.is_empty()).collect()
}

/// `a::{b, c}, d}` gives `a::{b, c}` and `d`.
fn top_level_parts(group: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in group.chars() {
        match letter {
            '}' if depth == 0 => break,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        parts.last_mut().expect("at least one").push(letter);
    }
    parts
}

/// Without line comments; a `//` in a string ends its line, too, which these tests can live with.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn type_names(text: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if ["struct", "enum", "trait", "union"].contains(&word) {
            names.extend(words.next().filter(|name| name.starts_with(char::is_uppercase)).map(str::to_owned));
        }
    }
    names
}

fn camel_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        if letter.is_uppercase() || words.is_empty() {
            words.push(String::new());
        }
        words.last_mut().expect("at least one").push(letter);
    }
    words
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
