//! Words of later versions: known by name and place, answered with "not in this version yet". What stands inside them is not checked.
//!
//! A word leaves this file when `resolve` reads it, and becomes a full row beside its kin.

use super::{Repeat, Scope, Since, Word, action::ACTION};

const POLICY: &[Scope] = &[Scope::Site, Scope::Vhost, Scope::Group, Scope::Route];

pub(super) const WORDS: &[Word] = &[
    // Top level and site.
    later("cache-store", &[Scope::Top], "Room for stored answers, in memory and on disk."),
    later("rules", &[Scope::Top], "A set of domain, address and port rules read from files at build time."),
    later("test", &[Scope::Top, Scope::Vhost, Scope::Route], "A request and the answer it must get, checked at build time."),
    later("admin", &[Scope::Site], "The address of the administration interface."),
    later("lints", &[Scope::Site], "Sets lints for the whole site."),
    // Listeners and TLS.
    later("tls", &[Scope::Listen, Scope::Vhost], "Encrypts connections; in a vhost: with which certificate."),
    later("http3", &[Scope::Listen], "Answers HTTP/3 on the UDP port of the same number."),
    later("h2c", &[Scope::Listen], "Takes HTTP/2 without TLS."),
    later("http1", &[Scope::Listen], "Takes HTTP/1.1; `#false` refuses it."),
    later("http2", &[Scope::Listen], "Takes HTTP/2; `#false` refuses it."),
    later("proxy-protocol", &[Scope::Listen], "Takes the client's address from the PROXY protocol."),
    later("redirect-https", &[Scope::Listen], "Sends every request to the same place on https."),
    later("acme", &[Scope::Tls], "Gets certificates from an ACME authority."),
    later("cert", &[Scope::Tls], "A certificate chain and its key from files."),
    later("client-auth", &[Scope::Tls], "Asks clients for a certificate."),
    // Vhost and route.
    later("cache", POLICY, "Stores answers and answers from the store."),
    later("rate-limit", POLICY, "Refuses requests above a rate."),
    later("concurrency", POLICY, "Bounds requests in work at a time."),
    later("timeouts", &[Scope::Vhost, Scope::Group, Scope::Route], "How long the server waits."),
    later("auth", POLICY, "Asks who the client is."),
    later("any", POLICY, "One of several checks is enough."),
    later("hsts", POLICY, "Tells browsers to stay on https."),
    later("mirror", POLICY, "Sends a copy of the request elsewhere."),
    // Actions and what stands in them.
    later("php", ACTION, "Runs PHP by FastCGI, and serves files that are not PHP."),
    later("miss", &[Scope::Php], "The action for a path without a file."),
    later("front", &[Scope::Php], "The script that answers what is no file."),
    // Inside of policies and tables.
    later("basic", &[Scope::Auth], "Names and passwords from a file."),
    later("forward", &[Scope::Auth], "Asks another server."),
    later("jwt", &[Scope::Auth], "Checks a signed token."),
    later("ttl", &[Scope::Cache], "How long an answer stays fresh."),
    later("key", &[Scope::Cache], "What makes two requests the same."),
    later("bypass", &[Scope::Cache], "Requests that pass the store by."),
    later("tags", &[Scope::Cache], "The header whose names an answer can be purged by."),
    later("query", &[Scope::CacheKey], "Query keys that are part of the cache key."),
    later("memory", &[Scope::Store], "Bytes in memory."),
    later("disk", &[Scope::Store], "A directory and its bytes."),
    later("probe", &[Scope::Upstream], "Asks endpoints whether they are well."),
    // Guards.
    later("country", &[Scope::Guard], "The client's address is of one of the countries."),
    later("rules", &[Scope::Guard], "A rule set takes the request."),
];

const fn later(name: &'static str, scopes: &'static [Scope], doc: &'static str) -> Word {
    Word { name, scopes, repeat: Repeat::Many, doc, since: Since::Later, ..Word::NEW }
}
