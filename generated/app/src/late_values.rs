//! Values that are read when the site starts.

use runtime::Late;

/// `(env)LISTEN`, site.kdl:8
pub static LISTEN: Late<'static> = Late::env("LISTEN", Some("127.0.0.1:8080"));

/// `(env)OPERATIONS`, site.kdl:10
pub static OPERATIONS: Late<'static> = Late::env("OPERATIONS", Some("127.0.0.1:9090"));

/// `(env)ACCESS_LOG`, site.kdl:26
pub static ACCESS_LOG: Late<'static> = Late::env("ACCESS_LOG", Some("stdout"));
