//! `listen`: where the site is reached, each place once, and what a listener has beside it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Address, Listener, ListenerOptions},
    source::Span,
};

/// Listeners of a site: each worker has a socket for each.
const LISTENERS_MAX: usize = 1024;
/// Bytes of a Unix socket's path (unix(7): 108, with a zero byte at the end).
const PATH_BYTES_MAX: usize = 107;
/// Bytes of the name of an algorithm (Linux, `TCP_CA_NAME_MAX`, with a zero byte at the end).
const ALGORITHM_BYTES_MAX: usize = 15;

/// What has been listened on so far, and by which node.
#[derive(Default)]
struct Taken<'n> {
    addresses: BTreeMap<SocketAddr, Span>,
    /// Ports of listeners that take IPv4 clients by an IPv6 address.
    dual_stack: BTreeMap<u16, Span>,
    /// Compared by their components: `/run//a` is `/run/a`.
    paths: BTreeMap<PathBuf, Span>,
    names: BTreeMap<&'n str, Span>,
}

impl Taken<'_> {
    /// The listener that takes the same IPv4 clients: one of the two is dual-stack, and their ports are one.
    fn by_other_family(&mut self, address: SocketAddr, options: &ListenerOptions, span: Span) -> Option<Span> {
        if options.is_dual_stack {
            self.dual_stack.insert(address.port(), span);
            return self.addresses.iter().find(|(other, _)| other.is_ipv4() && other.port() == address.port()).map(|(_, span)| *span);
        }
        self.dual_stack.get(&address.port()).filter(|_| address.is_ipv4()).copied()
    }
}

impl Resolver<'_> {
    pub(super) fn listeners(&mut self, site: &Node) -> Vec<Listener> {
        if let Some(node) = site.children_named("listen").nth(LISTENERS_MAX) {
            let message = format!("this site has more than {LISTENERS_MAX} listeners");
            self.error(Code::TooDeep, node.span, message, "the first that is too much");
            return Vec::new();
        }
        let mut taken = Taken::default();
        site.children_named("listen").filter_map(|node| self.listener(node, &mut taken)).collect()
    }

    fn listener<'n>(&mut self, node: &'n Node, taken: &mut Taken<'n>) -> Option<Listener> {
        let name = node.property("name").map(|value| self.name(value, "listener"));
        if let Some(earlier) = name.and_then(|name| taken.names.insert(name, node.span)) {
            self.listener_twice(node.span, earlier, "two listeners have the same name");
        }
        let value = node.argument("address")?;
        let address = match self.late(node, value) {
            Some(late) => {
                if let Some(default) = node.property("default") {
                    self.address(default);
                }
                Address::Late(late)
            }
            None => self.address(value)?,
        };
        let options = self.options(node, &address);
        let earlier = match &address {
            // Port 0 asks the system for a free one: two of them are two listeners.
            Address::Known(address) if address.port() == 0 => None,
            Address::Known(address) => {
                let earlier = taken.by_other_family(*address, &options, node.span);
                taken.addresses.insert(*address, node.span).or(earlier)
            }
            Address::Late(_) => None,
            Address::Unix(path) => taken.paths.insert(PathBuf::from(path), node.span),
        };
        if let Some(earlier) = earlier {
            self.listener_twice(node.span, earlier, "two listeners have the same address");
        }
        Some(Listener { name: name.map(str::to_owned), address, options, span: node.span })
    }
}

impl Resolver<'_> {
    fn options(&mut self, node: &Node, address: &Address) -> ListenerOptions {
        let congestion = node.child("congestion").and_then(|child| child.argument("algorithm"));
        let may_be_dual_stack = match address {
            Address::Known(address) => address.is_ipv6() && address.ip().is_unspecified(),
            Address::Late(_) => true,
            Address::Unix(_) => false,
        };
        let dual_stack = node.property("dual-stack").filter(|value| value.bool());
        if let Some(value) = dual_stack.filter(|_| !may_be_dual_stack) {
            self.misfit(value, "dual-stack", "only `[::]` stands for addresses of both kinds");
        }
        if let Some(value) = node.property("mode").filter(|_| matches!(address, Address::Known(_))) {
            self.misfit(value, "mode", "only a Unix socket is a file");
        }
        if let Some(value) = congestion.filter(|_| matches!(address, Address::Unix(_))) {
            self.misfit(value, "congestion", "only TCP has congestion control");
        }
        ListenerOptions {
            congestion: congestion.map(|value| self.algorithm(value)),
            is_dual_stack: dual_stack.is_some() && may_be_dual_stack,
            mode: node.property("mode").and_then(|value| self.mode(value)),
        }
    }

    fn misfit(&mut self, value: &Value, word: &str, why: &'static str) {
        self.error(Code::ListenerMisfit, value.span, format!("this listener can't have `{word}`"), why);
    }

    fn algorithm(&mut self, value: &Value) -> String {
        let text = value.text();
        let takes = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if text.is_empty() || text.len() > ALGORITHM_BYTES_MAX || !text.bytes().all(takes) {
            let label = "expected letters, digits, `_` and `-`, such as `\"cubic\"` or `\"bbr\"`";
            self.error(Code::BadName, value.span, "not the name of a congestion control", label);
        }
        text.to_owned()
    }

    /// Permission bits, octal as chmod takes them.
    fn mode(&mut self, value: &Value) -> Option<u16> {
        let text = value.text();
        let is_octal = matches!(text.len(), 3 | 4) && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        let mode = u16::from_str_radix(text, 8).ok().filter(|mode| is_octal && *mode <= 0o777);
        if mode.is_none() {
            self.error(Code::BadMode, value.span, "not permission bits", "expected them octal, such as `\"0660\"`");
        }
        mode
    }

    fn listener_twice(&mut self, span: Span, earlier: Span, message: &str) {
        let diagnostic = Diagnostic::new(Code::ListenerTwice, span, message).label("for the second time");
        self.diagnostics.push(diagnostic.secondary(earlier, "for the first time"));
    }

    fn address(&mut self, value: &Value) -> Option<Address> {
        let text = value.text();
        if let Ok(address) = text.parse() {
            return Some(Address::Known(address));
        }
        match text.strip_prefix("unix:") {
            Some(path) => self.socket_path(value, path),
            None => {
                self.diagnostics.push(not_an_address(value));
                None
            }
        }
    }

    fn socket_path(&mut self, value: &Value, path: &str) -> Option<Address> {
        let Some(label) = socket_fault(path) else { return Some(Address::Unix(path.to_owned())) };
        let message = format!("`{}` is not an address to listen on", value.text().escape_debug());
        self.error(Code::BadAddress, value.span, message, label);
        None
    }
}

/// What is wrong with the path of a socket.
pub(super) fn socket_fault(path: &str) -> Option<String> {
    if !path.starts_with('/') {
        return Some("the path must be absolute, such as `\"unix:/run/kiln/shop.sock\"`".to_owned());
    }
    if path.len() > PATH_BYTES_MAX {
        return Some(format!("the path of a socket has at most {PATH_BYTES_MAX} bytes"));
    }
    let is_file = !path.ends_with('/') && !path.bytes().any(|byte| byte.is_ascii_control());
    (!is_file).then(|| "expected the path of a file, without control bytes".to_owned())
}

/// What is wrong with a text that is no address, and what was probably meant.
fn not_an_address(value: &Value) -> Diagnostic {
    let text = value.text();
    let fault = Diagnostic::new(Code::BadAddress, value.span, format!("`{}` is not an address to listen on", text.escape_debug()));
    let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
    if port.parse::<u16>().is_ok() && matches!(host, "" | "*") {
        return fault
            .label("the address is missing")
            .help(format!("all of the machine's addresses: `\"0.0.0.0:{port}\"`, or `\"[::]:{port}\"` for IPv6"));
    }
    if port.parse::<u16>().is_ok() && host == "localhost" {
        return fault.label("names are not looked up").help(format!("write `\"127.0.0.1:{port}\"`"));
    }
    if text.starts_with('/') {
        return fault.label("a socket's path stands behind `unix:`").help(format!("write `\"unix:{}\"`", text.escape_debug()));
    }
    if text.parse::<IpAddr>().is_ok() {
        let written = if text.contains(':') { format!("write `\"[{text}]:80\"`") } else { format!("write `\"{text}:80\"`") };
        return fault.label("the port is missing").help(written);
    }
    fault.label("expected a numeric address and a port, such as `\"0.0.0.0:8080\"`, or `unix:` and a path")
}
