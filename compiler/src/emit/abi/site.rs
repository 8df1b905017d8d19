//! What main.rs names: the trait, the tables of vhosts and hosts, and the settings.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::handler_type;
use crate::{
    emit::{globals::Globals, literal},
    model::Workers,
    plan,
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
    /// `&late_values::STAFF_KEY`.
    pub(in crate::emit) late: Vec<TokenStream>,
    pub(in crate::emit) regexes: Vec<TokenStream>,
}

/// All settings; `parts` are workers, limits and timeouts.
pub(in crate::emit) fn settings(site: &str, listeners: &[TokenStream], parts: &[TokenStream; 3], optional: &Optional) -> TokenStream {
    let [workers, limits, timeouts] = parts;
    let site = literal::text(site);
    let [errors, trusted_proxies] = [&optional.errors, &optional.trusted_proxies].map(|name| match name {
        None => quote!(None),
        Some(name) => quote!(Some(&#name)),
    });
    let (late, regexes) = (&optional.late, &optional.regexes);
    quote! {
        static SETTINGS: Settings = Settings {
            listeners: &[#(#listeners),*],
            workers: #workers,
            limits: #limits,
            timeouts: #timeouts,
            delivery: Delivery::Bytes(64 * 1024),
            manifest: Manifest { site: #site, lines: include_bytes!("../manifest.txt") },
            errors: #errors,
            trusted_proxies: #trusted_proxies,
            late: &[#(#late),*],
            regexes: &[#(#regexes),*],
            access_log: None,
            error_log: None,
            places: "",
        };
    }
}

/// `Listener { name: "public", address: Value::Text("0.0.0.0:8080") }`.
pub(in crate::emit) fn listener(listener: &plan::Listener, globals: &Globals) -> TokenStream {
    let address = match listener.address {
        plan::Address::Known(address) => plan::Value::Text(address.to_string()),
        plan::Address::Late(id) => plan::Value::Late(id),
    };
    let (name, address) = (literal::text(&listener.name), super::value(&address, globals));
    quote!(Listener { name: #name, address: #address, options: ListenerOptions::DEFAULT })
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

pub(in crate::emit) fn limits(connections: u32, head: u32, fields: u16, body: u64) -> TokenStream {
    let (connections, fields) = (literal::count(connections.into()), literal::count(fields.into()));
    let (head, body) = (literal::size(head.into()), literal::size(body));
    quote!(Limits { connections: #connections, connections_per_client: None, requests: 65_536, memory_bytes: None, head_bytes: #head, fields: #fields, body_bytes: #body })
}

pub(in crate::emit) fn timeouts(spans: &[(&str, Duration)]) -> TokenStream {
    let spans = spans.iter().map(|(name, span)| {
        let (name, span) = (format_ident!("{name}"), literal::duration(*span));
        quote!(#name: #span)
    });
    quote!(Timeouts { #(#spans),* })
}
