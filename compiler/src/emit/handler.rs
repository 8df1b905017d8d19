//! One handler and the constants that only it uses.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    abi,
    file::{File, headers_doc, headers_name, route_doc},
    names,
    shared::Shared,
};
use crate::{
    answer,
    model::EncodedSlash,
    plan::{Action, EditsId, Part, Plan, Route, Vhost},
};

/// Where a handler is printed.
pub(super) struct Printer<'e> {
    pub(super) plan: &'e Plan,
    pub(super) shared: &'e Shared,
    pub(super) file: &'e mut File,
}

impl Printer<'_> {
    /// `fn healthz` and `static HEALTHZ`.
    pub(super) fn handler(&mut self, vhost: &Vhost, route: &Route, name: &Ident) {
        let edits = (route.edits != vhost.edits).then(|| self.edits(route.edits, &name.to_string(), &route_doc(route)));
        let edited = edits.as_ref().map(abi::edited);
        let (body, constant) = match refusal(route) {
            None => {
                let exchange = edited.unwrap_or_else(|| quote!(exchange));
                self.action(route, name, &exchange)
            }
            Some(refusal) => {
                let edited = edited.map(|edited| quote!(let exchange = #edited;));
                let (action, constant) = self.action(route, name, &quote!(exchange));
                (quote!(#edited #refusal #action), constant)
            }
        };
        self.file.documented(&route_doc(route), abi::handler(&TokenStream::new(), name, &body));
        if let Some(constant) = constant {
            self.file.beside(constant);
        }
    }

    /// `&PRODUCTS_HEADERS`; the static is printed once, ahead of its first use.
    pub(super) fn edits(&mut self, id: EditsId, of: &str, of_doc: &str) -> TokenStream {
        if id == EditsId::default() {
            return abi::no_edits();
        }
        if let Some(shared) = self.shared.edits.get(&id) {
            return reference(&shared.name, &mut self.file.shared);
        }
        if let Some(name) = self.file.edits.get(&id) {
            return quote!(&#name);
        }
        let name = self.file.scope.claim(&headers_name(of));
        let edits = abi::edits(&TokenStream::new(), &name, &self.plan.edits[id.0 as usize]);
        self.file.documented(&headers_doc(of_doc), edits);
        self.file.edits.insert(id, name.clone());
        quote!(&#name)
    }

    /// The call that answers, and the constant it names.
    fn action(&mut self, route: &Route, handler: &Ident, exchange: &TokenStream) -> (TokenStream, Option<TokenStream>) {
        match &route.action {
            Action::Abort => (abi::abort(exchange), None),
            Action::Embed { embed } => {
                let tree = self.tree(*embed);
                (abi::embed_file(exchange, &tree, rest(route)), None)
            }
            Action::Redirect { target, status, drops_query } => {
                let name = self.constant(handler);
                match constant_text(target) {
                    Some(location) if *drops_query => {
                        let answer = abi::answer(&name, &answer::redirect(*status, location));
                        (abi::redirect_prebuilt(exchange, &name), Some(answer))
                    }
                    _ => (abi::redirect_to(exchange, &name), Some(abi::target(&name, *status, target, *drops_query))),
                }
            }
            Action::Refuse { status } => (abi::refused(exchange, *status), None),
            Action::Respond { status, body, content_type } => {
                let name = self.constant(handler);
                match constant_text(body) {
                    Some(text) => {
                        let answer = answer::respond(*status, text.as_bytes(), content_type.as_deref());
                        (abi::respond_prebuilt(exchange, &name), Some(abi::answer(&name, &answer)))
                    }
                    None => {
                        let content_type = content_type.as_deref().unwrap_or(answer::TEXT);
                        (abi::respond_template(exchange, &name), Some(abi::template(&name, *status, content_type, body)))
                    }
                }
            }
            Action::Root { directory, index } => {
                let name = self.constant(handler);
                (abi::files_file(exchange, &name, rest(route)), Some(abi::root(&name, directory, index)))
            }
        }
    }

    fn constant(&mut self, handler: &Ident) -> Ident {
        self.file.scope.claim(&names::constant(&handler.to_string()))
    }

    fn tree(&mut self, id: crate::plan::EmbedId) -> Ident {
        if let Some(shared) = self.shared.trees.get(&id) {
            reference(&shared.name, &mut self.file.shared);
            return shared.name.clone();
        }
        if let Some(name) = self.file.trees.get(&id) {
            return name.clone();
        }
        let tree = &self.plan.embeds[id.0 as usize];
        let name = self.file.scope.claim(&names::constant(&tree.name));
        self.file.documented(&format!("`{}`", tree.directory), abi::tree(&TokenStream::new(), &name, id.0, &tree.index));
        self.file.trees.insert(id, name.clone());
        name
    }
}

fn reference(name: &Ident, used: &mut Vec<Ident>) -> TokenStream {
    if !used.contains(name) {
        used.push(name.clone());
    }
    quote!(&#name)
}

/// The refusal of encoded separators, where the route's pattern can take them.
fn refusal(route: &Route) -> Option<TokenStream> {
    let is_file = matches!(route.action, Action::Embed { .. } | Action::Root { .. });
    let question = match route.encoded_slash {
        _ if route.parameters.is_empty() => return None,
        EncodedSlash::Refuse if !is_file => quote!(has_encoded_separator),
        EncodedSlash::Keep | EncodedSlash::Raw if !is_file => return None,
        EncodedSlash::Keep | EncodedSlash::Raw | EncodedSlash::Refuse => quote!(has_encoded_slash),
    };
    let bad_request = abi::bad_request();
    Some(quote!(if exchange.#question() { return #bad_request; }))
}

/// Index of the pattern's rest; `None` where it has none and files are mapped by the whole path.
fn rest(route: &Route) -> Option<u64> {
    let has_rest = route.pattern.ends_with('*') || route.pattern.ends_with("*}");
    has_rest.then(|| route.parameters.len().saturating_sub(1) as u64)
}

/// The text of a template that needs no rendering.
fn constant_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}
