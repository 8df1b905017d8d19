//! `main.rs`: the site's type, the choice of the vhost, the host table and the settings.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    Form, abi,
    file::{File, Unit, headers_doc},
    names,
    shared::Shared,
};
use crate::{
    model::{Limits, Timeouts},
    plan::{Listener, Plan},
};

/// More vhosts than this are found in a table of functions instead of a `match`.
const MATCHED_MAX: usize = 16;
/// More names than this go to a file of their own.
const NAMES_MAX: usize = 64;

/// `main.rs`, and `hosts.rs` for a large host table.
pub(super) fn files(plan: &Plan, shared: &Shared, units: &[Unit], form: &Form<'_>) -> (File, Option<File>) {
    let doc = format!("Site `{}`, written by kiln from {}. Change the KDL, not this file.", plan.site, form.entry);
    let mut file = File::new(doc, &shared.scope);
    let site = names::type_name(&plan.site);
    modules(&mut file, shared, units, plan.hosts.names.len() > NAMES_MAX);
    file.item(abi::assertion());
    file.item(abi::main(&site));
    file.item(quote!(struct #site;));
    let misdirected = misdirected(&mut file, plan, shared);
    let functions: Vec<_> = units.iter().flat_map(|unit| unit.functions.iter().map(|function| (&unit.module, function))).collect();
    if functions.len() > MATCHED_MAX {
        file.item(abi::site_by_table(&site, &misdirected));
        file.item(abi::vhosts(&functions));
    } else {
        file.item(abi::site_by_match(&site, &functions, &misdirected));
    }
    if let Some(edits) = site_edits(plan, shared) {
        file.documented(&headers_doc("the site"), edits);
    }
    let hosts = (plan.hosts.names.len() > NAMES_MAX).then(|| {
        let mut hosts = File::new(format!("The {} host names of the site.", plan.hosts.names.len()), &shared.scope);
        hosts.item(abi::hosts(&quote!(pub), &plan.hosts));
        hosts
    });
    if hosts.is_none() {
        file.item(abi::hosts(&TokenStream::new(), &plan.hosts));
    }
    file.item(settings(plan));
    (file, hosts)
}

fn modules(file: &mut File, shared: &Shared, units: &[Unit], has_hosts: bool) {
    let mut modules: Vec<Ident> = units.iter().map(|unit| unit.module.clone()).collect();
    let optional = [("headers", !shared.edits.is_empty()), ("hosts", has_hosts), ("trees", !shared.trees.is_empty())];
    modules.extend(optional.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| format_ident!("{name}")));
    for (index, module) in modules.iter().enumerate() {
        let item = quote!(mod #module;);
        if index == 0 { file.item(item) } else { file.beside(item) }
    }
    if has_hosts {
        file.imports.push(quote!(
            use crate::hosts::HOSTS;
        ));
    }
}

/// What a host of no vhost gets.
fn misdirected(file: &mut File, plan: &Plan, shared: &Shared) -> TokenStream {
    if plan.site_edits.0 == 0 {
        return abi::misdirected(&quote!(exchange));
    }
    let name = match shared.edits.get(&plan.site_edits) {
        Some(edits) => {
            file.shared.push(edits.name.clone());
            edits.name.clone()
        }
        None => site_edits_name(),
    };
    abi::misdirected(&abi::edited(&quote!(&#name)))
}

fn site_edits(plan: &Plan, shared: &Shared) -> Option<TokenStream> {
    let is_local = plan.site_edits.0 != 0 && !shared.edits.contains_key(&plan.site_edits);
    is_local.then(|| abi::edits(&TokenStream::new(), &site_edits_name(), &plan.edits[plan.site_edits.0 as usize]))
}

fn site_edits_name() -> Ident {
    format_ident!("SITE_HEADERS")
}

fn settings(plan: &Plan) -> TokenStream {
    let listeners: Vec<_> = plan.listeners.iter().map(|listener: &Listener| abi::listener(listener)).collect();
    let workers = abi::workers(plan.workers.value);
    let (limits, timeouts) = (limits(&plan.limits), timeouts(&plan.timeouts));
    abi::settings(&plan.site, &listeners, &[workers, limits, timeouts])
}

fn limits(limits: &Limits) -> TokenStream {
    let Limits { connections, head, fields, body } = limits;
    abi::limits(connections.value, head.value, fields.value, body.value)
}

fn timeouts(timeouts: &Timeouts) -> TokenStream {
    let Timeouts { head, body, idle, write, drain } = timeouts;
    abi::timeouts(&[("head", head.value), ("body", body.value), ("idle", idle.value), ("write", write.value), ("drain", drain.value)])
}
