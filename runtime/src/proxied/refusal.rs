//! What a client is told where an upstream has not answered: the site's page for the status, or the built-in answer with the fault's name in its second line.

use std::ptr;

use crate::{answer::Answer, builtin::builtin, errors, exchange::Slot, fault::Fault};

/// The answer of a fault.
pub(super) fn answer(slot: &Slot, fault: Fault) -> &'static Answer {
    let answer = errors::answer(slot, fault.status());
    if !ptr::eq(answer, builtin(fault.status())) {
        return answer;
    }
    NAMED.iter().find(|(named, _)| *named == fault).map_or(answer, |(_, answer)| answer)
}

static NAMED: [(Fault, Answer); 8] = [
    (
        Fault::UpstreamBetweenBytesTimedOut,
        Answer {
            status: 504,
            head: b"HTTP/1.1 504 Gateway Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 53\r\n",
            body: b"504 Gateway Timeout\nupstream-between-bytes-timed-out\n",
        },
    ),
    (
        Fault::UpstreamConnectFailed,
        Answer {
            status: 502,
            head: b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 40\r\n",
            body: b"502 Bad Gateway\nupstream-connect-failed\n",
        },
    ),
    (
        Fault::UpstreamConnectTimedOut,
        Answer {
            status: 504,
            head: b"HTTP/1.1 504 Gateway Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 47\r\n",
            body: b"504 Gateway Timeout\nupstream-connect-timed-out\n",
        },
    ),
    (
        Fault::UpstreamFirstByteTimedOut,
        Answer {
            status: 504,
            head: b"HTTP/1.1 504 Gateway Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 50\r\n",
            body: b"504 Gateway Timeout\nupstream-first-byte-timed-out\n",
        },
    ),
    (
        Fault::UpstreamFraming,
        Answer {
            status: 502,
            head: b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 33\r\n",
            body: b"502 Bad Gateway\nupstream-framing\n",
        },
    ),
    (
        Fault::UpstreamNoEndpoint,
        Answer {
            status: 503,
            head: b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 45\r\n",
            body: b"503 Service Unavailable\nupstream-no-endpoint\n",
        },
    ),
    (
        Fault::UpstreamReset,
        Answer {
            status: 502,
            head: b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 31\r\n",
            body: b"502 Bad Gateway\nupstream-reset\n",
        },
    ),
    (
        Fault::UpstreamTotalTimedOut,
        Answer {
            status: 504,
            head: b"HTTP/1.1 504 Gateway Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 45\r\n",
            body: b"504 Gateway Timeout\nupstream-total-timed-out\n",
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_is_the_built_in_one_and_the_name() {
        for (fault, named) in &NAMED {
            let plain = builtin(fault.status());
            let body = [plain.body, fault.name().as_bytes(), b"\n"].concat();
            assert_eq!(named.body, body, "{fault:?}");
            let length = |answer: &Answer| format!("content-length: {}\r\n", answer.body.len());
            assert_eq!(
                String::from_utf8_lossy(named.head),
                String::from_utf8_lossy(plain.head).replace(&length(plain), &length(named)),
                "{fault:?}"
            );
            assert_eq!(named.status, fault.status());
            assert!(ptr::eq(answer(&Slot::default(), *fault), named));
        }
    }

    #[test]
    fn every_fault_of_an_upstream_is_named() {
        let names = Fault::NAMES.iter().filter(|name| name.starts_with("upstream-") && **name != Fault::UpstreamTarget.name());
        assert!(names.eq(NAMED.iter().map(|(fault, _)| &Fault::NAMES[fault.number()])));
    }
}
