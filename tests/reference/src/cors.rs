//! `cors`: the fields that a browser reads (Fetch standard §3.3).

use kiln::model::{Allowed, Cors, Origins};

use crate::Seen;

/// The origin that was sent, if exactly one was.
fn origin<'s>(seen: &'s Seen<'_>) -> Option<&'s str> {
    let origins: Vec<&str> = seen.lines("origin").collect();
    if let [origin] = origins[..] { Some(origin) } else { None }
}

/// The method that a browser asks for beforehand.
pub fn asked<'s>(seen: &'s Seen<'_>) -> Option<&'s str> {
    let method = seen.lines("access-control-request-method").next()?;
    (seen.request.method == "OPTIONS" && origin(seen).is_some()).then_some(method)
}

/// The fields of any answer, or of the one to a preflight.
pub fn fields(policy: &Cors, seen: &Seen<'_>) -> Vec<(String, String)> {
    let asked = asked(seen);
    let mut fields = Vec::new();
    let mut say = |name: &str, value: String| fields.push((name.to_owned(), value));
    let has_credentials = matches!(policy.origins, Origins::Listed { has_credentials: true, .. });
    if let Origins::Listed { .. } = policy.origins {
        let repeats = |allowed: &Allowed| asked.is_some() && has_credentials && *allowed == Allowed::Any;
        let method = if repeats(&policy.methods) { ", access-control-request-method" } else { "" };
        let headers = if repeats(&policy.headers) { ", access-control-request-headers" } else { "" };
        say("vary", format!("origin{method}{headers}"));
    }
    match &policy.origins {
        Origins::Any => say("access-control-allow-origin", "*".to_owned()),
        Origins::Listed { origins, .. } => match origin(seen).filter(|origin| origins.iter().any(|listed| listed == origin)) {
            Some(origin) => say("access-control-allow-origin", origin.to_owned()),
            None => return fields,
        },
    }
    if has_credentials {
        say("access-control-allow-credentials", "true".to_owned());
    }
    // With credentials `*` is a mere name, so what was asked for is repeated, where it is a list of names.
    let is_token =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    let are_names = |asked: &&str| asked.split(',').all(|name| is_token(name.trim()));
    let mut list = |name: &str, allowed: &Allowed, asked: Option<&str>| match allowed {
        Allowed::Any if has_credentials => asked.filter(are_names).into_iter().for_each(|asked| say(name, asked.to_owned())),
        Allowed::Any => say(name, "*".to_owned()),
        Allowed::Listed(names) if names.is_empty() => {}
        Allowed::Listed(names) => say(name, names.join(", ")),
    };
    if asked.is_none() {
        list("access-control-expose-headers", &policy.exposed, None);
        return fields;
    }
    list("access-control-allow-methods", &policy.methods, asked);
    list("access-control-allow-headers", &policy.headers, seen.lines("access-control-request-headers").next());
    if let Some(seconds) = policy.max_age_s {
        say("access-control-max-age", seconds.to_string());
    }
    fields
}
