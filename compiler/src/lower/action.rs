//! Actions: what a route does, with its templates lowered and its embedded tree by number.

use super::{
    embeds::EmbedTable,
    template::{self, Scope},
};
use crate::{
    model,
    plan::{Action, Part},
};

pub(super) fn lower(action: &model::Action, scope: &Scope<'_>, embeds: &mut EmbedTable<'_>) -> Action {
    match action {
        model::Action::Abort => Action::Abort,
        model::Action::Files(files) if files.is_embedded => Action::Embed { embed: embeds.id(files) },
        model::Action::Files(files) => Action::Root { directory: files.directory.value.clone(), index: files.index.value.clone() },
        model::Action::Redirect { target, status, drops_query } => {
            Action::Redirect { target: template::lower(target, scope), status: *status, drops_query: *drops_query }
        }
        model::Action::Refuse { status } => Action::Refuse { status: *status },
        model::Action::Respond { status, body, content_type } => {
            let body: Vec<Part> = template::lower(body, scope);
            Action::Respond { status: *status, body, content_type: content_type.clone() }
        }
        model::Action::Rewrite { .. } | model::Action::Split { .. } => unreachable!("resolve gives none of these yet"),
    }
}
