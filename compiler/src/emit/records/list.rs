//! What numbers in records mean: lists of functions, of policies, of trees and roots.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use semantics::records::RecordInput;

use crate::{
    emit::{
        abi,
        file::File,
        shared::{Key, Shared},
    },
    plan::{AccessId, Action, CorsId, EditsId, EmbedId, EncodingId, ErrorsId, Plan, Proxy, Route, Rules, Value, Vhost},
};

/// Each different item once, numbered by its first use.
#[derive(Debug)]
pub(super) struct List<T> {
    numbers: BTreeMap<T, u32>,
    /// How many uses, and what the first one is.
    uses: Vec<(usize, String)>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new(), uses: Vec::new() }
    }
}

impl<T: Ord> List<T> {
    pub(super) fn number(&mut self, item: T, describe: impl FnOnce() -> String) -> u32 {
        let next = u32::try_from(self.uses.len()).expect("a site has fewer than 2^32 routes");
        let number = *self.numbers.entry(item).or_insert(next);
        if number == next {
            self.uses.push((0, describe()));
        }
        self.uses[number as usize].0 += 1;
        number
    }

    /// By number: the item, how often it is used, and its first use.
    pub(super) fn items(&self) -> Vec<(&T, usize, &str)> {
        let mut items: Vec<_> = self.numbers.iter().map(|(item, number)| (*number, item)).collect();
        items.sort_unstable_by_key(|(number, _)| *number);
        items.into_iter().map(|(number, item)| (item, self.uses[number as usize].0, self.uses[number as usize].1.as_str())).collect()
    }
}

/// The lists that handlers read.
#[derive(Debug, Default)]
pub(super) struct Lists {
    has_edits: bool,
    has_encodings: bool,
    has_errors: bool,
    has_cors: bool,
    has_trees: bool,
    access: List<Vec<AccessId>>,
    /// By directory and what is said of it.
    roots: List<(Value, Rules)>,
    /// By the expression.
    proxies: List<String>,
}

impl Lists {
    /// The numbers of a route's policies, methods, limits and files.
    pub(super) fn numbers<'p>(&mut self, (vhost, route): (&Vhost, &Route), shared: &Shared) -> RecordInput<'p> {
        self.has_edits |= vhost.edits != EditsId::default() || route.edits != vhost.edits;
        self.has_encodings |= vhost.encoding.is_some() || route.encoding.is_some();
        self.has_errors |= vhost.errors.is_some() || route.errors.is_some();
        self.has_cors |= route.cors.is_some();
        let access = if route.access.is_empty() { 0 } else { self.access.number(route.access.clone(), String::new) };
        let tree = match &route.action {
            Action::Embed { embed, miss: None, .. } => {
                self.has_trees = true;
                embed.0
            }
            Action::Proxy(proxy) if proxy.intercepts.is_empty() => self.proxies.number(proxied(route, proxy, shared), String::new),
            Action::Root { directory, rules, miss: None, .. } => self.roots.number((directory.clone(), rules.clone()), String::new),
            Action::Abort
            | Action::Embed { .. }
            | Action::Proxy(_)
            | Action::Redirect { .. }
            | Action::Refuse { .. }
            | Action::Respond { .. }
            | Action::Rewrite { .. }
            | Action::Root { .. }
            | Action::Split { .. } => 0,
        };
        RecordInput {
            methods: route.methods,
            edits: route.edits.0,
            encoding: route.encoding.map_or(0, |encoding| encoding.0 + 1),
            errors: route.errors.map_or(0, |errors| errors.0 + 1),
            cors: route.cors.map_or(0, |cors| cors.0),
            access,
            body_limit: route.body_limit.value,
            is_unlogged: !route.is_logged,
            tree,
            rest: route.rest().unwrap_or_default() as u32,
            ..RecordInput::default()
        }
    }

    pub(super) fn print(&self, plan: &Plan, shared: &Shared, file: &mut File) {
        // Edits of requests and of what upstreams answer stand in the same table of the plan, and no handler reads them.
        let reference = |key, of_none| reference(shared, key).unwrap_or(of_none);
        if self.has_edits {
            let items: Vec<_> = (0..plan.edits.len() as u32).map(|id| reference(Key::Edits(EditsId(id)), abi::no_edits())).collect();
            file.documented("Header edits by number.", abi::record_list("EDITS", &quote!(&Edits<'static>), &items));
        }
        if self.has_encodings {
            let items = (0..plan.encodings.len() as u32).map(|id| reference(Key::Encoding(EncodingId(id)), abi::no_encoding()));
            let items: Vec<_> = std::iter::once(abi::no_encoding()).chain(items).collect();
            file.documented("What answers are encoded by, by number.", abi::record_list("ENCODINGS", &quote!(&Encoding), &items));
        }
        if self.has_errors {
            let of_none = || quote!(&Errors { pages: &[] });
            let items = (0..plan.errors.len() as u32).map(|id| reference(Key::Errors(ErrorsId(id)), of_none()));
            let items: Vec<_> = std::iter::once(of_none()).chain(items).collect();
            file.documented("Error pages by number.", abi::record_list("ERRORS", &quote!(&Errors), &items));
        }
        if self.has_cors {
            let items: Vec<_> = (0..plan.cors.len() as u32).map(|id| reference(Key::Cors(CorsId(id)), TokenStream::new())).collect();
            file.documented("CORS policies by number.", abi::record_list("CORS", &quote!(&cors::Policy<'static>), &items));
        }
        let chains = self.access.items().into_iter().map(|(chain, ..)| {
            let lists = chain.iter().map(|id| &shared.statics[&Key::Access(*id)].name);
            quote!(&[#(#lists),*])
        });
        let chains: Vec<_> = chains.collect();
        if !chains.is_empty() {
            file.documented("Chains of access lists by number.", abi::record_list("ACCESS", &quote!(&[access::List<'static>]), &chains));
        }
        if self.has_trees {
            let items: Vec<_> = (0..plan.embeds.len() as u32).map(|id| reference(Key::Tree(EmbedId(id)), TokenStream::new())).collect();
            file.documented("Embedded trees by number.", abi::record_list("TREES", &quote!(&embed::Tree), &items));
        }
        let roots: Vec<_> =
            self.roots.items().into_iter().map(|((directory, rules), ..)| abi::root_value(directory, rules, &shared.globals)).collect();
        if !roots.is_empty() {
            file.documented("Directories of the host by number.", abi::record_list("ROOTS", &quote!(files::Root), &roots));
        }
        let proxies: Vec<TokenStream> =
            self.proxies.items().into_iter().map(|(proxy, ..)| proxy.parse().expect("it was made of tokens")).collect();
        if !proxies.is_empty() {
            file.documented("What is sent on, by number.", abi::record_list("PROXIES", &quote!(proxy::Proxy), &proxies));
        }
    }
}

/// Where the static is shared.
fn reference(shared: &Shared, key: Key) -> Option<TokenStream> {
    let name = &shared.statics.get(&key)?.name;
    Some(quote!(&#name))
}

/// What a route sends on, as an expression.
fn proxied(route: &Route, proxy: &Proxy, shared: &Shared) -> String {
    let edits = [Key::RequestEdits(route.request_edits), Key::UpstreamEdits(route.upstream_edits)];
    let [request, upstream] = edits.map(|key| reference(shared, key).unwrap_or_else(abi::no_edits));
    abi::proxy_value((route, proxy), [&request, &upstream], &shared.globals).to_string()
}
