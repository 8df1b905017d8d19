//! Statics by what they are in the plan. What several files of the package use has a file of its own (`headers.rs`, `trees.rs`); what one file uses
//! lives in that file.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    abi,
    file::{File, Unit, route_doc, vhost_doc},
    globals::Globals,
    names::{self, Scope},
    records,
};
use crate::plan::{AccessId, Action, CorsId, EditsId, EmbedId, EncodingId, ErrorsId, Places, Plan, Route, Vhost};

/// What of the plan a static is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Key {
    Access(AccessId),
    Cors(CorsId),
    Edits(EditsId),
    Encoding(EncodingId),
    Errors(ErrorsId),
    /// What an upstream gets is edited by these.
    RequestEdits(EditsId),
    Tree(EmbedId),
    /// What came from an upstream is edited by these.
    UpstreamEdits(EditsId),
}

/// The shared statics of a package.
#[derive(Debug)]
pub(super) struct Shared {
    /// The names that no file may give to something else.
    pub(super) scope: Scope,
    pub(super) globals: Globals,
    /// What exchanges are counted and logged by, where the site does either.
    pub(super) places: Option<Places>,
    pub(super) statics: BTreeMap<Key, Static>,
    /// The module of each name in `scope`.
    modules: BTreeMap<String, &'static str>,
}

/// A static and what stands above it.
#[derive(Debug)]
pub(super) struct Static {
    pub(super) name: Ident,
    doc: String,
}

/// One use of a static: by which file (`None`: main.rs), and how it would be called, the shorter name first.
struct Use {
    key: Key,
    unit: Option<usize>,
    names: [String; 2],
    doc: String,
}

impl Key {
    /// The module of the shared ones, and what it says of itself.
    const fn module(self) -> (&'static str, &'static str) {
        match self {
            Self::Access(_) => ("access_lists", "Access lists that several vhosts have."),
            Self::Cors(_) => ("cors_policies", "CORS policies that several vhosts have."),
            Self::Edits(_) | Self::RequestEdits(_) | Self::UpstreamEdits(_) => ("headers", "Header edits that several vhosts have."),
            Self::Encoding(_) => ("encodings", "What the answers of several vhosts are encoded by."),
            Self::Errors(_) => ("error_pages", "Error pages that several vhosts have."),
            Self::Tree(_) => ("trees", "Embedded trees that several vhosts have."),
        }
    }

    /// The name of the static, where `of` has it, and its doc comment.
    pub(super) fn names(self, plan: &Plan, of: &str, of_doc: &str) -> (String, String) {
        let named =
            |word: &str| (format!("{}_{}", names::constant(of), names::constant(&names::snake(word))), format!("`{word}` of {of_doc}"));
        match self {
            Self::Access(_) => named("access"),
            Self::Cors(_) => named("cors"),
            Self::Edits(_) => named("headers"),
            Self::Encoding(_) => named("encode"),
            Self::Errors(_) => named("errors"),
            Self::RequestEdits(_) => named("request-headers"),
            Self::Tree(id) => {
                let tree = &plan.embeds[id.0 as usize];
                (names::constant(&tree.name), format!("`{}`", tree.directory))
            }
            Self::UpstreamEdits(_) => named("upstream-headers"),
        }
    }

    /// The static itself.
    pub(super) fn item(self, plan: &Plan, globals: &Globals, visibility: &TokenStream, name: &Ident) -> TokenStream {
        match self {
            Self::Access(id) => abi::access(visibility, name, &plan.access[id.0 as usize]),
            Self::Cors(id) => abi::cors(visibility, name, &plan.cors[id.0 as usize]),
            Self::Edits(id) | Self::RequestEdits(id) | Self::UpstreamEdits(id) => {
                abi::edits(visibility, name, &plan.edits[id.0 as usize], globals)
            }
            Self::Encoding(id) => abi::encoding(visibility, name, &plan.encodings[id.0 as usize]),
            Self::Errors(id) => abi::errors(visibility, name, &plan.errors[id.0 as usize], &|page| globals.page(&page.file, &page.body)),
            Self::Tree(id) => abi::tree(visibility, name, &plan.embeds[id.0 as usize]),
        }
    }
}

impl Shared {
    pub(super) fn new(plan: &Plan, units: &[Unit]) -> Self {
        let mut scope = Scope::default();
        let globals = Globals::new(plan, &mut scope);
        let statics = shared(uses(plan, units), records::are_chosen(plan), &mut scope);
        let mut modules: BTreeMap<_, _> = globals.modules().collect();
        modules.extend(statics.iter().map(|(key, shared)| (shared.name.to_string(), key.module().0)));
        Self { scope, globals, places: Places::of(plan), statics, modules }
    }

    /// What the function of a vhost tells: 0 is what holds before.
    pub(super) fn vhost_place(&self, vhost: usize) -> Option<u32> {
        self.places.as_ref().map(|places| places.vhost(vhost)).filter(|place| *place != 0)
    }

    /// What the handler of a route tells, other than its vhost.
    pub(super) fn route_place(&self, vhost: usize, route: usize) -> Option<u32> {
        let places = self.places.as_ref()?;
        Some(places.route(vhost, route)).filter(|place| *place != places.vhost(vhost))
    }

    /// The files of shared statics, by module, sorted.
    pub(super) fn files(&self, plan: &Plan) -> BTreeMap<&'static str, File> {
        let mut files: BTreeMap<_, _> = self.globals.files(plan).into_iter().collect();
        for (key, Static { name, doc }) in &self.statics {
            let (module, module_doc) = key.module();
            let file = files.entry(module).or_insert_with(|| File::new(module_doc.to_owned(), &Scope::default()));
            file.documented(doc, key.item(plan, &self.globals, &quote!(pub), name));
        }
        files
    }

    /// The `use` items of file `module` for those of `names` that live elsewhere.
    pub(super) fn imports(&self, module: &str, names: &BTreeSet<String>) -> Vec<TokenStream> {
        let mut used: BTreeMap<&str, Vec<Ident>> = BTreeMap::new();
        for name in names {
            match self.modules.get(name) {
                Some(home) if *home != module => used.entry(home).or_default().push(format_ident!("{name}")),
                Some(_) | None => {}
            }
        }
        let item = |(home, names): (&str, Vec<Ident>)| {
            let home = format_ident!("{home}");
            match names.as_slice() {
                [name] => quote!(use crate::#home::#name;),
                names => quote!(use crate::#home::{#(#names),*};),
            }
        };
        used.into_iter().map(item).collect()
    }
}

/// What several files use; where routes are records, all of it, as their lists name it.
fn shared(uses: Vec<Use>, are_all: bool, scope: &mut Scope) -> BTreeMap<Key, Static> {
    let mut firsts: BTreeMap<Key, (Use, bool)> = BTreeMap::new();
    let mut order = Vec::new();
    for found in uses {
        match firsts.get_mut(&found.key) {
            Some((first, is_shared)) => *is_shared |= first.unit != found.unit,
            None => {
                order.push(found.key);
                firsts.insert(found.key, (found, are_all));
            }
        }
    }
    let mut statics = BTreeMap::new();
    for key in order {
        if let Some((first, true)) = firsts.remove(&key) {
            statics.insert(key, Static { name: scope.claim_first(&first.names), doc: first.doc });
        }
    }
    statics
}

/// Every use, in the order of the site: main.rs, then vhost after vhost.
fn uses(plan: &Plan, units: &[Unit]) -> Vec<Use> {
    let mut uses = Vec::new();
    let mut add = |keys: Vec<Key>, unit, [short, long]: [&str; 2], doc: &str| {
        for key in keys {
            let (short, doc) = key.names(plan, short, doc);
            uses.push(Use { key, unit, names: [short, key.names(plan, long, "").0], doc });
        }
    };
    add(scope_keys(plan.site_edits, plan.site_encoding, plan.site_errors), None, ["site"; 2], "the site");
    for (number, unit) in units.iter().enumerate() {
        for vhost in &plan.vhosts[unit.vhosts.clone()] {
            add(scope_keys(vhost.edits, vhost.encoding, vhost.errors), Some(number), [&vhost.name; 2], &vhost_doc(vhost));
            for route in &vhost.routes {
                let long = format!("{}_{}", vhost.name, route.name);
                add(route_keys(vhost, route), Some(number), [&route.name, &long], &route_doc(route));
            }
        }
    }
    uses
}

fn scope_keys(edits: EditsId, encoding: Option<EncodingId>, errors: Option<ErrorsId>) -> Vec<Key> {
    let edits = (edits != EditsId::default()).then_some(Key::Edits(edits));
    edits.into_iter().chain(encoding.map(Key::Encoding)).chain(errors.map(Key::Errors)).collect()
}

fn route_keys(vhost: &Vhost, route: &Route) -> Vec<Key> {
    let mut keys = Vec::new();
    if route.edits != vhost.edits && route.edits != EditsId::default() {
        keys.push(Key::Edits(route.edits));
    }
    keys.extend(route.encoding.filter(|encoding| vhost.encoding != Some(*encoding)).map(Key::Encoding));
    keys.extend(route.errors.filter(|errors| vhost.errors != Some(*errors)).map(Key::Errors));
    keys.extend(route.cors.map(Key::Cors));
    keys.extend(route.access.iter().copied().map(Key::Access));
    action_keys(route, &route.action, &mut keys);
    keys
}

fn action_keys(route: &Route, action: &Action, keys: &mut Vec<Key>) {
    match action {
        Action::Embed { embed, .. } => keys.push(Key::Tree(*embed)),
        Action::Proxy(_) => {
            let edits = [
                (route.request_edits, Key::RequestEdits(route.request_edits)),
                (route.upstream_edits, Key::UpstreamEdits(route.upstream_edits)),
            ];
            keys.extend(edits.into_iter().filter(|(id, _)| *id != EditsId::default()).map(|(_, key)| key));
        }
        Action::Abort
        | Action::Redirect { .. }
        | Action::Refuse { .. }
        | Action::Respond { .. }
        | Action::Rewrite { .. }
        | Action::Root { .. }
        | Action::Split { .. } => {}
    }
    for inner in action.inner() {
        action_keys(route, inner, keys);
    }
}
