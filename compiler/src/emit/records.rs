//! The routes of a large site as records: `routes.rs` with a handler for each shape, and the blob that tells the routes of one shape apart.
//!
//! What no shape says (splits, rewrites, templates with maps, most guards) has a function of its own in the file of its vhosts, as in a small site.

mod list;
mod shape;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use semantics::{
    method::{Method, Methods},
    records::{self, RecordInput, VhostInput},
    template,
};

use self::{
    list::{List, Lists},
    shape::{GuardShape, Shape},
};
use super::{
    abi,
    file::{File, Unit, route_doc},
    handler::Printer,
    literal,
    shared::Shared,
    vhost::{self, Own},
};
use crate::{
    answer::{self, Prebuilt},
    plan::{self, Action, EditsId, Part, Places, Plan, Route, Vhost},
};

/// The module of the records.
pub(super) const ROUTES: &str = "routes";

/// What becomes of a large site.
pub(super) struct Emitted {
    /// `routes.rs`.
    pub(super) routes: File,
    /// Functions of single routes: their modules and files.
    pub(super) own: Vec<(Ident, File)>,
    pub(super) blob: Vec<u8>,
}

/// Whether the plan's routes are records.
pub(super) fn are_chosen(plan: &Plan) -> bool {
    plan.vhosts.iter().any(|vhost| matches!(vhost.shape, plan::Shape::Records { .. }))
}

pub(super) fn emit<'p>(plan: &'p Plan, shared: &'p Shared, units: &[Unit]) -> Emitted {
    let (handlers, guards, lists) = (List::default(), List::default(), Lists::default());
    let mut records = Records { plan, shared, places: shared.places.as_ref(), handlers, guards, lists };
    let (mut vhosts, mut own) = (Vec::with_capacity(plan.vhosts.len()), Vec::new());
    for unit in units {
        let mut file = File::new(vhost::unit_doc(plan, unit), &shared.scope);
        for number in unit.vhosts.clone() {
            let mut printer = Printer { plan, shared, file: &mut file, visibility: quote!(pub) };
            vhosts.push(records.vhost(number, &mut printer, &unit.module));
        }
        if !file.is_empty() {
            own.push((unit.module.clone(), file));
        }
    }
    Emitted { routes: records.file(), own, blob: encoded((plan, shared.places.as_ref()), &vhosts) }
}

struct Records<'p> {
    plan: &'p Plan,
    shared: &'p Shared,
    places: Option<&'p Places>,
    handlers: List<Function<Shape>>,
    guards: List<Function<GuardShape>>,
    lists: Lists,
}

/// A function in the table of handlers or guards.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Function<S> {
    /// By module and name.
    Own(String, String),
    Shape(S),
}

/// A record and what its texts are, before they are borrowed.
struct Written<'p> {
    numbers: RecordInput<'p>,
    answer: Option<Prebuilt>,
    parts: Vec<template::Part<'p>>,
}

impl<'p> Records<'p> {
    /// The records of a vhost by the position of their routes: a route with CORS may have one more, for preflights, ahead of its own.
    fn vhost(&mut self, number: usize, printer: &mut Printer<'_>, module: &Ident) -> Vec<Vec<Written<'p>>> {
        let vhost = &self.plan.vhosts[number];
        let shapes: Vec<_> = vhost.routes.iter().map(|route| Shape::of((vhost, route), self.places.is_some())).collect();
        let is_own: Vec<_> = shapes.iter().map(Option::is_none).collect();
        let has_own_guard = |route: &Route| route.guard.as_ref().is_some_and(|guard| GuardShape::of(guard).is_none());
        let own = vhost::own(printer, (number, vhost), &is_own, &has_own_guard);
        let routes = vhost.routes.iter().zip(shapes).zip(own);
        let with_place = |(at, ((route, shape), own))| {
            let place = self.places.map_or(0, |places| places.route(number, at));
            self.route((vhost, route), (shape, place), &own, module)
        };
        routes.enumerate().map(with_place).collect()
    }

    fn route(
        &mut self,
        (vhost, route): (&'p Vhost, &'p Route),
        (shape, place): (Option<Shape>, u32),
        own: &Own,
        module: &Ident,
    ) -> Vec<Written<'p>> {
        let named = |name: &Ident| (module.to_string(), name.to_string());
        let handler = match (&own.handler, shape) {
            (Some(handler), _) => {
                let (module, name) = named(handler);
                Function::Own(module, name)
            }
            (None, Some(shape)) => Function::Shape(shape),
            (None, None) => unreachable!("a route without a shape has a handler of its own"),
        };
        let handler = self.handlers.number(handler, || route_doc(route));
        let mut numbers = RecordInput { handler, place, ..self.lists.numbers((vhost, route), self.shared) };
        let preflight = own.preflight.as_ref().map(|name| {
            let (module, name) = named(name);
            let guard = self.guards.number(Function::Own(module, name), || route_doc(route));
            RecordInput { guard: Some(guard), methods: Methods::of(&[Method::OPTIONS]), ..numbers }
        });
        if let Some(guard) = &route.guard {
            let function = match (&own.guard, GuardShape::of(guard)) {
                (Some(guard), _) => {
                    let (module, name) = named(guard);
                    Function::Own(module, name)
                }
                (None, Some((shape, name, value))) => {
                    (numbers.guard_name, numbers.guard_value) = (name, value);
                    Function::Shape(shape)
                }
                (None, None) => unreachable!("a guard without a shape has a function of its own"),
            };
            numbers.guard = Some(self.guards.number(function, || route_doc(route)));
        }
        preflight.into_iter().chain([numbers]).map(|numbers| written(numbers, route)).collect()
    }

    /// `routes.rs`.
    fn file(&self) -> File {
        let (plan, shared) = (self.plan, self.shared);
        let routes: usize = plan.vhosts.iter().map(|vhost| vhost.routes.len()).sum();
        let mut file = File::new(
            format!("The {} routes of the site: what they say stands in a blob, what they do once for each shape.", thousands(routes)),
            &shared.scope,
        );
        let (mut handlers, mut guards, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        for (function, count, first) in self.handlers.items() {
            let shape = function.name(&mut file, Shape::name);
            if let Function::Shape(own) = function {
                functions.push((doc(count, first), own.handler(&format_ident!("{shape}"))));
            }
            handlers.push(function.item("Handler", &shape));
        }
        for (function, count, first) in self.guards.items() {
            let shape = function.name(&mut file, |shape: GuardShape| shape.name().to_owned());
            if let Function::Shape(own) = function {
                functions.push((doc(count, first), own.function(&format_ident!("{shape}"))));
            }
            guards.push(function.item("Guard", &shape));
        }
        file.documented("What the numbers in the records mean.", abi::records(&handlers, &guards));
        let has = |has: &dyn Fn(&Vhost) -> bool| plan.vhosts.iter().any(has);
        let vhost_has = abi::Has {
            places: self.places.is_some(),
            unlogged: has(&|vhost| !vhost.is_logged),
            edits: has(&|vhost| vhost.edits != EditsId::default()),
            encodings: has(&|vhost| vhost.encoding.is_some()),
            errors: has(&|vhost| vhost.errors.is_some()),
        };
        let has_canonical = has(&|vhost| vhost.canonical_host.is_some());
        file.documented("Any vhost, by its number.", abi::record_vhost(vhost_has, has_canonical));
        functions.into_iter().for_each(|(doc, function)| file.documented(&doc, function));
        self.lists.print(plan, shared, &mut file);
        file
    }
}

impl<S: Copy> Function<S> {
    /// The path of the function; a shape's name is claimed.
    fn name(&self, file: &mut File, name: impl Fn(S) -> String) -> String {
        match self {
            Self::Own(module, name) => format!("{module}::{name}"),
            Self::Shape(shape) => file.scope.claim(&name(*shape)).to_string(),
        }
    }

    fn item(&self, kind: &str, path: &str) -> TokenStream {
        let path: TokenStream = match self {
            Self::Own(..) => format!("crate::{path}").parse().expect("names joined by `::` are tokens"),
            Self::Shape(_) => path.parse().expect("a name is a token"),
        };
        let variant = match self {
            Self::Own(..) => "Own",
            Self::Shape(_) => "Shape",
        };
        abi::record_function(kind, variant, &path)
    }
}

fn doc(count: usize, first: &str) -> String {
    match count {
        1 => first.to_owned(),
        _ => format!("{first}, and {} more of its shape", thousands(count - 1)),
    }
}

/// `30,000`.
fn thousands(number: usize) -> String {
    literal::count(number as u64).to_string().replace('_', ",")
}

/// What the handler says: an answer, a status, or a template.
fn written<'p>(mut numbers: RecordInput<'p>, route: &'p Route) -> Written<'p> {
    let constant = |parts: &'p [Part]| super::handler::constant_text(parts);
    let rendered = |parts: &'p [Part]| shape::template(parts).unwrap_or_default();
    let (mut answer, mut parts) = (None, Vec::new());
    match &route.action {
        Action::Redirect { target, status, drops_query } => {
            (numbers.status, numbers.drops_query) = (status.value, *drops_query);
            match constant(target).filter(|_| *drops_query) {
                Some(location) => answer = Some(answer::redirect(status.value, location)),
                None => parts = rendered(target),
            }
        }
        Action::Refuse { status } => numbers.status = status.value,
        Action::Respond { status, body, content_type } => {
            numbers.status = status.value;
            match constant(body) {
                Some(text) => answer = Some(answer::respond(status.value, text.as_bytes(), content_type.as_deref())),
                None => {
                    parts = rendered(body);
                    numbers.content_type = content_type.as_deref().unwrap_or_else(|| answer::default_content_type(status.value, false));
                }
            }
        }
        Action::Abort | Action::Embed { .. } | Action::Proxy(_) | Action::Rewrite { .. } | Action::Root { .. } | Action::Split { .. } => {}
    }
    Written { numbers, answer, parts }
}

/// The blob; records by vhost and by the position of their routes.
fn encoded((plan, places): (&Plan, Option<&Places>), records: &[Vec<Vec<Written<'_>>>]) -> Vec<u8> {
    let place = |vhost| places.map_or(0, |places| places.vhost(vhost));
    let vhosts = plan.vhosts.iter().zip(records).enumerate();
    let vhosts: Vec<_> = vhosts.map(|(at, (vhost, records))| vhost_input((vhost, place(at)), records)).collect();
    records::encode(&vhosts)
}

fn vhost_input<'w>((vhost, place): (&'w Vhost, u32), records: &'w [Vec<Written<'_>>]) -> VhostInput<'w> {
    let plan::Shape::Records { tree } = &vhost.shape else { unreachable!("all vhosts of a site with records have them") };
    let input = |written: &'w Written<'_>| RecordInput {
        head: written.answer.as_ref().map_or(&[], |answer| &answer.head),
        body: written.answer.as_ref().map_or(&[], |answer| &answer.body),
        parts: &written.parts,
        ..written.numbers
    };
    let at_pattern = |routes: &[u32]| routes.iter().flat_map(|route| &records[*route as usize]).map(input).collect();
    VhostInput {
        edits: vhost.edits.0,
        encoding: vhost.encoding.map_or(0, |encoding| encoding.0 + 1),
        errors: vhost.errors.map_or(0, |errors| errors.0 + 1),
        place,
        is_unlogged: !vhost.is_logged,
        canonical: vhost.canonical_host.as_ref().map(|canonical| (canonical.host.as_str(), canonical.status.value)),
        tree,
        patterns: vhost.patterns.iter().map(|pattern| at_pattern(&pattern.routes)).collect(),
    }
}
