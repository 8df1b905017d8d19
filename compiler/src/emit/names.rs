//! Identifiers of one generated file: each name is given once, and none is a keyword.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

use super::abi;

/// Words that no item can have as its name, strict and reserved ones (Rust reference, "Keywords").
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe",
    "unsized", "use", "virtual", "where", "while", "yield",
];

/// Modules and crates that a file of the package can name, so that no vhost's module may.
const MODULES: &[&str] = &[
    "access_lists",
    "alloc",
    "assets",
    "core",
    "cors_policies",
    "encodings",
    "error_pages",
    "headers",
    "hosts",
    "late_values",
    "main",
    "maps",
    "regexes",
    "routes",
    "runtime",
    "std",
    "trees",
    "upstreams",
];

/// The names that are taken in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    /// `name`, or `name` with `_` behind it where that is taken or no identifier.
    pub(super) fn claim(&mut self, name: &str) -> Ident {
        let mut name =
            if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name.to_owned() };
        while name == "_" || KEYWORDS.contains(&name.as_str()) || self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        Ident::new(&name, Span::call_site())
    }

    /// The first of two names that is free.
    pub(super) fn claim_first(&mut self, names: &[String; 2]) -> Ident {
        let free = names.iter().find(|name| !self.taken.contains(*name));
        self.claim(free.unwrap_or(&names[1]))
    }

    /// A module's name: also none that the package needs for something else.
    pub(super) fn claim_module(&mut self, name: &str) -> Ident {
        let is_reserved = MODULES.contains(&name) || abi::is_module(name);
        if is_reserved { self.claim(&format!("{name}_vhost")) } else { self.claim(name) }
    }
}

/// `HEALTHZ` for `healthz`.
pub(super) fn constant(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// `moved_urls` for `moved-urls`; never empty.
pub(super) fn snake(name: &str) -> String {
    let words: Vec<_> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "unnamed".to_owned() } else { words.join("_").to_ascii_lowercase() }
}

/// `MySite` for `my-site`; a name that the file imports gets `Site` behind it.
pub(super) fn type_name(site: &str) -> Ident {
    let words = site.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name: String = words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
    if name.is_empty() || abi::is_type(&name) || KEYWORDS.contains(&name.as_str()) {
        name.push_str("Site");
    }
    Scope::default().claim(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_taken_or_keyword_is_made_unique() {
        let mut scope = Scope::default();
        assert_eq!(scope.claim("match"), "match_");
        assert_eq!(scope.claim("x"), "x");
        assert_eq!(scope.claim("x"), "x_");
        assert_eq!(scope.claim("404"), "_404");
    }

    #[test]
    fn type_name_never_hides_an_import() {
        assert_eq!(type_name("my-site"), "MySite");
        assert_eq!(type_name("settings"), "SettingsSite");
        assert_eq!(type_name("3d"), "_3d");
    }
}
