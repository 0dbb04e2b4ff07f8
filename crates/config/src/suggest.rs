//! The known name that a mistyped one was probably meant to be.

/// Returns the closest of `known`, if it is close enough to be what was meant.
#[must_use]
pub fn closest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase().replace('-', "_");
    let ranked = known.into_iter().map(|name| (distance(&typed, name), name));
    ranked.min().filter(|(edits, name)| *edits <= (name.len() / 3).max(2)).map(|(_, name)| name)
}

/// Counts the insertions, removals and replacements between two names (Levenshtein), one row at a time.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (from, to, edits) in [("", "abc", 3), ("port", "port", 0), ("prot", "port", 2), ("kitten", "sitting", 3)] {
            assert_eq!(distance(from, to), edits, "{from} to {to}");
        }
    }

    #[test]
    fn a_typing_error_finds_its_key_and_nonsense_finds_none() {
        let known = ["port", "host", "max_workers", "log_level"];
        assert_eq!(closest("max-worker", known), Some("max_workers"));
        assert_eq!(closest("LOGLEVEL", known), Some("log_level"));
        assert_eq!(closest("prt", known), Some("port"));
        assert_eq!(closest("colour_scheme", known), None);
    }
}
