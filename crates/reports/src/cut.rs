//! Cutting text to a length, with a note that says so.
//!
//! Lengths are in bytes; a cut never falls inside a character. The result is never longer than what was asked for.

use std::borrow::Cow;

/// Keeps the beginning of a text.
#[must_use]
pub fn head(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let room = bytes_max.saturating_sub(note_of_end(text.len()).len());
    if room == 0 {
        return Cow::Borrowed(kept(text.split_at_checked(text.floor_char_boundary(bytes_max))).0);
    }
    let (start, rest) = kept(text.split_at_checked(text.floor_char_boundary(room)));
    Cow::Owned(format!("{start}{}", note_of_end(rest.len())))
}

/// Keeps the end of a text.
#[must_use]
pub fn tail(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let room = bytes_max.saturating_sub(note_of_start(text.len()).len());
    if room == 0 {
        return Cow::Borrowed(kept(text.split_at_checked(text.ceil_char_boundary(text.len() - bytes_max))).1);
    }
    let (gone, end) = kept(text.split_at_checked(text.ceil_char_boundary(text.len() - room)));
    Cow::Owned(format!("{}{end}", note_of_start(gone.len())))
}

fn note_of_end(bytes: usize) -> String {
    format!("\n[cut by Fleet: {bytes} more bytes]")
}

fn note_of_start(bytes: usize) -> String {
    format!("[cut by Fleet: {bytes} bytes before this]\n")
}

/// The boundary was just looked up, so there is always a split; an empty one is what a wrong boundary would give.
fn kept<'a>(split: Option<(&'a str, &'a str)>) -> (&'a str, &'a str) {
    split.unwrap_or_default()
}

/// Gives a text the one form in which it is kept: lines end in `\n`, no other control character than a tab, nothing
/// blank at either end. The colours of a terminal go, too.
pub(crate) fn clean(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut kept = String::with_capacity(lines.len());
    let mut rest = lines.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest = after_escape(rest.as_str()).chars();
        } else if !c.is_control() || matches!(c, '\n' | '\t') {
            kept.push(c);
        }
    }
    kept.trim().to_owned()
}

/// What follows the rest of an escape sequence: `[`, its numbers, and the one character that ends it.
fn after_escape(text: &str) -> &str {
    let Some(numbers) = text.strip_prefix('[') else { return text };
    let end = numbers.trim_start_matches(|c: char| (' '..='?').contains(&c));
    end.strip_prefix(|c: char| ('@'..='~').contains(&c)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_text_is_no_longer_than_asked_and_keeps_its_end_of_the_text(text in "\\PC{0,200}", max in 0..300usize) {
            let (start, end) = (head(&text, max), tail(&text, max));
            prop_assert!(start.len() <= max && end.len() <= max);
            if text.len() <= max {
                prop_assert_eq!((&*start, &*end), (text.as_str(), text.as_str()));
            } else {
                let first = start.split("\n[cut by Fleet").next().unwrap();
                prop_assert!(text.starts_with(first));
                prop_assert!(text.ends_with(end.split_once("this]\n").map_or(&*end, |(_, kept)| kept)));
            }
        }

        #[test]
        fn cleaning_twice_changes_nothing(text in any::<String>()) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }
    }

    #[test]
    fn colours_of_a_terminal_go_and_words_stay() {
        assert_eq!(clean("\u{1b}[1;31mred\u{1b}[0m\r\nplain \u{1b}[ä\0"), "red\nplain ä");
    }

    #[test]
    fn a_cut_says_how_much_is_missing() {
        let text = "a".repeat(100);
        assert_eq!(head(&text, 50), format!("{}\n[cut by Fleet: 81 more bytes]", "a".repeat(19)));
        assert_eq!(tail(&text, 50), format!("[cut by Fleet: 88 bytes before this]\n{}", "a".repeat(12)));
    }
}
