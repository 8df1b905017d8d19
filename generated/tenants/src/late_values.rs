//! Values that are read when the site starts.

use runtime::Late;

/// `(env)LISTEN`, site.kdl:7
pub static LISTEN: Late<'static> = Late::env("LISTEN", Some("127.0.0.1:8080"));

/// `(env)OPERATIONS`, site.kdl:8
pub static OPERATIONS: Late<'static> = Late::env("OPERATIONS", Some("127.0.0.1:9090"));

/// `(env)REGION`, site.kdl:20
pub static REGION: Late<'static> = Late::env("REGION", Some("unknown"));

/// `(file)secrets/operator.key`, site.kdl:42
pub static OPERATOR_KEY: Late<'static> = Late::file("secrets/operator.key");

/// `(env)SHOP`, site.kdl:53
pub static SHOP: Late<'static> = Late::env("SHOP", Some("127.0.0.1:3000"));

/// `(env)NEXT_SHOP`, site.kdl:54
pub static NEXT_SHOP: Late<'static> = Late::env("NEXT_SHOP", Some("127.0.0.1:3100"));

/// `(env)STORE`, site.kdl:56
pub static STORE: Late<'static> = Late::env("STORE", Some("127.0.0.1:9000"));
