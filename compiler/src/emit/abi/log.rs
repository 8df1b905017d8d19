//! The access log and what is in its lines.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{part, value};
use crate::{
    emit::{globals::Globals, literal},
    plan::{AccessLog, LogFormat, LogPart},
};

/// `static ACCESS_LOG: AccessLog = ..;`.
pub(in crate::emit) fn access_log(name: &Ident, log: &AccessLog, globals: &Globals) -> TokenStream {
    let (parts, quoting) = match &log.format.value {
        LogFormat::Combined => (quote!(log::COMBINED), "Text"),
        LogFormat::Common => (quote!(log::COMMON), "Text"),
        LogFormat::Json if globals.upstreams().is_empty() => (quote!(log::JSON), "Json"),
        LogFormat::Json => (quote!(log::JSON_PROXIED), "Json"),
        LogFormat::Template(parts) => {
            let parts = parts.iter().map(|part| log_part(part, globals));
            (quote!(&[#(#parts),*]), "Text")
        }
    };
    let (file, quoting, redacted) = (value(&log.file, globals), format_ident!("{quoting}"), redacted(log));
    quote! {
        static #name: AccessLog = AccessLog {
            file: #file,
            format: log::Format { parts: #parts, quoting: log::Quoting::#quoting, redacted: #redacted },
        };
    }
}

/// What is redacted anyway, or that and what the site adds.
fn redacted(log: &AccessLog) -> TokenStream {
    if log.redacted.is_empty() {
        return quote!(log::REDACTED);
    }
    let [fields, keys] = log.all_redacted().map(|names| {
        let names = names.into_iter().map(literal::text);
        quote!(&[#(#names),*])
    });
    quote!(log::Redacted { fields: #fields, keys: #keys })
}

fn log_part(written: &LogPart, globals: &Globals) -> TokenStream {
    let name = match written {
        LogPart::Attempts => "Attempts",
        LogPart::BodyBytes => "BodyBytes",
        LogPart::Cause => "Cause",
        LogPart::ConnectDuration => "ConnectDuration",
        LogPart::Duration => "Duration",
        LogPart::Endpoint => "Endpoint",
        LogPart::FirstByteDuration => "FirstByteDuration",
        LogPart::Outcome => "Outcome",
        LogPart::Protocol => "Protocol",
        LogPart::ReceivedBytes => "ReceivedBytes",
        LogPart::Route => "Route",
        LogPart::SentBytes => "SentBytes",
        LogPart::Template(written) => {
            let part = part(written, globals);
            return quote!(log::Part::Template(#part));
        }
        LogPart::Time => "Time",
        LogPart::TimeCommon => "TimeCommon",
        LogPart::Upstream => "Upstream",
        LogPart::UpstreamStatus => "UpstreamStatus",
        LogPart::Vhost => "Vhost",
        LogPart::WrittenTarget => "WrittenTarget",
    };
    let name = format_ident!("{name}");
    quote!(log::Part::#name)
}
