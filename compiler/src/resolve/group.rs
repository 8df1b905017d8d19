//! `group`: lexical. Its routes stand in the vhost as if they were written there, with the group's conditions, methods and policies around their own.

use semantics::{method::Methods, pattern::Pattern};

use super::{
    Resolver, inherit,
    outside::Guarded,
    policy::Policies,
    template::{Names, Place},
};
use crate::{
    ast::Node,
    diagnostic::{Code, Diagnostic},
    model::{EncodedSlash, Guard, Route, Spanned},
};

/// Patterns of a group: each pattern of a route in it is compared with all of them.
const PATTERNS_MAX: usize = 256;

/// What stands around a route: its vhost, or its innermost group.
pub(super) struct Around {
    pub policies: Policies,
    /// Those of the group; empty in a vhost, where every pattern may stand.
    pub patterns: Vec<Spanned<Pattern>>,
    pub guard: Option<Guard>,
    pub methods: Option<Spanned<Methods>>,
    pub encoded_slash: EncodedSlash,
}

impl Around {
    /// Directly in a vhost.
    pub(super) const fn vhost(policies: Policies) -> Self {
        Self { policies, patterns: Vec::new(), guard: None, methods: None, encoded_slash: inherit::ENCODED_SLASH }
    }
}

/// What a scope says of its own beside its policies.
pub(super) struct Own {
    pub patterns: Vec<Spanned<Pattern>>,
    /// With that of the scope around.
    pub guard: Option<Guard>,
    pub methods: Option<Spanned<Methods>>,
    pub encoded_slash: EncodedSlash,
}

impl Resolver<'_> {
    /// The routes of a vhost or group, those of its groups in their place.
    pub(super) fn routes(&mut self, block: &Node, around: &Around) -> Vec<Route> {
        let mut routes = Vec::new();
        for node in &block.children {
            match node.word.name {
                "group" => routes.extend(self.group(node, around)),
                "route" => {
                    let from = self.diagnostics.kept();
                    routes.extend(self.route(node, around));
                    self.mark_uses(from, node);
                }
                _ => {}
            }
        }
        routes
    }

    fn group(&mut self, node: &Node, around: &Around) -> Vec<Route> {
        let from = self.diagnostics.kept();
        self.lints.allow(node, node.extent, self.diagnostics);
        let own = self.own(node, around);
        let names = Names { patterns: &[], captures: &[], place: Place::HeaderValue };
        let policies = self.policies(node, &around.policies, names);
        self.mark_uses(from, node);
        let Own { mut patterns, guard, methods, encoded_slash } = own;
        if let Some(pattern) = patterns.get(PATTERNS_MAX) {
            self.error(
                Code::TooDeep,
                pattern.span,
                format!("this group has more than {PATTERNS_MAX} patterns"),
                "the first that is too much",
            );
            patterns.truncate(PATTERNS_MAX);
        }
        let around = Around { policies, patterns, guard, methods, encoded_slash };
        let routes = self.routes(node, &around);
        if node.child("access").is_some() {
            self.guarded.push(Guarded { patterns: around.patterns, routes: routes.iter().map(|route| route.span).collect() });
        }
        routes
    }

    /// Patterns, conditions, methods and `path` of a group or route.
    pub(super) fn own(&mut self, node: &Node, around: &Around) -> Own {
        let patterns = self.patterns(node);
        self.check_inside(&patterns, &around.patterns);
        let guard = node.child("when").map(|node| self.guard(node, true));
        let methods = node.child("methods").map(|node| Spanned { value: Methods::of(&self.methods(node)), span: node.span });
        let path = node.child("path").and_then(|path| path.argument("mode"));
        Own {
            patterns,
            guard: both(around.guard.as_ref(), guard),
            methods: methods.or_else(|| around.methods.clone()),
            encoded_slash: inherit::encoded_slash(path, around.encoded_slash),
        }
    }

    fn check_inside(&mut self, patterns: &[Spanned<Pattern>], outer: &[Spanned<Pattern>]) {
        let Some(first) = outer.first() else { return };
        for pattern in patterns.iter().filter(|pattern| !outer.iter().any(|outer| lies_in(&pattern.value.text, &outer.value.text))) {
            let message = format!("`{}` is not inside its group", pattern.value.text);
            let diagnostic = Diagnostic::new(Code::OutsideGroup, pattern.span, message).label("takes paths that the group does not");
            let diagnostic = diagnostic.secondary(first.span, "the group");
            let prefix = first.value.text.trim_end_matches('*').trim_end_matches('/');
            let is_meant = first.value.text.ends_with("/*") && !prefix.is_empty();
            self.diagnostics.push(if is_meant {
                diagnostic.help(format!("patterns in a group are whole: `\"{prefix}{}\"`", pattern.value.text))
            } else {
                diagnostic
            });
        }
    }
}

/// Both must hold.
fn both(outer: Option<&Guard>, inner: Option<Guard>) -> Option<Guard> {
    match (outer.cloned(), inner) {
        (Some(Guard::All(mut guards)), Some(inner)) => {
            match inner {
                Guard::All(inner) => guards.extend(inner),
                inner => guards.push(inner),
            }
            Some(Guard::All(guards))
        }
        (Some(outer), Some(Guard::All(mut guards))) => {
            guards.insert(0, outer);
            Some(Guard::All(guards))
        }
        (Some(outer), Some(inner)) => Some(Guard::All(vec![outer, inner])),
        (outer, inner) => outer.or(inner),
    }
}

/// Whether every path that `inner` takes is taken by `outer`. Both are canonical.
pub(super) fn lies_in(inner: &str, outer: &str) -> bool {
    let mut inner = inner.split('/').skip(1);
    for wanted in outer.split('/').skip(1) {
        let is_parameter = wanted.starts_with('{');
        if wanted == "*" || (is_parameter && wanted.ends_with("*}")) {
            return true;
        }
        let is_taken = match inner.next() {
            None => false,
            Some(segment) if is_rest(segment) => false,
            Some(segment) if is_parameter => !segment.is_empty(),
            Some(segment) => segment == wanted,
        };
        if !is_taken {
            return false;
        }
    }
    inner.next().is_none()
}

pub(super) fn is_rest(segment: &str) -> bool {
    segment == "*" || (segment.starts_with('{') && segment.ends_with("*}"))
}

#[cfg(test)]
mod tests {
    use super::lies_in;

    #[test]
    fn patterns_inside_of_others() {
        for (inner, outer) in [
            ("/api", "/api/*"),
            ("/api/", "/api/*"),
            ("/api/*", "/api/*"),
            ("/api/{a}/b", "/api/{rest*}"),
            ("/", "/*"),
            ("/*", "/*"),
            ("/a/b", "/{x}/b"),
            ("/{y}/b", "/{x}/b"),
            ("/a", "/a"),
        ] {
            assert!(lies_in(inner, outer), "{inner} {outer}");
        }
        for (inner, outer) in [
            ("/apis", "/api/*"),
            ("/*", "/api/*"),
            ("/{a}/b", "/api/*"),
            ("/a/", "/{x}/{y}"),
            ("/a/*", "/a/{x}"),
            ("/a/b", "/a"),
            ("/a", "/a/b"),
            ("/{x}", "/a"),
        ] {
            assert!(!lies_in(inner, outer), "{inner} {outer}");
        }
    }
}
