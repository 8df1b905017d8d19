//! Values that are read when the site starts.

use runtime::Late;

/// `(env)LISTEN`, site.kdl:7
pub static LISTEN: Late<'static> = Late::env("LISTEN", Some("127.0.0.1:8080"));

/// `(env)DOWNLOADS`, vhosts/docs.kdl:76
pub static DOWNLOADS: Late<'static> = Late::env("DOWNLOADS", Some("downloads"));
