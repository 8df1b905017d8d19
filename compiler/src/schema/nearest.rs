//! Did-you-mean: the known word that is nearest to what was written.

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours), if they are few for the word's length. The first of equals wins.
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > LENGTH_MAX {
        return None;
    }
    let written = written.to_lowercase().replace('_', "-");
    let length = written.chars().count();
    let edits_max = (length / 3).max(1);
    let measured = candidates.into_iter().map(|candidate| (distance(&written, candidate), candidate));
    // A word of two letters must not become any other of two letters.
    let near = measured.filter(|(edits, _)| *edits <= edits_max && *edits < length);
    near.min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// Words longer than this are near to nothing.
const LENGTH_MAX: usize = 64;

/// Optimal string alignment distance, in characters.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut edits = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(before_last[j - 2] + 1);
            }
            row.push(edits);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_find_their_word() {
        let words = ["respond", "redirect", "refuse", "route", "headers"];
        assert_eq!(nearest("repsond", words), Some("respond"));
        assert_eq!(nearest("header", words), Some("headers"));
        assert_eq!(nearest("REDIRECT", words), Some("redirect"));
        assert_eq!(nearest("xyz", words), None);
        assert_eq!(nearest("", words), None);
    }
}
