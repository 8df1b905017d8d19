//! What a proxied exchange costs in semantics: the head that goes on, or the scan of the answer and the head that goes back, repeated, to be counted under callgrind.
//!
//! `forward_cost small|browser forward|scan|reply ROUNDS`: the difference of two runs is the cost of the rounds between them. `reply` is `scan` and what is made of it.

use std::{
    hint::black_box,
    net::{IpAddr, Ipv4Addr},
    process::ExitCode,
};

use semantics::{
    edits::Edits,
    forward::{self, Hop, HostPolicy, Policy, Target},
    head::{self, Arrival, Fields, ScanLimits, Scheme, Scratch},
    method::Method,
    pattern::Captures,
    reply::{self, Asked},
    template::Subject,
};

const SMALL: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const BROWSER: &[u8] = b"GET /api/products?v=12 HTTP/1.1\r\n\
    Host: shop.example\r\n\
    User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0\r\n\
    Accept: text/css,*/*;q=0.1\r\n\
    Accept-Language: en-US,en;q=0.5\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\n\
    Connection: keep-alive\r\n\
    Referer: https://shop.example/products/1234\r\n\
    Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\
    Sec-Fetch-Dest: style\r\n\
    Sec-Fetch-Mode: no-cors\r\n\r\n";
const SHORT_ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\n\
    Server: nginx\r\n\
    Date: Tue, 01 Dec 2026 00:00:00 GMT\r\n\
    Content-Type: text/plain\r\n\
    Content-Length: 1040\r\n\
    Connection: keep-alive\r\n\r\n";
const LONG_ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\n\
    Server: nginx\r\n\
    Date: Tue, 01 Dec 2026 00:00:00 GMT\r\n\
    Content-Type: text/html; charset=utf-8\r\n\
    Transfer-Encoding: chunked\r\n\
    Connection: keep-alive\r\n\
    Vary: Accept-Encoding, Cookie\r\n\
    Cache-Control: private, max-age=0, must-revalidate\r\n\
    Set-Cookie: session=0123456789abcdef0123456789abcdef; Path=/; HttpOnly; Secure\r\n\
    ETag: W/\"0123456789abcdef\"\r\n\
    X-Request-Id: 0123456789abcdef0123456789abcdef\r\n\
    X-Frame-Options: SAMEORIGIN\r\n\
    X-Content-Type-Options: nosniff\r\n\r\n";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (request, answer) = if arguments.next().as_deref() == Some("browser") { (BROWSER, LONG_ANSWER) } else { (SMALL, SHORT_ANSWER) };
    let stage = arguments.next().unwrap_or_default();
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_000_u32);
    let limits = ScanLimits { head_bytes: 32 << 10, fields: 100 };
    let (mut table, mut scratch, mut fields) = (Vec::new(), Scratch::default(), Vec::new());
    let Ok(Some(scanned)) = head::scan(request, limits, &mut table) else { return ExitCode::FAILURE };
    let arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::LOCALHOST), Scheme::Http);
    let Ok(head) = head::view(request, &scanned, &table, &mut scratch, arrival) else { return ExitCode::FAILURE };
    let policy = Policy { target: Target::Same, host: HostPolicy::Preserve, edits: &Edits::NONE, is_raw: false, upgrades: &["websocket"] };
    let hop = Hop { endpoint: "127.0.0.1:3000", trust: None, framing: scanned.framing, expects_continue: false, is_last: false };
    let subject = Subject { head: &head, captures: &Captures::default(), status: 200, request_id: &"" };
    let mut out = Vec::with_capacity(4096);
    for _ in 0..rounds {
        out.clear();
        if stage == "forward" {
            let _ = black_box(forward::head(black_box(&policy), black_box(&subject), &hop, &mut out));
            continue;
        }
        let asked = Asked { method: Method::GET, upgrade: None };
        let Ok(Some(reply)) = reply::scan(black_box(answer), reply::LIMITS, asked, &mut fields) else { return ExitCode::FAILURE };
        if stage == "reply" {
            black_box(reply::append(&reply, Fields::new(answer, &fields), &Edits::NONE, &subject, &mut out));
        }
    }
    black_box(&out);
    ExitCode::SUCCESS
}
