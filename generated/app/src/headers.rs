//! Header edits that several vhosts have.

use runtime::{Edit, EditAction, Edits, Part};

/// `headers` of the site
pub static SITE_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=63072000; includeSubDomains")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-content-type-options",
            value: &[Part::Text("nosniff")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-frame-options",
            value: &[Part::Text("SAMEORIGIN")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "referrer-policy",
            value: &[Part::Text("strict-origin-when-cross-origin")],
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
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
    ],
};
