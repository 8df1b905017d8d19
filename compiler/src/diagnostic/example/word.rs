//! K01xx: words, arguments, properties and blocks.

use super::{Code, Example, example};

pub(super) const EXAMPLES: &[Example] = &[
    example(
        Code::MissingWord,
        "site \"demo\" language=1 {\n    workers 2\n}",
        "site \"demo\" language=1 {\n    listen \"0.0.0.0:8080\"\n    workers 2\n}",
    ),
    example(Code::MisplacedWord, r#"vhost "shop.example" { respond 404 }"#, r#"vhost "shop.example" { route "/*" { respond 404 } }"#),
    example(Code::DuplicateWord, "limits { body \"1MiB\" }\nlimits { fields 50 }", r#"limits { body "1MiB"; fields 50 }"#),
    example(
        Code::UnexpectedArgument,
        r#"listen "127.0.0.1:8080" "127.0.0.1:8081""#,
        "listen \"127.0.0.1:8080\"\nlisten \"127.0.0.1:8081\"",
    ),
    example(Code::MissingArgument, r#"route "/old" { redirect status=301 }"#, r#"route "/old" { redirect "/new" status=301 }"#),
    example(Code::UnknownProperty, r#"redirect "/new" permanent=#true"#, r#"redirect "/new" status=308"#),
    example(Code::UnknownWord, "location \"/assets/\" {\n    root \"public\"\n}", "route \"/assets/*\" {\n    files \"public\"\n}"),
    example(
        Code::DuplicateProperty,
        r#"respond 200 "a,b" content-type="text/csv" content-type="text/plain""#,
        r#"respond 200 "a,b" content-type="text/csv""#,
    ),
    example(
        Code::MissingProperty,
        r#"headers { only { set "cache-control" "no-store" } }"#,
        r#"headers { only status=404 { set "cache-control" "no-store" } }"#,
    ),
    example(
        Code::NotInThisVersion,
        r#"route "/" { when { country "de" }; respond 200 "moin\n" }"#,
        r#"route "/" { when { header "x-country" "de" }; respond 200 "moin\n" }"#,
    ),
    example(Code::UnexpectedBlock, r#"methods { GET; POST }"#, r#"methods "GET" "POST""#),
    example(Code::EmptyBlock, r#"route "/" { when {}; respond 404 }"#, r#"route "/" { when { method "GET" }; respond 404 }"#),
    example(Code::UnknownAnnotation, r#"respond 200 (html)"<p>ok""#, r#"respond 200 "<p>ok" content-type="text/html""#),
    example(
        Code::UnknownParameter,
        "snippet \"cached\" age=\"60\" {\n    headers { set \"cache-control\" \"max-age=$age\" }\n}\nvhost \"shop.example\" {\n    use \"cached\" seconds=\"5\"\n    route \"/*\" { files \"public\" }\n}",
        "snippet \"cached\" age=\"60\" {\n    headers { set \"cache-control\" \"max-age=$age\" }\n}\nvhost \"shop.example\" {\n    use \"cached\" age=\"5\"\n    route \"/*\" { files \"public\" }\n}",
    ),
    example(
        Code::MissingParameter,
        "snippet \"cached\" age=#null {\n    headers { set \"cache-control\" \"max-age=$age\" }\n}\nvhost \"shop.example\" {\n    use \"cached\"\n    route \"/*\" { files \"public\" }\n}",
        "snippet \"cached\" age=#null {\n    headers { set \"cache-control\" \"max-age=$age\" }\n}\nvhost \"shop.example\" {\n    use \"cached\" age=\"60\"\n    route \"/*\" { files \"public\" }\n}",
    ),
    example(
        Code::UnusedParameter,
        "snippet \"cached\" age=\"60\" {\n    headers { set \"cache-control\" \"max-age=60\" }\n}",
        "snippet \"cached\" age=\"60\" {\n    headers { set \"cache-control\" \"max-age=$age\" }\n}",
    ),
    example(
        Code::Contradiction,
        "access-log \"stdout\" format=\"common\" template=\"{method} {path}\"",
        "access-log \"stdout\" template=\"{method} {path}\"",
    ),
];
