//! The rows of an explanation: a word, its subject, and what is said of it. Rows of the same word name it once.

/// Columns, characters.
const SUBJECT_COLUMN: usize = 10;
const REMARK_COLUMN: usize = 36;

#[derive(Default)]
pub(super) struct Rows {
    text: String,
    last: &'static str,
}

impl Rows {
    pub(super) fn row(&mut self, word: &'static str, subject: &str, remark: &str) {
        let shown = if word == self.last { "" } else { word };
        self.last = word;
        let mut line = format!("{shown:SUBJECT_COLUMN$}{subject}");
        if !remark.is_empty() {
            let blanks = REMARK_COLUMN.saturating_sub(line.chars().count()).max(2);
            line.push_str(&" ".repeat(blanks));
            line.push_str(remark);
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
