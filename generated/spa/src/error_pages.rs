//! Error pages that several vhosts have.

use runtime::{Answer, Errors};

/// `errors` of the site
pub static SITE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 158\r\n",
            body: include_bytes!("../pages/404.html"),
        },
    ],
};
