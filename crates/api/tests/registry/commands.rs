//! Command lines: words, then positional fields.

use crate::table::{Row, breakers, repeated, rows};

/// A command line of the table, taken apart.
#[derive(Debug, PartialEq)]
struct Command {
    words: Vec<&'static str>,
    /// Written `<field>`.
    needed: Vec<&'static str>,
    /// Written `[field]`.
    optional: Vec<&'static str>,
}

impl Command {
    /// Takes a pattern apart; none if its parts are in another order than words, needed fields, optional fields.
    fn parse(pattern: &'static str) -> Option<Self> {
        let (words, rest) = split(pattern.split(' ').collect(), |part| is_word(part).then_some(part));
        let (needed, rest) = split(rest, |part| part.strip_prefix('<')?.strip_suffix('>'));
        let (optional, rest) = split(rest, |part| part.strip_prefix('[')?.strip_suffix(']'));
        (!words.is_empty() && rest.is_empty()).then_some(Self { words, needed, optional })
    }

    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.needed.iter().chain(&self.optional).copied()
    }
}

#[test]
fn a_command_is_words_then_needed_fields_then_optional_ones() {
    let expected = Command { words: vec!["a", "b-c"], needed: vec!["d"], optional: vec!["e"] };
    assert_eq!(Command::parse("a b-c <d> [e]"), Some(expected));
    assert_eq!(["", "<a>", "a [b] <c>", "a <b> c", "a  b", "A", "a <b"].map(Command::parse), [const { None }; 7]);
    assert_eq!(breakers(|row| row.spec.cli.is_none_or(|pattern| Command::parse(pattern).is_some())), [""; 0]);
}

#[test]
fn a_command_names_only_fields_of_its_input_and_each_once() {
    let keeps = |row: &Row, command: &Command| {
        command.fields().all(|name| row.field(name).is_some()) && repeated(command.fields()).is_empty()
    };
    assert_eq!(command_breakers(keeps), [""; 0]);
}

#[test]
fn a_command_can_leave_out_only_what_its_input_can() {
    let keeps = |row: &Row, command: &Command| command.optional.iter().all(|name| !row.requires(name));
    assert_eq!(command_breakers(keeps), [""; 0]);
}

#[test]
fn a_command_takes_what_is_in_the_path_by_position() {
    let keeps = |row: &Row, command: &Command| row.spec.path_fields().all(|name| command.needed.contains(&name));
    assert_eq!(command_breakers(keeps), [""; 0]);
}

#[test]
fn no_two_operations_share_a_command() {
    let rows = rows();
    let commands = rows.iter().filter_map(|row| Command::parse(row.spec.cli?));
    assert_eq!(repeated(commands.map(|command| command.words.join(" "))), [""; 0]);
}

fn command_breakers(keeps: impl Fn(&Row, &Command) -> bool) -> Vec<&'static str> {
    let command = |row: &Row| row.spec.cli.and_then(Command::parse);
    breakers(|row| command(row).is_none_or(|command| keeps(row, &command)))
}

fn is_word(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Splits off the leading parts that `read` can read.
fn split(
    parts: Vec<&'static str>,
    read: impl Fn(&'static str) -> Option<&'static str>,
) -> (Vec<&'static str>, Vec<&'static str>) {
    let head: Vec<_> = parts.iter().map_while(|part| read(part)).collect();
    let rest = parts[head.len()..].to_vec();
    (head, rest)
}
