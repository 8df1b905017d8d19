//! K04xx, the lints, and K05xx: files and the build.

use super::{Code, Example, example};

pub(super) const EXAMPLES: &[Example] = &[
    example(
        Code::UnusedAllowance,
        "allow-lint \"K0412\" reason=\"the scripts are there to be read\"\nroute \"/*\" { files \"public\" { embed } }",
        r#"route "/*" { files "public" }"#,
    ),
    example(Code::EmptyVhost, r#"vhost "shop.example" {}"#, r#"vhost "shop.example" { route "/*" { files "public" } }"#),
    example(Code::RedirectToItself, r#"route "/a" { redirect "/a" }"#, r#"route "/a" { redirect "/b" }"#),
    example(
        Code::RouteOutsideGroup,
        "group \"/admin/*\" {\n    access { allow \"10.0.0.0/8\" }\n    route \"/admin/*\" { files \"public\" }\n}\nroute \"/admin/export\" { respond 200 \"all\\n\" }",
        "group \"/admin/*\" {\n    access { allow \"10.0.0.0/8\" }\n    route \"/admin/*\" { files \"public\" }\n    route \"/admin/export\" { respond 200 \"all\\n\" }\n}",
    ),
    example(
        Code::LeftOut,
        r#"route "/*" { files "linked" { embed } } // outside.txt leads out of it"#,
        r#"route "/*" { files "public" { embed } }"#,
    ),
    example(
        Code::LogWithoutLog,
        "site \"demo\" language=1 {\n    listen \"0.0.0.0:8080\"\n    log #false\n}",
        "site \"demo\" language=1 {\n    listen \"0.0.0.0:8080\"\n    access-log \"stdout\"\n    log #false\n}",
    ),
    example(Code::OpenRedirect, r#"redirect "{query.next}""#, r#"redirect "/{query.next}""#),
    example(
        Code::RawBesideAccess,
        "route \"/files/*\" { path \"raw\"; respond 200 }\nroute \"/files/staff\" { access { allow \"10.0.0.0/8\" }; respond 200 }",
        "route \"/files/*\" { path \"keep\"; respond 200 }\nroute \"/files/staff\" { access { allow \"10.0.0.0/8\" }; respond 200 }",
    ),
    example(
        Code::NothingMatched,
        r#"files "public" { embed; immutable "*.htm" } // index.html lies there"#,
        r#"files "public" { embed; immutable "*.html" }"#,
    ),
    example(
        Code::UnusedUpstream,
        r#"upstream "app" { endpoint "10.0.0.5:3000" }"#,
        "upstream \"app\" { endpoint \"10.0.0.5:3000\" }\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
    ),
    example(
        Code::HiddenSegment,
        "route \"/admin/*\" { access { allow \"10.0.0.0/8\" }; proxy \"http://10.0.0.5:3000\" }\nroute \"/*\" { proxy \"http://10.0.0.5:3000\" }",
        "route \"/admin/*\" { access { allow \"10.0.0.0/8\" }; proxy \"http://10.0.0.5:3000\" }\nroute \"/*\" { when { regex \";\" }; refuse 400 }\nroute \"/*\" { proxy \"http://10.0.0.5:3000\" }",
    ),
    example(
        Code::ReadableSource,
        r#"route "/*" { files "scripts" { embed } } // index.php lies there"#,
        r#"route "/*" { files "public" { embed } }"#,
    ),
    example(
        Code::ReachedAround,
        "route \"/admin/*\" { access { allow \"10.0.0.0/8\" }; proxy \"http://10.0.0.5:3000\" }\nroute \"/app/*\" { proxy \"http://10.0.0.5:3000\" { strip-prefix \"/app\" } }",
        "route \"/admin/*\" { access { allow \"10.0.0.0/8\" }; proxy \"http://10.0.0.5:3000\" }\nroute \"/app/*\" { proxy \"http://10.0.0.5:3000\" }",
    ),
    example(
        Code::ForgedForwarding,
        "request-headers { set \"x-forwarded-for\" \"{header.x-forwarded-for}, {client-ip}\" }\nroute \"/*\" { proxy \"http://10.0.0.5:3000\" }",
        "request-headers { set \"x-forwarded-for\" \"{client-ip}\" }\nroute \"/*\" { proxy \"http://10.0.0.5:3000\" }",
    ),
    example(
        Code::LateRetry,
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    timeouts { first-byte \"10s\"; total \"10s\" }\n    retry 1 { on \"first-byte-timeout\" }\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
        "upstream \"app\" {\n    endpoint \"10.0.0.5:3000\"\n    timeouts { first-byte \"4s\"; total \"10s\" }\n    retry 1 { on \"first-byte-timeout\" }\n}\nvhost \"shop.example\" {\n    route \"/*\" { proxy \"app\" }\n}",
    ),
    example(Code::MissingDirectory, r#"files "pubic" { embed }"#, r#"files "public" { embed }"#),
    example(Code::MissingFile, "errors { page 404 file=\"public/404.html\" }", "errors { page 404 file=\"public/index.html\" }"),
];
