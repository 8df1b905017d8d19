//! The handler of a proxied route: what it sends on, and what goes on where an answer of the upstream is not passed on.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Named, Printed, Printer, owner};
use crate::{
    answer,
    emit::{
        abi::{self, Then},
        file::route_doc,
        names,
        shared::Key,
    },
    plan::{Action, EditsId, Intercept, Intercepted, Intercepting, Page, Proxy, Route, Value},
};

/// Edits of one direction: those of a route, and the static that they are.
type Passing = (fn(&Route) -> EditsId, fn(EditsId) -> Key);

/// What takes the place of an answer, by the names of its items.
enum Place<'p> {
    Accel {
        function: Ident,
        root: Ident,
        directory: &'p Value,
    },
    Action {
        handler: Ident,
        action: &'p Action,
    },
    /// An answer for each status, which it keeps.
    Page {
        answers: Vec<(u16, Ident)>,
        page: &'p Page,
    },
}

impl Printer<'_> {
    /// The handler that sends on, its constants, and the handlers of what takes the place of answers.
    pub(super) fn proxied(&mut self, printed: Printed<'_>, named: Named<'_>, proxy: &Proxy, before: &TokenStream) {
        let Named { visibility, name, doc } = named;
        let [request_edits, upstream_edits] = self.passing_edits(printed, name, doc);
        let value = abi::proxy_value((printed.route, proxy), [&request_edits, &upstream_edits], &self.shared.globals);
        let base = names::constant(&name.to_string());
        // What several routes of a file send on stands once.
        let known = self.file.proxies.get(&value.to_string()).cloned();
        let constant = known.clone().unwrap_or_else(|| self.file.scope.claim(&format!("{base}_PROXY")));
        let places: Vec<_> = proxy.intercepts.iter().map(|intercept| self.place(printed, intercept, name)).collect();
        let list = (!places.is_empty()).then(|| self.file.scope.claim(&format!("{base}_INTERCEPTS")));
        let call = abi::proxy_call(&constant, list.as_ref());
        self.file.documented(doc, abi::handler(&visibility, name, &quote!(#before #call)));
        if known.is_none() {
            self.file.beside(abi::proxy(&constant, &value));
            self.file.proxies.insert(value.to_string(), constant);
        }
        if let Some(list) = list {
            let items: Vec<_> = proxy.intercepts.iter().zip(&places).flat_map(|(intercept, place)| items(&intercept.when, place)).collect();
            self.file.beside(abi::intercepts(&list, &items));
        }
        for place in places {
            self.continued(printed, place);
        }
    }

    /// References to the edits of what is sent on, and of what comes back.
    fn passing_edits(&mut self, Printed { vhost, route, .. }: Printed<'_>, name: &Ident, doc: &str) -> [TokenStream; 2] {
        let kinds: [Passing; 2] = [(|route| route.request_edits, Key::RequestEdits), (|route| route.upstream_edits, Key::UpstreamEdits)];
        kinds.map(|(edits, key)| {
            let id = edits(route);
            if id == EditsId::default() {
                return abi::no_edits();
            }
            let (of, doc) = owner((vhost, route), (name, doc), &|other| edits(other) == id);
            let name = self.constant(key(id), &of, &doc);
            quote!(&#name)
        })
    }

    /// Claims the names of an intercept's items.
    fn place<'p>(&mut self, printed: Printed<'_>, intercept: &'p Intercept, handler: &Ident) -> Place<'p> {
        match (&intercept.then, &intercept.when) {
            (Intercepted::Accel { root: directory }, _) => {
                let function = self.file.scope.claim(&format!("{handler}_accel"));
                let root = self.file.scope.claim(&names::constant(&function.to_string()));
                Place::Accel { function, root, directory }
            }
            (Intercepted::Action(continuation), _) => {
                Place::Action { handler: self.inner(printed, &continuation.name), action: &continuation.action }
            }
            (Intercepted::Page(page), Intercepting::Statuses(statuses)) => {
                let handler = names::constant(&handler.to_string());
                let answers = statuses.iter().map(|status| (*status, self.file.scope.claim(&format!("{handler}_{status}"))));
                Place::Page { answers: answers.collect(), page }
            }
            (Intercepted::Page(_), Intercepting::Header(name)) => panic!("bug in kiln: a page for answers with the field `{name}`"),
        }
    }

    /// Prints the items of an intercept.
    fn continued(&mut self, printed: Printed<'_>, place: Place<'_>) {
        let of = route_doc(printed.route);
        match place {
            Place::Accel { function, root, directory } => {
                self.file.documented(&format!("`accel` of {of}"), abi::accel(&function, &root));
                let is_encoded = printed.route.encoding.is_some();
                self.file.beside(abi::accel_root(&root, directory, is_encoded, &self.shared.globals));
            }
            Place::Action { handler, action } => {
                self.acting(printed, action, Named::inner(&handler, &format!("`intercept` of {of}")), &TokenStream::new());
            }
            Place::Page { answers, page } => {
                let body = self.shared.globals.page(&page.file, &page.body);
                for (status, name) in answers {
                    let answer = answer::page_of(status, &page.content_type, &page.body);
                    self.file.documented(&format!("`page {status}` of {of}"), abi::page_answer(&name, &answer, &body));
                }
            }
        }
    }
}

/// What stands in the list: a page is one item for each of its statuses.
fn items(when: &Intercepting, place: &Place<'_>) -> Vec<TokenStream> {
    match place {
        Place::Accel { function, .. } => vec![abi::intercept(when, Then::Accel(function))],
        Place::Action { handler, .. } => vec![abi::intercept(when, Then::Handler(handler))],
        Place::Page { answers, .. } => {
            let item = |(status, answer): &(u16, Ident)| abi::intercept(&Intercepting::Statuses(vec![*status]), Then::Page(answer));
            answers.iter().map(item).collect()
        }
    }
}
