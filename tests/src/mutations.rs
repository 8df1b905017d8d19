//! Faults to plant in a plan: each is a way in which a compiler could be wrong, and the oracle must see every one.

mod proxied;
mod requests;

use kiln::{
    model::EncodedSlash,
    plan::{Action, EditsId, Guard, Part, Plan, Route, Rules, Value, Vhost},
};
use semantics::method::{Method, Methods};

/// A name, and the change; `false` where the plan has nothing of that kind.
pub type Mutation = (&'static str, fn(&mut Plan) -> bool);

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Mutation> {
    ROUTES.iter().chain(proxied::ALL).chain(requests::ALL)
}

/// Faults in routes, their guards and their answers.
const ROUTES: &[Mutation] = &[
    ("two unguarded routes are swapped", |plan| {
        let vhost = vhost(plan, "patterns.test");
        let (a, b) = (position(vhost, "/a/b"), position(vhost, "/a/{x}"));
        let action = vhost.routes[a].action.clone();
        vhost.routes[a].action = std::mem::replace(&mut vhost.routes[b].action, action);
        true
    }),
    ("two patterns are in the wrong order", |plan| {
        let patterns = &mut vhost(plan, "patterns.test").patterns;
        let at = patterns.iter().position(|pattern| pattern.text == "/a/{x}/c");
        let other = patterns.iter().position(|pattern| pattern.text == "/a/*");
        at.zip(other).map(|(at, other)| patterns.swap(at, other)).is_some()
    }),
    ("two guarded routes of a pattern are in the wrong order", |plan| {
        let pattern = pattern(vhost(plan, "guards.test"), "/");
        pattern.swap(0, 1);
        true
    }),
    ("a guard is dropped", |plan| {
        let vhost = vhost(plan, "guards.test");
        first(vhost, |route| route.guard.is_some() && route.pattern == "/host").guard.take().is_some()
    }),
    ("a guard is negated", |plan| {
        let vhost = vhost(plan, "guards.test");
        let guard = &mut first(vhost, |route| route.guard.is_some() && route.pattern == "/method").guard;
        *guard = guard.take().map(|guard| Guard::Not(Box::new(guard)));
        true
    }),
    ("a guard's all is an any", |plan| {
        let vhost = vhost(plan, "guards.test");
        first(vhost, |route| route.pattern == "/tree/*" && route.guard.is_some()).guard.as_mut().is_some_and(all_to_any)
    }),
    ("a guard's value is another", |plan| {
        let vhost = vhost(plan, "guards.test");
        first(vhost, |route| route.pattern == "/falls/{x}").guard.as_mut().is_some_and(change_value)
    }),
    ("codings are in another order", |plan| {
        let id = vhost(plan, "encode.test").encoding;
        id.map(|id| plan.encodings[id.0 as usize].codings.reverse()).is_some()
    }),
    ("a body of one byte more is too short", |plan| {
        let id = vhost(plan, "encode.test").encoding;
        id.map(|id| plan.encodings[id.0 as usize].min_bytes.value += 2).is_some()
    }),
    ("a route's encoding is that of its vhost", |plan| {
        let vhost = vhost(plan, "encode.test");
        let outer = vhost.encoding;
        first(vhost, |route| route.pattern == "/off").encoding = outer;
        outer.is_some()
    }),
    ("a status is another", |plan| {
        let route = first(vhost(plan, "methods.test"), |route| route.pattern == "/post");
        set_status(&mut route.action, 200)
    }),
    ("a redirect drops its query", |plan| {
        let route = first(vhost(plan, "actions.test"), |route| route.pattern == "/moved/{rest*}");
        if let Action::Redirect { drops_query, .. } = &mut route.action {
            *drops_query = true;
        }
        true
    }),
    ("a redirect keeps a query that it should drop", |plan| {
        let route = first(vhost(plan, "actions.test"), |route| route.pattern == "/drop");
        if let Action::Redirect { drops_query, .. } = &mut route.action {
            *drops_query = false;
        }
        true
    }),
    ("a template's parameter is the next one", |plan| {
        let route = first(vhost(plan, "patterns.test"), |route| route.pattern == "/rest/{one}/{rest*}");
        swap_parameters(&mut route.action)
    }),
    ("a route takes a method more", |plan| {
        let route = first(vhost(plan, "methods.test"), |route| route.pattern == "/get");
        route.methods = route.methods.union(Methods::of(&[Method::POST]));
        true
    }),
    ("a route takes a method less", |plan| {
        let route = first(vhost(plan, "methods.test"), |route| route.pattern == "/both" && route.methods.contains(Method::PUT));
        route.methods = Methods::of(&[Method::POST]);
        true
    }),
    ("HEAD is not brought by GET", |plan| {
        let route = first(vhost(plan, "methods.test"), |route| route.pattern == "/get");
        route.methods = Methods::of(&[Method::GET]);
        true
    }),
    ("a route has the edits of its vhost only", |plan| {
        let vhost = vhost(plan, "headers.test");
        let edits = vhost.edits;
        first(vhost, |route| route.pattern == "/add").edits = edits;
        true
    }),
    ("one rule of the edits is dropped", |plan| {
        let id = first(vhost(plan, "headers.test"), |route| route.pattern == "/echo/{name}").edits;
        edits(plan, id).rules.pop().is_some()
    }),
    ("edits of a status hold for all", |plan| {
        let id = vhost(plan, "methods.test").edits;
        edits(plan, id).rules.iter_mut().find(|rule| !rule.only.is_empty()).map(|rule| rule.only.clear()).is_some()
    }),
    ("ready lines of the edits are lost", |plan| {
        let table = plan.edits.iter_mut().filter(|edits| !edits.appended.is_empty());
        table.map(|edits| edits.appended.clear()).count() > 0
    }),
    ("a host leads to another vhost", |plan| {
        let other = plan.hosts[0].names.iter().find(|(name, _)| name == "methods.test").map(|(_, vhost)| *vhost);
        let entry = plan.hosts[0].names.iter_mut().find(|(name, _)| name == "www.patterns.test");
        entry.zip(other).map(|(entry, other)| entry.1 = other).is_some()
    }),
    ("a wildcard is another's", |plan| {
        let exact = plan.hosts[0].names.iter().find(|(name, _)| name == "*.actions.test").map(|(_, vhost)| *vhost);
        let entry = plan.hosts[0].names.iter_mut().find(|(name, _)| name == "*.deep.actions.test");
        entry.zip(exact).map(|(entry, exact)| entry.1 = exact).is_some()
    }),
    ("unknown hosts get a vhost", |plan| plan.hosts[0].default.replace(0).is_none()),
    ("an encoded slash is kept where it is refused", |plan| {
        first(vhost(plan, "patterns.test"), |route| route.pattern == "/refused/{x}").encoded_slash = EncodedSlash::Keep;
        true
    }),
    ("an encoded slash is refused where it is kept", |plan| {
        first(vhost(plan, "patterns.test"), |route| route.pattern == "/keep/{x}").encoded_slash = EncodedSlash::Refuse;
        true
    }),
    ("an index is another file", |plan| {
        let embed = plan.embeds.iter_mut().find(|embed| embed.rules.index == "index.html");
        embed.map(|embed| "plain.txt".clone_into(&mut embed.rules.index)).is_some()
    }),
    ("a name is not tried", |plan| !words(plan, "/tried/*").tried.drain(1..).as_slice().is_empty()),
    ("names are tried in another order", |plan| {
        words(plan, "/tried/*").tried.reverse();
        true
    }),
    ("the page of an application is another file", |plan| words(plan, "/spa/*").spa.replace("about.html".to_owned()).is_some()),
    ("directories are not listed", |plan| std::mem::take(&mut words(plan, "/listed/*").lists)),
    ("hidden files are not served", |plan| std::mem::take(&mut words(plan, "/spa/*").serves_hidden)),
    ("a miss is lost", |plan| {
        let Action::Embed { miss, .. } = &mut files(plan, "/both/*").action else { return false };
        miss.take().is_some()
    }),
    ("a miss of a miss is lost", |plan| {
        let Action::Embed { miss: Some(miss), .. } = &mut files(plan, "/both/*").action else { return false };
        let Action::Embed { miss, .. } = &mut miss.action else { return false };
        miss.take().is_some()
    }),
    ("a route is lost", |plan| {
        let routes = pattern(vhost(plan, "table.test"), "/{any}/{other}");
        routes.drain(..).count() > 0
    }),
];

fn vhost<'p>(plan: &'p mut Plan, host: &str) -> &'p mut Vhost {
    plan.vhosts.iter_mut().find(|vhost| vhost.hosts.iter().any(|name| name == host)).unwrap_or_else(|| panic!("no vhost {host}"))
}

fn files<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut Route {
    first(vhost(plan, "files.test"), |route| route.pattern == pattern)
}

/// What the block of a route's embedded tree says.
fn words<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut Rules {
    let Action::Embed { embed, .. } = files(plan, pattern).action else { panic!("no tree: {pattern}") };
    &mut plan.embeds[embed.0 as usize].rules
}

fn position(vhost: &Vhost, pattern: &str) -> usize {
    vhost.routes.iter().position(|route| route.pattern == pattern).unwrap_or_else(|| panic!("no route {pattern}"))
}

fn first(vhost: &mut Vhost, is_wanted: impl FnMut(&&mut Route) -> bool) -> &mut Route {
    vhost.routes.iter_mut().find(is_wanted).expect("the route that the mutation is for")
}

fn pattern<'p>(vhost: &'p mut Vhost, text: &str) -> &'p mut Vec<u32> {
    let pattern = vhost.patterns.iter_mut().find(|pattern| pattern.text == text);
    &mut pattern.unwrap_or_else(|| panic!("no pattern {text}")).routes
}

fn edits(plan: &mut Plan, id: EditsId) -> &mut kiln::plan::Edits {
    &mut plan.edits[id.0 as usize]
}

fn all_to_any(guard: &mut Guard) -> bool {
    match guard {
        Guard::All(parts) => {
            *guard = Guard::Any(std::mem::take(parts));
            true
        }
        Guard::Any(_) | Guard::Header { .. } | Guard::Host(_) | Guard::Method(_) | Guard::Not(_) | Guard::Path(_) => false,
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => false,
    }
}

fn change_value(guard: &mut Guard) -> bool {
    match guard {
        Guard::Header { values, .. } => values.first_mut().map(|value| *value = Value::Text("no".to_owned())).is_some(),
        Guard::All(parts) | Guard::Any(parts) => parts.iter_mut().any(change_value),
        Guard::Host(_) | Guard::Method(_) | Guard::Not(_) | Guard::Path(_) => false,
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => false,
    }
}

fn set_status(action: &mut Action, to: u16) -> bool {
    match action {
        Action::Respond { status, .. } | Action::Redirect { status, .. } | Action::Refuse { status } => status.value = to,
        Action::Abort | Action::Embed { .. } | Action::Proxy(_) | Action::Rewrite { .. } | Action::Root { .. } | Action::Split { .. } => {
            return false;
        }
    }
    true
}

fn swap_parameters(action: &mut Action) -> bool {
    let Action::Respond { body, .. } = action else { return false };
    let mut count = 0;
    for part in body {
        if let Part::Parameter(index) = part {
            *index = 1 - *index;
            count += 1;
        }
    }
    count > 0
}
