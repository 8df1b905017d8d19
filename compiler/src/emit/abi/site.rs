//! What main.rs names: the trait, the tables of vhosts and hosts, and the settings.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::handler_type;
use crate::{
    emit::{globals::Globals, literal},
    model::{Delivery, Limits, Workers},
    plan,
    resolve::inherit::COALESCED_BYTES,
};

/// What leads from a host to its vhost: one table, or one for each listener.
pub(in crate::emit) fn find(tables: &[Ident]) -> TokenStream {
    match tables {
        [hosts] => quote!(#hosts.find(exchange.host())),
        _ => quote!(LISTENER_HOSTS[exchange.listener()].find(exchange.host())),
    }
}

/// The site with a `match` over its vhosts, given by module and function.
pub(in crate::emit) fn site_by_match(
    site: &Ident,
    find: &TokenStream,
    vhosts: &[(&Ident, &Ident)],
    misdirected: &TokenStream,
) -> TokenStream {
    let arms = vhosts.iter().enumerate().map(|(index, (module, function))| {
        let index = literal::count(index as u64);
        quote!(Some(#index) => #module::#function(exchange),)
    });
    site_impl(site, &quote!(match #find { #(#arms)* _ => #misdirected, }))
}

/// The site with a table of its vhosts.
pub(in crate::emit) fn site_by_table(site: &Ident, find: &TokenStream, misdirected: &TokenStream) -> TokenStream {
    let body = quote! {
        match #find {
            Some(vhost) => VHOSTS[usize::from(vhost)](exchange),
            None => #misdirected,
        }
    };
    site_impl(site, &body)
}

pub(super) fn site_impl(site: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        impl Site for #site {
            fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
                #body
            }
        }
    }
}

/// The table of vhosts.
pub(in crate::emit) fn vhosts(vhosts: &[(&Ident, &Ident)]) -> TokenStream {
    let (handler, count) = (handler_type(), literal::count(vhosts.len() as u64));
    let vhosts = vhosts.iter().map(|(module, function)| quote!(#module::#function));
    quote!(static VHOSTS: [#handler; #count] = [#(#vhosts),*];)
}

/// A host table.
pub(in crate::emit) fn hosts(visibility: &TokenStream, name: &Ident, hosts: &plan::Hosts) -> TokenStream {
    let number = |index: u16| literal::count(index.into());
    let (seed, slots) = (literal::count(hosts.seed), hosts.slots.iter().copied().map(number));
    let names = hosts.names.iter().map(|(name, vhost)| {
        let (name, vhost) = (literal::text(name), number(*vhost));
        quote!((#name, #vhost))
    });
    let default = match hosts.default.map(number) {
        None => quote!(None),
        Some(vhost) => quote!(Some(#vhost)),
    };
    quote!(#visibility static #name: Hosts<'static> = Hosts { seed: #seed, slots: &[#(#slots),*], names: &[#(#names),*], default: #default };)
}

/// The host table of each listener.
pub(in crate::emit) fn listener_hosts(tables: &[&Ident]) -> TokenStream {
    let count = literal::count(tables.len() as u64);
    quote!(static LISTENER_HOSTS: [&Hosts<'static>; #count] = [#(&#tables),*];)
}

/// Settings that are there only where the site needs them.
pub(in crate::emit) struct Optional {
    pub(in crate::emit) errors: Option<Ident>,
    pub(in crate::emit) trusted_proxies: Option<Ident>,
    pub(in crate::emit) access_log: Option<Ident>,
    /// A value.
    pub(in crate::emit) error_log: Option<TokenStream>,
    /// What exchanges are counted by stands in `places.txt`.
    pub(in crate::emit) has_places: bool,
    /// `&late_values::STAFF_KEY`.
    pub(in crate::emit) late: Vec<TokenStream>,
    pub(in crate::emit) regexes: Vec<TokenStream>,
    pub(in crate::emit) upstreams: Vec<TokenStream>,
}

/// All settings; `parts` are workers, limits, timeouts and delivery.
pub(in crate::emit) fn settings(site: &str, listeners: &[TokenStream], parts: &[TokenStream; 4], optional: &Optional) -> TokenStream {
    let [workers, limits, timeouts, delivery] = parts;
    let site = literal::text(site);
    let named = [&optional.errors, &optional.trusted_proxies, &optional.access_log];
    let [errors, trusted_proxies, access_log] = named.map(|name| some(name.as_ref().map(|name| quote!(&#name))));
    let error_log = some(optional.error_log.clone());
    let places = if optional.has_places { quote!(include_str!("../places.txt")) } else { quote!("") };
    let Optional { late, regexes, upstreams, .. } = optional;
    quote! {
        static SETTINGS: Settings = Settings {
            listeners: &[#(#listeners),*],
            workers: #workers,
            limits: #limits,
            timeouts: #timeouts,
            delivery: #delivery,
            manifest: Manifest { site: #site, lines: include_bytes!("../manifest.txt") },
            errors: #errors,
            upstreams: &[#(#upstreams),*],
            trusted_proxies: #trusted_proxies,
            late: &[#(#late),*],
            regexes: &[#(#regexes),*],
            access_log: #access_log,
            error_log: #error_log,
            places: #places,
        };
    }
}

/// `Listener { name: "public", address: Value::Text("0.0.0.0:8080"), options: ListenerOptions::DEFAULT }`.
pub(in crate::emit) fn listener(listener: &plan::Listener, globals: &Globals) -> TokenStream {
    let address = match &listener.address {
        plan::Address::Known(address) => plan::Value::Text(address.to_string()),
        plan::Address::Late(id) => plan::Value::Late(*id),
        plan::Address::Unix(path) => plan::Value::Text(format!("unix:{path}")),
    };
    let (name, address, options) = (literal::text(&listener.name), super::value(&address, globals), options(&listener.options));
    quote!(Listener { name: #name, address: #address, options: #options })
}

fn options(options: &plan::ListenerOptions) -> TokenStream {
    let plan::ListenerOptions { congestion, is_dual_stack, mode } = options;
    let congestion = congestion.as_ref().map(|name| {
        let name = some(Some(literal::text(name)));
        quote!(congestion: #name,)
    });
    let dual_stack = is_dual_stack.then(|| quote!(is_dual_stack: true,));
    let mode = mode.map(|mode| {
        let mode = literal::octal(mode);
        quote!(mode: #mode,)
    });
    if congestion.is_none() && dual_stack.is_none() && mode.is_none() {
        return quote!(ListenerOptions::DEFAULT);
    }
    quote!(ListenerOptions { #congestion #dual_stack #mode ..ListenerOptions::DEFAULT })
}

/// `Some(..)` or `None`.
pub(super) fn some(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        None => quote!(None),
        Some(value) => quote!(Some(#value)),
    }
}

pub(in crate::emit) fn workers(workers: Workers) -> TokenStream {
    match workers {
        Workers::Count(count) => {
            let count = literal::count(count.get().into());
            quote!(Workers::Count(#count))
        }
        Workers::PerCore => quote!(Workers::PerCore),
    }
}

/// `largest_body` is what the engine takes of a body that does not say how long it is.
pub(in crate::emit) fn limits(limits: &Limits, largest_body: u64) -> TokenStream {
    let count = |number: u32| literal::count(number.into());
    let (connections, requests) = (count(limits.connections.value), count(limits.requests.value));
    let (fields, per_client) = (literal::count(limits.fields.value.into()), some(limits.connections_per_client.map(count)));
    let (head, body) = (literal::size(limits.head.value.into()), literal::size(largest_body));
    let memory = some(limits.memory.map(literal::size));
    quote! {
        Limits {
            connections: #connections,
            connections_per_client: #per_client,
            requests: #requests,
            memory_bytes: #memory,
            head_bytes: #head,
            fields: #fields,
            body_bytes: #body,
        }
    }
}

/// `Delivery::Bytes(64 * 1024)`.
pub(in crate::emit) fn delivery(delivery: Delivery) -> TokenStream {
    let bytes = match delivery {
        Delivery::Bytes(bytes) => bytes,
        Delivery::Coalesce => COALESCED_BYTES,
        Delivery::Immediate => return quote!(Delivery::Immediate),
    };
    let bytes = literal::size(bytes.into());
    quote!(Delivery::Bytes(#bytes))
}

pub(in crate::emit) fn timeouts(spans: &[(&str, Duration)]) -> TokenStream {
    let spans = spans.iter().map(|(name, span)| {
        let (name, span) = (format_ident!("{name}"), literal::duration(*span));
        quote!(#name: #span)
    });
    quote!(Timeouts { #(#spans),* })
}
