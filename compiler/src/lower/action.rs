//! Actions: what a route does, with its templates lowered and its embedded tree by number.

use super::{
    Tables,
    template::{self, Scope},
    upstream,
};
use crate::{
    model::{self, Files},
    plan::{Action, Continuation, Intercepted, Share, Value},
};

/// `salt` is that of a split.
pub(super) fn lower(action: &model::Action, salt: &str, scope: &Scope<'_>, tables: &mut Tables<'_>) -> Action {
    match action {
        model::Action::Abort => Action::Abort,
        model::Action::Files(written) => files(written, salt, scope, tables),
        model::Action::Proxy(written) => Action::Proxy(Box::new(upstream::proxy(written, salt, scope, tables))),
        model::Action::Redirect { target, status, drops_query } => {
            Action::Redirect { target: template::lower(target, scope, tables), status: *status, drops_query: *drops_query }
        }
        model::Action::Refuse { status } => Action::Refuse { status: *status },
        model::Action::Respond { status, body, content_type } => {
            Action::Respond { status: *status, body: template::lower(body, scope, tables), content_type: content_type.clone() }
        }
        model::Action::Rewrite { target } => Action::Rewrite { target: template::lower(target, scope, tables) },
        model::Action::Split { by, shares } => {
            let by = template::lower(by, scope, tables);
            let share = |share: &model::Share| Share {
                name: String::new(),
                weight: share.weight,
                action: lower(&share.action, salt, scope, tables),
            };
            Action::Split { by, salt: salt.to_owned(), shares: shares.iter().map(share).collect() }
        }
    }
}

/// Tells the files of the host in an action that their route encodes answers: on what they depend is theirs to say.
pub(super) fn tell_encoded(action: &mut Action) {
    match action {
        Action::Root { rules, miss, .. } => {
            rules.is_encoded = true;
            miss.iter_mut().for_each(|miss| tell_encoded(&mut miss.action));
        }
        Action::Embed { miss, .. } => miss.iter_mut().for_each(|miss| tell_encoded(&mut miss.action)),
        Action::Proxy(proxy) => {
            for intercept in &mut proxy.intercepts {
                if let Intercepted::Action(continuation) = &mut intercept.then {
                    tell_encoded(&mut continuation.action);
                }
            }
        }
        Action::Split { shares, .. } => shares.iter_mut().for_each(|share| tell_encoded(&mut share.action)),
        Action::Abort | Action::Redirect { .. } | Action::Refuse { .. } | Action::Respond { .. } | Action::Rewrite { .. } => {}
    }
}

fn files(files: &Files, salt: &str, scope: &Scope<'_>, tables: &mut Tables<'_>) -> Action {
    let index_is_default = files.index_is_default;
    let embed = files.is_embedded.then(|| tables.embeds.id(files));
    let miss = files.miss.as_ref().map(|miss| Box::new(Continuation { name: String::new(), action: lower(miss, salt, scope, tables) }));
    if let Some(embed) = embed {
        return Action::Embed { embed, index_is_default, miss };
    }
    let directory = match &files.late {
        Some(value) => Value::Late(tables.late(value)),
        None => Value::Text(files.directory.value.clone()),
    };
    Action::Root { directory, index_is_default, rules: files.rules.clone(), miss }
}
