//! K02xx: hosts, listeners and routes.

use super::{Code, Example, example};

pub(super) const EXAMPLES: &[Example] = &[
    example(
        Code::BadHost,
        r#"vhost "https://shop.example:8080" { route "/" { respond 404 } }"#,
        r#"vhost "shop.example" { route "/" { respond 404 } }"#,
    ),
    example(
        Code::HostTwice,
        "vhost \"shop.example\" { route \"/\" { respond 404 } }\nvhost \"Shop.Example\" { route \"/a\" { respond 404 } }",
        "vhost \"shop.example\" { route \"/\" { respond 404 }; route \"/a\" { respond 404 } }",
    ),
    example(
        Code::Unreachable,
        "route \"/api/*\" { respond 200 \"api\" }\nroute \"/api/{rest*}\" { respond 404 }",
        "route \"/api/*\" { when { header \"x-key\" }; respond 200 \"api\" }\nroute \"/api/{rest*}\" { respond 404 }",
    ),
    example(
        Code::DefaultTwice,
        "vhost default=#true { route \"/\" { respond 404 } }\nvhost \"a.example\" default=#true { route \"/\" { respond 404 } }",
        "vhost default=#true { route \"/\" { respond 404 } }\nvhost \"a.example\" { route \"/\" { respond 404 } }",
    ),
    example(Code::BadPattern, r#"route "/{id}.html" { respond 404 }"#, r#"route "/{page}" { respond 404 }"#),
    example(
        Code::SharedMethods,
        "route \"/a\" { methods \"GET\" \"POST\"; respond 200 \"a\" }\nroute \"/a\" { methods \"POST\" \"PUT\"; respond 200 \"b\" }",
        "route \"/a\" { methods \"GET\"; respond 200 \"a\" }\nroute \"/a\" { methods \"POST\" \"PUT\"; respond 200 \"b\" }",
    ),
    example(Code::MissingAction, r#"route "/a" { methods "GET" }"#, r#"route "/a" { methods "GET"; respond 200 "a" }"#),
    example(
        Code::ActionTwice,
        r#"route "/" { respond 200 "a"; redirect "/b" }"#,
        "route \"/\" { when { header \"x-old\" }; redirect \"/b\" }\nroute \"/\" { respond 200 \"a\" }",
    ),
    example(Code::MethodsNotTaken, r#"route "/a" { methods "PUT"; files "public" }"#, r#"route "/a" { methods "GET"; files "public" }"#),
    example(Code::BadAddress, r#"listen ":8080""#, r#"listen "0.0.0.0:8080""#),
    example(
        Code::ListenerTwice,
        "listen \"127.0.0.1:8080\"\nlisten \"127.0.0.1:8080\"",
        "listen \"127.0.0.1:8080\"\nlisten \"127.0.0.1:8081\"",
    ),
    example(Code::HostlessVhost, r#"vhost { route "/*" { respond 404 } }"#, r#"vhost default=#true { route "/*" { respond 404 } }"#),
    example(
        Code::NameTwice,
        "match \"staff\" { client-ip \"10.0.0.0/8\" }\nmatch \"staff\" { header \"x-staff\" }",
        "match \"staff\" { any { client-ip \"10.0.0.0/8\"; header \"x-staff\" } }",
    ),
    example(
        Code::UnknownName,
        "match \"staff\" { client-ip \"10.0.0.0/8\" }\nvhost \"shop.example\" {\n    route \"/staff\" { when { match \"staf\" }; respond 200 }\n}",
        "match \"staff\" { client-ip \"10.0.0.0/8\" }\nvhost \"shop.example\" {\n    route \"/staff\" { when { match \"staff\" }; respond 200 }\n}",
    ),
    example(
        Code::Circle,
        "match \"staff\" { match \"team\" }\nmatch \"team\" { match \"staff\" }",
        "match \"staff\" { match \"team\" }\nmatch \"team\" { client-ip \"10.0.0.0/8\" }",
    ),
    example(
        Code::OutsideGroup,
        "group \"/api/*\" {\n    route \"/users\" { respond 200 }\n}",
        "group \"/api/*\" {\n    route \"/api/users\" { respond 200 }\n}",
    ),
    example(
        Code::ForeignCanonicalHost,
        "vhost \"www.shop.example\" {\n    canonical-host \"shop.example\"\n    route \"/*\" { files \"public\" }\n}",
        "vhost \"shop.example\" \"www.shop.example\" {\n    canonical-host \"shop.example\"\n    route \"/*\" { files \"public\" }\n}",
    ),
    example(
        Code::RewriteTwice,
        "route \"/a\" { rewrite \"/b\" }\nroute \"/b\" { rewrite \"/c\" }\nroute \"/c\" { respond 200 }",
        "route \"/a\" { rewrite \"/c\" }\nroute \"/b\" { rewrite \"/c\" }\nroute \"/c\" { respond 200 }",
    ),
    example(
        Code::BadCapture,
        "route \"/{id}\" { when { regex \"^/(?<id>[0-9]+)$\" }; respond 200 }",
        "route \"/*\" { when { regex \"^/(?<id>[0-9]+)$\" }; respond 200 }",
    ),
    example(Code::ListenerMisfit, r#"listen "0.0.0.0:8080" dual-stack=#true"#, r#"listen "[::]:8080" dual-stack=#true"#),
    example(
        Code::BadEndpoint,
        r#"route "/api/*" { proxy "http://10.0.0.5:3000/v2" }"#,
        r#"route "/api/{rest*}" { proxy "http://10.0.0.5:3000" { target "/v2/{rest}" } }"#,
    ),
    example(
        Code::OutsidePrefix,
        r#"route "/api/*" "/v2/*" { proxy "http://10.0.0.5:3000" { strip-prefix "/api" } }"#,
        "route \"/api/*\" { proxy \"http://10.0.0.5:3000\" { strip-prefix \"/api\" } }\nroute \"/v2/*\" { proxy \"http://10.0.0.5:3000\" }",
    ),
];
