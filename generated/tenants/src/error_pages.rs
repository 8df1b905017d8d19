//! Error pages that several vhosts have.

use runtime::{Answer, Errors};

/// `errors` of the site
pub static SITE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 403,
            head: b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 120\r\n",
            body: include_bytes!("../pages/error.html"),
        },
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 120\r\n",
            body: include_bytes!("../pages/error.html"),
        },
        Answer {
            status: 421,
            head: b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 120\r\n",
            body: include_bytes!("../pages/error.html"),
        },
    ],
};
