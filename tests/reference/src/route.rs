//! From a vhost to an answer: the route, what is checked before its action, and the action.

use kiln::model::{AccessList, Action, EncodedSlash, Intercepted, Route, Share, Template, Vhost};
use semantics::{
    access::Verdict,
    method::{Method, Methods},
    pattern::Pattern,
};

use crate::{Answer, Outcome, Seen, client, cors, encode, faulty, files, forward, guard, own, path, reply, split, template, with_body};

/// What a vhost answers; a rewrite asks it once more.
pub fn answer(vhost: &Vhost, mut seen: Seen<'_>, outcome: &mut Outcome) -> Option<Answer> {
    match find(vhost, &mut seen, &mut outcome.guards) {
        Err(methods) if methods.is_empty() => {
            Some(encode::sent(&vhost.headers, vhost.encoding.as_ref(), false, own(404, &vhost.errors), &seen))
        }
        Err(methods) => {
            let names: Vec<&str> = methods.iter().filter_map(Method::name).collect();
            let said = own(405, &vhost.errors).with("allow", &names.join(", "));
            Some(encode::sent(&vhost.headers, vhost.encoding.as_ref(), false, said, &seen))
        }
        Ok(at) => {
            outcome.routes.push(at);
            chosen(vhost, &vhost.routes[at], seen, outcome)
        }
    }
}

/// Patterns best first; the first one with a route whose guard accepts decides. `Err`: the methods that it would have taken, none for 404.
fn find(vhost: &Vhost, seen: &mut Seen<'_>, asked: &mut Vec<(usize, bool)>) -> Result<usize, Methods> {
    let path = seen.path.clone();
    let routes = vhost.routes.iter().enumerate();
    let patterns = routes.flat_map(|(at, route)| route.patterns.iter().map(move |pattern| (at, route.guard.is_none(), &pattern.value)));
    let taking = |(at, is_last, pattern)| {
        let pattern: &Pattern = pattern;
        Some(((path::rank(&pattern.text), is_last, at), pattern, path::matched(&pattern.text, &path)?))
    };
    let mut candidates: Vec<_> = patterns.filter_map(taking).collect();
    candidates.sort_by(|a, b| a.0.cmp(&b.0));
    for same in candidates.chunk_by(|a, b| a.0.0 == b.0.0) {
        let mut methods = Methods::NONE;
        for ((_, _, position), pattern, (texts, is_bare)) in same {
            let route = &vhost.routes[*position];
            let named = pattern.parameters.iter().zip(texts).filter_map(|(name, text)| Some((name.clone()?, text.clone())));
            seen.parameters = named.collect();
            let verdict = route.guard.as_ref().map(|guard| guard::holds(guard, seen));
            asked.extend(verdict.map(|verdict| (*position, verdict)));
            if verdict == Some(false) {
                continue;
            }
            if takes(route, seen) {
                seen.rest = texts.last().filter(|_| pattern.text.split('/').any(path::is_rest)).cloned();
                seen.is_bare = *is_bare;
                seen.pattern.clone_from(&pattern.text);
                return Ok(*position);
            }
            methods = methods.union(methods_of(route));
        }
        if !methods.is_empty() {
            seen.parameters.clear();
            return Err(methods);
        }
    }
    seen.parameters.clear();
    Err(Methods::NONE)
}

/// GET brings HEAD; files take these two where nothing is written, other actions all.
fn methods_of(route: &Route) -> Methods {
    match &route.methods {
        Some(written) if written.value.contains(Method::GET) => written.value.union(Methods::GET_HEAD),
        Some(written) => written.value,
        None if is_for_reading(&route.action) => Methods::GET_HEAD,
        None => Methods::ANY,
    }
}

/// It takes GET and HEAD alone: files, unless a miss of theirs takes more.
fn is_for_reading(action: &Action) -> bool {
    match action {
        Action::Files(files) => files.miss.as_ref().is_none_or(|miss| is_for_reading(miss)),
        Action::Split { shares, .. } => shares.iter().any(|share| is_for_reading(&share.action)),
        Action::Abort
        | Action::Redirect { .. }
        | Action::Refuse { .. }
        | Action::Respond { .. }
        | Action::Rewrite { .. }
        | Action::Proxy(_) => false,
    }
}

fn is_files_alone(action: &Action) -> bool {
    matches!(action, Action::Files(files) if files.miss.as_ref().is_none_or(|miss| is_files_alone(miss)))
}

/// A browser that asks beforehand comes with OPTIONS and means another method.
fn takes(route: &Route, seen: &Seen<'_>) -> bool {
    let takes = |name: &str| methods_of(route).contains(Method::parse(name.as_bytes()));
    takes(&seen.request.method) || (route.cors.is_some() && cors::asked(seen).is_some_and(takes))
}

/// The route was chosen: a separator that hides in a segment, preflight, access, body, action, in this order.
fn chosen(vhost: &Vhost, route: &Route, seen: Seen<'_>, outcome: &mut Outcome) -> Option<Answer> {
    let own = |status| own(status, &route.errors);
    let hides = seen.path.contains("%2F") || (seen.path.contains("%5C") && !is_files_alone(&route.action));
    if hides && route.encoded_slash == EncodedSlash::Refuse {
        return Some(encode::sent(&route.headers, route.encoding.as_ref(), false, own(400), &seen));
    }
    let (mut action, mut is_stored) = (&route.action, false);
    let said = if route.cors.is_some() && cors::asked(&seen).is_some() {
        with_body(204, None, Vec::new())
    } else if !route.access.iter().all(|list| lets_in(list, &seen)) {
        own(403)
    } else if seen.request.content_length() > route.body_limit.value {
        own(413)
    } else {
        loop {
            match action {
                Action::Files(files) => match (files::answer(files, route, &seen), &files.miss) {
                    (Some(answer), _) => {
                        is_stored = files.is_embedded && matches!(answer.status, 200 | 206 | 304);
                        break answer;
                    }
                    (None, Some(miss)) => action = miss,
                    (None, None) => break own(404),
                },
                Action::Rewrite { .. } if seen.is_rewritten => break own(500),
                Action::Rewrite { target } => match rewritten(target, &seen) {
                    Some(seen) => return answer(vhost, seen, outcome),
                    None => break own(400),
                },
                Action::Proxy(proxy) => {
                    let Some(sent) = forward::sent(proxy, route, &seen) else { break own(400) };
                    outcome.sent.push(sent);
                    let replied = seen.request.replies.get(outcome.sent.len() - 1)?;
                    match reply::instead(proxy, replied) {
                        None => break reply::passed(route, replied, &seen),
                        Some(Intercepted::Accel { root }) => {
                            let Some(path) = reply::accelerated(proxy, replied) else {
                                break faulty(502, "upstream-framing", &route.errors);
                            };
                            let file = files::named(&seen.text(root), &path, route, &seen).unwrap_or_else(|| own(404));
                            break reply::taken_over(file, replied);
                        }
                        Some(Intercepted::Action(inner)) => action = inner,
                        Some(Intercepted::Page(page)) => {
                            break with_body(replied.status, Some(page.content_type.clone()), page.body.to_vec());
                        }
                    }
                }
                Action::Split { by, shares } => action = &share(vhost, by, shares, &seen).action,
                _ => break act(action, route, &seen)?,
            }
        }
    };
    let shared = route.cors.iter().flat_map(|policy| cors::fields(policy, &seen));
    let answer = shared.fold(said, |answer, (name, value)| answer.with(&name, &value));
    Some(encode::sent(&route.headers, route.encoding.as_ref(), is_stored, answer, &seen))
}

/// The first rule that holds the client decides; without one it is out where the list lets anybody in.
fn lets_in(list: &AccessList, seen: &Seen<'_>) -> bool {
    let first = list.rules.iter().find(|rule| rule.networks.iter().any(|network| client::holds(*network, seen.client)));
    first.map_or_else(|| list.rules.iter().all(|rule| rule.verdict == Verdict::Refuse), |rule| rule.verdict == Verdict::Allow)
}

fn share<'s>(vhost: &Vhost, by: &Template, shares: &'s [Share], seen: &Seen<'_>) -> &'s Share {
    let host = vhost.hosts.first().map_or("default", |host| host.value.as_str());
    split::pick(&format!("{host} {}", seen.pattern), &template::rendered(by, seen, 0, false), shares)
}

/// The request with another path, its query kept unless the target has one; nothing of the first route is left. `None`: the target is no path.
fn rewritten<'r>(target: &Template, seen: &Seen<'r>) -> Option<Seen<'r>> {
    let target = String::from_utf8(template::rendered(target, seen, 0, true)).ok()?;
    let (raw, query) = match target.split_once('?') {
        Some((raw, query)) => (raw, Some(query.to_owned())),
        None => (target.as_str(), seen.query.clone()),
    };
    let path = path::normal(raw)?;
    Some(Seen { path, query, is_rewritten: true, ..seen.clone() })
}

/// `None`: closed without an answer.
fn act(action: &Action, route: &Route, seen: &Seen<'_>) -> Option<Answer> {
    Some(match action {
        Action::Abort => return None,
        Action::Redirect { target, status, drops_query } => {
            template::redirect(target, status.value, *drops_query, seen).unwrap_or_else(|| own(400, &route.errors))
        }
        Action::Refuse { status } => own(status.value, &route.errors),
        Action::Respond { status, body, content_type } => {
            let has_body = !body.parts.is_empty() && !matches!(status.value, 204 | 304);
            let text = has_body.then(|| "text/plain; charset=utf-8".to_owned());
            with_body(status.value, content_type.clone().or(text), template::rendered(body, seen, status.value, false))
        }
        Action::Files(_) | Action::Proxy(_) | Action::Rewrite { .. } | Action::Split { .. } => unreachable!("the caller has followed it"),
    })
}
