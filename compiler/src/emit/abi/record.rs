//! What a large site names: the table of records, and handlers and guards that read them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::emit::literal;

/// A handler of all routes of one shape.
pub(in crate::emit) fn record_handler(name: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        fn #name(exchange: Exchange<'_>, record: records::Record) -> Step<'_> {
            #body
        }
    }
}

/// A guard of all routes that ask the same of another field, cookie or query key.
pub(in crate::emit) fn record_guard(name: &Ident, leaf: &str) -> TokenStream {
    let leaf = format_ident!("{leaf}");
    quote! {
        fn #name(exchange: &Exchange<'_>, record: records::Record) -> bool {
            guard::#leaf(exchange.head(), record.guard_name(), &[record.guard_value()])
        }
    }
}

/// A constant answer or redirect.
pub(in crate::emit) fn record_answer(module: &str) -> TokenStream {
    let module = format_ident!("{module}");
    quote!(#module::prebuilt(exchange, &records::answer(record)))
}

/// A rendered body.
pub(in crate::emit) fn record_template() -> TokenStream {
    quote!(respond::rendered(exchange, (record.status(), record.content_type()), &record.parts()))
}

/// A rendered redirect.
pub(in crate::emit) fn record_redirect() -> TokenStream {
    quote!(redirect::rendered(exchange, (record.status(), record.drops_query()), &record.parts()))
}

/// A built-in error answer.
pub(in crate::emit) fn record_refused() -> TokenStream {
    quote!(respond::refused(exchange, record.status()))
}

/// A file of `embed` or `files`.
pub(in crate::emit) fn record_file(module: &str, of: &TokenStream, has_rest: bool) -> TokenStream {
    let module = format_ident!("{module}");
    let at = if has_rest { quote!(Capture(record.rest())) } else { quote!(Path) };
    quote!(#module::file(exchange, #of, #module::At::#at))
}

/// What an upstream answers.
pub(in crate::emit) fn record_proxy() -> TokenStream {
    quote!(proxy::forward(exchange, &PROXIES[record.tree()]))
}

/// What some of the vhosts or routes of a large site have, so that the numbers of all of them are read.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Has {
    pub(in crate::emit) places: bool,
    pub(in crate::emit) unlogged: bool,
    pub(in crate::emit) edits: bool,
    pub(in crate::emit) encodings: bool,
    pub(in crate::emit) errors: bool,
}

impl Has {
    /// `of` is a vhost or a record.
    pub(in crate::emit) fn scoped(self, of: &TokenStream) -> super::Scoped {
        super::Scoped {
            place: self.places.then(|| quote!(#of.place())),
            unlogged: self.unlogged.then(|| quote!(#of.is_unlogged())),
            edits: self.edits.then(|| quote!(EDITS[#of.edits()])),
            encoded: self.encodings.then(|| quote!(ENCODINGS[#of.encoding()])),
            errors: self.errors.then(|| quote!(ERRORS[#of.errors()])),
        }
    }
}

/// The function of every vhost, as far as any of them has something to say, or a canonical host.
pub(in crate::emit) fn record_vhost(has: Has, has_canonical: bool) -> TokenStream {
    let scoped = has.scoped(&quote!(vhost)).statement();
    let canonical = has_canonical.then(|| {
        quote! {
            if let Some((host, status)) = vhost.canonical() && exchange.host() != host {
                return redirect::canonical(exchange, &redirect::Canonical { host, status });
            }
        }
    });
    quote! {
        pub fn vhost(exchange: Exchange<'_>, number: u16) -> Step<'_> {
            let vhost = ROUTES.records.vhost(number);
            #scoped
            #canonical
            records::decide(exchange, vhost, &ROUTES)
        }
    }
}

/// A vhost as a function, for matching that starts once more.
pub(in crate::emit) fn record_vhost_function(name: &Ident, number: usize) -> TokenStream {
    let number = literal::count(number as u64);
    super::handler(&TokenStream::new(), name, &quote!(crate::routes::vhost(exchange, #number)))
}

/// The choice of the vhost by number.
pub(in crate::emit) fn site_by_records(site: &Ident, find: &TokenStream, misdirected: &TokenStream) -> TokenStream {
    let body = quote! {
        match #find {
            Some(vhost) => routes::vhost(exchange, vhost),
            None => #misdirected,
        }
    };
    super::site_impl(site, &body)
}

/// The table of all routes; handlers and guards are expressions.
pub(in crate::emit) fn records(handlers: &[TokenStream], guards: &[TokenStream]) -> TokenStream {
    quote! {
        static ROUTES: records::Table = records::Table {
            records: records::Records::new(assets::ROUTES),
            handlers: &[#(#handlers),*],
            guards: &[#(#guards),*],
        };
    }
}

/// `records::Handler::Shape(refuse)`, `records::Guard::Own(from_shop_example::x_when)`.
pub(in crate::emit) fn record_function(kind: &str, variant: &str, function: &TokenStream) -> TokenStream {
    let (kind, variant) = (format_ident!("{kind}"), format_ident!("{variant}"));
    quote!(records::#kind::#variant(#function))
}

/// `static EDITS: [&Edits<'static>; 2] = [&Edits::NONE, &SHOP_HEADERS];`
pub(in crate::emit) fn record_list(name: &str, of: &TokenStream, items: &[TokenStream]) -> TokenStream {
    let (name, count) = (format_ident!("{name}"), literal::count(items.len() as u64));
    quote!(static #name: [#of; #count] = [#(#items),*];)
}
