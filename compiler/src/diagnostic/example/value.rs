//! K03xx: values.

use super::{Code, Example, example};

pub(super) const EXAMPLES: &[Example] = &[
    example(Code::WrongType, r#"workers "4""#, "workers 4"),
    example(Code::BadDuration, "timeouts { idle \"75\" }", "timeouts { idle \"75s\" }"),
    example(Code::BadSize, r#"limits { head "32k" }"#, r#"limits { head "32KiB" }"#),
    example(Code::BadStatus, r#"redirect "/new" status=200"#, r#"redirect "/new" status=308"#),
    example(Code::BadMethod, r#"methods "get""#, r#"methods "GET""#),
    example(Code::OutOfRange, "workers 0", "workers 1"),
    example(Code::BadChoice, r#"path "kept""#, r#"path "keep""#),
    example(Code::BadTemplate, r#"redirect "/{host""#, r#"redirect "/{host}""#),
    example(Code::UnknownTemplateName, r#"route "/old/{id}" { redirect "/new/{ide}" }"#, r#"route "/old/{id}" { redirect "/new/{id}" }"#),
    example(Code::BadHeaderName, r#"headers { set "x-frame-options:" "DENY" }"#, r#"headers { set "x-frame-options" "DENY" }"#),
    example(Code::BadHeaderValue, r#"headers { set "x-name" "a\nb" }"#, r#"headers { set "x-name" "a, b" }"#),
    example(Code::ReservedHeader, r#"headers { set "connection" "close" }"#, "timeouts { idle \"1s\" }"),
    example(
        Code::HeaderTwice,
        "headers {\n    set \"cache-control\" \"no-store\"\n    remove \"cache-control\"\n}",
        "headers {\n    set \"cache-control\" \"no-store\"\n}",
    ),
    example(Code::BodyNotAllowed, r#"respond 204 "nothing""#, "respond 204"),
    example(Code::BadTarget, r#"redirect "there""#, r#"redirect "/there""#),
    example(
        Code::UnknownLanguage,
        "site \"demo\" language=99 {\n    listen \"0.0.0.0:8080\"\n}",
        "site \"demo\" language=1 {\n    listen \"0.0.0.0:8080\"\n}",
    ),
    example(
        Code::BadName,
        "site \"My Shop!\" language=1 {\n    listen \"0.0.0.0:8080\"\n}",
        "site \"my-shop\" language=1 {\n    listen \"0.0.0.0:8080\"\n}",
    ),
    example(Code::RepeatedValue, r#"methods "GET" "POST" "GET""#, r#"methods "GET" "POST""#),
    example(
        Code::UnknownLint,
        "allow-lint \"K0107\" reason=\"nothing is served yet\"\nroute \"/drafts/*\" { respond 404 }",
        "route \"/drafts/*\" { respond 404 }",
    ),
    example(
        Code::MissingReason,
        "allow-lint \"K0412\" reason=\" \"\nroute \"/*\" { files \"scripts\" { embed } }",
        "allow-lint \"K0412\" reason=\"the scripts are there to be read\"\nroute \"/*\" { files \"scripts\" { embed } }",
    ),
    example(
        Code::MisplacedLate,
        "route \"/\" { respond 200 (env)\"GREETING\" }",
        "route \"/\" { headers { set \"x-greeting\" (env)\"GREETING\" }; respond 200 }",
    ),
    example(Code::BadLate, "listen (env)\"LISTEN ON\"", "listen (env)\"LISTEN_ON\" default=\"127.0.0.1:8080\""),
    example(Code::BadNetwork, "access { allow \"10.0.0.1/8\" }", "access { allow \"10.0.0.0/8\" }"),
    example(
        Code::BadRegex,
        "route \"/*\" { when { regex \"([0-9]+\" }; respond 200 }",
        "route \"/*\" { when { regex \"([0-9]+)\" }; respond 200 }",
    ),
    example(Code::BadOrigin, "cors { origin \"partner.example\" }", "cors { origin \"https://partner.example\" }"),
    example(Code::CredentialsForAll, "cors { origin \"*\"; credentials }", "cors { origin \"https://partner.example\"; credentials }"),
    example(
        Code::BadRow,
        "map \"moved\" from=\"{path}\" { case \"old\" \"/new\" }",
        "map \"moved\" from=\"{path}\" { case \"/old\" \"/new\" }",
    ),
    example(
        Code::RepeatedKey,
        "map \"moved\" from=\"{path}\" { case \"/a\" \"/b\"; case \"/a\" \"/c\" }",
        "map \"moved\" from=\"{path}\" { case \"/a\" \"/c\" }",
    ),
    example(Code::EmptyTable, "map \"moved\" from=\"{path}\"", "map \"moved\" from=\"{path}\" { case \"/old\" \"/new\" }"),
    example(Code::BadMode, r#"listen "unix:/run/kiln/demo.sock" mode="660w""#, r#"listen "unix:/run/kiln/demo.sock" mode="0660""#),
    example(Code::BadLogFile, r#"access-log "/var/log/kiln/""#, r#"access-log "/var/log/kiln/access.log""#),
    example(Code::BadLogLine, r#"access-log "stdout" template="{method} {path}\n""#, r#"access-log "stdout" template="{method} {path}""#),
    example(Code::BadTry, r#"files "public" { try "/{path}.html" }"#, r#"files "public" { try "{path}.html" }"#),
    example(Code::BadGlob, r#"files "public" { immutable "*.{css,js}" }"#, r#"files "public" { immutable "*.css" "*.js" }"#),
    example(
        Code::BadPercent,
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    retry 2 budget=\"0.2\"\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    retry 2 budget=\"20%\"\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
    ),
    example(
        Code::BadUpgrade,
        r#"route "/ws" { proxy "http://10.0.0.5:3000" { upgrade "h2c" } }"#,
        r#"route "/ws" { proxy "http://10.0.0.5:3000" { upgrade "websocket" } }"#,
    ),
    example(
        Code::BadRetry,
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    retry 2 { on \"error\" }\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    retry 2 { on \"connect\" \"503\" }\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
    ),
];
