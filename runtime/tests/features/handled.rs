//! A request as bytes in, an answer as text out, through the same scan and view that engines use.

use std::{
    future::{Future, poll_fn},
    io,
    net::{IpAddr, Ipv4Addr},
};

use runtime::{
    Exchange, Step,
    exchange::{Interim, Slot},
    request_body::RequestBody,
    response::Response,
};
use semantics::head::{Arrival, ScanLimits, Scheme, Scratch, scan, view};

/// What a handler answered.
#[derive(Debug)]
pub(crate) struct Handled {
    pub(crate) status: u16,
    pub(crate) is_abort: bool,
    /// The answer came as `Step::Later`.
    pub(crate) is_later: bool,
    /// The body came in chunks.
    pub(crate) is_streamed: bool,
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) body_bytes: u64,
    /// How reading the body failed.
    pub(crate) fault: Option<io::ErrorKind>,
}

impl Handled {
    /// Head, an empty line feed, body.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.head, self.body)
    }

    /// The value of the only line of that name.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.head.split("\r\n").filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let value = values.next();
        assert!(values.next().is_none(), "{name} twice: {}", self.head);
        value
    }
}

/// A handler as generated code has it, or a closure of that shape.
pub(crate) trait Handler: for<'a> FnOnce(Exchange<'a>) -> Step<'a> {}

impl<F: for<'a> FnOnce(Exchange<'a>) -> Step<'a>> Handler for F {}

/// GET of a target.
pub(crate) fn get(target: &str, handler: impl Handler) -> Handled {
    handle(&format!("GET {target} HTTP/1.1\r\nhost: a.example\r\n\r\n"), handler)
}

/// Runs the handler and takes the whole answer.
pub(crate) fn handle(request: &str, handler: impl Handler) -> Handled {
    handle_between(request, handler, || {})
}

/// The same; `meanwhile` runs between the answer's head and the first chunk of its body.
pub(crate) fn handle_between(request: &str, handler: impl Handler, meanwhile: impl FnOnce()) -> Handled {
    with_exchange(request, |exchange| {
        block_on(async {
            let (mut response, is_later) = match handler(exchange) {
                Step::Ready(response) => (response, false),
                Step::Later(later) => (later.await, true),
            };
            let body_bytes = response.body_bytes().expect("its length is known");
            meanwhile();
            let mut body = response.ready_body().to_vec();
            let is_streamed = response.is_streamed();
            let fault = read_chunks(&mut response, &mut body).await.err().map(|error| error.kind());
            Handled {
                status: response.status(),
                is_abort: response.is_abort(),
                is_later,
                is_streamed,
                head: String::from_utf8_lossy(response.head_lines()).into_owned(),
                body: String::from_utf8_lossy(&body).into_owned(),
                body_bytes,
                fault,
            }
        })
    })
}

async fn read_chunks(response: &mut Response, body: &mut Vec<u8>) -> io::Result<()> {
    if !response.is_streamed() {
        return Ok(());
    }
    while let Some(chunk) = poll_fn(|context| response.poll_chunk(context, usize::MAX)).await {
        body.extend_from_slice(&chunk?);
    }
    Ok(())
}

/// Gives an exchange of the request to `use_it`.
pub(crate) fn with_exchange<T>(request: &str, use_it: impl FnOnce(Exchange<'_>) -> T) -> T {
    let (mut table, mut scratch) = (Vec::new(), Scratch::default());
    let limits = ScanLimits { head_bytes: 32 * 1024, fields: 100 };
    let scanned = scan(request.as_bytes(), limits, &mut table).expect("a valid head").expect("a complete head");
    let arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::LOCALHOST), Scheme::Http);
    let head = view(request.as_bytes(), &scanned, &table, &mut scratch, arrival).expect("a head with a normal form");
    use_it(Exchange::new(&head, &Slot::default(), RequestBody::Empty, &Quiet))
}

/// Sends no informational answer.
struct Quiet;

impl Interim for Quiet {
    fn send(&self, _status: u16, _fields: &[u8]) {}
}

/// Runs a future on a runtime like a worker's.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime").block_on(future)
}
