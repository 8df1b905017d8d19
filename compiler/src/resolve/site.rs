//! What `site` says for the whole of it: its name, listeners, limits and timeouts.

use std::{collections::BTreeMap, net::SocketAddr, num::NonZeroU16};

use super::{Resolver, inherit};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{self, Address, Listener, TrustedProxies},
    source::Span,
};

/// The only version of the language so far.
const LANGUAGE: i64 = 1;

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
        model::Site {
            name,
            language: LANGUAGE as u32,
            span: node.span,
            listeners: self.listeners(node),
            workers: inherit::workers(workers),
            limits: inherit::limits(node.child("limits")),
            timeouts: inherit::timeouts(node.child("timeouts")),
            trusted_proxies: node.child("trusted-proxies").map(|node| self.trusted_proxies(node)),
            headers: Vec::new(),
            errors: Vec::new(),
            maps: Vec::new(),
            regexes: BTreeMap::new(),
            vhosts: Vec::new(),
            allowed_lints: Vec::new(),
        }
    }

    fn trusted_proxies(&mut self, node: &Node) -> TrustedProxies {
        let fields = inherit::forwarding_fields(node.property("fields"));
        TrustedProxies { networks: self.networks(node), fields, span: node.span }
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

    fn listeners(&mut self, site: &Node) -> Vec<Listener> {
        let mut addresses: BTreeMap<SocketAddr, Span> = BTreeMap::new();
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        let mut listeners = Vec::new();
        for node in site.children_named("listen") {
            let name = node.property("name").map(|value| self.name(value, "listener"));
            if let Some(earlier) = name.and_then(|name| names.insert(name, node.span)) {
                self.listener_twice(node.span, earlier, "two listeners have the same name");
            }
            let Some(value) = node.argument("address") else { continue };
            let address = match self.late(node, value) {
                Some(late) => {
                    if let Some(default) = node.property("default") {
                        self.address(default);
                    }
                    Address::Late(late)
                }
                None => {
                    let Some(address) = self.address(value) else { continue };
                    // Port 0 asks the system for a free one: two of them are two listeners.
                    if let Some(earlier) = (address.port() != 0).then(|| addresses.insert(address, node.span)).flatten() {
                        self.listener_twice(node.span, earlier, "two listeners have the same address");
                    }
                    Address::Known(address)
                }
            };
            listeners.push(Listener { name: name.map(str::to_owned), address, span: node.span });
        }
        listeners
    }

    fn listener_twice(&mut self, span: Span, earlier: Span, message: &str) {
        let diagnostic = Diagnostic::new(Code::ListenerTwice, span, message).label("for the second time");
        self.diagnostics.push(diagnostic.secondary(earlier, "for the first time"));
    }

    fn address(&mut self, value: &Value) -> Option<SocketAddr> {
        let text = value.text();
        let fault = match text.parse() {
            Ok(address) => return Some(address),
            Err(_) if text.starts_with("unix:") => {
                let diagnostic =
                    Diagnostic::new(Code::NotInThisVersion, value.span, "listening on a unix socket is not in this version yet");
                self.diagnostics.push(diagnostic.label("expected a numeric address and a port"));
                return None;
            }
            Err(_) => Diagnostic::new(Code::BadAddress, value.span, format!("`{}` is not an address to listen on", text.escape_debug())),
        };
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let diagnostic = if port.parse::<u16>().is_ok() && matches!(host, "" | "*") {
            fault
                .label("the address is missing")
                .help(format!("all of the machine's addresses: `\"0.0.0.0:{port}\"`, or `\"[::]:{port}\"` for IPv6"))
        } else if port.parse::<u16>().is_ok() && host == "localhost" {
            fault.label("names are not looked up").help(format!("write `\"127.0.0.1:{port}\"`"))
        } else if text.parse::<std::net::IpAddr>().is_ok() {
            fault.label("the port is missing").help(if text.contains(':') {
                format!("write `\"[{text}]:80\"`")
            } else {
                format!("write `\"{text}:80\"`")
            })
        } else {
            fault.label("expected a numeric address and a port, such as `\"0.0.0.0:8080\"`")
        };
        self.diagnostics.push(diagnostic);
        None
    }
}
