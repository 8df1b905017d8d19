//! Lints: K04xx.

use super::{Code, Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        Code::UnusedAllowance,
        "an `allow-lint` that silences nothing",
        "The lint does not fire here. Remove the line, so that it can warn again when it should.",
    ),
    entry(Code::EmptyVhost, "a vhost without routes", "The vhost answers its hosts, but every request with 404."),
    entry(
        Code::RedirectToItself,
        "a redirect leads to where it came from",
        "The target is the very path that the route takes: clients give up after some rounds.",
    ),
    entry(
        Code::RouteOutsideGroup,
        "a route takes paths of a group with `access` without being in it",
        "A group is lexical: its `access` holds for the routes written in it, whatever paths the others take.\n\
         Move the route into the group, or give it an `access` of its own.",
    ),
    entry(
        Code::ReadableSource,
        "program sources are readable",
        "A directory served by `files` has `.php` files in it, and no route runs them: their source text is\n\
         sent to whoever asks.",
    ),
];
