//! What a client gets of an upstream's answer, or in its place.

use kiln::model::{Intercept, Intercepted, Intercepting, Proxy, Route};

use crate::{Answer, Seen, path, template};

/// What takes the place of an answer: the first case that holds.
pub fn instead<'p>(proxy: &'p Proxy, reply: &Answer) -> Option<&'p Intercepted> {
    let holds = |intercept: &&Intercept| match &intercept.when {
        Intercepting::Header(name) => values(reply, name).next().is_some(),
        Intercepting::Statuses(statuses) => statuses.contains(&reply.status),
    };
    proxy.intercepts.iter().find(holds).map(|intercept| &intercept.then)
}

/// The file that an answer names, decoded and relative; `None`: it names none.
pub fn accelerated(proxy: &Proxy, reply: &Answer) -> Option<String> {
    let names = proxy.intercepts.iter().filter_map(|intercept| match &intercept.when {
        Intercepting::Header(name) => Some(name),
        Intercepting::Statuses(_) => None,
    });
    let value = names.into_iter().find_map(|name| values(reply, name).next())?;
    let path = path::normal(value.split('?').next().unwrap_or_default())?;
    Some(percent_encoding::percent_decode_str(&path[1..]).decode_utf8_lossy().into_owned())
}

/// The answer with a file that another one has named: what that says of the file stands in the place of the file's own lines. A refusal is kiln's alone.
pub fn taken_over(mut file: Answer, reply: &Answer) -> Answer {
    let kept = ["cache-control", "content-disposition", "content-type", "expires", "set-cookie"];
    let lines: Vec<_> = reply.fields.iter().filter(|(name, _)| kept.contains(&name.as_str()) && file.status < 400).cloned().collect();
    file.fields.retain(|(name, _)| !lines.iter().any(|(kept, _)| kept == name));
    file.fields.extend(lines);
    file
}

/// What is passed on of an answer: all but what belongs to its connection, edited.
pub fn passed(route: &Route, reply: &Answer, seen: &Seen<'_>) -> Answer {
    let of_hop = ["connection", "keep-alive", "proxy-authenticate", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];
    let options: Vec<String> =
        values(reply, "connection").flat_map(|line| line.split(',')).map(|option| option.trim().to_lowercase()).collect();
    let is_kept = |name: &str| !of_hop.contains(&name) && !options.iter().any(|option| option == name);
    let fields = reply.fields.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
    template::edited(&route.upstream_headers, Answer { status: reply.status, fields, body: reply.body.clone() }, seen)
}

/// The values of a field of a reply.
fn values<'r>(reply: &'r Answer, name: &'r str) -> impl Iterator<Item = &'r str> {
    reply.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
}
