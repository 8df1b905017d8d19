//! `access`: the lists of the scopes, each of which must allow.

use semantics::access::Verdict;

use super::Resolver;
use crate::{
    ast::Node,
    model::{AccessList, AccessRule},
};

impl Resolver<'_> {
    /// The lists of the outer scopes and the one of this block; `replace` drops the outer ones.
    pub(super) fn access(&mut self, block: Option<&Node>, outer: &[AccessList]) -> Vec<AccessList> {
        let Some(block) = block else { return outer.to_vec() };
        let mut lists = if block.child("replace").is_some() { Vec::new() } else { outer.to_vec() };
        let mut rules = Vec::new();
        for node in block.children.iter().filter(|node| !node.is("replace")) {
            let verdict = if node.is("allow") { Verdict::Allow } else { Verdict::Refuse };
            rules.push(AccessRule { verdict, networks: self.networks(node).into_iter().map(|network| network.value).collect() });
        }
        if !rules.is_empty() {
            lists.push(AccessList { rules, span: block.span });
        }
        lists
    }
}
