//! Words of other servers and the word of kiln that answers them.
//!
//! Looked up only for words that mean nothing in their scope, so that a word that both have is never taken away.

use super::Scope;

/// One foreign word.
#[derive(Debug)]
pub struct Foreign {
    pub word: &'static str,
    pub server: &'static str,
    /// What kiln says, in backticks; or `nothing`, and why.
    pub ours: &'static str,
}

/// The row of a word as written in a block, in any server.
pub fn find(scope: Scope, word: &str) -> Option<&'static Foreign> {
    let of_upstreams = if scope == Scope::Upstream { IN_UPSTREAMS } else { &[] };
    of_upstreams.iter().chain(ROWS).find(|row| row.word == word)
}

/// What a word with a block is in another server, where ours of that name has none.
pub fn block(word: &str) -> Option<&'static str> {
    (word == "log").then_some("Caddy's `log { .. }` is `access-log \"stdout\"` in `site`, and `log_skip` is `log #false`")
}

impl Foreign {
    /// What stands under the word: `` nginx's word; kiln says `proxy "http://app"` ``.
    pub fn label(&self) -> String {
        match self.ours.strip_prefix("nothing: ") {
            Some(why) => format!("{}'s word; kiln needs none: {why}", self.server),
            None => format!("{}'s word; kiln says {}", self.server, self.ours),
        }
    }
}

/// What means something else in another server's block of endpoints than elsewhere.
const IN_UPSTREAMS: &[Foreign] = &[
    row("nginx", "server", r#"`endpoint "10.0.0.5:3000"`"#),
    row("nginx", "keepalive_timeout", r#"`pool { idle-timeout "30s" }`"#),
    row("nginx", "max_fails", r#"`eject after=5 for="30s"` in the upstream"#),
    row("HAProxy", "option", r#"`eject`, `retry` or `pool` in the upstream"#),
    row("HAProxy", "timeout", r#"`timeouts { connect "2s" }`"#),
];

/// By server, then as their manuals order them.
pub const ROWS: &[Foreign] = &[
    row("nginx", "server", r#"`vhost "example.org" { .. }`"#),
    row("nginx", "server_name", r#"the vhost's arguments: `vhost "example.org" "www.example.org"`"#),
    row("nginx", "location", r#"`route "/path/*" { .. }`"#),
    row("nginx", "root", r#"`files "dir"` in a route"#),
    row("nginx", "alias", r#"`files "dir"` in a route"#),
    row("nginx", "proxy_pass", r#"`proxy "app"` for an `upstream "app"`, or `proxy "http://10.0.0.5:3000"`"#),
    row("nginx", "proxy_set_header", r#"`request-headers { set "name" "value" }`"#),
    row("nginx", "proxy_hide_header", r#"`upstream-headers { remove "name" }`"#),
    row("nginx", "proxy_redirect", "`upstream-headers { .. }`"),
    row("nginx", "proxy_read_timeout", r#"`timeouts { between-bytes "60s" }` in the upstream"#),
    row("nginx", "proxy_connect_timeout", r#"`timeouts { connect "2s" }` in the upstream"#),
    row("nginx", "proxy_send_timeout", r#"`timeouts { between-bytes "60s" }` in the upstream"#),
    row("nginx", "proxy_cache", r#"`cache "store" ttl="5m"`"#),
    row("nginx", "proxy_cache_valid", r#"`cache "store" ttl="5m"`"#),
    row("nginx", "proxy_cache_key", r#"`cache "store" { key { .. } }`"#),
    row("nginx", "proxy_cache_path", r#"`cache-store "name" { disk "/dir" "20GiB" }`"#),
    row("nginx", "proxy_buffering", "nothing: bodies always stream"),
    row("nginx", "proxy_request_buffering", "nothing: bodies always stream"),
    row("nginx", "proxy_buffers", "nothing: bodies always stream"),
    row("nginx", "proxy_buffer_size", "nothing: bodies always stream"),
    row("nginx", "proxy_max_temp_file_size", "nothing: bodies always stream"),
    row("nginx", "proxy_http_version", "nothing: endpoints are spoken to in HTTP/1.1"),
    row("nginx", "proxy_next_upstream", r#"`retry 2 { on "connect" }` in the upstream"#),
    row("nginx", "proxy_next_upstream_tries", "`retry 2` in the upstream"),
    row("nginx", "proxy_next_upstream_timeout", r#"`timeouts { total "10s" }` in the upstream"#),
    row("nginx", "keepalive", "`pool { idle-connections 64 }` in the upstream"),
    row("nginx", "keepalive_requests", "`pool { requests-per-connection 25000 }` in the upstream"),
    row("nginx", "keepalive_time", r#"`pool { connection-age "1h" }` in the upstream"#),
    row("nginx", "least_conn", r#"`balance "least-requests"`"#),
    row("nginx", "ip_hash", r#"`balance "hash"`"#),
    row("nginx", "fail_timeout", r#"`eject after=5 for="30s"` in the upstream"#),
    row("nginx", "health_check", r#"`probe "/healthz"` in the upstream"#),
    row("nginx", "zone", "nothing: what is known of endpoints is shared by all workers"),
    row("nginx", "proxy_intercept_errors", r#"`proxy "app" { intercept { .. } }`"#),
    row("nginx", "fastcgi_pass", r#"`php "unix:/run/php/php-fpm.sock" root="/dir"`"#),
    row("nginx", "fastcgi_param", r#"`php "unix:/run/php/php-fpm.sock" root="/dir"`"#),
    row("nginx", "fastcgi_index", r#"`php .. front="index.php"`"#),
    row("nginx", "try_files", r#"`files "dir" { try ..; miss { .. } }`"#),
    row("nginx", "autoindex", r#"`files "dir" { listing }`"#),
    row("nginx", "add_header", r#"`headers { set "name" "value" }`"#),
    row("nginx", "more_set_headers", r#"`headers { set "name" "value" }`"#),
    row("nginx", "more_clear_headers", r#"`headers { remove "name" }`"#),
    row("nginx", "expires", r#"`headers { set "cache-control" "max-age=3600" }`"#),
    row("nginx", "return", r#"`respond 200 "text"`, `redirect "/there"` or `refuse 403`"#),
    row("nginx", "if", "`when { .. }` in a route"),
    row("nginx", "set", r#"`map` or a template; in `headers`: `set "name" "value"`"#),
    row("nginx", "geo", r#"`when { client-ip "10.0.0.0/8" }`"#),
    row("nginx", "split_clients", r#"`split by="{client-ip}" { share 95 { .. } }`"#),
    row("nginx", "error_page", r#"`errors { page 404 file="404.html" }`"#),
    row("nginx", "deny", r#"`access { refuse "192.0.2.0/24" }`"#),
    row("nginx", "allow", r#"`access { allow "10.0.0.0/8" }`"#),
    row("nginx", "satisfy", "`any { access { .. }; auth { .. } }`"),
    row("nginx", "auth_basic", r#"`auth { basic file=.. realm=".." }`"#),
    row("nginx", "auth_basic_user_file", "`auth { basic file=.. }`"),
    row("nginx", "auth_request", "`auth { forward .. }`"),
    row("nginx", "limit_req", r#"`rate-limit "100/s" burst=50`"#),
    row("nginx", "limit_req_zone", r#"`rate-limit "100/s" key="client-ip"`"#),
    row("nginx", "limit_conn", "`limits { connections-per-client 256 }`"),
    row("nginx", "limit_conn_zone", "`limits { connections-per-client 256 }`"),
    row("nginx", "limit_except", r#"`methods "GET"`"#),
    row("nginx", "client_max_body_size", r#"`limits { body "16MiB" }` or `limit-body "1MiB"`"#),
    row("nginx", "client_header_timeout", r#"`timeouts { head "10s" }`"#),
    row("nginx", "client_body_timeout", r#"`timeouts { body "30s" }`"#),
    row("nginx", "send_timeout", r#"`timeouts { write "30s" }`"#),
    row("nginx", "keepalive_timeout", r#"`timeouts { idle "75s" }`"#),
    row("nginx", "large_client_header_buffers", r#"`limits { head "32KiB" }`"#),
    row("nginx", "worker_processes", "`workers 4`"),
    row("nginx", "worker_connections", "`limits { connections 16384 }`"),
    row("nginx", "worker_rlimit_nofile", "nothing: it is raised at start"),
    row("nginx", "default_server", "`vhost default=#true`"),
    row("nginx", "default_type", r#"`respond .. content-type="text/plain"`"#),
    row("nginx", "types", "nothing: media types are built in"),
    row("nginx", "sendfile", "nothing: it is used where it helps"),
    row("nginx", "tcp_nodelay", "nothing: answers are sent at once"),
    row("nginx", "tcp_nopush", "nothing: head and body are sent together"),
    row("nginx", "postpone_output", r#"`delivery "16KiB"` in `site`"#),
    row("nginx", "gzip", r#"`encode "zstd" "br" "gzip"`"#),
    row("nginx", "gzip_types", r#"`encode "zstd" "br" "gzip"`: texts by their content type"#),
    row("nginx", "gzip_min_length", r#"`encode "gzip" min="512B"`"#),
    row("nginx", "gzip_vary", "nothing: `encode` says `vary` itself"),
    row("nginx", "gzip_proxied", r#"`encode "gzip"`, and `cache-control: no-transform` where it is not wanted"#),
    row("nginx", "gzip_comp_level", "nothing: levels are chosen by measurement"),
    row("nginx", "gzip_http_version", "nothing: HTTP/1.0 gets a length, or the end of the connection"),
    row("nginx", "gzip_static", r#"`files "dir" { precompressed }`"#),
    row("nginx", "brotli", r#"`encode "br"`"#),
    row("nginx", "brotli_static", r#"`files "dir" { precompressed "br" }`"#),
    row("nginx", "brotli_types", r#"`encode "br"`: texts by their content type"#),
    row("nginx", "zstd", r#"`encode "zstd"`"#),
    row("nginx", "ssl_certificate", r#"`tls { cert "a.pem" key=(file)"/a.key" }`"#),
    row("nginx", "ssl_certificate_key", r#"`tls { cert "a.pem" key=(file)"/a.key" }`"#),
    row("nginx", "ssl_protocols", "nothing: TLS 1.2 is the floor"),
    row("nginx", "ssl_client_certificate", r#"`tls { client-auth ca=".." }`"#),
    row("nginx", "set_real_ip_from", r#"`trusted-proxies "10.0.0.0/8"`"#),
    row("nginx", "real_ip_header", r#"`trusted-proxies "10.0.0.0/8"`"#),
    row("nginx", "access_log", r#"`access-log "stdout"`"#),
    row("nginx", "error_log", r#"`error-log "stderr"`"#),
    row("nginx", "log_format", r#"`access-log .. template=".."`"#),
    row("nginx", "events", "`limits { .. }` in `site`"),
    row("nginx", "http", "nothing: `site` and `vhost` stand at the top level"),
    row("nginx", "sub_filter", "nothing: bodies are not edited"),
    row("nginx", "index", r#"`files "dir" { index "index.html" }`"#),
    row("nginx", "internal", "nothing: an internal path is not a route"),
    row("nginx", "stub_status", "`metrics` and `admin` in `site`"),
    row("nginx", "resolver", "nothing: endpoints are written as addresses"),
    row("Caddy", "reverse_proxy", r#"`proxy "app"` for an `upstream "app"`, or `proxy "http://10.0.0.5:3000"`"#),
    row("Caddy", "file_server", r#"`files "dir"`"#),
    row("Caddy", "php_fastcgi", r#"`php "unix:/run/php/php-fpm.sock" root="/dir"`"#),
    row("Caddy", "handle", r#"`route "/path/*" { .. }`"#),
    row("Caddy", "handle_path", r#"`route "/path/*" { proxy "app" { strip-prefix "/path" } }`"#),
    row("Caddy", "handle_errors", r#"`errors { page 404 file="404.html" }`"#),
    row("Caddy", "redir", r#"`redirect "/there" status=308`"#),
    row("Caddy", "header", r#"`headers { set "name" "value" }`"#),
    row("Caddy", "request_header", r#"`request-headers { set "name" "value" }`"#),
    row("Caddy", "request_body", r#"`limit-body "1MiB"`"#),
    row("Caddy", "uri", r#"`rewrite "/path"` or `strip-prefix "/path"`"#),
    row("Caddy", "error", "`refuse 403`"),
    row("Caddy", "templates", r#"`respond "text" template=#true`"#),
    row("Caddy", "basic_auth", r#"`auth { basic file=.. realm=".." }`"#),
    row("Caddy", "basicauth", r#"`auth { basic file=.. realm=".." }`"#),
    row("Caddy", "forward_auth", "`auth { forward .. }`"),
    row("Caddy", "import", r#"`include "file.kdl"` or `use "snippet"`"#),
    row("Caddy", "vars", "`map` or a template"),
    row("Caddy", "bind", r#"`listen "127.0.0.1:80"` in `site`"#),
    row("Caddy", "log_skip", "`log #false`"),
    row("Caddy", "skip_log", "`log #false`"),
    row("Caddy", "log_credentials", "nothing: secrets are never written down"),
    row("Caddy", "push", "nothing: server push is gone from browsers"),
    row("Caddy", "remote_ip", r#"`when { client-ip "10.0.0.0/8" }`"#),
    row("Caddy", "path_regexp", r#"`when { regex ".." }`"#),
    row("Caddy", "header_up", "`request-headers { .. }`"),
    row("Caddy", "header_down", "`upstream-headers { .. }`"),
    row("Caddy", "to", r#"`endpoint "10.0.0.5:3000"` in the upstream"#),
    row("Caddy", "flush_interval", "nothing: bodies always stream"),
    row("Caddy", "handle_response", "`intercept { on 404 { .. } }` in `proxy`"),
    row("Caddy", "lb_policy", r#"`balance "least-requests"` in the upstream"#),
    row("Caddy", "lb_retries", "`retry 2` in the upstream"),
    row("Caddy", "fail_duration", r#"`eject after=5 for="30s"` in the upstream"#),
    row("Caddy", "max_fails", r#"`eject after=5 for="30s"` in the upstream"#),
    row("Caddy", "dial_timeout", r#"`timeouts { connect "2s" }` in the upstream"#),
    row("Caddy", "response_header_timeout", r#"`timeouts { first-byte "30s" }` in the upstream"#),
    row("Caddy", "health_uri", r#"`probe "/healthz"` in the upstream"#),
    row("Ferron", "proxy_request_header", r#"`request-headers { set "name" "value" }`"#),
    row("Ferron", "static", r#"`files "dir"`"#),
    row("Ferron", "status", r#"`respond 200 "text"` or `refuse 403`"#),
    row("Ferron", "directory_listing", r#"`files "dir" { listing }`"#),
    row("Ferron", "auto_tls", r#"`tls { acme ".." }`"#),
    row("Ferron", "globals", r#"`site "name" language=1 { .. }`"#),
    row("Ferron", "cache_vary", r#"`cache "store" { key { header ".." } }`"#),
    row("Ferron", "block", r#"`access { refuse ".." }`"#),
    row("Ferron", "limit", r#"`rate-limit "100/s"`"#),
    row("Ferron", "log_date_format", "nothing: times are UTC in RFC 3339"),
    row("Ferron", "remove_header", r#"`headers { remove "name" }`"#),
    row("Ferron", "condition", r#"`match "name" { .. }`"#),
    row("HAProxy", "frontend", "`listen` in `site`, and `vhost`"),
    row("HAProxy", "backend", r#"`upstream "name" { endpoint ".." }`"#),
    row("HAProxy", "defaults", r#"`site "name" language=1 { .. }`"#),
    row("HAProxy", "global", r#"`site "name" language=1 { .. }`"#),
    row("HAProxy", "use_backend", r#"`proxy "name"` in a route"#),
    row("HAProxy", "default_backend", r#"`route "/*" { proxy "name" }`"#),
    row("HAProxy", "acl", r#"`match "name" { .. }` or `when { .. }`"#),
    row("HAProxy", "http-request", "`when`, `headers`, `redirect` or `refuse` in a route"),
    row("HAProxy", "http-response", "`headers { .. }`"),
    row("HAProxy", "option", "a word of its own for each; see the reference"),
    row("HAProxy", "timeout", r#"`timeouts { head "10s" }`"#),
    row("HAProxy", "maxconn", "`limits { connections 16384 }`"),
    row("HAProxy", "log-format", r#"`access-log .. template=".."`"#),
    row("HAProxy", "unique-id-format", r#"`headers { set "x-request-id" "{request-id}" }`"#),
    row("HAProxy", "stick-table", r#"`rate-limit "100/s" key="client-ip"`"#),
    row("HAProxy", "nbthread", "`workers 4`"),
    row("HAProxy", "retries", "`retry 2` in the upstream"),
    row("HAProxy", "retry-on", r#"`retry 2 { on "connect" "503" }` in the upstream"#),
    row("HAProxy", "httpchk", r#"`probe "/healthz"` in the upstream"#),
    row("HAProxy", "monitor-uri", r#"`route "/healthz" { respond 200 "ok\n" }`"#),
    row("HAProxy", "errorfile", r#"`errors { page 503 file="503.html" }`"#),
    row("Traefik", "entryPoints", "`listen` in `site`"),
    row("Traefik", "entrypoints", "`listen` in `site`"),
    row("Traefik", "routers", r#"`route "/path/*" { .. }`"#),
    row("Traefik", "router", r#"`route "/path/*" { .. }`"#),
    row("Traefik", "services", r#"`upstream "name" { endpoint ".." }`"#),
    row("Traefik", "service", r#"`upstream "name" { endpoint ".." }`"#),
    row("Traefik", "middlewares", "policies in the route, or `snippet` and `use`"),
    row("Traefik", "middleware", "policies in the route, or `snippet` and `use`"),
    row("Traefik", "loadBalancer", r#"`upstream "name" { endpoint ".." }`"#),
    row("Traefik", "servers", r#"`endpoint "10.0.0.5:3000"` in the upstream"#),
    row("Traefik", "passHostHeader", r#"`host "preserve"` in `proxy`"#),
    row("Traefik", "rule", r#"`vhost "host"`, `route "/path"` and `when { .. }`"#),
    row("Traefik", "stripPrefix", r#"`proxy "app" { strip-prefix "/path" }`"#),
    row("Traefik", "redirectScheme", "`listen .. { redirect-https }`"),
    row("Traefik", "redirectRegex", r#"`redirect "/there/{rest}"`"#),
    row("Traefik", "ipAllowList", r#"`access { allow "10.0.0.0/8" }`"#),
    row("Traefik", "ipWhiteList", r#"`access { allow "10.0.0.0/8" }`"#),
    row("Traefik", "rateLimit", r#"`rate-limit "100/s"`"#),
    row("Traefik", "basicAuth", "`auth { basic file=.. }`"),
    row("Traefik", "forwardAuth", "`auth { forward .. }`"),
    row("Traefik", "certResolver", r#"`tls { acme ".." }`"#),
    row("Traefik", "certificatesResolvers", r#"`tls { acme ".." }`"#),
    row("Traefik", "compress", r#"`encode "zstd" "br" "gzip"`"#),
    row("Traefik", "customResponseHeaders", r#"`headers { set "name" "value" }`"#),
    row("Traefik", "accessLog", r#"`access-log "stdout"`"#),
    row("Traefik", "healthCheck", r#"`probe "/healthz"` in the upstream"#),
    row("Traefik", "weighted", r#"`split by="{client-ip}" { share 95 { .. } }`"#),
    row("Traefik", "plugins", "nothing: there are no plugins"),
];

const fn row(server: &'static str, word: &'static str, ours: &'static str) -> Foreign {
    Foreign { word, server, ours }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ROWS;

    #[test]
    fn rows_are_many_and_each_word_stands_once() {
        let words: BTreeSet<&str> = ROWS.iter().map(|row| row.word).collect();
        assert_eq!(words.len(), ROWS.len());
        assert!(words.len() >= 80);
    }
}
