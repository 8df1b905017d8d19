//! Lints and what silences them: `allow-lint` holds in the block it stands in, at the top level in its file, in `site` everywhere.

use std::collections::BTreeSet;

use crate::{
    ast::{Config, Node},
    diagnostic::{Code, Diagnostic, Diagnostics, uses::Use},
    model::AllowedLint,
    schema::nearest::nearest,
    source::Span,
};

/// Lints that fired, and those that are allowed.
#[derive(Default)]
pub(super) struct Lints {
    /// What `allow-lint` in a snippet silences is what the snippet says.
    uses: Vec<Use>,
    fired: Vec<Diagnostic>,
    allowances: Vec<Allowance>,
}

struct Allowance {
    code: Code,
    reason: String,
    /// The `allow-lint` itself.
    span: Span,
    place: Place,
    is_used: bool,
}

#[derive(Clone, Copy)]
enum Place {
    Everywhere,
    Within(Span),
}

impl Lints {
    pub(super) fn new(uses: &[Use]) -> Self {
        Self { uses: uses.to_vec(), ..Self::default() }
    }

    /// Reads `allow-lint` at the top level of each file and in `site`.
    pub(super) fn allow_in_files(&mut self, config: &Config, diagnostics: &mut Diagnostics) {
        for node in &config.nodes {
            if node.is("allow-lint") {
                let file = Span { start: 0, end: u32::MAX, ..node.span };
                self.allowance(node, Place::Within(file), diagnostics);
            } else if node.is("site") {
                for allow in node.children_named("allow-lint") {
                    self.allowance(allow, Place::Everywhere, diagnostics);
                }
            }
        }
    }

    /// Reads `allow-lint` in a block; one that a snippet put there holds in the snippet, and is read once.
    pub(super) fn allow(&mut self, block: &Node, extent: Span, diagnostics: &mut Diagnostics) {
        for allow in block.children_named("allow-lint") {
            if extent.contains(allow.span) {
                self.allowance(allow, Place::Within(extent), diagnostics);
            } else if !self.allowances.iter().any(|known| known.span == allow.span) {
                let snippet = self.uses.iter().map(|used| used.snippet).find(|snippet| snippet.contains(allow.span));
                self.allowance(allow, Place::Within(snippet.unwrap_or(extent)), diagnostics);
            }
        }
    }

    fn allowance(&mut self, node: &Node, place: Place, diagnostics: &mut Diagnostics) {
        let Some(code) = node.argument("code") else { return };
        let reason = node.property("reason").map(|value| value.text().trim().to_owned()).unwrap_or_default();
        if reason.is_empty() {
            let diagnostic =
                Diagnostic::new(Code::MissingReason, node.span, "`allow-lint` needs a reason").label("expected `reason=\"..\"`");
            diagnostics.push(diagnostic);
        }
        match Code::parse(code.text()).filter(|found| found.is_lint() && found.to_string() == code.text()) {
            Some(code) => self.allowances.push(Allowance { code, reason, span: node.span, place, is_used: false }),
            None => diagnostics.push(unknown(code.text(), code.span)),
        }
    }

    pub(super) fn push(&mut self, lint: Diagnostic) {
        self.fired.push(lint);
    }

    pub(super) fn allowed(&self) -> Vec<AllowedLint> {
        let allowances = self.allowances.iter();
        allowances
            .map(|allowance| AllowedLint { code: allowance.code.to_string(), reason: allowance.reason.clone(), span: allowance.span })
            .collect()
    }

    /// Reports the lints that nothing silences, and the allowances that silence nothing.
    pub(super) fn report(mut self, diagnostics: &mut Diagnostics) {
        // Each use of a snippet fires its lints again.
        let mut seen = BTreeSet::new();
        self.fired.retain(|lint| seen.insert((lint.code, lint.span, lint.message.clone())));
        for lint in self.fired {
            let mut is_silenced = false;
            for allowance in self.allowances.iter_mut().filter(|allowance| allowance.code == lint.code && allowance.place.holds(lint.span))
            {
                allowance.is_used = true;
                is_silenced = true;
            }
            if !is_silenced {
                let help = format!("to silence it here: `allow-lint \"{}\" reason=\"..\"`", lint.code);
                diagnostics.push(lint.help(help));
            }
        }
        // After an error not every lint was looked for.
        let is_complete = !diagnostics.has_errors();
        for unused in self.allowances.iter().filter(|allowance| is_complete && !allowance.is_used) {
            let diagnostic = Diagnostic::new(Code::UnusedAllowance, unused.span, format!("{} does not fire here", unused.code));
            diagnostics.push(diagnostic.label("silences nothing").help("remove it"));
        }
    }
}

impl Place {
    fn holds(self, span: Option<Span>) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Within(extent) => span.is_some_and(|span| extent.contains(span)),
        }
    }
}

fn unknown(text: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::UnknownLint, span, format!("`{}` is not a lint", text.escape_debug()));
    if let Some(code) = Code::parse(text).filter(|code| !code.is_lint()) {
        return diagnostic.label(format!("{code} is an error: errors can't be silenced"));
    }
    let lints: Vec<String> = Code::all().iter().filter(|entry| entry.code.is_lint()).map(|entry| entry.code.to_string()).collect();
    let near = nearest(text, lints.iter().map(String::as_str));
    diagnostic.label(near.map_or_else(|| format!("expected one of {}", lints.join(", ")), |near| format!("did you mean `\"{near}\"`?")))
}
