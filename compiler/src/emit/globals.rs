//! What every file of the package may name: late values, maps, regexes and upstreams, each with a file of its own in the package, and the files of pages.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    abi,
    file::File,
    manifest::Blob,
    names::{self, Scope},
    upstreams::{self, UPSTREAMS},
};
use crate::{
    fingerprint,
    package::Package,
    plan::{Action, Intercepted, LateId, MapForm, MapId, Plan, RegexForm, RegexId, UpstreamId, UpstreamTimeouts},
};

/// Modules of late values, maps and regexes.
pub(super) const LATES: &str = "late_values";
pub(super) const MAPS: &str = "maps";
pub(super) const REGEXES: &str = "regexes";

#[derive(Debug)]
pub(super) struct Globals {
    lates: Vec<Ident>,
    maps: Vec<Ident>,
    regexes: Vec<Ident>,
    upstreams: Vec<Ident>,
    /// What routes to each upstream begin with.
    timeouts: Vec<(Ident, UpstreamTimeouts)>,
    /// Names of files by what [`page_key`] makes of a page.
    pages: BTreeMap<String, String>,
}

impl Globals {
    /// Claims the names in `scope`.
    pub(super) fn new(plan: &Plan, scope: &mut Scope) -> Self {
        let mut of_upstreams = |word: &str| -> Vec<Ident> {
            plan.upstreams.iter().map(|upstream| scope.claim(&format!("{}_{word}", names::constant(&upstream.name)))).collect()
        };
        let (upstreams, timeouts) = (of_upstreams("UPSTREAM"), of_upstreams("TIMEOUTS"));
        Self {
            lates: plan.lates.iter().map(|late| scope.claim(&names::constant(&late.name))).collect(),
            maps: plan.maps.iter().map(|map| scope.claim(&format!("{}_MAP", names::constant(&names::snake(&map.name))))).collect(),
            regexes: plan.regexes.iter().map(|regex| scope.claim(&names::constant(&regex.name))).collect(),
            upstreams,
            timeouts: timeouts.into_iter().zip(&plan.upstreams).map(|(name, upstream)| (name, upstream.timeouts.clone())).collect(),
            pages: pages(plan),
        }
    }

    pub(super) fn late(&self, id: LateId) -> &Ident {
        &self.lates[id.0 as usize]
    }

    pub(super) fn map(&self, id: MapId) -> &Ident {
        &self.maps[id.0 as usize]
    }

    pub(super) fn regex(&self, id: RegexId) -> &Ident {
        &self.regexes[id.0 as usize]
    }

    pub(super) fn upstream(&self, id: UpstreamId) -> &Ident {
        &self.upstreams[usize::from(id.0)]
    }

    /// The constant of an upstream's timeouts, and what they are.
    pub(super) fn timeouts(&self, id: UpstreamId) -> (&Ident, &UpstreamTimeouts) {
        let (name, timeouts) = &self.timeouts[usize::from(id.0)];
        (name, timeouts)
    }

    /// By their numbers.
    pub(super) fn upstreams(&self) -> &[Ident] {
        &self.upstreams
    }

    /// The path of a page's bytes, as a source file names it; `file` is its own as written.
    pub(super) fn page(&self, file: &str, body: &[u8]) -> String {
        let name = self.pages.get(&page_key(file, body)).expect("every page of the plan has a file");
        format!("../pages/{name}")
    }

    /// The module of each name.
    pub(super) fn modules(&self) -> impl Iterator<Item = (String, &'static str)> {
        let of = |names: &[Ident], module| names.iter().map(|name| (name.to_string(), module)).collect::<Vec<_>>();
        let timeouts: Vec<_> = self.timeouts.iter().map(|(name, _)| name.clone()).collect();
        let modules = [
            of(&self.lates, LATES),
            of(&self.maps, MAPS),
            of(&self.regexes, REGEXES),
            of(&self.upstreams, UPSTREAMS),
            of(&timeouts, UPSTREAMS),
        ];
        modules.into_iter().flatten()
    }

    /// References for the settings.
    pub(super) fn settings(&self) -> [Vec<TokenStream>; 3] {
        [(&self.lates, LATES), (&self.regexes, REGEXES), (&self.upstreams, UPSTREAMS)].map(|(names, module)| {
            let module = format_ident!("{module}");
            names.iter().map(|name| quote!(&#module::#name)).collect()
        })
    }

    /// The files of late values, maps, regexes and upstreams, by module.
    pub(super) fn files(&self, plan: &Plan) -> Vec<(&'static str, File)> {
        let file = |doc: &str| File::new(doc.to_owned(), &Scope::default());
        let (mut lates, mut maps, mut regexes) =
            (file("Values that are read when the site starts."), file("Maps."), file("Regexes of guards, as automata."));
        for (late, name) in plan.lates.iter().zip(&self.lates) {
            lates.documented(&format!("`{}`, {}", late.source, late.provenance.full()), abi::late(name, late));
        }
        for (map, name) in plan.maps.iter().zip(&self.maps) {
            maps.documented(&format!("`map \"{}\"`, {}", map.name, map.provenance.full()), abi::map(name, map, self));
        }
        for (regex, name) in plan.regexes.iter().zip(&self.regexes) {
            regexes.documented(&format!("`{}`", regex.text), abi::regex(name, regex, &|end| format!("../{}", regex_path(name, end))));
        }
        let files = [(LATES, lates), (MAPS, maps), (REGEXES, regexes), (UPSTREAMS, upstreams::file(plan, self))];
        files.into_iter().filter(|(_, file)| !file.is_empty()).collect()
    }

    /// Automata and pages.
    pub(super) fn blobs(&self, plan: &Plan, package: &mut Package) {
        for (regex, name) in plan.regexes.iter().zip(&self.regexes) {
            match &regex.form {
                RegexForm::Capturing { forward, reverse, .. } => {
                    package.add(&regex_path(name, "forward.dfa"), forward.clone());
                    package.add(&regex_path(name, "reverse.dfa"), reverse.clone());
                }
                RegexForm::Matching { dfa } => package.add(&regex_path(name, "dfa"), dfa.clone()),
            }
        }
        for (file, body) in pages_of(plan) {
            package.add(self.page(file, body).trim_start_matches("../"), body.to_vec());
        }
    }

    /// Rows that are no code.
    pub(super) fn map_blobs<'p>(&self, plan: &'p Plan) -> Vec<Blob<'p>> {
        let blobs = plan.maps.iter().zip(&self.maps).filter_map(|(map, name)| match &map.form {
            MapForm::Blob(blob) => {
                Some(Blob { name: name.to_string(), file: format!("{}.bin", file_name(name)), bytes: blob.as_slice().into() })
            }
            MapForm::Inline => None,
        });
        blobs.collect()
    }
}

fn regex_path(name: &Ident, end: &str) -> String {
    format!("regexes/{}.{end}", file_name(name))
}

fn file_name(name: &Ident) -> String {
    name.to_string().to_ascii_lowercase()
}

/// What tells two pages apart that are called the same.
fn page_key(file: &str, body: &[u8]) -> String {
    format!("{} {file}", fingerprint::sha256(body))
}

/// The pages of the plan by their files as written, and their bytes: those of errors, then those that take the place of an upstream's answers.
fn pages_of(plan: &Plan) -> impl Iterator<Item = (&str, &[u8])> {
    let of_errors = plan.errors.iter().flat_map(|errors| &errors.pages).map(|page| (page.file.as_str(), &page.body[..]));
    let mut intercepted = Vec::new();
    plan.vhosts.iter().flat_map(|vhost| &vhost.routes).for_each(|route| intercepted_pages(&route.action, &mut intercepted));
    of_errors.chain(intercepted)
}

fn intercepted_pages<'p>(action: &'p Action, pages: &mut Vec<(&'p str, &'p [u8])>) {
    if let Action::Proxy(proxy) = action {
        for intercept in &proxy.intercepts {
            match &intercept.then {
                Intercepted::Page(page) => pages.push((&page.file, &page.body)),
                Intercepted::Accel { .. } | Intercepted::Action(_) => {}
            }
        }
    }
    action.inner().into_iter().for_each(|inner| intercepted_pages(inner, pages));
}

/// A file for each page, called as its own or as its whole path.
fn pages(plan: &Plan) -> BTreeMap<String, String> {
    let (mut pages, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (file, body) in pages_of(plan) {
        let key = page_key(file, body);
        if pages.contains_key(&key) {
            continue;
        }
        let (directory, own) = file.rsplit_once('/').unwrap_or(("", file));
        let candidates = [plain(own), format!("{}_{}", plain(directory), plain(own))];
        let numbered = (2_u32..).map(|number| format!("{number}_{}", plain(own)));
        let name = candidates.into_iter().chain(numbered).find(|name| !taken.contains(name)).expect("fewer names than numbers are taken");
        taken.insert(name.clone());
        pages.insert(key, name);
    }
    pages
}

/// What every file system takes as a name.
fn plain(text: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() || "._-".contains(character) { character } else { '_' };
    let name: String = text.trim_start_matches(['.', '/']).chars().map(plain).collect();
    if name.is_empty() { "page".to_owned() } else { name }
}
