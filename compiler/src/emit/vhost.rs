//! The function of a vhost: which of its handlers takes a request, as code or by a table.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::method::{Method, Methods};

use super::{
    abi,
    file::{File, Unit, route_doc, vhost_doc},
    guard,
    handler::{Printed, Printer},
    literal, names,
    shared::Shared,
};
use crate::{
    package::Package,
    plan::{Action, Guard, Pattern, Plan, Route, Shape, Vhost},
};

/// Functions of one route of a site whose routes are records, as far as no shape says the same.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) handler: Option<Ident>,
    pub(super) guard: Option<Ident>,
    pub(super) preflight: Option<Ident>,
}

/// What the decision names of one route.
struct Names {
    handler: Ident,
    guard: Option<Ident>,
    /// An expression: the constant below, or a set that the runtime names.
    methods: TokenStream,
    constant: Option<TokenStream>,
    /// The guard of its entry for preflights, where a table decides.
    preflight: Option<Ident>,
}

/// The file of a unit: each vhost's function, then its handlers.
pub(super) fn file(plan: &Plan, shared: &Shared, unit: &Unit, package: &mut Package) -> File {
    let vhosts = &plan.vhosts[unit.vhosts.clone()];
    let mut file = File::new(unit_doc(plan, unit), &shared.scope);
    let functions: Vec<_> = unit.functions.iter().map(|function| file.scope.claim(&function.to_string())).collect();
    for ((number, vhost), function) in (unit.vhosts.start..).zip(vhosts).zip(&functions) {
        let mut printer = Printer { plan, shared, file: &mut file, visibility: TokenStream::new() };
        if let Shape::Table { blob } = &vhost.shape {
            package.add(&format!("src/{}", blob_name(vhost)), blob.clone());
        }
        let prefix = if functions.len() > 1 { format!("{}_", vhost.name) } else { String::new() };
        print(&mut printer, (number, vhost), function, &prefix);
    }
    file
}

/// `` `vhost "shop.example"`, site.kdl:12 ``, or which of the vhosts.
pub(super) fn unit_doc(plan: &Plan, unit: &Unit) -> String {
    match &plan.vhosts[unit.vhosts.clone()] {
        [vhost] => vhost_doc(vhost),
        _ => format!("Vhosts {} to {} of {}.", unit.vhosts.start + 1, unit.vhosts.end, plan.vhosts.len()),
    }
}

/// `prefix` goes before the names of handlers: in a file of several vhosts it tells them apart.
fn print(printer: &mut Printer<'_>, (number, vhost): (usize, &Vhost), function: &Ident, prefix: &str) {
    let names: Vec<_> =
        vhost.routes.iter().map(|route| names_of(printer.file, (vhost, route), &format!("{prefix}{}", route.name))).collect();
    let doc = vhost_doc(vhost);
    let shared = printer.shared;
    let scoped = printer.vhost_scope(vhost, shared.vhost_place(number)).statement();
    let canonical = vhost.canonical_host.as_ref().map(|canonical| {
        let name = printer.file.scope.claim(&format!("{}_CANONICAL", names::constant(&vhost.name)));
        (abi::redirect_canonical(&canonical.host, &name), abi::canonical(&name, canonical))
    });
    let (canonical, canonical_item) = canonical.unzip();
    let (decision, table) = match vhost.shape {
        Shape::Code => (code(vhost, &names), None),
        Shape::Records { .. } => unreachable!("records have no function for each vhost"),
        Shape::Table { .. } => {
            let name = printer.file.scope.claim(&format!("{}_ROUTES", names::constant(&vhost.name)));
            (abi::table_decide(&name), Some(table(vhost, &names, &name)))
        }
    };
    printer.file.documented(&doc, abi::handler(&quote!(pub), function, &quote!(#scoped #canonical #decision)));
    canonical_item.into_iter().chain(table).for_each(|item| printer.file.beside(item));
    for (at, (route, names)) in vhost.routes.iter().zip(&names).enumerate() {
        let place = shared.route_place(number, at);
        print_route(printer, Printed { vhost, route, place, function, prefix }, names);
    }
}

/// Prints the functions of routes that are no mere records: handlers where `is_own` says so, guards where `has_own_guard` does, and all for preflights.
pub(super) fn own(
    printer: &mut Printer<'_>,
    (number, vhost): (usize, &Vhost),
    is_own: &[bool],
    has_own_guard: &dyn Fn(&Route) -> bool,
) -> Vec<Own> {
    let mut function = None;
    let mut printed = Vec::with_capacity(vhost.routes.len());
    for (at, (route, is_own)) in vhost.routes.iter().zip(is_own.iter().copied()).enumerate() {
        let has_preflight = takes_preflights(route);
        let has_guard = has_own_guard(route) || (has_preflight && route.guard.is_some());
        if !is_own && !has_guard && !has_preflight {
            printed.push(Own::default());
            continue;
        }
        let prefix = format!("{}_", vhost.name);
        let names = names_of(printer.file, (vhost, route), &format!("{prefix}{}", route.name));
        if has_guard || has_preflight {
            print_guards(printer, route, &names);
        }
        if is_own {
            let function = function.get_or_insert_with(|| printer.file.scope.claim(&vhost.name));
            let place = printer.shared.route_place(number, at);
            printer.handler(Printed { vhost, route, place, function, prefix: &prefix }, &names.handler);
        }
        if has_preflight {
            names.constant.iter().for_each(|constant| printer.file.beside(constant.clone()));
        }
        printed.push(Own {
            handler: is_own.then_some(names.handler),
            guard: names.guard.filter(|_| has_guard),
            preflight: names.preflight,
        });
    }
    if let Some(function) = function.filter(|_| vhost.routes.iter().any(|route| rewrites(&route.action))) {
        printer.file.documented(&vhost_doc(vhost), abi::record_vhost_function(&function, number));
    }
    printed
}

fn rewrites(action: &Action) -> bool {
    matches!(action, Action::Rewrite { .. }) || action.inner().into_iter().any(rewrites)
}

fn print_route(printer: &mut Printer<'_>, printed: Printed<'_>, names: &Names) {
    print_guards(printer, printed.route, names);
    printer.handler(printed, &names.handler);
    names.constant.iter().for_each(|constant| printer.file.beside(constant.clone()));
}

fn print_guards(printer: &mut Printer<'_>, route: &Route, names: &Names) {
    let visibility = &printer.visibility;
    if let (Some(name), Some(guard)) = (&names.guard, &route.guard) {
        guard::print((printer.plan, &printer.shared.globals), printer.file, (route, guard), (visibility, name, &names.handler));
    }
    if let Some(name) = &names.preflight {
        let (asks, guard) =
            (abi::cors_asks_for(&quote!(exchange), &names.methods), names.guard.as_ref().map(|guard| quote!(&& #guard(exchange))));
        let question = quote!(#visibility fn #name(exchange: &Exchange<'_>) -> bool { #asks #guard });
        printer.file.documented(&format!("Preflights of {}", route_doc(route)), question);
    }
}

fn names_of(file: &mut File, (vhost, route): (&Vhost, &Route), name: &str) -> Names {
    let handler = file.scope.claim(name);
    let guard = route.guard.as_ref().map(|_: &Guard| file.scope.claim(&format!("{name}_when")));
    let is_code = matches!(vhost.shape, Shape::Code);
    let preflight = (!is_code && takes_preflights(route)).then(|| file.scope.claim(&format!("{name}_preflight")));
    if route.methods.is_any() || route.methods == Methods::GET_HEAD {
        return Names { handler, guard, methods: abi::methods(route.methods), constant: None, preflight };
    }
    let methods = file.scope.claim(&format!("{}_METHODS", names::constant(name)));
    let constant = abi::methods_constant(&methods, route.methods);
    Names { handler, guard, methods: quote!(#methods), constant: Some(constant), preflight }
}

/// It is chosen for OPTIONS by what the preflight asks for.
fn takes_preflights(route: &Route) -> bool {
    route.cors.is_some() && !route.methods.contains(Method::OPTIONS)
}

fn blob_name(vhost: &Vhost) -> String {
    format!("{}.routes", vhost.name)
}

fn table(vhost: &Vhost, names: &[Names], name: &Ident) -> TokenStream {
    let patterns = vhost.patterns.iter().map(|pattern| {
        let routes = pattern.routes.iter().map(|index| &names[*index as usize]);
        let options = abi::methods(Methods::of(&[Method::OPTIONS]));
        let entries = routes.flat_map(|names| {
            let preflight = names.preflight.as_ref().map(|guard| abi::table_route(&options, Some(guard), &names.handler));
            preflight.into_iter().chain([abi::table_route(&names.methods, names.guard.as_ref(), &names.handler)])
        });
        entries.collect()
    });
    abi::table(name, &blob_name(vhost), &patterns.collect::<Vec<_>>())
}

/// Literal patterns as a `match`, the others one after the other, 404 last.
fn code(vhost: &Vhost, names: &[Names]) -> TokenStream {
    let (literals, others): (Vec<_>, Vec<_>) = vhost.patterns.iter().partition(|pattern| pattern.is_literal());
    let arms: Vec<_> = literals
        .iter()
        .map(|pattern| {
            let text = literal::text(&pattern.text);
            match sure_handler(vhost, pattern, names) {
                Some(handler) => quote!(#text => return #handler(exchange),),
                None => {
                    let decision = at_pattern(vhost, pattern, names);
                    quote!(#text => { #decision })
                }
            }
        })
        .collect();
    let literals = (!literals.is_empty()).then(|| abi::match_path(&arms));
    let others = others.iter().map(|pattern| {
        let (matches, decision) = (abi::matches(&pattern.text), at_pattern(vhost, pattern, names));
        quote!(if #matches { #decision })
    });
    let not_found = abi::not_found();
    quote!(#literals #(#others)* #not_found)
}

/// The handler that takes every request of a pattern.
fn sure_handler<'n>(vhost: &Vhost, pattern: &Pattern, names: &'n [Names]) -> Option<&'n Ident> {
    let index = *pattern.routes.first()? as usize;
    let route = &vhost.routes[index];
    (route.guard.is_none() && route.methods.is_any()).then_some(&names[index].handler)
}

/// The routes of one pattern: the first that is accepted and takes the method, else 405 if one was accepted, else on to the next pattern.
fn at_pattern(vhost: &Vhost, pattern: &Pattern, names: &[Names]) -> TokenStream {
    let routes: Vec<_> = pattern.routes.iter().map(|index| (&vhost.routes[*index as usize], &names[*index as usize])).collect();
    let (unguarded, guarded): (Vec<_>, Vec<_>) = routes.iter().copied().partition(|(route, _)| route.guard.is_none());
    let takes_all = unguarded.iter().any(|(route, _)| route.methods.is_any());
    let may_miss = guarded.iter().any(|(route, _)| !route.methods.is_any());
    if takes_all || !may_miss {
        let tries = routes.iter().map(|(route, names)| attempt(route, names, &TokenStream::new()));
        let methods = unguarded.iter().map(|(_, names)| names.methods.clone()).reduce(|all, more| abi::union(&all, &more));
        let refusal = methods.filter(|_| !takes_all).map(|methods| {
            let answer = abi::method_not_allowed(&methods);
            quote!(return #answer;)
        });
        return quote!(#(#tries)* #refusal);
    }
    let tries = routes.iter().map(|(route, names)| {
        let union = abi::union(&quote!(methods), &names.methods);
        attempt(route, names, &quote!(methods = #union;))
    });
    let answer = abi::method_not_allowed(&quote!(methods));
    let refusal = if unguarded.is_empty() { quote!(if !methods.is_empty() { return #answer; }) } else { quote!(return #answer;) };
    let none = abi::methods(Methods::NONE);
    quote!(let mut methods = #none; #(#tries)* #refusal)
}

/// `if x_when(&exchange) { if exchange.is(..) { return x(exchange); } missed }`, as much of it as the route needs.
fn attempt(route: &Route, names: &Names, missed: &TokenStream) -> TokenStream {
    let Names { handler, guard, methods, .. } = names;
    let takes = takes(route, methods);
    let chosen = quote!(return #handler(exchange););
    match (guard, route.methods.is_any()) {
        (None, true) => chosen,
        (None, false) => quote!(if #takes { #chosen } #missed),
        (Some(guard), true) => quote!(if #guard(&exchange) { #chosen }),
        (Some(guard), false) if missed.is_empty() => {
            let takes = if takes_preflights(route) { quote!((#takes)) } else { takes };
            quote!(if #guard(&exchange) && #takes { #chosen })
        }
        (Some(guard), false) => quote!(if #guard(&exchange) { if #takes { #chosen } #missed }),
    }
}

fn takes(route: &Route, methods: &TokenStream) -> TokenStream {
    let preflight = takes_preflights(route).then(|| {
        let asks = abi::cors_asks_for(&quote!(&exchange), methods);
        quote!(|| #asks)
    });
    let is = abi::is_method(methods);
    quote!(#is #preflight)
}
