//! One handler and the constants that only it uses.

mod proxy;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    abi::{self, Scoped},
    file::{File, route_doc, vhost_doc},
    literal, names,
    shared::{Key, Shared},
};
use crate::{
    answer,
    model::EncodedSlash,
    plan::{Action, EditsId, EncodingId, ErrorsId, Part, Plan, Route, Share, Vhost},
};

/// Where handlers are printed.
pub(super) struct Printer<'e> {
    pub(super) plan: &'e Plan,
    pub(super) shared: &'e Shared,
    pub(super) file: &'e mut File,
    /// Of handlers and guards.
    pub(super) visibility: TokenStream,
}

/// The route whose handler is printed.
#[derive(Clone, Copy)]
pub(super) struct Printed<'p> {
    pub(super) vhost: &'p Vhost,
    pub(super) route: &'p Route,
    /// What its exchanges are counted by.
    pub(super) place: Option<u32>,
    /// The function of the vhost.
    pub(super) function: &'p Ident,
    /// What stands before the names of handlers in this file.
    pub(super) prefix: &'p str,
}

/// A handler to be printed.
struct Named<'n> {
    visibility: TokenStream,
    name: &'n Ident,
    doc: &'n str,
}

impl<'n> Named<'n> {
    /// The handler of an action in another one.
    fn inner(name: &'n Ident, doc: &'n str) -> Self {
        Self { visibility: TokenStream::new(), name, doc }
    }
}

impl Printer<'_> {
    /// `fn healthz` and `static HEALTHZ`.
    pub(super) fn handler(&mut self, printed: Printed<'_>, name: &Ident) {
        let (route, doc) = (printed.route, route_doc(printed.route));
        let scoped = self.route_scope(printed, name, &doc).statement();
        let checks = self.checks(printed, name, &doc);
        let visibility = self.visibility.clone();
        self.acting(printed, &route.action, Named { visibility, name, doc: &doc }, &quote!(#scoped #checks));
    }

    /// What an exchange is told where a vhost is chosen: its place, edits, error pages, and whether it is logged.
    pub(super) fn vhost_scope(&mut self, vhost: &Vhost, place: Option<u32>) -> Scoped {
        let edits = (vhost.edits != EditsId::default()).then_some(vhost.edits);
        let encoding = vhost.encoding.map(Some);
        let of = self.scope((edits, encoding, vhost.errors), &vhost.name, &vhost_doc(vhost));
        Scoped { place: place.map(number), unlogged: (!vhost.is_logged).then(|| quote!(true)), ..of }
    }

    /// The same for what a route has other than its vhost.
    fn route_scope(&mut self, Printed { vhost, route, place, .. }: Printed<'_>, name: &Ident, doc: &str) -> Scoped {
        let edits = (route.edits != vhost.edits).then_some(route.edits);
        assert!(route.errors.is_some() || vhost.errors.is_none(), "bug in kiln: a route without the error pages of its vhost, {doc}");
        let encoding = (route.encoding != vhost.encoding).then_some(route.encoding);
        let of = self.scope((edits, encoding, route.errors.filter(|_| route.errors != vhost.errors)), &name.to_string(), doc);
        let unlogged = (route.is_logged != vhost.is_logged).then_some(!route.is_logged);
        Scoped { place: place.map(number), unlogged: unlogged.map(|is_unlogged| quote!(#is_unlogged)), ..of }
    }

    /// Each where it is told; an encoding is told to be none.
    #[expect(clippy::option_option, reason = "what is not told is another thing than what is none")]
    fn scope(
        &mut self,
        (edits, encoding, errors): (Option<EditsId>, Option<Option<EncodingId>>, Option<ErrorsId>),
        of: &str,
        doc: &str,
    ) -> Scoped {
        let edits = edits.map(|edits| self.edits(edits, of, doc));
        let encoded = encoding.map(|encoding| match encoding {
            None => abi::no_encoding(),
            Some(id) => {
                let name = self.constant(Key::Encoding(id), of, doc);
                quote!(&#name)
            }
        });
        let errors = errors.map(|errors| {
            let name = self.constant(Key::Errors(errors), of, doc);
            quote!(&#name)
        });
        Scoped { edits, encoded, errors, ..Scoped::default() }
    }

    fn edits(&mut self, id: EditsId, of: &str, doc: &str) -> TokenStream {
        if id == EditsId::default() {
            return abi::no_edits();
        }
        let name = self.constant(Key::Edits(id), of, doc);
        quote!(&#name)
    }

    /// The name of what stands once; where it is not shared it is printed ahead of its first use.
    fn constant(&mut self, key: Key, of: &str, of_doc: &str) -> Ident {
        if let Some(shared) = self.shared.statics.get(&key) {
            return shared.name.clone();
        }
        if let Some(name) = self.file.statics.get(&key) {
            return name.clone();
        }
        let (name, doc) = key.names(self.plan, of, of_doc);
        let name = self.file.scope.claim(&name);
        self.file.documented(&doc, key.item(self.plan, &self.shared.globals, &TokenStream::new(), &name));
        self.file.statics.insert(key, name.clone());
        name
    }

    /// What may answer before the action, in the order of the language.
    fn checks(&mut self, Printed { vhost, route, .. }: Printed<'_>, name: &Ident, doc: &str) -> TokenStream {
        let separators = separators_check(route);
        let owner = |of_others: &dyn Fn(&Route) -> bool| owner((vhost, route), (name, doc), of_others);
        let cors = route.cors.map(|id| {
            let (of, doc) = owner(&|other| other.cors == Some(id));
            let name = self.constant(Key::Cors(id), &of, &doc);
            abi::cors_check(&quote!(&#name))
        });
        let access = route.access.iter().map(|id| {
            let (of, doc) = owner(&|other| other.access.contains(id));
            self.constant(Key::Access(*id), &of, &doc)
        });
        let lists: Vec<_> = access.collect();
        let access = (!lists.is_empty()).then(|| abi::access_check(&quote!(&[#(#lists),*])));
        let body = abi::body_check(&literal::size(route.body_limit.value));
        quote!(#separators #cors #access #body)
    }

    /// The handler of an action, its constant, and the handlers of the actions in it.
    fn acting(&mut self, printed: Printed<'_>, action: &Action, named: Named<'_>, before: &TokenStream) {
        match action {
            Action::Proxy(proxy) => return self.proxied(printed, named, proxy, before),
            Action::Split { by, salt, shares } => return self.split(printed, named, (by, salt, shares), before),
            Action::Abort
            | Action::Embed { .. }
            | Action::Redirect { .. }
            | Action::Refuse { .. }
            | Action::Respond { .. }
            | Action::Rewrite { .. }
            | Action::Root { .. } => {}
        }
        let Named { visibility, name, doc } = named;
        let miss = action.miss().map(|miss| (self.inner(printed, &miss.name), miss));
        let (call, constant) = self.action(printed, action, (name, miss.as_ref().map(|(handler, _)| handler)));
        self.file.documented(doc, abi::handler(&visibility, name, &quote!(#before #call)));
        constant.into_iter().for_each(|constant| self.file.beside(constant));
        if let Some((handler, miss)) = miss {
            let doc = format!("`miss` of {}", route_doc(printed.route));
            self.acting(printed, &miss.action, Named::inner(&handler, &doc), &TokenStream::new());
        }
    }

    /// The handler that picks a share, and one handler for each of them.
    fn split(
        &mut self,
        printed: Printed<'_>,
        Named { visibility, name, doc }: Named<'_>,
        (by, salt, shares): (&[Part], &str, &[Share]),
        before: &TokenStream,
    ) {
        let constant = self.local(name);
        let handlers: Vec<_> = shares.iter().map(|share| self.inner(printed, &share.name)).collect();
        let weights: Vec<_> = shares.iter().map(|share| share.weight).collect();
        let pick = abi::split_pick(&constant, &handlers);
        self.file.documented(doc, abi::handler(&visibility, name, &quote!(#before #pick)));
        self.file.beside(abi::split(&constant, by, (salt, &weights), &self.shared.globals));
        for (share, handler) in shares.iter().zip(&handlers) {
            let doc = format!("`share {}` of {}", share.weight, route_doc(printed.route));
            self.acting(printed, &share.action, Named::inner(handler, &doc), &TokenStream::new());
        }
    }

    /// The name of the handler of an action in another one.
    fn inner(&mut self, printed: Printed<'_>, name: &str) -> Ident {
        self.file.scope.claim(&format!("{}{name}", printed.prefix))
    }

    /// The call that answers, and the constant it names; `miss` is the handler for what has no file.
    fn action(
        &mut self,
        printed: Printed<'_>,
        action: &Action,
        (handler, miss): (&Ident, Option<&Ident>),
    ) -> (TokenStream, Option<TokenStream>) {
        let (route, shared) = (printed.route, self.shared);
        let globals = &shared.globals;
        match action {
            Action::Abort => (abi::abort(), None),
            Action::Proxy(_) | Action::Split { .. } => unreachable!("they have handlers of their own"),
            Action::Embed { embed, .. } => {
                let tree = self.constant(Key::Tree(*embed), &route.name, "");
                (abi::file("embed", &tree, rest(route), miss), None)
            }
            Action::Redirect { target, status, drops_query } => {
                let name = self.local(handler);
                match constant_text(target) {
                    Some(location) if *drops_query => {
                        let answer = abi::answer(&name, &answer::redirect(status.value, location));
                        (abi::redirect_prebuilt(&name), Some(answer))
                    }
                    _ => (abi::redirect_to(&name), Some(abi::target(&name, (status.value, *drops_query), target, globals))),
                }
            }
            Action::Refuse { status } => (abi::refused(status.value), None),
            Action::Respond { status, body, content_type } => {
                let name = self.local(handler);
                match constant_text(body) {
                    Some(text) => {
                        let answer = answer::respond(status.value, text.as_bytes(), content_type.as_deref());
                        (abi::respond_prebuilt(&name), Some(abi::answer(&name, &answer)))
                    }
                    None => {
                        let content_type = content_type.as_deref().unwrap_or_else(|| answer::default_content_type(status.value, false));
                        (abi::respond_template(&name), Some(abi::template(&name, (status.value, content_type), body, globals)))
                    }
                }
            }
            Action::Rewrite { target } => {
                let name = self.file.scope.claim(&format!("{}_REWRITE", names::constant(&handler.to_string())));
                (abi::rewrite(&name, printed.function), Some(abi::rewrite_target(&name, target, globals)))
            }
            Action::Root { directory, rules, .. } => {
                let name = self.local(handler);
                (abi::file("files", &name, rest(route), miss), Some(abi::root(&name, directory, rules, globals)))
            }
        }
    }

    /// The constant of one handler.
    fn local(&mut self, handler: &Ident) -> Ident {
        self.file.scope.claim(&names::constant(&handler.to_string()))
    }
}

/// What several routes of a vhost have is called after the vhost: its name and its doc, or those of the route.
fn owner((vhost, route): (&Vhost, &Route), (name, doc): (&Ident, &str), has_it: &dyn Fn(&Route) -> bool) -> (String, String) {
    let is_shared = vhost.routes.iter().any(|other| other.name != route.name && has_it(other));
    if is_shared { (vhost.name.clone(), vhost_doc(vhost)) } else { (name.to_string(), doc.to_owned()) }
}

fn number(place: u32) -> TokenStream {
    let place = literal::count(place.into());
    quote!(#place)
}

/// The refusal of encoded separators, where the route's pattern can take them.
pub(super) fn separators_check(route: &Route) -> Option<TokenStream> {
    let is_file = route.action.is_files();
    match route.encoded_slash {
        _ if !route.can_hold_separator() => None,
        EncodedSlash::Refuse => Some(abi::separators_check(is_file)),
        EncodedSlash::Keep | EncodedSlash::Raw => None,
    }
}

/// Index of the pattern's rest; `None` where it has none and files are mapped by the whole path.
fn rest(route: &Route) -> Option<u64> {
    route.rest().map(|rest| rest as u64)
}

/// The text of a template that needs no rendering.
pub(super) fn constant_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}
