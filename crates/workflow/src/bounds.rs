//! How much of what agents wrote an execution keeps: its record has an end, and no text of theirs steers a terminal.

use serde_json::Value;

/// Most characters of a reason.
const WHY_MAX: usize = 300;

/// Most bytes of all items of an execution, as JSON.
pub(crate) const ITEMS_BYTES_MAX: usize = 50_000;

/// Most bytes of what an execution answers, as JSON.
pub(crate) const OUTPUTS_BYTES_MAX: usize = 50_000;

/// Most bytes of a prompt.
const PROMPT_BYTES_MAX: usize = 100_000;

/// Returns a reason as one line without control characters, cut where it is long.
pub(crate) fn reason(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = line.chars().filter(|letter| !letter.is_control());
    let mut kept: String = letters.by_ref().take(WHY_MAX).collect();
    if letters.next().is_some() {
        kept.push('…');
    }
    kept
}

/// Cuts a prompt that outputs have made too long.
pub(crate) fn prompt(mut text: String) -> String {
    if text.len() > PROMPT_BYTES_MAX {
        let end = (0..=PROMPT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str("\n[cut]");
    }
    text
}

/// Returns how long values are as JSON.
pub(crate) fn bytes<'a>(values: impl IntoIterator<Item = &'a Value>) -> usize {
    values.into_iter().map(|value| value.to_string().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_line_that_steers_no_terminal_and_has_an_end() {
        assert_eq!(reason("it\nbroke \u{1b}[2J here"), "it broke [2J here");
        assert_eq!(reason(&"x".repeat(1_000)).chars().count(), WHY_MAX + 1);
    }

    #[test]
    fn a_prompt_is_cut_between_letters() {
        let cut = prompt("é".repeat(PROMPT_BYTES_MAX));
        assert!(cut.len() <= PROMPT_BYTES_MAX + 6 && cut.ends_with("é\n[cut]"));
        assert_eq!(prompt("short".to_owned()), "short");
    }
}
