//! Error pages that several vhosts have.

use runtime::{Answer, Errors};

/// `errors` of the site
pub static SITE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 400,
            head: b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 192\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 403,
            head: b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 192\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 195\r\n",
            body: include_bytes!("../pages/404.html"),
        },
        Answer {
            status: 405,
            head: b"HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 192\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 413,
            head: b"HTTP/1.1 413 Content Too Large\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 192\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 500,
            head: b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 167\r\n",
            body: include_bytes!("../pages/down.html"),
        },
        Answer {
            status: 502,
            head: b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 167\r\n",
            body: include_bytes!("../pages/down.html"),
        },
        Answer {
            status: 503,
            head: b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 167\r\n",
            body: include_bytes!("../pages/down.html"),
        },
        Answer {
            status: 504,
            head: b"HTTP/1.1 504 Gateway Timeout\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 167\r\n",
            body: include_bytes!("../pages/down.html"),
        },
    ],
};
