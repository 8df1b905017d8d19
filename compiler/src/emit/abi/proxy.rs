//! `proxy`: upstreams, what a route sends on to them, and what takes the place of some of their answers.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{action::answer_value, parts, root, some, value};
use crate::{
    answer::Prebuilt,
    emit::{globals::Globals, literal},
    model::{EncodedSlash, Rules},
    plan::{
        EditsId, Eject, Endpoint, EndpointAddress, HostPolicy, Intercepting, Pool, Proxy, Retry, RetryOn, Route, Target, Upstream,
        UpstreamTimeouts, Value,
    },
};

/// What a handler calls to send on; with `intercepts` it looks at the answer's head.
pub(in crate::emit) fn proxy_call(proxy: &Ident, intercepts: Option<&Ident>) -> TokenStream {
    match intercepts {
        None => quote!(proxy::forward(exchange, &#proxy)),
        Some(intercepts) => quote!(proxy::intercepted(exchange, &#proxy, &#intercepts)),
    }
}

/// `static API_PROXY: proxy::Proxy = ..;`.
pub(in crate::emit) fn proxy(name: &Ident, value: &TokenStream) -> TokenStream {
    quote!(static #name: proxy::Proxy = #value;)
}

/// `proxy::Proxy { .. }`; `edits` are references: those of the request, and of the answer.
pub(in crate::emit) fn proxy_value(
    (route, proxy): (&Route, &Proxy),
    [request_edits, upstream_edits]: [&TokenStream; 2],
    globals: &Globals,
) -> TokenStream {
    let upstream = globals.upstream(proxy.upstream);
    let target = match &proxy.target {
        Target::Same => None,
        Target::Strip(prefix) => {
            let prefix = literal::text(prefix);
            Some(quote!(Strip(#prefix)))
        }
        Target::Template(template) => {
            let parts = parts(template, globals);
            Some(quote!(Template(#parts)))
        }
    };
    let host = match &proxy.host.value {
        HostPolicy::Endpoint => Some(quote!(Endpoint)),
        HostPolicy::Literal(host) => {
            let host = literal::text(host);
            Some(quote!(Literal(#host)))
        }
        HostPolicy::Preserve => None,
    };
    let upgrades = proxy.upgrades.iter().map(|protocol| literal::text(protocol));
    let fields = [
        target.map(|target| quote!(target: proxy::Target::#target)),
        host.map(|host| quote!(host: proxy::HostPolicy::#host)),
        (route.request_edits != EditsId::default()).then(|| quote!(edits: #request_edits)),
        (route.encoded_slash == EncodedSlash::Raw).then(|| quote!(is_raw: true)),
        (!proxy.upgrades.is_empty()).then(|| quote!(upgrades: &[#(#upgrades),*])),
    ];
    let policy = differing(&quote!(proxy::Policy), fields, &quote!(proxy::Policy::NEW));
    let timeouts = timeouts(proxy, globals);
    quote! {
        proxy::Proxy { upstream: &#upstream, policy: #policy, upstream_edits: #upstream_edits, timeouts: #timeouts }
    }
}

/// What a struct has other than `base`.
fn differing(of: &TokenStream, fields: [Option<TokenStream>; 5], base: &TokenStream) -> TokenStream {
    let fields: Vec<_> = fields.into_iter().flatten().collect();
    if fields.is_empty() { base.clone() } else { quote!(#of { #(#fields,)* ..#base }) }
}

/// `APP_TIMEOUTS`, or what a route has other than its upstream.
fn timeouts(proxy: &Proxy, globals: &Globals) -> TokenStream {
    let (base, of_upstream) = globals.timeouts(proxy.upstream);
    let spans = spans(&proxy.timeouts).into_iter().zip(spans(of_upstream));
    let fields: Vec<_> =
        spans.map(|((name, span), (_, outer))| (span.to_string() != outer.to_string()).then(|| quote!(#name: #span))).collect();
    let fields = fields.try_into().expect("there are five timeouts");
    differing(&quote!(upstream::Timeouts), fields, &quote!(#base))
}

/// The fields of `upstream::Timeouts`.
fn spans(timeouts: &UpstreamTimeouts) -> [(Ident, TokenStream); 5] {
    let UpstreamTimeouts { connect, first_byte, between_bytes, total, tunnel_idle } = timeouts;
    [
        (format_ident!("connect"), literal::duration(connect.value)),
        (format_ident!("first_byte"), literal::duration(first_byte.value)),
        (format_ident!("between_bytes"), literal::duration(between_bytes.value)),
        (format_ident!("total"), some(total.value.map(literal::duration))),
        (format_ident!("tunnel_idle"), literal::duration(tunnel_idle.value)),
    ]
}

/// The timeouts of an upstream, as far as its routes say nothing else: `pub const APP_TIMEOUTS: upstream::Timeouts = ..;`.
pub(in crate::emit) fn timeouts_constant(name: &Ident, timeouts: &UpstreamTimeouts) -> TokenStream {
    let fields = spans(timeouts).into_iter().map(|(name, span)| quote!(#name: #span));
    quote!(pub const #name: upstream::Timeouts = upstream::Timeouts { #(#fields),* };)
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
pub(in crate::emit) fn accel_root(name: &Ident, directory: &Value, is_encoded: bool, globals: &Globals) -> TokenStream {
    let rules = Rules { is_encoded, ..Rules::new(semantics::files::Rules::NEW.index) };
    root(name, directory, &rules, globals)
}

/// A page that takes the place of a body; `file` is the path of its bytes.
pub(in crate::emit) fn page_answer(name: &Ident, answer: &Prebuilt, file: &str) -> TokenStream {
    let answer = answer_value(answer, &quote!(include_bytes!(#file)));
    quote!(static #name: Answer = #answer;)
}
