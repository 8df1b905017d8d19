//! What one request costs in semantics: scan, view, host and route, repeated, to be counted under callgrind.
//!
//! `scan_cost small|browser ROUNDS`: the difference of two runs is the cost of the rounds between them.

use std::{
    hint::black_box,
    net::{IpAddr, Ipv4Addr},
    process::ExitCode,
};

use semantics::{
    head::{self, Arrival, ScanLimits, Scheme, Scratch},
    hosts::{self, Hosts},
    pattern::Captures,
    routes::{self, Routes},
};

const SMALL: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const BROWSER: &[u8] = b"GET /assets/app-3f9c2.css?v=12 HTTP/1.1\r\n\
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

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let bytes = if arguments.next().as_deref() == Some("browser") { BROWSER } else { SMALL };
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_000_u32);
    let stage = arguments.next();
    let stage = stage.as_deref().unwrap_or("all");
    let limits = ScanLimits { head_bytes: 32 << 10, fields: 100 };
    let arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::LOCALHOST), Scheme::Http);
    let (seed, slots) = hosts::build(&["localhost", "shop.example", "*.example"]);
    let hosts = Hosts { seed, slots: &slots, names: &[("localhost", 0), ("shop.example", 1), ("*.example", 2)], default: None };
    let blob = routes::encode(&["/assets/*", "/products/{id}", "/*"]);
    let (mut table, mut scratch, mut captures) = (Vec::new(), Scratch::default(), Captures::default());
    let mut total = 0_u32;
    for _ in 0..rounds {
        let Ok(Some(scanned)) = head::scan(black_box(bytes), limits, &mut table) else { return ExitCode::FAILURE };
        if stage == "scan" {
            black_box(&scanned);
            continue;
        }
        let Ok(head) = head::view(bytes, &scanned, &table, &mut scratch, arrival) else { return ExitCode::FAILURE };
        if stage == "view" {
            black_box(&head);
            continue;
        }
        let vhost = hosts.find(head.host).unwrap_or_default();
        let route = Routes::new(&blob).find(head.path.text, &mut captures, |index, _| Some(index)).unwrap_or_default();
        total = total.wrapping_add(u32::from(vhost) + route);
    }
    black_box(total);
    ExitCode::SUCCESS
}
