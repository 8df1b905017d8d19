//! Header edits that several vhosts have.

use runtime::Edits;

/// `headers` of the site
pub static SITE_HEADERS: Edits<'static> = Edits {
    appended: b"x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n",
    rules: &[],
};
