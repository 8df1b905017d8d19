//! Header edits that several vhosts have.

use runtime::{Edit, EditAction, Edits, Part};

/// `headers` of the site
pub static SITE_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
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
            value: &[Part::Text("DENY")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("no-cache")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[404],
            except: &[],
        },
    ],
};
