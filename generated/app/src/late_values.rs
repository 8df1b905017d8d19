//! Values that are read when the site starts.

use runtime::Late;

/// `(env)LISTEN`, site.kdl:7
pub static LISTEN: Late<'static> = Late::env("LISTEN", Some("127.0.0.1:8080"));

/// `(env)OPERATIONS`, site.kdl:9
pub static OPERATIONS: Late<'static> = Late::env("OPERATIONS", Some("127.0.0.1:9090"));

/// `(env)ACCESS_LOG`, site.kdl:25
pub static ACCESS_LOG: Late<'static> = Late::env("ACCESS_LOG", Some("stdout"));

/// `(env)UPLOADS`, site.kdl:106
pub static UPLOADS: Late<'static> = Late::env("UPLOADS", Some("/srv/app/uploads"));

/// `(env)APP`, site.kdl:46
pub static APP: Late<'static> = Late::env("APP", Some("127.0.0.1:3000"));

/// `(env)APP_SPARE`, site.kdl:48
pub static APP_SPARE: Late<'static> = Late::env("APP_SPARE", Some("127.0.0.1:3001"));
