//! `proxy`: upstreams, what a route sends on to them, and what takes the place of some of their answers.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{action::answer_value, parts, root, some, value};
use crate::{
    answer::Prebuilt,
    emit::{globals::Globals, literal},
    model::{EncodedSlash, Rules},
    plan::{
        Eject, Endpoint, EndpointAddress, HostPolicy, Intercepting, Pool, Proxy, Retry, RetryOn, Route, Target, Upstream, UpstreamTimeouts,
        Value,
    },
};

/// What a handler calls to send on; with `intercepts` it looks at the answer's head.
pub(in crate::emit) fn proxy_call(proxy: &Ident, intercepts: Option<&Ident>) -> TokenStream {
    match intercepts {
        None => quote!(proxy::forward(exchange, &#proxy)),
        Some(intercepts) => quote!(proxy::intercepted(exchange, &#proxy, &#intercepts)),
    }
}

/// `static API: proxy::Proxy = ..;`.
pub(in crate::emit) fn proxy(name: &Ident, of: (&Route, &Proxy), edits: [&TokenStream; 2], globals: &Globals) -> TokenStream {
    let proxy = proxy_value(of, edits, globals);
    quote!(static #name: proxy::Proxy = #proxy;)
}

/// `proxy::Proxy { .. }`; `edits` are references: those of the request, and of the answer.
pub(in crate::emit) fn proxy_value(
    (route, proxy): (&Route, &Proxy),
    [request_edits, upstream_edits]: [&TokenStream; 2],
    globals: &Globals,
) -> TokenStream {
    let upstream = globals.upstream(proxy.upstream);
    let target = match &proxy.target {
        Target::Same => quote!(Same),
        Target::Strip(prefix) => {
            let prefix = literal::text(prefix);
            quote!(Strip(#prefix))
        }
        Target::Template(template) => {
            let parts = parts(template, globals);
            quote!(Template(#parts))
        }
    };
    let host = match &proxy.host.value {
        HostPolicy::Endpoint => quote!(Endpoint),
        HostPolicy::Literal(host) => {
            let host = literal::text(host);
            quote!(Literal(#host))
        }
        HostPolicy::Preserve => quote!(Preserve),
    };
    let is_raw = route.encoded_slash == EncodedSlash::Raw;
    let (upgrades, timeouts) = (proxy.upgrades.iter().map(|protocol| literal::text(protocol)), timeouts(&proxy.timeouts));
    quote! {
        proxy::Proxy {
            upstream: &#upstream,
            policy: proxy::Policy {
                target: proxy::Target::#target,
                host: proxy::HostPolicy::#host,
                edits: #request_edits,
                is_raw: #is_raw,
                upgrades: &[#(#upgrades),*],
            },
            upstream_edits: #upstream_edits,
            timeouts: #timeouts,
        }
    }
}

/// `upstream::Timeouts { connect: Duration::from_secs(2), .. }`.
fn timeouts(timeouts: &UpstreamTimeouts) -> TokenStream {
    let UpstreamTimeouts { connect, first_byte, between_bytes, total, tunnel_idle } = timeouts;
    let [connect, first_byte, between_bytes, tunnel_idle] =
        [connect, first_byte, between_bytes, tunnel_idle].map(|span| literal::duration(span.value));
    let total = some(total.value.map(literal::duration));
    quote! {
        upstream::Timeouts {
            connect: #connect,
            first_byte: #first_byte,
            between_bytes: #between_bytes,
            total: #total,
            tunnel_idle: #tunnel_idle,
        }
    }
}

/// The endpoints of an upstream: a static of its own, as they hold what all workers know of them.
pub(in crate::emit) fn endpoints(name: &Ident, upstream: &Upstream, globals: &Globals) -> TokenStream {
    let count = literal::count(upstream.endpoints.len() as u64);
    let endpoints = upstream.endpoints.iter().map(|endpoint| self::endpoint(endpoint, globals));
    quote!(static #name: [upstream::Endpoint; #count] = [#(#endpoints),*];)
}

/// An upstream and where it stands in the settings; `endpoints` is their static.
pub(in crate::emit) fn upstream(name: &Ident, (number, upstream): (u64, &Upstream), endpoints: &Ident) -> TokenStream {
    let (title, number) = (literal::text(&upstream.title), literal::count(number));
    let (pool, eject) = (pool(&upstream.pool), some(upstream.eject.as_ref().map(eject)));
    let retry = some(upstream.retry.as_ref().map(retry));
    quote! {
        pub static #name: upstream::Upstream = upstream::Upstream {
            name: #title,
            number: #number,
            endpoints: &#endpoints,
            pool: #pool,
            eject: #eject,
            retry: #retry,
            budget: upstream::Budget::new(),
        };
    }
}

/// `upstream::Endpoint::new(Value::Text("10.0.0.5:3000"), 2, false)`.
fn endpoint(endpoint: &Endpoint, globals: &Globals) -> TokenStream {
    let address = match &endpoint.address {
        EndpointAddress::Known(address) => Value::Text(address.to_string()),
        EndpointAddress::Late(id) => Value::Late(*id),
        EndpointAddress::Unix(path) => Value::Text(format!("unix:{path}")),
    };
    let (address, weight, is_backup) = (value(&address, globals), literal::count(endpoint.weight.value.into()), endpoint.is_backup);
    quote!(upstream::Endpoint::new(#address, #weight, #is_backup))
}

fn pool(pool: &Pool) -> TokenStream {
    let Pool { idle_connections, idle_timeout, requests_per_connection, connection_age } = pool;
    let [idle_connections, requests] = [idle_connections, requests_per_connection].map(|count| literal::count(count.value.into()));
    let [idle_timeout, connection_age] = [idle_timeout, connection_age].map(|span| literal::duration(span.value));
    quote! {
        upstream::Pool {
            idle_connections: #idle_connections,
            idle_timeout: #idle_timeout,
            requests_per_connection: #requests,
            connection_age: #connection_age,
        }
    }
}

fn eject(eject: &Eject) -> TokenStream {
    let (after, span) = (literal::count(eject.after.value.into()), literal::duration(eject.time.value));
    quote!(upstream::Eject { after: #after, span: #span })
}

fn retry(retry: &Retry) -> TokenStream {
    let (times, budget) = (literal::count(retry.times.value.into()), literal::count(retry.budget_percent.value.into()));
    let RetryOn { connect, first_byte_timeout, reset, statuses } = &retry.on.value;
    let statuses = statuses.iter().map(|status| literal::count((*status).into()));
    quote! {
        upstream::Retry {
            times: #times,
            budget_percent: #budget,
            on_connect: #connect,
            on_first_byte_timeout: #first_byte_timeout,
            on_reset: #reset,
            statuses: &[#(#statuses),*],
        }
    }
}

/// What takes an answer's place.
#[derive(Clone, Copy)]
pub(in crate::emit) enum Then<'t> {
    /// A function of [`accel`].
    Accel(&'t Ident),
    Handler(&'t Ident),
    /// A prebuilt answer.
    Page(&'t Ident),
}

/// One item of a list of intercepts.
pub(in crate::emit) fn intercept(when: &Intercepting, then: Then<'_>) -> TokenStream {
    let when = match when {
        Intercepting::Header(name) => {
            let name = literal::text(name);
            quote!(Field(#name))
        }
        Intercepting::Statuses(statuses) => {
            let statuses = statuses.iter().map(|status| literal::count((*status).into()));
            quote!(Statuses(&[#(#statuses),*]))
        }
    };
    let then = match then {
        Then::Accel(function) => quote!(Accel(#function)),
        Then::Handler(handler) => quote!(Handler(#handler)),
        Then::Page(answer) => quote!(Page(&#answer)),
    };
    quote!(proxy::Intercept { when: proxy::When::#when, then: proxy::Then::#then })
}

/// `static DOWNLOADS_INTERCEPTS: [proxy::Intercept; 2] = [..];`.
pub(in crate::emit) fn intercepts(name: &Ident, items: &[TokenStream]) -> TokenStream {
    let count = literal::count(items.len() as u64);
    quote!(static #name: [proxy::Intercept; #count] = [#(#items),*];)
}

/// The function that answers with the file which an upstream names.
pub(in crate::emit) fn accel(name: &Ident, root: &Ident) -> TokenStream {
    quote! {
        fn #name<'a>(exchange: Exchange<'a>, path: &str) -> Step<'a> {
            files::named(exchange, &#root, path)
        }
    }
}

/// The directory that it answers from.
pub(in crate::emit) fn accel_root(name: &Ident, directory: &Value, globals: &Globals) -> TokenStream {
    root(name, directory, &Rules::new(semantics::files::Rules::NEW.index), globals)
}

/// A page that takes the place of a body; `file` is the path of its bytes.
pub(in crate::emit) fn page_answer(name: &Ident, answer: &Prebuilt, file: &str) -> TokenStream {
    let answer = answer_value(answer, &quote!(include_bytes!(#file)));
    quote!(static #name: Answer = #answer;)
}
