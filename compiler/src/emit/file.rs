//! One source file of the package while its items are collected, and how it is printed.

use std::{collections::BTreeMap, ops::Range};

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::cidr::Prefix;

use super::{
    abi,
    names::Scope,
    shared::{Key, Shared},
};
use crate::plan::{Route, Vhost};

/// A file of vhosts: its module and the vhosts in it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) module: Ident,
    pub(super) vhosts: Range<usize>,
    /// Functions of vhosts, in their order.
    pub(super) functions: Vec<Ident>,
}

/// Items in groups: a blank line between groups, none inside.
#[derive(Debug)]
pub(super) struct File {
    doc: String,
    groups: Vec<Vec<TokenStream>>,
    pub(super) scope: Scope,
    /// Statics that this file has for itself.
    pub(super) statics: BTreeMap<Key, Ident>,
    /// What its routes send on, by the expression.
    pub(super) proxies: BTreeMap<String, Ident>,
    /// Sets of networks that guards of this file ask for.
    pub(super) networks: BTreeMap<Vec<Prefix>, Ident>,
    /// `use` items beside those that are found.
    pub(super) imports: Vec<TokenStream>,
}

impl File {
    pub(super) fn new(doc: String, scope: &Scope) -> Self {
        let (statics, proxies, networks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { doc, groups: Vec::new(), scope: scope.clone(), statics, proxies, networks, imports: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// A new group of one item with a doc comment.
    pub(super) fn documented(&mut self, doc: &str, item: TokenStream) {
        let doc = format!(" {}", comment(doc));
        self.groups.push(vec![quote!(#[doc = #doc] #item)]);
    }

    /// A new group of one item.
    pub(super) fn item(&mut self, item: TokenStream) {
        self.groups.push(vec![item]);
    }

    /// One more item in the last group.
    pub(super) fn beside(&mut self, item: TokenStream) {
        match self.groups.last_mut() {
            Some(group) => group.push(item),
            None => self.item(item),
        }
    }

    /// The text of file `module`: doc, `head` (inner attributes), imports, then its groups.
    pub(super) fn print(&self, module: &str, head: &str, shared: &Shared) -> String {
        let mut text = format!("//! {}\n{head}", comment(&self.doc));
        let names = abi::names(self.groups.iter().flatten());
        let mut uses = abi::imports(&names);
        uses.extend(self.imports.iter().cloned().chain(shared.imports(module, &names)));
        for item in uses {
            let is_first = !text.ends_with(";\n");
            text.push_str(if is_first { "\n" } else { "" });
            text.push_str(&print_item(&item));
        }
        for group in &self.groups {
            text.push('\n');
            group.iter().for_each(|item| text.push_str(&print_item(item)));
        }
        text
    }
}

/// Text as a comment of one line: rustc refuses a carriage return in one, and letters that turn the direction of what follows.
pub(super) fn comment(text: &str) -> String {
    let mut comment = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\'' | '"' | '\\' => comment.push(letter),
            _ => comment.extend(letter.escape_debug()),
        }
    }
    comment
}

/// One item, formatted. Statements that do not parse are a bug of `emit`.
fn print_item(item: &TokenStream) -> String {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(item) => prettyplease::unparse(&syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] }),
        Err(error) => panic!("bug in kiln: generated item does not parse, {error}: {item}"),
    }
}

/// `` `route "/healthz"`, site.kdl:48 ``.
pub(super) fn route_doc(route: &Route) -> String {
    format!("`route \"{}\"`, {}", route.pattern, route.provenance.full())
}

/// `` `vhost "shop.example"`, site.kdl:12 ``.
pub(super) fn vhost_doc(vhost: &Vhost) -> String {
    let name = match vhost.hosts.first() {
        None => "default=#true".to_owned(),
        Some(host) => format!("\"{host}\""),
    };
    format!("`vhost {name}`, {}", vhost.provenance.full())
}
