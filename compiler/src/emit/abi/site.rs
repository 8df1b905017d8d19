//! What main.rs names: the trait, the tables of vhosts and hosts, and the settings.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::handler_type;
use crate::{emit::literal, model::Workers, plan};

/// The site with a `match` over its vhosts, given by module and function.
pub(in crate::emit) fn site_by_match(site: &Ident, vhosts: &[(&Ident, &Ident)], misdirected: &TokenStream) -> TokenStream {
    let arms = vhosts.iter().enumerate().map(|(index, (module, function))| {
        let index = literal::count(index as u64);
        quote!(Some(#index) => #module::#function(exchange),)
    });
    site_impl(site, &quote!(match HOSTS.find(exchange.host()) { #(#arms)* _ => #misdirected, }))
}

/// The site with a table of its vhosts.
pub(in crate::emit) fn site_by_table(site: &Ident, misdirected: &TokenStream) -> TokenStream {
    let body = quote! {
        match HOSTS.find(exchange.host()) {
            Some(vhost) => VHOSTS[usize::from(vhost)](exchange),
            None => #misdirected,
        }
    };
    site_impl(site, &body)
}

fn site_impl(site: &Ident, body: &TokenStream) -> TokenStream {
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
pub(in crate::emit) fn hosts(visibility: &TokenStream, hosts: &plan::Hosts) -> TokenStream {
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
    quote!(#visibility static HOSTS: Hosts<'static> = Hosts { seed: #seed, slots: &[#(#slots),*], names: &[#(#names),*], default: #default };)
}

/// All settings; `parts` are workers, limits and timeouts.
pub(in crate::emit) fn settings(site: &str, listeners: &[TokenStream], parts: &[TokenStream; 3]) -> TokenStream {
    let [workers, limits, timeouts] = parts;
    let site = literal::text(site);
    quote! {
        static SETTINGS: Settings = Settings {
            listeners: &[#(#listeners),*],
            workers: #workers,
            limits: #limits,
            timeouts: #timeouts,
            manifest: Manifest { site: #site, lines: include_bytes!("../manifest.txt") },
        };
    }
}

/// `Listener { name: "public", address: "0.0.0.0:8080" }`.
pub(in crate::emit) fn listener(listener: &plan::Listener) -> TokenStream {
    let (name, address) = (literal::text(&listener.name), literal::text(&listener.address.to_string()));
    quote!(Listener { name: #name, address: #address })
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
    quote!(Limits { connections: #connections, head_bytes: #head, fields: #fields, body_bytes: #body })
}

pub(in crate::emit) fn timeouts(spans: &[(&str, Duration)]) -> TokenStream {
    let spans = spans.iter().map(|(name, span)| {
        let (name, span) = (format_ident!("{name}"), literal::duration(*span));
        quote!(#name: #span)
    });
    quote!(Timeouts { #(#spans),* })
}
