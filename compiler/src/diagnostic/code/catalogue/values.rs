//! Values: K03xx.

use super::{Code, Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(Code::WrongType, "a value of the wrong type", "Text stands in quotes, numbers do not, and booleans are `#true` and `#false`."),
    entry(
        Code::BadDuration,
        "not a duration",
        "A duration is a number and a unit in quotes: `\"250ms\"`, `\"30s\"`, `\"5m\"`, `\"1h\"`, `\"7d\"`. A bare\n\
         number would hide its unit.",
    ),
    entry(
        Code::BadSize,
        "not a size",
        "A size is a number and a unit in quotes: `\"512B\"`, `\"32KiB\"`, `\"16MiB\"`, `\"2GiB\"`. A bare number\n\
         would hide its unit.",
    ),
    entry(
        Code::BadStatus,
        "a status that this word can't use",
        "`respond` takes 200 to 599, `redirect` takes 300, 301, 302, 303, 307 and 308, `refuse` and `page` take\n\
         400 to 599, `on` in `intercept` takes 200 to 599.",
    ),
    entry(Code::BadMethod, "not a method", "Methods are registered names in upper case: `GET`, `POST`, `PROPFIND`."),
    entry(Code::OutOfRange, "a number out of its range", "The message says the smallest and the largest value."),
    entry(Code::BadChoice, "none of the values that the word takes", "The message lists them."),
    entry(
        Code::BadTemplate,
        "a template that can't be read",
        "In a template `{name}` inserts a value; a brace itself is written twice: `{{` and `}}`.",
    ),
    entry(
        Code::UnknownTemplateName,
        "a template names an unknown value",
        "A template can insert `{host}`, `{path}`, `{query}`, `{query.x}`, `{target}`, `{scheme}`,\n\
         `{method}`, `{client-ip}`, `{request-id}`, `{header.x}`, `{cookie.x}`, `{map.x}`, `{status}`, and the\n\
         parameters that every pattern of the route has. That of `access-log` also takes `{time}`,\n\
         `{time-common}`, `{bytes}`, `{sent-bytes}`, `{received-bytes}`, `{duration}`, `{outcome}`, `{cause}`,\n\
         `{protocol}`, `{vhost}`, `{route}`, `{written-target}`, `{upstream}`, `{endpoint}`, `{attempts}`,\n\
         `{connect-duration}`, `{first-byte-duration}` and `{upstream-status}`.",
    ),
    entry(
        Code::BadHeaderName,
        "not a header name",
        "A header name is made of letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110, 5.6.2). `remove` also\n\
         takes the beginning of names: `\"x-*\"`.",
    ),
    entry(
        Code::BadHeaderValue,
        "not a header value",
        "A header value has no control byte (a tab excepted), and no space at its ends. Text outside of ASCII\n\
         is sent as UTF-8 bytes that few clients read, so it is refused too.",
    ),
    entry(
        Code::ReservedHeader,
        "a header that belongs to the engine",
        "Framing and hop-by-hop fields (`connection`, `content-length`, `transfer-encoding`, `upgrade` and\n\
         others) and `date` are written by the engine: editing them would break the connection. Of requests to an\n\
         upstream, `host` and `upgrade` are words in the block of `proxy`.",
    ),
    entry(
        Code::HeaderTwice,
        "a header has two rules in one block",
        "In one block a name has one of `set`, `default` and `remove`, plus any number of `add`.",
    ),
    entry(Code::BodyNotAllowed, "a status that has no body", "Answers with status 204, 205 and 304 have no body (RFC 9110, 15)."),
    entry(
        Code::BadTarget,
        "not a target",
        "The target of a `redirect` begins with `/`, a scheme (`https://`), `?`, `#` or a template part; those of\n\
         `rewrite`, and `target` and `strip-prefix` of a `proxy`, are paths. None has spaces or control bytes; text\n\
         outside of ASCII is percent-encoded.",
    ),
    entry(
        Code::UnknownLanguage,
        "a version of the language that this kiln does not know",
        "`language=` pins the version of the site language. This version of kiln knows 1.",
    ),
    entry(
        Code::BadName,
        "not a name",
        "Names are lower-case letters, digits, `-` and `.`, begin with a letter or digit, and have at most 64\n\
         bytes.",
    ),
    entry(
        Code::RepeatedValue,
        "a value is written twice in one list",
        "A value that stands twice in the same list is a slip: nothing would change without it.",
    ),
    entry(Code::UnknownLint, "`allow-lint` names no lint", "Only lints (K04xx) can be silenced; an error can't."),
    entry(
        Code::MissingReason,
        "`allow-lint` without a reason",
        "A lint is silenced with a reason for the next reader: `allow-lint \"K0412\" reason=\"the sources are\n\
         public\"`.",
    ),
    entry(
        Code::MisplacedLate,
        "a late value where only the site file can say one",
        "`(env)\"NAME\"` and `(file)\"/path\"` are read when the server starts. They stand where nothing is decided\n\
         by them at build time: the address of `listen` and `endpoint`, the file of `access-log` and `error-log`, the values of\n\
         `headers`, `request-headers` and `upstream-headers`, the values of `header`, `query` and `cookie` in `when`,\n\
         the directory of `files` without `embed`, and the root of `accel`.",
    ),
    entry(
        Code::BadLate,
        "a late value that can't be read",
        "`(env)` takes the name of a variable (letters, digits, `_`), `(file)` a path. `default=` on the same node\n\
         is what a variable is where it is not set; it belongs to exactly one late value of the node.",
    ),
    entry(
        Code::BadNetwork,
        "not an address or network",
        "Networks are written as an address, or as the first address with the number of bits that are fixed:\n\
         `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`.",
    ),
    entry(
        Code::BadRegex,
        "a regex that can't be used",
        "Regexes are those of Rust's `regex` crate without Unicode classes, since a path in normal form is ASCII.\n\
         Each becomes an automaton at build time that reads every byte once, so none can be slow; one whose\n\
         automaton would be larger than 1 MiB is refused. Named groups become parameters: such a regex must be\n\
         one-pass, so that at every byte it is clear which group it belongs to.",
    ),
    entry(
        Code::BadOrigin,
        "not an origin",
        "An origin is what browsers send: scheme, host and a port that is not the scheme's own, in lower case and\n\
         without a path, such as `https://partner.example` or `http://localhost:3000`.",
    ),
    entry(
        Code::CredentialsForAll,
        "credentials together with `*`",
        "With `credentials` every origin and every exposed header is named: browsers refuse `*` then, and\n\
         whatever stood in its place would open the answers of signed-in users to every site.",
    ),
    entry(
        Code::BadRow,
        "a row of a map that can't be used",
        "A line of a map's file is a key, one tab and a value; empty lines and lines that begin with `#` are\n\
         skipped. Keys of a map `from=\"{path}\"` are paths in normal form, else no request has them. Values that\n\
         go into a target are ASCII without spaces, percent-encoded; where the target begins with one, it is a\n\
         path or a URL.",
    ),
    entry(Code::RepeatedKey, "a key of a map stands twice", "Each key of a map has one row, in `case` and in the file together."),
    entry(
        Code::EmptyTable,
        "a map without rows",
        "A map takes its rows from `case \"key\" \"value\"` inside its block, from the file that `file=` names, or both.",
    ),
    entry(
        Code::BadMode,
        "not permission bits",
        "Permission bits of a socket's file are octal as chmod takes them: `\"0660\"`, `\"0600\"`.",
    ),
    entry(
        Code::BadLogFile,
        "not a place for a log",
        "A log goes to `\"stdout\"` (an access log alone), to `\"stderr\"`, or to the file of a path. A relative path\n\
         begins at the working directory of the server. Without the word nothing is written, so there is no `off`.",
    ),
    entry(
        Code::BadLogLine,
        "not a line of a log",
        "The template of an access log is one line: its own text has no control byte but tabs, and at least one\n\
         part. Values that are inserted are quoted, so that none can end the line.",
    ),
    entry(
        Code::BadTry,
        "not a name to try",
        "A name to try has `{path}` once, which is the decoded path below the route, and text before or behind it:\n\
         `\"{path}.html\"`, `\"{path}/index.html\"`, `\"pages/{path}.html\"`. It is a name below the directory, without a\n\
         slash at its beginning. The path's own file always comes first, and need not be written.",
    ),
    entry(
        Code::BadGlob,
        "not a glob",
        "In a glob `*` is any text but `/`, `?` one byte but `/`, and a part `**` any number of parts. A glob\n\
         without `/` is of the last part of a name, one with `/` of the whole name below the directory: `\"*.css\"`,\n\
         `\"assets/*\"`, `\"assets/**/*.js\"`.",
    ),
    entry(
        Code::BadPercent,
        "not a part of all requests",
        "A budget is a whole number and a percent sign in quotes, `\"1%\"` to `\"100%\"`: of so many of all requests to\n\
         the upstream one may be sent again.",
    ),
    entry(
        Code::BadUpgrade,
        "not a protocol that can take a connection over",
        "`upgrade` takes the names that clients write into `upgrade:`, such as `\"websocket\"`, or `\"*\"` for any. `h2c` is\n\
         none of them: it carries requests of its own, past every rule of the site.",
    ),
    entry(
        Code::BadRetry,
        "nothing to send a request again after",
        "`on` of `retry` takes `\"connect\"` (no connection came to stand), `\"reset-before-response\"` (it ended before\n\
         the answer began), `\"first-byte-timeout\"`, and statuses of answers from 400 to 599: `\"503\"`.",
    ),
];
