//! K00xx: sources and syntax.

use super::{Code, Example, example};

pub(super) const EXAMPLES: &[Example] = &[
    example(Code::FileUnreadable, r#"include "vhosts" // a directory"#, r#"include "vhosts/*.kdl""#),
    example(Code::FileTooLarge, r#"include "large.kdl" // nine MiB"#, r#"include "vhosts/*.kdl""#),
    example(Code::NotUtf8, r#"include "legacy.kdl" // saved as Latin-1"#, r#"include "vhosts/blog.kdl" // saved as UTF-8"#),
    example(Code::TooDeep, TOO_DEEP, r#"route "/old" { when { not { header "x-new" } }; respond 200 "old\n" }"#),
    example(Code::Syntax, r#"route "/" { respond 200"ok" }"#, r#"route "/" { respond 200 "ok" }"#),
    example(Code::OldKdl, r#"vhost "shop.example" default=true { route "/" { respond 404 } }"#, DEFAULT_VHOST),
    example(Code::IncludeMiss, r#"include "vhost/*.kdl""#, r#"include "vhosts/*.kdl""#),
    example(Code::IncludeCycle, r#"include "site.kdl" // this very file"#, r#"include "vhosts/*.kdl""#),
    example(Code::IncludeTwice, "include \"vhosts/*.kdl\"\ninclude \"vhosts/blog.kdl\"", r#"include "vhosts/*.kdl""#),
    example(Code::Unclosed, r#"route "/" { respond 200 "ok }"#, r#"route "/" { respond 200 "ok" }"#),
];

const DEFAULT_VHOST: &str = r#"vhost "shop.example" default=#true { route "/" { respond 404 } }"#;

const TOO_DEEP: &str = r#"route "/old" {
    when {
        not { not { not { not { not { not { not { not { not { not { not { not { not { not { not { not {
        not { not { not { not { not { not { not { not { not { not { not { not { not { not { not { not {
        not { not { not { not { not { not { not { not { not { not { not { not { not { not { not { not {
        not { not { not { not { not { not { not { not { not { not { not { not { not { not { not { not {
            header "x-new"
        } } } } } } } } } } } } } } } }
        } } } } } } } } } } } } } } } }
        } } } } } } } } } } } } } } } }
        } } } } } } } } } } } } } } } }
    }
    respond 200 "old\n"
}"#;
