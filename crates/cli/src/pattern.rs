//! The command lines of the table, taken apart: words, then needed fields, then optional ones.

/// A command line such as `task-create <toHandle> <subject> [description]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The words that name the command.
    pub(crate) words: Vec<&'static str>,
    /// The fields given by position, in order.
    pub(crate) positions: Vec<Position>,
}

/// A field given by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// The field's name.
    pub(crate) field: &'static str,
    /// Written `<field>` rather than `[field]`.
    pub(crate) needed: bool,
}

impl Pattern {
    /// Takes a command line apart; none if it is not words, needed fields and optional fields in this order.
    pub(crate) fn parse(text: &'static str) -> Option<Self> {
        let mut pattern = Self { words: Vec::new(), positions: Vec::new() };
        for part in text.split(' ') {
            let last = pattern.positions.last().copied();
            match Part::read(part)? {
                Part::Word(word) if last.is_none() => pattern.words.push(word),
                Part::Field(field) if !field.needed || last.is_none_or(|last| last.needed) => {
                    pattern.positions.push(field);
                }
                Part::Word(_) | Part::Field(_) => return None,
            }
        }
        (!pattern.words.is_empty()).then_some(pattern)
    }

    /// Returns the place of a field among the positions.
    pub(crate) fn position(&self, field: &str) -> Option<(usize, Position)> {
        self.positions.iter().copied().enumerate().find(|(_, position)| position.field == field)
    }
}

enum Part {
    Word(&'static str),
    Field(Position),
}

impl Part {
    fn read(part: &'static str) -> Option<Self> {
        let within = |open, close| part.strip_prefix(open)?.strip_suffix(close);
        if let Some(field) = within('<', '>') {
            return Some(Self::Field(Position { field, needed: true }));
        }
        if let Some(field) = within('[', ']') {
            return Some(Self::Field(Position { field, needed: false }));
        }
        let is_word = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        is_word.then_some(Self::Word(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_words_then_needed_fields_then_optional_ones() {
        let expected = Pattern {
            words: vec!["task", "make-up"],
            positions: vec![Position { field: "to", needed: true }, Position { field: "whyNot", needed: false }],
        };
        assert_eq!(Pattern::parse("task make-up <to> [whyNot]"), Some(expected));
    }

    #[test]
    fn a_pattern_in_another_order_is_none() {
        for text in ["", "<a>", "a [b] <c>", "a <b> c", "a  b", "A", "a <b", "a [b] c"] {
            assert_eq!(Pattern::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_field_is_found_with_its_place() {
        let pattern = Pattern::parse("auth <handle> <teamName> [agentType]").unwrap();
        assert_eq!(pattern.position("teamName"), Some((1, Position { field: "teamName", needed: true })));
        assert_eq!(pattern.position("agentType"), Some((2, Position { field: "agentType", needed: false })));
        assert_eq!(pattern.position("token"), None);
    }

    #[test]
    fn every_command_line_of_the_table_is_a_pattern() {
        for line in api::specs().iter().filter_map(|spec| spec.cli) {
            assert!(Pattern::parse(line).is_some(), "{line}");
        }
    }
}
