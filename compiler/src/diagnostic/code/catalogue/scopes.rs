//! Hosts, listeners, routes and names: K02xx.

use super::{Code, Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        Code::BadHost,
        "not a host name",
        "A host is a name (`shop.example`), an IPv4 address, an IPv6 address in brackets, or a wildcard\n\
         `*.example`, which takes one or more labels before `.example`. No port, no scheme, no dot at the\n\
         end; international names in their `xn--` form.",
    ),
    entry(
        Code::HostTwice,
        "a host is claimed twice",
        "Each host belongs to one vhost. Merge the two, or take the host out of one of them.",
    ),
    entry(
        Code::Unreachable,
        "a route that no request can reach",
        "Another route of the same pattern takes all its requests first: it has no guard, or an equal one,\n\
         and takes the same methods. Names of parameters make no difference. Give one a `when` or other\n\
         `methods`, or remove it.",
    ),
    entry(Code::DefaultTwice, "two default vhosts", "Only one vhost can answer the hosts that no other takes."),
    entry(
        Code::BadPattern,
        "not a route pattern",
        "A pattern begins with `/`. Each segment is a literal, a `{parameter}` for one non-empty segment, or,\n\
         last only, `*` or `{rest*}`. Nothing else: no suffix behind a parameter, no star inside a segment,\n\
         no regular expression.",
    ),
    entry(
        Code::SharedMethods,
        "two routes of one pattern share methods",
        "Two routes with equal patterns and no guard take some of the same methods, so that their order would\n\
         decide. GET brings HEAD.",
    ),
    entry(
        Code::MissingAction,
        "a route without an action",
        "A route does exactly one thing: `respond`, `redirect`, `refuse`, `abort`, `files`, `proxy`, `rewrite` or\n\
         `split`.",
    ),
    entry(
        Code::ActionTwice,
        "a route with two actions",
        "A route does exactly one thing. Write a second route, or use a guard to tell the requests apart.",
    ),
    entry(
        Code::MethodsNotTaken,
        "the action takes none of these methods",
        "`files` answers GET and HEAD only; CONNECT is never passed to a route.",
    ),
    entry(
        Code::BadAddress,
        "not an address to listen on",
        "`listen` takes a numeric address and a port: `0.0.0.0:8080`, `127.0.0.1:8080`, `[::]:8080`. Names\n\
         are not looked up.",
    ),
    entry(Code::ListenerTwice, "a listener is written twice", "Two `listen` have the same address, or the same `name`."),
    entry(Code::HostlessVhost, "a vhost without hosts", "A vhost names the hosts that it answers, or is `default=#true`."),
    entry(
        Code::NameTwice,
        "two things of one kind have the same name",
        "Snippets, maps, matches and upstreams are found by their names, so each name stands once in the whole site, its\n\
         includes counted.",
    ),
    entry(
        Code::UnknownName,
        "a name that nothing has",
        "A listener (`on=`), snippet (`use`), map (`{map.x}`, `map` in `when`), match (`match` in `when`) or upstream\n\
         (`proxy`) is asked for by a name that none has. They may be defined behind their use, and in other files of the site.",
    ),
    entry(
        Code::Circle,
        "something leads back to itself",
        "A snippet uses itself, a match asks for itself, or the key of a map has the map's own value in it,\n\
         directly or through others. None of them has an end.",
    ),
    entry(
        Code::OutsideGroup,
        "a pattern is not inside its group",
        "The patterns in a `group` are absolute, and every path that one takes must be taken by a pattern of\n\
         the group: in `group \"/api/*\"` stand `\"/api/users\"` and `\"/api/*\"`, not `\"/users\"`. So the group says\n\
         what its policies are about.",
    ),
    entry(
        Code::ForeignCanonicalHost,
        "`canonical-host` is no host of the vhost",
        "Requests for other hosts of the vhost are sent to the canonical one. If the vhost does not answer it,\n\
         no request is ever answered here. To send a whole vhost elsewhere, write a route with `redirect`.",
    ),
    entry(
        Code::RewriteTwice,
        "a rewrite leads to a rewrite",
        "`rewrite` starts matching over, once: a second one for the same request is answered with 500. Where\n\
         the target is constant this is found here. Write the last target into the first `rewrite`.",
    ),
    entry(
        Code::BadCapture,
        "a named group of a regex can't be a parameter",
        "The named groups of a regex in `when` are parameters of the route, beside those of its pattern: each\n\
         name stands once, and there are at most 16. A group has a value only where its regex must match, so not\n\
         below `any` or `not`, and not beside other arguments. `(?:..)` is a group without a name.",
    ),
    entry(
        Code::ListenerMisfit,
        "an option that a listener of this kind can't have",
        "`mode=` is for Unix sockets, which are files; `congestion` for TCP; `dual-stack=#true` for the address\n\
         `[::]`, which alone stands for addresses of both kinds.",
    ),
    entry(
        Code::BadEndpoint,
        "not an address of an endpoint",
        "`endpoint` takes a numeric address and a port (`10.0.0.5:3000`, `[fd00::5]:3000`), or `unix:` and the\n\
         absolute path of a socket. A `proxy` names an upstream, or the URL of its one endpoint:\n\
         `http://10.0.0.5:3000`, without a path. This version looks no names up and speaks no TLS to upstreams.",
    ),
    entry(
        Code::OutsidePrefix,
        "`strip-prefix` takes away what not every path of the route has",
        "Every pattern of the route must lie below the prefix, by whole segments: `strip-prefix \"/api\"` stands in\n\
         `route \"/api/*\"` and in `route \"/api/users\"`, not in `route \"/*\"` or `route \"/apis/*\"`.",
    ),
];
