//! Header edits that several vhosts have.

use runtime::{Edit, EditAction, Edits, Part};

/// `headers` of the site
pub static SITE_HEADERS: Edits<'static> = Edits {
    appended: b"x-content-type-options: nosniff\r\nx-frame-options: SAMEORIGIN\r\nreferrer-policy: strict-origin-when-cross-origin\r\n",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=63072000; includeSubDomains")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "server",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-powered-by",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-runtime",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};
