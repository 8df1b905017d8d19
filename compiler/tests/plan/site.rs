//! A site from inline KDL and files, as far as its plan.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kiln::{
    assets,
    diagnostic::{
        Diagnostics,
        render::{Style, render},
    },
    evaluate::{Answer, Evaluation, Outcome, Request, evaluate},
    lower::lower,
    model::Site,
    optimize::{ORDERING, optimize},
    parse::parse,
    plan::Plan,
    resolve::resolve,
};

/// A plan in both states, and the blob of its trees.
pub(crate) struct Built {
    pub(crate) plan: Plan,
    /// Ordered, but not shaped.
    pub(crate) plain: Plan,
    pub(crate) blob: Vec<u8>,
}

/// What every site of these tests begins with; routes are at line 4 and below.
pub(crate) const HEAD: &str = "site \"test\" language=1 { listen \"127.0.0.1:8080\" }\n\n";

impl Built {
    /// A site of one vhost, `shop.example`, with these words in it.
    pub(crate) fn vhost(name: &str, words: &str) -> Self {
        Self::site(name, &format!("{HEAD}vhost \"shop.example\" {{\n{words}\n}}\n"), &[])
    }

    /// A whole site, in a directory named after the test, with files beside it.
    pub(crate) fn site(name: &str, kdl: &str, files: &[(&str, &[u8])]) -> Self {
        let directory = scratch(name);
        for (path, body) in files {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, body).unwrap();
        }
        let entry = directory.join("site.kdl");
        fs::write(&entry, kdl).unwrap();
        Self::read(&entry, &directory.join(".cache"))
    }

    /// The site of [`Self::vhost`], changed before it is lowered.
    pub(crate) fn changed(name: &str, words: &str, change: impl FnOnce(&mut Site)) -> Self {
        Self::changed_site(name, &format!("{HEAD}vhost \"shop.example\" {{\n{words}\n}}\n"), change)
    }

    /// A whole site, changed before it is lowered.
    pub(crate) fn changed_site(name: &str, kdl: &str, change: impl FnOnce(&mut Site)) -> Self {
        let entry = scratch(name).join("site.kdl");
        fs::write(&entry, kdl).unwrap();
        Self::read_changed(&entry, &entry.with_file_name(".cache"), change)
    }

    pub(crate) fn read(entry: &Path, cache: &Path) -> Self {
        Self::read_changed(entry, cache, |_| {})
    }

    fn read_changed(entry: &Path, cache: &Path, change: impl FnOnce(&mut Site)) -> Self {
        let mut diagnostics = Diagnostics::default();
        let (sources, config) = parse(entry, &mut diagnostics);
        let site = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
        let Some(mut site) = site else { panic!("{}", render(&diagnostics, &sources, Style::Plain)) };
        change(&mut site);
        let trees = assets::read(&site, cache).unwrap();
        let lowered = lower(&site, &sources, &trees);
        let mut plain = lowered.clone();
        for pass in ORDERING {
            (pass.run)(&mut plain);
        }
        let plan = optimize(lowered);
        let blob = assets::blob(&plan, cache).unwrap();
        Self { plan, plain, blob }
    }

    pub(crate) fn evaluate(&self, request: &Request) -> Evaluation {
        evaluate(&self.plan, request, &self.blob)
    }

    /// The answer to `METHOD target` at `shop.example`, with more header lines.
    pub(crate) fn answer(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let request = headers.iter().fold(Request::new(method, "shop.example", target), |request, (name, value)| request.with(name, value));
        match self.evaluate(&request).outcome {
            Outcome::Answer(answer) => answer,
            other => panic!("{method} {target}: {other:?}"),
        }
    }

    pub(crate) fn status(&self, method: &str, target: &str) -> u16 {
        self.answer(method, target, &[]).status
    }
}

/// Values of all fields of that name.
pub(crate) fn values<'a>(answer: &'a Answer, name: &str) -> Vec<&'a str> {
    answer.fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value.as_str()).collect()
}

/// An empty directory of the test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plan").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}
