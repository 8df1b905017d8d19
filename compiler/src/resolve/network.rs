//! Networks in CIDR form, as `access`, `client-ip` and `trusted-proxies` list them.

use std::collections::BTreeSet;

use semantics::cidr::{Prefix, PrefixFault};

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::Spanned,
};

impl Resolver<'_> {
    /// The networks that the arguments of a node name, each once.
    pub(super) fn networks(&mut self, node: &Node) -> Vec<Spanned<Prefix>> {
        let mut seen = BTreeSet::new();
        let mut networks = Vec::new();
        for value in node.values() {
            match Prefix::parse(value.text()) {
                Ok(prefix) if self.repeated(&mut seen, prefix, value) => {}
                Ok(prefix) => networks.push(Spanned { value: prefix, span: value.span }),
                Err(fault) => self.diagnostics.push(diagnostic(value, fault)),
            }
        }
        networks
    }
}

fn diagnostic(value: &Value, fault: PrefixFault) -> Diagnostic {
    let text = value.text();
    let diagnostic = Diagnostic::new(Code::BadNetwork, value.span, format!("`{}` is not a network", text.escape_debug()));
    match fault {
        PrefixFault::Address if matches!(text, "all" | "any" | "*") => {
            diagnostic.label("expected addresses").help("every address is `\"0.0.0.0/0\" \"::/0\"`")
        }
        PrefixFault::Address => diagnostic.label("expected an address, or one with its number of bits such as `10.0.0.0/8`"),
        PrefixFault::Bits if text.contains(':') => diagnostic.label("behind the slash stands a number from 0 to 128"),
        PrefixFault::Bits => diagnostic.label("behind the slash stands a number from 0 to 32"),
        PrefixFault::HostBits(network) => {
            diagnostic.label("the address has bits behind the prefix").help(format!("the network is `\"{network}\"`"))
        }
    }
}
