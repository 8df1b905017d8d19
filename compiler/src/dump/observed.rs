//! What the server writes down in the words of the site language: the access log, the log of errors, counters; and when answers are written.

use super::words::{self, Words};
use crate::{
    plan::{AccessLog, Delivery, LogFormat, Metrics, Plan},
    resolve::inherit,
};

/// `stdout  format json.`, and what is redacted: fields and cookies, then query keys.
pub(crate) fn access_log(plan: &Plan, log: &AccessLog) -> Vec<(&'static str, String)> {
    let words = Words { plan, parameters: &[] };
    let format = match &log.format.value {
        LogFormat::Template(parts) => format!("template {}", words::quoted(&words.log_template(parts))),
        built_in => words::mark(&format!("format {}", format_name(built_in)), log.format.is_default),
    };
    let mut facts = vec![("access-log", format!("{}  {format}", words.value(&log.file)))];
    let known = [("fields", semantics::log::FIELDS), ("keys", semantics::log::KEYS)];
    for ((what, known), names) in known.into_iter().zip(log.all_redacted()) {
        let names = names.into_iter().map(|name| words::mark(name, known.contains(&name)));
        facts.push(("redact", format!("{what} {}", names.collect::<Vec<_>>().join(" "))));
    }
    facts
}

/// As `format=` names it.
pub(crate) const fn format_name(format: &LogFormat) -> &'static str {
    match format {
        LogFormat::Combined => "combined",
        LogFormat::Common => "common",
        LogFormat::Json => "json",
        LogFormat::Template(_) => "template",
    }
}

/// `stderr.`
pub(crate) fn error_log(plan: &Plan) -> String {
    let written = plan.error_log.as_ref().map(|file| Words { plan, parameters: &[] }.value(file));
    written.unwrap_or_else(|| words::mark(inherit::ERROR_LOG, true))
}

/// `per-vhost #true.  per-route #false`
pub(crate) fn metrics(metrics: Metrics) -> String {
    let facts = [("per-vhost", metrics.per_vhost), ("per-route", metrics.per_route)];
    facts.map(|(word, counted)| words::mark(&format!("{word} #{}", counted.value), counted.is_default)).join("  ")
}

/// `coalesce`, `immediate`, `16KiB`.
pub(crate) fn delivery(delivery: Delivery) -> String {
    match delivery {
        Delivery::Bytes(bytes) => words::size(bytes.into()),
        Delivery::Coalesce => "coalesce".to_owned(),
        Delivery::Immediate => "immediate".to_owned(),
    }
}
