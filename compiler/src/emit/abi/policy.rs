//! Policies as constants, and what handlers call to follow them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::{access::Verdict, client::ForwardingFields, edits::Action, negotiate::Coding};

use super::{action::answer_value, networks, parts};
use crate::{
    answer,
    emit::{globals::Globals, literal},
    plan::{Access, AccessRule, Allowed, Cors, Edit, Edits, Encoding, ErrorPage, Errors, Origins, TrustedProxies},
};

/// What an exchange is told of the scope that has been chosen for it, as far as that differs from the one around; expressions.
#[derive(Default)]
pub(in crate::emit) struct Scoped {
    /// What it is counted by.
    pub(in crate::emit) place: Option<TokenStream>,
    /// Whether it is kept from the access log.
    pub(in crate::emit) unlogged: Option<TokenStream>,
    /// References.
    pub(in crate::emit) edits: Option<TokenStream>,
    pub(in crate::emit) encoded: Option<TokenStream>,
    pub(in crate::emit) errors: Option<TokenStream>,
}

impl Scoped {
    /// `exchange.placed(3).edited(&X)`; none where there is nothing to tell.
    pub(in crate::emit) fn exchange(&self) -> Option<TokenStream> {
        let Self { place, unlogged, edits, encoded, errors } = self;
        let told = [
            (quote!(placed), place),
            (quote!(unlogged), unlogged),
            (quote!(edited), edits),
            (quote!(encoded), encoded),
            (quote!(with_errors), errors),
        ];
        let told: Vec<_> = told.iter().filter_map(|(method, value)| value.as_ref().map(|value| quote!(.#method(#value)))).collect();
        (!told.is_empty()).then(|| quote!(exchange #(#told)*))
    }

    /// `let exchange = exchange.placed(3);`
    pub(in crate::emit) fn statement(&self) -> Option<TokenStream> {
        self.exchange().map(|exchange| quote!(let exchange = #exchange;))
    }
}

/// The edits that change nothing: what undoes a vhost's.
pub(in crate::emit) fn no_edits() -> TokenStream {
    quote!(&Edits::NONE)
}

/// The policy that encodes nothing: what undoes a vhost's.
pub(in crate::emit) fn no_encoding() -> TokenStream {
    quote!(&Encoding::NONE)
}

/// What answers are encoded by.
pub(in crate::emit) fn encoding(visibility: &TokenStream, name: &Ident, encoding: &Encoding) -> TokenStream {
    let coders = encoding.codings.iter().map(|coding| match coding {
        Coding::Brotli => quote!(coders::BROTLI),
        Coding::Gzip => quote!(coders::GZIP),
        Coding::Identity => unreachable!("`resolve` takes codings that are one"),
        Coding::Zstd => quote!(coders::ZSTD),
    });
    let min_bytes = literal::size(encoding.min_bytes.value);
    quote!(#visibility static #name: Encoding = Encoding::new(&[#(#coders),*], #min_bytes);)
}

/// Merged header edits.
pub(in crate::emit) fn edits(visibility: &TokenStream, name: &Ident, edits: &Edits, globals: &Globals) -> TokenStream {
    let (appended, rules) = (literal::bytes(&edits.appended), edits.rules.iter().map(|rule| edit(rule, globals)));
    quote!(#visibility static #name: Edits<'static> = Edits { appended: #appended, rules: &[#(#rules),*] };)
}

fn edit(edit: &Edit, globals: &Globals) -> TokenStream {
    let action = match edit.action {
        Action::Add => quote!(Add),
        Action::Default => quote!(Default),
        Action::Remove => quote!(Remove),
        Action::Set => quote!(Set),
    };
    let (name, value) = (literal::text(&edit.name), parts(&edit.value, globals));
    let [only, except] = [&edit.only, &edit.except].map(|statuses| {
        let statuses = statuses.iter().map(|status| literal::count((*status).into()));
        quote!(&[#(#statuses),*])
    });
    quote!(Edit { action: EditAction::#action, name: #name, value: #value, only: #only, except: #except })
}

/// Pages instead of kiln's own texts; `file` gives the path of a page's bytes.
pub(in crate::emit) fn errors(visibility: &TokenStream, name: &Ident, errors: &Errors, file: &dyn Fn(&ErrorPage) -> String) -> TokenStream {
    let pages = errors.pages.iter().map(|page| {
        let path = file(page);
        answer_value(&answer::page(page), &quote!(include_bytes!(#path)))
    });
    quote!(#visibility static #name: Errors = Errors { pages: &[#(#pages),*] };)
}

/// One list of rules.
pub(in crate::emit) fn access(visibility: &TokenStream, name: &Ident, access: &Access) -> TokenStream {
    let rules = access.rules.iter().map(|AccessRule { verdict, networks }| {
        let (verdict, networks) = (
            match verdict {
                Verdict::Allow => quote!(Allow),
                Verdict::Refuse => quote!(Refuse),
            },
            self::networks(networks),
        );
        quote!(access::Rule { verdict: access::Verdict::#verdict, networks: #networks })
    });
    quote!(#visibility static #name: access::List<'static> = access::List { rules: &[#(#rules),*] };)
}

/// 403 for clients that one of the lists does not let in.
pub(in crate::emit) fn access_check(chain: &TokenStream) -> TokenStream {
    quote!(if !access::allows(&exchange, #chain) { return respond::refused(exchange, 403); })
}

/// 413 for bodies with more bytes.
pub(in crate::emit) fn body_check(bytes: &TokenStream) -> TokenStream {
    quote!(if exchange.exceeds_body(#bytes) { return respond::refused(exchange, 413); })
}

/// What scripts of other origins may ask for.
pub(in crate::emit) fn cors(visibility: &TokenStream, name: &Ident, cors: &Cors) -> TokenStream {
    let origins = match &cors.origins {
        Origins::Any => quote!(cors::Origins::Any),
        Origins::Listed { origins, has_credentials } => {
            let origins = texts(origins);
            quote!(cors::Origins::Listed { origins: #origins, has_credentials: #has_credentials })
        }
    };
    let [methods, headers, exposed] = [&cors.methods, &cors.headers, &cors.exposed].map(|allowed| match allowed {
        Allowed::Any => quote!(cors::Allowed::Any),
        Allowed::Listed(names) => {
            let names = texts(names);
            quote!(cors::Allowed::Listed(#names))
        }
    });
    let max_age = match cors.max_age_s.map(|seconds| literal::count(seconds.into())) {
        None => quote!(None),
        Some(seconds) => quote!(Some(#seconds)),
    };
    let policy = quote! {
        cors::Policy { origins: #origins, methods: #methods, headers: #headers, exposed: #exposed, max_age_s: #max_age }
    };
    quote!(#visibility static #name: cors::Policy<'static> = #policy;)
}

fn texts(texts: &[String]) -> TokenStream {
    let texts = texts.iter().map(|text| literal::text(text));
    quote!(&[#(#texts),*])
}

/// A policy for all that follows, and the answer to a browser that asks first.
pub(in crate::emit) fn cors_check(policy: &TokenStream) -> TokenStream {
    quote! {
        let exchange = exchange.shared(#policy);
        if cors::is_preflight(&exchange) { return cors::preflight(exchange, #policy); }
    }
}

/// A preflight that asks for one of these methods; `exchange` is a reference.
pub(in crate::emit) fn cors_asks_for(exchange: &TokenStream, methods: &TokenStream) -> TokenStream {
    quote!(cors::asks_for(#exchange, #methods))
}

/// Proxies before the site.
pub(in crate::emit) fn trust(name: &Ident, trusted: &TrustedProxies) -> TokenStream {
    let networks = networks(&trusted.networks);
    let fields = match trusted.fields.value {
        ForwardingFields::Either => quote!(Either),
        ForwardingFields::Forwarded => quote!(Forwarded),
        ForwardingFields::XForwarded => quote!(XForwarded),
    };
    quote!(static #name: Trust<'static> = Trust { networks: #networks, fields: ForwardingFields::#fields };)
}
