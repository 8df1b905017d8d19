//! Where an endpoint is: the address that `endpoint` has, or the URL of a `proxy`.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use super::{Resolver, inherit, listen::socket_fault};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::EndpointAddress,
};

impl Resolver<'_> {
    pub(super) fn endpoint_address(&mut self, node: &Node, value: &Value) -> Option<EndpointAddress> {
        match self.late(node, value) {
            Some(late) => {
                if let Some(default) = node.property("default") {
                    self.known_address(default)?;
                }
                Some(EndpointAddress::Late(late))
            }
            None => self.known_address(value),
        }
    }

    fn known_address(&mut self, value: &Value) -> Option<EndpointAddress> {
        let text = value.text();
        let message = || format!("`{}` is not the address of an endpoint", text.escape_debug());
        if let Some(path) = text.strip_prefix("unix:") {
            if let Some(label) = socket_fault(path) {
                self.error(Code::BadEndpoint, value.span, message(), label);
                return None;
            }
            return Some(EndpointAddress::Unix(path.to_owned()));
        }
        match self.socket_address(value, text, message()) {
            Ok(address) => Some(EndpointAddress::Known(address)),
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// The address that a URL of `proxy` leads to.
    pub(super) fn url(&mut self, value: &Value) -> Option<SocketAddr> {
        let text = value.text();
        let shown = text.escape_debug();
        let message = format!("`{shown}` does not lead to an endpoint");
        let diagnostic = Diagnostic::new(Code::BadEndpoint, value.span, message.clone());
        let (scheme, rest) = text.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let fault = match scheme {
            "http" if authority == "unix:" => {
                let help =
                    format!("name one: `upstream \"app\" {{ endpoint \"unix:{}\" }}`, and write `proxy \"app\"`", path.escape_debug());
                diagnostic.label("a socket is an endpoint of an upstream").help(help)
            }
            "http" if path == "/" => diagnostic.label("the URL has a path, which would not be sent").help(format!(
                "write `\"{}\"`; what is to be taken from the path is `strip-prefix`",
                shown.to_string().trim_end_matches('/')
            )),
            "http" if !path.is_empty() => {
                let sent = path.split('#').next().unwrap_or_default();
                let (before, query) = sent.find('?').map_or((sent, ""), |at| sent.split_at(at));
                let what = if before.is_empty() { "more than an address" } else { "a path" };
                let target = format!("{}{{path}}{query}", before.trim_end_matches('/'));
                let target = target.escape_debug();
                let help =
                    format!("in the block of `proxy`: `target \"{target}\"`; `kiln codes K0221` shows one without the route's prefix");
                diagnostic.label(format!("the URL has {what}, which would not be sent")).help(help)
            }
            "http" if authority.contains('@') => diagnostic
                .label("a URL of an endpoint has no user")
                .help("to send credentials, write `request-headers { set \"authorization\" (file)\"..\" }`"),
            "http" => match self.socket_address(value, authority, message) {
                Ok(address) => return Some(address),
                Err(diagnostic) => diagnostic,
            },
            "https" => later(value, "TLS to an upstream").help("this version speaks `http://` to addresses and to sockets"),
            _ => diagnostic.label("expected `http://`"),
        };
        self.diagnostics.push(fault);
        None
    }

    /// A numeric address and port; those of a URL may leave the port out.
    fn socket_address(&self, value: &Value, text: &str, message: String) -> Result<SocketAddr, Diagnostic> {
        let fault = Diagnostic::new(Code::BadEndpoint, value.span, message);
        // Of a URL only the authority is left.
        let is_url = text != value.text();
        // As it is to be written instead.
        let written = |address: &str| if is_url { format!("write `\"http://{address}\"`") } else { format!("write `\"{address}\"`") };
        let shown = text.escape_debug();
        let (host, port) =
            if text.ends_with(']') { (text, None) } else { text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))) };
        let unbracketed = text.parse::<Ipv6Addr>().is_ok();
        let host = if unbracketed { text } else { host };
        let address: Option<IpAddr> = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok();
        let number = if unbracketed { None } else { port };
        match (address, number, number.and_then(|port| port.parse::<u16>().ok())) {
            _ if text.is_empty() => Err(fault.label(if is_url { "the address is missing" } else { "the address is empty" })),
            _ if text.contains("://") => {
                let (_, behind) = text.split_once("://").unwrap_or_default();
                let behind = behind.split('/').next().unwrap_or_default();
                Err(fault.label("an address has no scheme and no path").help(written(&behind.escape_debug().to_string())))
            }
            _ if text.starts_with('/') => {
                Err(fault.label("a socket's path stands behind `unix:`").help(format!("write `\"unix:{shown}\"`")))
            }
            _ if unbracketed => {
                let port = if is_url { "" } else { ":3000" };
                Err(fault.label("an IPv6 address stands in brackets").help(written(&format!("[{text}]{port}"))))
            }
            (_, _, Some(0)) => Err(fault.label("nothing listens on port 0")),
            (Some(address), _, Some(port)) => Ok(SocketAddr::new(address, port)),
            (Some(address), None, None) if is_url => Ok(SocketAddr::new(address, inherit::HTTP_PORT)),
            (Some(_), None, None) => Err(fault.label("the port is missing").help(written(&format!("{text}:3000")))),
            (_, Some(port), None) => Err(fault.label(format!("`{}` is not a port", port.escape_debug()))),
            (None, Some(port), Some(_)) if matches!(host, "" | "*") => {
                Err(fault.label("the address is missing").help(written(&format!("127.0.0.1:{port}"))))
            }
            (None, port, _) if host.eq_ignore_ascii_case("localhost") => {
                let port = port.map_or_else(String::new, |port| format!(":{port}"));
                Err(fault.label("names are not looked up in this version").help(written(&format!("127.0.0.1{port}"))))
            }
            (None, ..) if is_name(host) => {
                Err(later(value, "an endpoint by its name").help("write the address in the place of the name, such as `10.0.0.5`"))
            }
            (None, ..) => Err(fault.label("expected a numeric address and a port, such as `\"10.0.0.5:3000\"`, or `unix:` and a path")),
        }
    }
}

fn is_name(host: &str) -> bool {
    let authority = semantics::authority::parse(host.as_bytes());
    authority.is_some_and(|authority| authority.port.is_none()) && host.bytes().any(|byte| byte.is_ascii_alphabetic())
}

pub(super) fn later(value: &Value, what: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::NotInThisVersion, value.span, format!("{what} is not in this version yet"));
    diagnostic.label("a later version of kiln understands it")
}
