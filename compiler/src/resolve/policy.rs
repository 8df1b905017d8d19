//! What a scope hands down to those inside it.

use super::{Resolver, inherit, template::Names};
use crate::{
    ast::Node,
    model::{AccessList, Cors, Defaulted, Encoding, ErrorPage, HeaderRule},
};

/// The policies of a scope, merged with those outside of it.
#[derive(Clone)]
pub(super) struct Policies {
    pub headers: Vec<HeaderRule>,
    pub request_headers: Vec<HeaderRule>,
    pub upstream_headers: Vec<HeaderRule>,
    pub access: Vec<AccessList>,
    pub cors: Option<Cors>,
    pub encoding: Option<Encoding>,
    pub errors: Vec<ErrorPage>,
    pub body_limit: Defaulted<u64>,
    pub is_logged: bool,
}

impl Policies {
    /// Those of no scope; `body`: the site's `limits`.
    pub(super) const fn new(body: Defaulted<u64>) -> Self {
        Self {
            headers: Vec::new(),
            request_headers: Vec::new(),
            upstream_headers: Vec::new(),
            access: Vec::new(),
            cors: None,
            encoding: None,
            errors: Vec::new(),
            body_limit: body,
            is_logged: inherit::IS_LOGGED,
        }
    }
}

impl Resolver<'_> {
    /// The policies of a block inside of others; `names` are those that its header values may use.
    pub(super) fn policies(&mut self, node: &Node, outer: &Policies, names: Names<'_>) -> Policies {
        self.lint_log(node.child("log"));
        let answer: Vec<&Node> = node.children_named("headers").collect();
        let request: Vec<&Node> = node.children_named("request-headers").collect();
        let upstream: Vec<&Node> = node.children_named("upstream-headers").collect();
        Policies {
            headers: self.header_rules(&outer.headers, &answer, names),
            request_headers: self.header_rules(&outer.request_headers, &request, names),
            upstream_headers: self.header_rules(&outer.upstream_headers, &upstream, names),
            access: self.access(node.child("access"), &outer.access),
            cors: node.child("cors").map(|block| self.cors(block)).or_else(|| outer.cors.clone()),
            encoding: node.child("encode").map_or_else(|| outer.encoding.clone(), |node| self.encoding(node)),
            errors: if node.child("errors").is_some() { self.errors(node, &outer.errors) } else { outer.errors.clone() },
            body_limit: inherit::body_limit(node.child("limit-body"), outer.body_limit),
            is_logged: inherit::is_logged(node.child("log"), outer.is_logged),
        }
    }
}
