//! What `site` says for the whole of it: its name, listeners, limits and timeouts.

use std::{collections::BTreeMap, num::NonZeroU16};

use super::{Resolver, inherit};
use crate::{
    ast::{Node, Value},
    diagnostic::Code,
    model::{self, Defaulted, Delivery, TrustedProxies},
    parse::value,
};

/// The only version of the language so far.
const LANGUAGE: i64 = 1;

/// Bytes that may be gathered before they are written.
const DELIVERY_BYTES_MAX: u64 = 1 << 20;

/// Bytes of a name.
const NAME_BYTES_MAX: usize = 64;

impl Resolver<'_> {
    /// The site without its vhosts and headers.
    pub(super) fn site_head(&mut self, node: &Node) -> model::Site {
        let name = node.argument("name").map_or("site", |value| self.name(value, "site")).to_owned();
        if let Some(language) = node.property("language").filter(|value| value.integer() != LANGUAGE) {
            let message = format!("version {} of the language is not known", language.integer());
            self.error(Code::UnknownLanguage, language.span, message, format!("this kiln knows {LANGUAGE}"));
        }
        let workers =
            node.child("workers").and_then(|node| node.argument("count")).and_then(|value| NonZeroU16::new(value.integer() as u16));
        let metrics = node.child("metrics").map(|node| self.metrics(node));
        model::Site {
            name,
            language: LANGUAGE as u32,
            span: node.span,
            listeners: self.listeners(node),
            workers: inherit::workers(workers),
            limits: inherit::limits(node.child("limits")),
            timeouts: inherit::timeouts(node.child("timeouts")),
            delivery: self.delivery(node.child("delivery").and_then(|node| node.argument("when"))),
            access_log: node.child("access-log").and_then(|log| self.access_log(log, metrics)),
            error_log: node.child("error-log").and_then(|log| self.error_log(log)),
            metrics,
            trusted_proxies: node.child("trusted-proxies").map(|node| self.trusted_proxies(node)),
            headers: Vec::new(),
            encoding: None,
            errors: Vec::new(),
            is_logged: inherit::IS_LOGGED,
            maps: Vec::new(),
            upstreams: Vec::new(),
            regexes: BTreeMap::new(),
            vhosts: Vec::new(),
            allowed_lints: Vec::new(),
        }
    }

    fn trusted_proxies(&mut self, node: &Node) -> TrustedProxies {
        let fields = inherit::forwarding_fields(node.property("fields"));
        TrustedProxies { networks: self.networks(node), fields, span: node.span }
    }

    fn delivery(&mut self, written: Option<&Value>) -> Defaulted<Delivery> {
        let text = written.map_or(inherit::DELIVERY, Value::text);
        let delivery = match (text, value::size(text)) {
            ("immediate", _) => Delivery::Immediate,
            ("coalesce", _) => Delivery::Coalesce,
            (_, Ok(bytes @ 1..=DELIVERY_BYTES_MAX)) => Delivery::Bytes(bytes as u32),
            (_, found) => {
                let (code, label) = match found {
                    Ok(_) => (Code::OutOfRange, "expected `\"1B\"` to `\"1MiB\"`"),
                    Err(_) => (Code::BadChoice, "expected `\"immediate\"`, `\"coalesce\"` or a size such as `\"16KiB\"`"),
                };
                if let Some(value) = written {
                    self.error(code, value.span, format!("`\"{}\"` does not say when to write", text.escape_debug()), label);
                }
                Delivery::Coalesce
            }
        };
        Defaulted { value: delivery, is_default: written.is_none() }
    }

    /// A name of a thing, which must look like one.
    pub(super) fn name<'v>(&mut self, value: &'v Value, noun: &str) -> &'v str {
        let text = value.text();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_name = text.bytes().next().is_some_and(is_plain)
            && text.bytes().all(|byte| is_plain(byte) || matches!(byte, b'-' | b'.'))
            && text.len() <= NAME_BYTES_MAX;
        if !is_name {
            self.error(Code::BadName, value.span, format!("not a name for a {noun}"), "expected lower-case letters, digits, `-` and `.`");
        }
        text
    }
}
