//! `kiln fmt`: one spelling for site files. Comments stay, strings and numbers stay as they are written, nothing changes its meaning.
//!
//! Four spaces a level, one node a line; a block that was written on one line stays there where it fits. A line that was continued with `\` stays continued,
//! an empty line stays one. The text is taken apart by a lexer of our own, since the tree of `kdl` loses where comments stood: see
//! `docs/decisions/0005-formatter.md`.

mod print;
mod token;
mod tree;

use token::{Kind, tokens};

/// Columns that a line with a block may fill.
const WIDTH_MAX: usize = 120;

/// Formats a text that is KDL 2; what another text becomes is not defined, but it is given back without a panic.
pub fn format(text: &str) -> String {
    let tokens = tokens(text);
    print::print(&tree::items(&tokens))
}

/// Whether two texts have the same words, strings, comments and braces in the same order: what must hold of a text and its formatted form.
pub fn is_same(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|text| {
        let told = tokens(text)
            .into_iter()
            .filter(|token| !matches!(token.kind, Kind::Continuation | Kind::Newline | Kind::Semicolon | Kind::Space));
        told.map(|token| token::shown(token.text).into_owned()).collect::<Vec<_>>()
    });
    a == b
}

#[cfg(test)]
mod tests {
    use super::{format, is_same};

    #[track_caller]
    fn becomes(before: &str, after: &str) {
        assert_eq!(format(before), after);
        assert_eq!(format(after), after, "not stable");
        assert!(is_same(before, after));
    }

    #[test]
    fn nodes_stand_one_a_line_with_four_spaces_a_level() {
        becomes(
            "site \"a\" {\nlisten   \"b\" ;  workers 2\n  limits {\n\tbody 1\n}\n}",
            "site \"a\" {\n    listen \"b\"\n    workers 2\n    limits {\n        body 1\n    }\n}\n",
        );
    }

    #[test]
    fn block_on_one_line_stays_there() {
        becomes("a{b 1;c;}\nd { }\ne {\n}\n", "a { b 1; c }\nd {}\ne {}\n");
    }

    #[test]
    fn block_on_one_line_that_does_not_fit_is_opened() {
        let before = format!("a {{ b \"{}\"; c {{ d }} }}\n", "x".repeat(110));
        becomes(&before, &format!("a {{\n    b \"{}\"\n    c {{ d }}\n}}\n", "x".repeat(110)));
    }

    #[test]
    fn empty_lines_are_kept_to_one_and_not_at_the_ends_of_a_block() {
        becomes("\n\na\n\n\n\nb {\n\n  c\n\n}\n\n\n", "a\n\nb {\n    c\n}\n");
    }

    #[test]
    fn comments_stay_where_they_are() {
        becomes(
            "// first  \na 1   // behind a\nbb { // behind the brace\n// alone\nc // behind c\n/* block */ d /* inside */ 1\n// last\n}\n",
            "// first\na 1 // behind a\nbb { // behind the brace\n    // alone\n    c // behind c\n    /* block */ d /* inside */ 1\n    // last\n}\n",
        );
    }

    #[test]
    fn comments_behind_neighbours_are_aligned() {
        becomes("a // 1\nbbbb 2 // 2\n\nc // 3\n", "a      // 1\nbbbb 2 // 2\n\nc // 3\n");
    }

    #[test]
    fn comment_behind_a_semicolon_belongs_to_its_node() {
        becomes("a; // 1\nb; c; /* 2 */\n", "a // 1\nb\nc\n/* 2 */\n");
    }

    #[test]
    fn disabled_nodes_arguments_and_blocks_stay_disabled() {
        becomes("/- a\n/-\nb  /-  1 2 /-{ c }   { d }", "/-a\n/-b /-1 2 /-{ c } { d }\n");
        becomes("/- // why\n a", "/- // why\n    a\n");
    }

    #[test]
    fn annotations_and_properties_are_written_tight() {
        becomes("a ( env ) \"X\" b = 1 c= #true", "a (env)\"X\" b=1 c=#true\n");
    }

    #[test]
    fn continued_lines_stay_continued() {
        becomes("a 1 \\\n  2 \\ // why\n 3\n", "a 1 \\\n    2 \\ // why\n    3\n");
    }

    #[test]
    fn continuation_before_nothing_goes() {
        becomes("a 1 \\\n\nb \\ /* c */\n 2 \\\n// d\ne \\", "a 1\nb /* c */ \\\n    2 // d\ne\n");
    }

    #[test]
    fn strings_stay_as_they_are_written() {
        becomes(
            "a   #\"x  \"y\"# \"\\n\\u{20}\"  \"\"\"\n  x\n   y\n  \"\"\"",
            "a #\"x  \"y\"# \"\\n\\u{20}\" \"\"\"\n  x\n   y\n  \"\"\"\n",
        );
    }

    #[test]
    fn other_line_breaks_and_a_byte_order_mark_become_plain() {
        becomes("\u{feff}a\r\nb\u{2028}c // d\r\n\r\n\r\ne /* f\r\n */ 1", "a\nb\nc // d\n\ne /* f\n */ 1\n");
    }

    #[test]
    fn texts_that_are_not_kdl_are_given_back_without_a_panic() {
        for text in ["", "{", "}", "a }} b", "\"", "/*", "#", "/-", "\\", "a=", "( (", "\"\"\"", "#\"\"\"\n"] {
            assert!(format(text).len() <= text.len() + 4, "{text:?}");
        }
    }
}
