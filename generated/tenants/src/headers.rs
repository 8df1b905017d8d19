//! Header edits that several vhosts have.

use runtime::{Edit, EditAction, Edits, Part};
use crate::late_values::REGION;

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
            name: "x-region",
            value: &[Part::Late(&REGION)],
            only: &[],
            except: &[],
        },
    ],
};
