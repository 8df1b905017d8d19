//! Diagnostics of whole files: those that can't be read, and those whose text has no statements.

use super::blocks::{Fault, LEVELS_MAX};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::{FILE_BYTES_MAX, FileId, ReadFault, Span},
};

pub(super) fn unread(fault: &ReadFault, name: &str, include: Option<Span>) -> Diagnostic {
    let at_include = |code, message: String| match include {
        Some(span) => Diagnostic::new(code, span, message),
        None => Diagnostic::without_span(code, message),
    };
    match fault {
        ReadFault::NotUtf8 { span } => {
            Diagnostic::new(Code::NotUtf8, *span, format!("`{name}` is not UTF-8")).label("this byte is not part of UTF-8")
        }
        ReadFault::TooLarge => at_include(Code::FileTooLarge, format!("`{name}` has more than {} MiB", FILE_BYTES_MAX >> 20)),
        ReadFault::Unreadable(error) if error.kind() == std::io::ErrorKind::NotFound && include.is_some() => {
            let diagnostic = at_include(Code::IncludeMiss, format!("there is no file `{name}`"));
            diagnostic.help("relative paths begin at the directory of the file that says `include`")
        }
        ReadFault::Unreadable(error) => at_include(Code::FileUnreadable, format!("`{name}` can't be read: {}", reason(error))),
    }
}

/// The system's words without its number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    words.to_lowercase()
}

pub(super) fn unscanned(fault: &Fault, file: FileId) -> Diagnostic {
    let span = |start: usize, end: usize| Span::new(file, start as u32, end as u32);
    match fault {
        Fault::ClosesNothing { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 1), "this `}` closes nothing").label("no block is open here")
        }
        Fault::CommentsNothing { at } => Diagnostic::new(Code::Syntax, span(*at, at + 2), "syntax error: this `/-` takes nothing out")
            .label("expected a node, a value or a block behind it"),
        Fault::ContinuesNothing { at } => Diagnostic::new(Code::Syntax, span(*at, at + 1), "syntax error: this `\\` continues no line")
            .label("expected a line feed or a comment behind it"),
        Fault::FollowsBlock { at } => Diagnostic::new(Code::Syntax, span(*at, at + 1), "syntax error: something follows a block directly")
            .label("a line feed or `;` is missing before it"),
        Fault::Nameless { at } => Diagnostic::new(Code::Syntax, span(*at, at + 1), "syntax error: a block without a word")
            .label("expected a word before it, on the same line"),
        Fault::OldKdl { at, length, now } => {
            let diagnostic = Diagnostic::new(Code::OldKdl, span(*at, at + length), "this file is written in KDL 1, site files are KDL 2");
            diagnostic.label(format!("KDL 2 says `{now}`")).help("`kiln codes K0006` lists the differences")
        }
        Fault::TooDeep { at } => {
            let diagnostic = Diagnostic::new(Code::TooDeep, span(*at, at + 1), format!("more than {} levels of blocks", LEVELS_MAX));
            diagnostic.label("this one is too deep")
        }
        Fault::UnclosedBlock { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 1), "this block is never closed").label("its `}` is missing")
        }
        Fault::UnclosedComment { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 2), "this comment is never closed").label("its `*/` is missing")
        }
        Fault::UnclosedString { at, end } => {
            let diagnostic =
                Diagnostic::new(Code::Unclosed, span(*at, *end), "this string is not closed").label("its closing quote is missing");
            diagnostic
                .help("a string ends on its line; one over several lines opens and closes with `\"\"\"`, each followed by a line feed")
        }
    }
}
