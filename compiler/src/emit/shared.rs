//! Statics that several files of the package use: header edits in `headers.rs`, embedded trees in `trees.rs`. What one file uses lives in that file.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    abi,
    file::{File, Unit, headers_doc, headers_name, route_doc, vhost_doc},
    names::{self, Scope},
};
use crate::plan::{Action, EditsId, EmbedId, Plan, Vhost};

/// The shared statics of a package by what they are in the plan.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The names that no file may give to something else.
    pub(super) scope: Scope,
    pub(super) edits: BTreeMap<EditsId, Static>,
    pub(super) trees: BTreeMap<EmbedId, Static>,
}

/// A static and what stands above it.
#[derive(Debug)]
pub(super) struct Static {
    pub(super) name: Ident,
    doc: String,
}

/// One use of a static: by which file (`None`: main.rs), and how it would be called.
struct Use<K> {
    key: K,
    unit: Option<usize>,
    name: String,
    doc: String,
}

impl Shared {
    pub(super) fn new(plan: &Plan, units: &[Unit]) -> Self {
        let mut scope = Scope::default();
        let edits = shared(edits_uses(plan, units), &mut scope);
        let trees = shared(tree_uses(plan, units), &mut scope);
        Self { scope, edits, trees }
    }

    /// `headers.rs`, if any edits are shared.
    pub(super) fn headers_file(&self, plan: &Plan) -> Option<File> {
        let mut file = File::new("Header edits that several vhosts have.".to_owned(), &Scope::default());
        for (id, shared) in &self.edits {
            file.documented(&shared.doc, abi::edits(&quote!(pub), &shared.name, &plan.edits[id.0 as usize]));
        }
        (!self.edits.is_empty()).then_some(file)
    }

    /// `trees.rs`, if any trees are shared.
    pub(super) fn trees_file(&self, plan: &Plan) -> Option<File> {
        let mut file = File::new("Embedded trees that several vhosts have.".to_owned(), &Scope::default());
        for (id, shared) in &self.trees {
            file.documented(&shared.doc, abi::tree(&quote!(pub), &shared.name, id.0, &plan.embeds[id.0 as usize].index));
        }
        (!self.trees.is_empty()).then_some(file)
    }

    /// The `use` items of a file that names those of `names` which are shared.
    pub(super) fn imports(&self, names: &[Ident]) -> Vec<TokenStream> {
        let list = |module: &str, shared: Vec<&Ident>| {
            let module = quote::format_ident!("{module}");
            let used: Vec<_> = shared.into_iter().filter(|name| names.contains(name)).collect();
            match used.as_slice() {
                [] => None,
                [name] => Some(quote!(use crate::#module::#name;)),
                names => Some(quote!(use crate::#module::{#(#names),*};)),
            }
        };
        let edits = list("headers", self.edits.values().map(|shared| &shared.name).collect());
        edits.into_iter().chain(list("trees", self.trees.values().map(|shared| &shared.name).collect())).collect()
    }
}

fn shared<K: Copy + Ord>(uses: Vec<Use<K>>, scope: &mut Scope) -> BTreeMap<K, Static> {
    let mut firsts: BTreeMap<K, (Use<K>, bool)> = BTreeMap::new();
    let mut order = Vec::new();
    for found in uses {
        match firsts.get_mut(&found.key) {
            Some((first, is_shared)) => *is_shared |= first.unit != found.unit,
            None => {
                order.push(found.key);
                firsts.insert(found.key, (found, false));
            }
        }
    }
    let mut statics = BTreeMap::new();
    for key in order {
        if let Some((first, true)) = firsts.remove(&key) {
            statics.insert(key, Static { name: scope.claim(&first.name), doc: first.doc });
        }
    }
    statics
}

fn edits_uses(plan: &Plan, units: &[Unit]) -> Vec<Use<EditsId>> {
    let mut uses = Vec::new();
    let mut add = |key: EditsId, unit, name: &str, doc: &str| {
        if key != EditsId::default() {
            uses.push(Use { key, unit, name: headers_name(name), doc: headers_doc(doc) });
        }
    };
    add(plan.site_edits, None, "site", "the site");
    for (number, vhost) in vhosts(plan, units) {
        add(vhost.edits, Some(number), &vhost.name, &vhost_doc(vhost));
        for route in vhost.routes.iter().filter(|route| route.edits != vhost.edits) {
            add(route.edits, Some(number), &route.name, &route_doc(route));
        }
    }
    uses
}

fn tree_uses(plan: &Plan, units: &[Unit]) -> Vec<Use<EmbedId>> {
    let mut uses = Vec::new();
    for (number, vhost) in vhosts(plan, units) {
        for route in &vhost.routes {
            if let Action::Embed { embed } = route.action {
                let tree = &plan.embeds[embed.0 as usize];
                uses.push(Use { key: embed, unit: Some(number), name: names::constant(&tree.name), doc: format!("`{}`", tree.directory) });
            }
        }
    }
    uses
}

/// Every vhost with the number of its file.
fn vhosts<'p>(plan: &'p Plan, units: &'p [Unit]) -> impl Iterator<Item = (usize, &'p Vhost)> {
    let numbered = units.iter().enumerate();
    numbered.flat_map(|(number, unit)| plan.vhosts[unit.vhosts.clone()].iter().map(move |vhost| (number, vhost)))
}
