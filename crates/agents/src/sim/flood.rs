//! The lines of a flood: numbered and timed, so that a reader knows what is missing and how late it is.

use crate::Event;

/// One line of a flood.
///
/// Within one process the numbers go up by one. A line that is there twice has the same time too, unlike one of a
/// process that was resumed and began to count anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloodLine {
    /// Its number, from one, through all floods of a process.
    pub number: u64,
    /// When it was printed, in microseconds since 1970.
    pub at_us: u64,
    /// The conversation's id.
    pub session: String,
}

impl FloodLine {
    /// Returns the line to print, without its line break.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { number, at_us, session } = self;
        let text = format!("flood {number} at {at_us} us of {session}");
        serde_json::to_string(&Event::Text { text, within: None }).unwrap_or_default()
    }

    /// Reads the text of an event back; none if it is not a line of a flood.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let (number, rest) = text.strip_prefix("flood ")?.split_once(" at ")?;
        let (at_us, session) = rest.split_once(" us of ")?;
        Some(Self { number: number.parse().ok()?, at_us: at_us.parse().ok()?, session: session.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(number: u64, at_us: u64, session in "\\PC{0,20}") {
            let line = FloodLine { number, at_us, session };
            let Event::Text { text, .. } = serde_json::from_str(&line.line()).unwrap() else { panic!("{line:?}") };
            prop_assert_eq!(FloodLine::of_text(&text), Some(line));
        }

        #[test]
        fn other_words_are_no_flood(text in "[a-z ]{0,30}") {
            prop_assert_eq!(FloodLine::of_text(&text), None);
        }
    }
}
