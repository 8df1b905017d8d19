//! The access log, its template by number.

use super::{
    Tables,
    template::{self, Scope},
};
use crate::{
    model,
    plan::{AccessLog, Defaulted, LogFormat, LogPart},
    source::Span,
};

/// `span` is the site's: templates of the log have no parameters, so that nothing is blamed on it.
pub(super) fn lower(log: &model::AccessLog, span: Span, tables: &mut Tables<'_>) -> AccessLog {
    let format = match &log.format.value {
        model::LogFormat::Combined => LogFormat::Combined,
        model::LogFormat::Common => LogFormat::Common,
        model::LogFormat::Json => LogFormat::Json,
        model::LogFormat::Template(parts) => LogFormat::Template(parts.iter().map(|part| self::part(part, span, tables)).collect()),
    };
    let format = Defaulted { value: format, is_default: log.format.is_default };
    AccessLog { file: tables.value(&log.file), format, redacted: log.redacted.clone() }
}

fn part(part: &model::LogPart, span: Span, tables: &mut Tables<'_>) -> LogPart {
    match part {
        model::LogPart::Attempts => LogPart::Attempts,
        model::LogPart::BodyBytes => LogPart::BodyBytes,
        model::LogPart::Cause => LogPart::Cause,
        model::LogPart::ConnectDuration => LogPart::ConnectDuration,
        model::LogPart::Duration => LogPart::Duration,
        model::LogPart::Endpoint => LogPart::Endpoint,
        model::LogPart::FirstByteDuration => LogPart::FirstByteDuration,
        model::LogPart::Outcome => LogPart::Outcome,
        model::LogPart::Protocol => LogPart::Protocol,
        model::LogPart::ReceivedBytes => LogPart::ReceivedBytes,
        model::LogPart::Route => LogPart::Route,
        model::LogPart::SentBytes => LogPart::SentBytes,
        model::LogPart::Template(part) => LogPart::Template(template::lower_part(part, &Scope { parameters: &[], span }, tables)),
        model::LogPart::Time => LogPart::Time,
        model::LogPart::TimeCommon => LogPart::TimeCommon,
        model::LogPart::Upstream => LogPart::Upstream,
        model::LogPart::UpstreamStatus => LogPart::UpstreamStatus,
        model::LogPart::Vhost => LogPart::Vhost,
        model::LogPart::WrittenTarget => LogPart::WrittenTarget,
    }
}
