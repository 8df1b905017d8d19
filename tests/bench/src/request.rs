//! The bytes of the requests that are sent.

/// Which fields a request carries besides `host`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fields {
    /// Two short ones, as a load generator sends them.
    Bare,
    /// Ten lines, as a browser sends them.
    Browser,
}

/// The host that every site and peer serves.
pub const HOST: &str = "bench.test";

const BARE: &str = "User-Agent: kiln-bench\r\nAccept: */*\r\n";
const BROWSER: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n\
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
    Accept-Language: en-US,en;q=0.5\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\n\
    Referer: http://bench.test/index.html\r\n\
    Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\
    Sec-Fetch-Dest: document\r\n\
    Sec-Fetch-Mode: navigate\r\n\
    Sec-Fetch-Site: same-origin\r\n\
    Priority: u=0, i\r\n";

/// One GET request; `closes` asks for the connection's end behind its answer.
pub fn render(target: &str, fields: Fields, closes: bool) -> Vec<u8> {
    let lines = match fields {
        Fields::Bare => BARE,
        Fields::Browser => BROWSER,
    };
    let close = if closes { "Connection: close\r\n" } else { "" };
    format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{lines}{close}\r\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_request_has_ten_fields_besides_host() {
        let text = String::from_utf8(render("/", Fields::Browser, false)).unwrap();
        assert_eq!(text.matches("\r\n").count(), 1 + 1 + 10 + 1);
        assert!(!text.contains("  "), "{text}");
    }

    #[test]
    fn closing_request_says_so() {
        assert!(String::from_utf8(render("/r", Fields::Bare, true)).unwrap().ends_with("\r\nConnection: close\r\n\r\n"));
    }
}
