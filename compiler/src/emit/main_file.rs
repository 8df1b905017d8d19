//! `main.rs`: the site's type, the choice of the vhost, the host tables and the settings.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    Form, abi,
    file::{File, Unit},
    names::{self, Scope},
    records,
    shared::{Key, Shared},
};
use crate::{
    model::Timeouts,
    plan::{EditsId, Plan, Value},
};

/// More vhosts than this are found in a table of functions instead of a `match`.
const MATCHED_MAX: usize = 16;
/// With more names than this the host tables go to a file of their own.
const NAMES_MAX: usize = 64;

/// `main.rs`, and `hosts.rs` for large host tables. Modules are those of vhosts and those of all others.
pub(super) fn files(
    (plan, shared): (&Plan, &Shared),
    units: &[Unit],
    (of_vhosts, modules): (&[&Ident], &BTreeMap<&'static str, File>),
    form: &Form<'_>,
) -> (File, Option<File>) {
    let doc = format!("Site `{}`, written by kiln from {}. Change the KDL, not this file.", plan.site, form.entry);
    let mut file = File::new(doc, &shared.scope);
    let site = names::type_name(&plan.site);
    let names: usize = plan.hosts.iter().map(|hosts| hosts.names.len()).sum();
    let has_hosts_file = names > NAMES_MAX;
    declare(&mut file, of_vhosts, modules.keys().copied().chain(has_hosts_file.then_some("hosts")));
    file.item(abi::assertion());
    file.item(abi::main(&site));
    file.item(quote!(struct #site;));
    let tables = hosts_names(plan, &mut file.scope);
    let find = abi::find(&tables);
    let misdirected = abi::misdirected(&site_scope(&mut file, plan, shared));
    let functions: Vec<_> = units.iter().flat_map(|unit| unit.functions.iter().map(|function| (&unit.module, function))).collect();
    if records::are_chosen(plan) {
        file.item(abi::site_by_records(&site, &find, &misdirected));
    } else if functions.len() > MATCHED_MAX {
        file.item(abi::site_by_table(&site, &find, &misdirected));
        file.item(abi::vhosts(&functions));
    } else {
        file.item(abi::site_by_match(&site, &find, &functions, &misdirected));
    }
    let constants: Vec<_> = file.statics.iter().map(|(key, name)| (*key, name.clone())).collect();
    for (key, name) in constants {
        let (_, doc) = key.names(plan, "site", "the site");
        file.documented(&doc, key.item(plan, &shared.globals, &TokenStream::new(), &name));
    }
    let hosts = has_hosts_file.then(|| File::new(format!("The {names} host names of the site."), &Scope::default()));
    let hosts = hosts_items(plan, &tables, &mut file, hosts);
    settings(&mut file, plan, shared);
    (file, hosts)
}

fn declare<'m>(file: &mut File, of_vhosts: &[&Ident], others: impl Iterator<Item = &'m str>) {
    let modules = of_vhosts.iter().map(|module| (*module).clone()).chain(others.map(|module| format_ident!("{module}")));
    for (index, module) in modules.enumerate() {
        let item = quote!(mod #module;);
        if index == 0 { file.item(item) } else { file.beside(item) }
    }
}

/// `HOSTS`, or one name for each table, after the first listener that has it.
fn hosts_names(plan: &Plan, scope: &mut Scope) -> Vec<Ident> {
    if plan.hosts.len() < 2 {
        return vec![scope.claim("HOSTS")];
    }
    let mut names = Vec::with_capacity(plan.hosts.len());
    for table in 0..plan.hosts.len() {
        let listener = plan.listener_hosts.iter().position(|used| usize::from(*used) == table);
        let listener = listener.map_or("unheard", |listener| &plan.listeners[listener].name);
        names.push(scope.claim(&format!("{}_HOSTS", names::constant(&names::snake(listener)))));
    }
    names
}

/// The tables, here or in `hosts.rs`; gives that back.
fn hosts_items(plan: &Plan, tables: &[Ident], file: &mut File, mut hosts: Option<File>) -> Option<File> {
    if tables.len() > 1 {
        let of_listeners: Vec<_> = plan.listener_hosts.iter().map(|table| &tables[usize::from(*table)]).collect();
        file.item(abi::listener_hosts(&of_listeners));
    }
    for (name, table) in tables.iter().zip(&plan.hosts) {
        match &mut hosts {
            None => file.item(abi::hosts(&TokenStream::new(), name, table)),
            Some(hosts) => hosts.item(abi::hosts(&quote!(pub), name, table)),
        }
    }
    if hosts.is_some() {
        file.imports.push(match tables {
            [name] => quote!(use crate::hosts::#name;),
            names => quote!(use crate::hosts::{#(#names),*};),
        });
    }
    hosts
}

/// The exchange under what holds where no vhost is chosen. Statics that are not shared are noted in the file.
fn site_scope(file: &mut File, plan: &Plan, shared: &Shared) -> TokenStream {
    let mut name = |key: Key| match shared.statics.get(&key) {
        Some(shared) => shared.name.clone(),
        None => {
            let name = file.scope.claim(&key.names(plan, "site", "").0);
            file.statics.insert(key, name.clone());
            name
        }
    };
    let edits = (plan.site_edits != EditsId::default()).then(|| name(Key::Edits(plan.site_edits)));
    let errors = plan.site_errors.map(|errors| name(Key::Errors(errors)));
    let encoded = plan.site_encoding.map(|encoding| name(Key::Encoding(encoding)));
    let [edits, encoded, errors] = [edits, encoded, errors].map(|name| name.map(|name| quote!(&#name)));
    let unlogged = (!plan.site_is_logged).then(|| quote!(true));
    let scoped = abi::Scoped { place: None, unlogged, edits, encoded, errors };
    scoped.exchange().unwrap_or_else(|| quote!(exchange))
}

fn settings(file: &mut File, plan: &Plan, shared: &Shared) {
    let trusted_proxies = plan.trusted_proxies.as_ref().map(|trusted| {
        let name = file.scope.claim("TRUSTED_PROXIES");
        let networks: Vec<_> = trusted.networks.iter().map(ToString::to_string).collect();
        file.documented(&format!("`trusted-proxies` {}", networks.join(" ")), abi::trust(&name, trusted));
        name
    });
    let access_log = plan.access_log.as_ref().map(|log| {
        let name = file.scope.claim("ACCESS_LOG");
        file.documented(&format!("`access-log` {}", log_file(plan, &log.file)), abi::access_log(&name, log, &shared.globals));
        name
    });
    let error_log = plan.error_log.as_ref().map(|file| abi::value(file, &shared.globals));
    let errors = plan.site_errors.map(Key::Errors).and_then(|key| {
        let shared = shared.statics.get(&key).map(|shared| shared.name.clone());
        shared.or_else(|| file.statics.get(&key).cloned())
    });
    let listeners: Vec<_> = plan.listeners.iter().map(|listener| abi::listener(listener, &shared.globals)).collect();
    let workers = abi::workers(plan.workers.value);
    let (limits, timeouts) = (abi::limits(&plan.limits, plan.largest_body()), timeouts(&plan.timeouts));
    let delivery = abi::delivery(plan.delivery.value);
    let [late, regexes, upstreams] = shared.globals.settings();
    let has_places = shared.places.is_some();
    let optional = abi::Optional { errors, trusted_proxies, access_log, error_log, has_places, late, regexes, upstreams };
    file.item(abi::settings(&plan.site, &listeners, &[workers, limits, timeouts, delivery], &optional));
}

fn log_file(plan: &Plan, file: &Value) -> String {
    match file {
        Value::Late(id) => plan.lates[id.0 as usize].source.to_string(),
        Value::Text(path) => format!("\"{path}\""),
    }
}

fn timeouts(timeouts: &Timeouts) -> TokenStream {
    let Timeouts { head, body, idle, write, drain } = timeouts;
    abi::timeouts(&[("head", head.value), ("body", body.value), ("idle", idle.value), ("write", write.value), ("drain", drain.value)])
}
