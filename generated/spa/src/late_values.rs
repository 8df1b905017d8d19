//! Values that are read when the site starts.

use runtime::Late;

/// `(env)LISTEN`, site.kdl:8
pub static LISTEN: Late<'static> = Late::env("LISTEN", Some("127.0.0.1:8080"));

/// `(env)API`, site.kdl:22
pub static API: Late<'static> = Late::env("API", Some("127.0.0.1:4000"));
