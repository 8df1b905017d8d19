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
        Code::LeftOut,
        "something in an embedded tree is left out",
        "Links that leave the tree, lead nowhere or lead back up, and what is neither file nor directory, are not\n\
         embedded: requests for them are answered with 404. Dotfiles and backups are left out without a word.",
    ),
    entry(
        Code::LogWithoutLog,
        "`log` in a site without an access log",
        "`log` says which exchanges the access log of the site has, and the site has no `access-log`.",
    ),
    entry(
        Code::OpenRedirect,
        "a redirect that may lead to another host",
        "The target begins with a value of the request, or with `//`: whoever makes the link chooses the host that\n\
         visitors are sent to. Begin the target with `/` and text, or with a scheme and a host.",
    ),
    entry(
        Code::RawBesideAccess,
        "a route with `path \"raw\"` takes protected paths",
        "A route with `path \"raw\"` sends the client's own bytes on, in which an escaped path can mean another one\n\
         than the one that was matched. It takes paths that another route keeps behind `access`, which does not\n\
         hold here. Give the route the same `access`, or let it say `path \"keep\"`.",
    ),
    entry(
        Code::NothingMatched,
        "a word of `files` that nothing in the tree matches",
        "A glob of `immutable` or a name of `try` that no embedded file has, or `precompressed` where no file has a\n\
         compressed one beside it. Either the word is misspelt, or the files are not there yet when the site is built.",
    ),
    entry(
        Code::UnusedUpstream,
        "an upstream that no `proxy` names",
        "Its endpoints get no requests. Either its name is misspelt where it was meant, or it can go.",
    ),
    entry(
        Code::HiddenSegment,
        "a `;` can lead past a protected route",
        "To kiln `;` is an ordinary byte, so `/admin;x/y` is no path of `/admin/*`. Many applications take what is\n\
         behind a `;` for a parameter of the segment and read `/admin/y`. A route without the protection sends such\n\
         paths on. Refuse them, `route \"/*\" { when { regex \";\" }; refuse 400 }`, give the route the same `access`, or\n\
         silence the lint where the application knows no such parameters.",
    ),
    entry(
        Code::ReadableSource,
        "program sources are readable",
        "A directory served by `files` has `.php` files in it, and no route runs them: their source text is\n\
         sent to whoever asks.",
    ),
    entry(
        Code::ReachedAround,
        "a proxied route leads to a protected path of its upstream",
        "With `strip-prefix` a path becomes another one: `/old/admin/users` is `/admin/users` to the upstream. Another\n\
         route keeps that path of the same upstream behind `access`, which does not hold here. Give the route the\n\
         same `access`, or refuse the paths in question before it.",
    ),
    entry(
        Code::ForgedForwarding,
        "an upstream is told of the client what the client says",
        "`x-forwarded-for` and its kin are set from the connection, and from `trusted-proxies` alone: whoever asks can\n\
         write these fields, and an upstream believes them. A rule of `request-headers` with a `{header.x}` in such a\n\
         field sends on what anybody wrote. Leave the rule out, or write `{client-ip}`, `{scheme}` or `{host}`.",
    ),
    entry(
        Code::LateRetry,
        "a retry that has no time left",
        "`total` counts all tries of a request. Where it is no longer than the timeout after which a request would be\n\
         sent again, it has passed before the second try begins. Make `total` longer, or the other one shorter.",
    ),
];
