//! What handlers and guards of records have in common: all that is not in the record.

use std::fmt::Write;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use semantics::{records::PARTS_MAX, template};

use crate::{
    emit::{
        abi,
        handler::{constant_text, separators_check},
    },
    plan::{Action, Guard, Part, Route, Value, Vhost},
};

/// Routes of one shape have one handler.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Shape {
    action: ActionShape,
    /// It refuses encoded separators.
    is_checked: bool,
    has_place: bool,
    /// It is logged where its vhost is not, or the other way round.
    has_log: bool,
    has_edits: bool,
    has_encoding: bool,
    has_errors: bool,
    is_shared: bool,
    is_restricted: bool,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum ActionShape {
    Abort,
    /// Named by the pattern's rest, or by the whole path.
    Embed {
        has_rest: bool,
    },
    /// Without intercepts.
    Proxy,
    Redirect {
        is_constant: bool,
    },
    Refuse,
    Respond {
        is_constant: bool,
    },
    Root {
        has_rest: bool,
    },
}

impl Shape {
    /// The shape of a route; `None`: it needs a handler of its own.
    pub(super) fn of((vhost, route): (&Vhost, &Route), has_place: bool) -> Option<Self> {
        if route.action.miss().is_some() {
            return None;
        }
        let has_rest = route.rest().is_some();
        let is_constant = |parts: &[Part]| constant_text(parts).is_some();
        let action = match &route.action {
            Action::Abort => ActionShape::Abort,
            Action::Embed { .. } => ActionShape::Embed { has_rest },
            Action::Proxy(proxy) if proxy.intercepts.is_empty() => ActionShape::Proxy,
            Action::Proxy(_) | Action::Rewrite { .. } | Action::Split { .. } => return None,
            Action::Redirect { target, drops_query, .. } => {
                template(target)?;
                ActionShape::Redirect { is_constant: *drops_query && is_constant(target) }
            }
            Action::Refuse { .. } => ActionShape::Refuse,
            Action::Respond { body, .. } => {
                template(body)?;
                ActionShape::Respond { is_constant: is_constant(body) }
            }
            Action::Root { .. } => ActionShape::Root { has_rest },
        };
        Some(Self {
            action,
            is_checked: separators_check(route).is_some(),
            has_place,
            has_log: route.is_logged != vhost.is_logged,
            has_edits: route.edits != vhost.edits,
            has_encoding: route.encoding != vhost.encoding,
            has_errors: route.errors != vhost.errors,
            is_shared: route.cors.is_some(),
            is_restricted: !route.access.is_empty(),
        })
    }

    /// `refuse_checked`.
    pub(super) fn name(self) -> String {
        let mut name = match self.action {
            ActionShape::Abort => "abort",
            ActionShape::Embed { has_rest: false } => "embed_path",
            ActionShape::Embed { has_rest: true } => "embed_rest",
            ActionShape::Proxy => "proxied",
            ActionShape::Redirect { is_constant: false } => "redirect_rendered",
            ActionShape::Redirect { is_constant: true } => "redirect_prebuilt",
            ActionShape::Refuse => "refuse",
            ActionShape::Respond { is_constant: false } => "respond_rendered",
            ActionShape::Respond { is_constant: true } => "respond_prebuilt",
            ActionShape::Root { has_rest: false } => "files_path",
            ActionShape::Root { has_rest: true } => "files_rest",
        }
        .to_owned();
        let marks = [
            (self.is_checked, "checked"),
            (self.has_log, "logged"),
            (self.has_edits, "edited"),
            (self.has_encoding, "encoded"),
            (self.has_errors, "paged"),
            (self.is_shared, "shared"),
            (self.is_restricted, "restricted"),
        ];
        for (_, mark) in marks.into_iter().filter(|(has, _)| *has) {
            write!(name, "_{mark}").expect("a string takes all");
        }
        name
    }

    /// The handler itself: as that of one route, with the record in the place of its constants.
    pub(super) fn handler(self, name: &Ident) -> TokenStream {
        let has = abi::Has {
            places: self.has_place,
            unlogged: self.has_log,
            edits: self.has_edits,
            encodings: self.has_encoding,
            errors: self.has_errors,
        };
        let scoped = has.scoped(&quote!(record)).statement();
        let is_file = matches!(self.action, ActionShape::Embed { .. } | ActionShape::Root { .. });
        let separators = self.is_checked.then(|| abi::separators_check(is_file));
        let cors = self.is_shared.then(|| abi::cors_check(&quote!(CORS[record.cors()])));
        let access = self.is_restricted.then(|| abi::access_check(&quote!(ACCESS[record.access()])));
        let body = abi::body_check(&quote!(record.body_limit()));
        let action = self.action.call();
        abi::record_handler(name, &quote!(#scoped #separators #cors #access #body #action))
    }
}

impl ActionShape {
    fn call(self) -> TokenStream {
        match self {
            Self::Abort => abi::abort(),
            Self::Embed { has_rest } => abi::record_file("embed", &quote!(TREES[record.tree()]), has_rest),
            Self::Proxy => abi::record_proxy(),
            Self::Redirect { is_constant: false } => abi::record_redirect(),
            Self::Redirect { is_constant: true } => abi::record_answer("redirect"),
            Self::Refuse => abi::record_refused(),
            Self::Respond { is_constant: false } => abi::record_template(),
            Self::Respond { is_constant: true } => abi::record_answer("respond"),
            Self::Root { has_rest } => abi::record_file("files", &quote!(&ROOTS[record.tree()]), has_rest),
        }
    }
}

/// Guards of one shape ask one question, about other names.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum GuardShape {
    Cookie,
    Header,
    Query,
}

impl GuardShape {
    /// The shape of a guard, with the name and the value that it asks for; `None`: it needs a function of its own.
    pub(super) fn of(guard: &Guard) -> Option<(Self, &str, &str)> {
        let (shape, name, values) = match guard {
            Guard::Cookie { name, values } => (Self::Cookie, name, values),
            Guard::Header { name, values } => (Self::Header, name, values),
            Guard::Query { name, values } => (Self::Query, name, values),
            Guard::All(_)
            | Guard::Any(_)
            | Guard::ClientIp(_)
            | Guard::Extension(_)
            | Guard::Host(_)
            | Guard::Map(_)
            | Guard::Method(_)
            | Guard::Not(_)
            | Guard::Path(_)
            | Guard::Protocol(_)
            | Guard::Regex(_) => return None,
        };
        match values.as_slice() {
            [Value::Text(value)] => Some((shape, name, value)),
            _ => None,
        }
    }

    /// `header_is`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cookie => "cookie_is",
            Self::Header => "header_is",
            Self::Query => "query_is",
        }
    }

    pub(super) fn function(self, name: &Ident) -> TokenStream {
        abi::record_guard(name, self.name().trim_end_matches("_is"))
    }
}

/// The template as a record holds it; `None` where it can't.
pub(super) fn template(parts: &[Part]) -> Option<Vec<template::Part<'_>>> {
    if parts.len() > PARTS_MAX {
        return None;
    }
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> Option<template::Part<'_>> {
    Some(match part {
        Part::ClientIp => template::Part::ClientIp,
        Part::Cookie(name) => template::Part::Cookie(name),
        Part::Header(name) => template::Part::Header(name),
        Part::Host => template::Part::Host,
        Part::Late(_) | Part::Map(_) => return None,
        Part::Method => template::Part::Method,
        Part::Parameter(index) => template::Part::Parameter(*index),
        Part::Path => template::Part::Path,
        Part::Query => template::Part::Query,
        Part::QueryValue(name) => template::Part::QueryValue(name),
        Part::RequestId => template::Part::RequestId,
        Part::Scheme => template::Part::Scheme,
        Part::Status => template::Part::Status,
        Part::Target => template::Part::Target,
        Part::Text(text) => template::Part::Text(text),
    })
}
