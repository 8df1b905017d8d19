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
        "allow-lint \"K0412\"\nroute \"/*\" { files \"scripts\" { embed } }",
        "allow-lint \"K0412\" reason=\"the scripts are there to be read\"\nroute \"/*\" { files \"scripts\" { embed } }",
    ),
];
