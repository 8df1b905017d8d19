//! Text to an identifier in snake case.

/// Longest identifier made of one text, bytes; cut between words.
const LENGTH_MAX: usize = 48;

/// Letters and digits in lower case, all else one `_`; never empty, never beginning with a digit.
pub(super) fn snake(text: &str) -> String {
    let mut name = String::new();
    for word in text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !name.is_empty() {
            if name.len() + 1 + word.len() > LENGTH_MAX {
                break;
            }
            name.push('_');
        }
        name.extend(word.chars().take(LENGTH_MAX).map(|character| character.to_ascii_lowercase()));
    }
    match name.bytes().next() {
        None => "path".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("at_{name}"),
        Some(_) => name,
    }
}

/// Whether it is a word of Rust (strict and reserved ones, all editions).
pub(super) fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "abstract"
            | "as"
            | "async"
            | "await"
            | "become"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "crate"
            | "do"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "final"
            | "fn"
            | "for"
            | "gen"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "macro"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "override"
            | "priv"
            | "pub"
            | "ref"
            | "return"
            | "self"
            | "static"
            | "struct"
            | "super"
            | "trait"
            | "true"
            | "try"
            | "type"
            | "typeof"
            | "unsafe"
            | "unsized"
            | "use"
            | "virtual"
            | "where"
            | "while"
            | "yield"
    )
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn snake_keeps_letters_and_digits() {
        assert_eq!(snake("/API/v1-x"), "api_v1_x");
        assert_eq!(snake("404.html"), "at_404_html");
        assert_eq!(snake("/-"), "path");
    }

    #[test]
    fn snake_cuts_between_words() {
        assert_eq!(snake(&"abcdefghij ".repeat(9)), "abcdefghij_abcdefghij_abcdefghij_abcdefghij");
    }
}
