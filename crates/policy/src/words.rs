//! Words of a shell script, as the parser finds them: without quotes, with what is known of expansions put in.

use tree_sitter::Node;

/// Variables whose values have a spelling of their own, by which rules name them.
const KNOWN: [(&str, &str); 2] = [("HOME", "~"), ("PWD", ".")];

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// What it is; where that is known only when it runs, what is written.
    pub(crate) text: String,
    /// Whether it is certainly that.
    pub(crate) known: bool,
    /// Whether a part of it is neither quoted nor escaped, and the shell puts names of files or a list in its place.
    pub(crate) globs: bool,
}

impl Word {
    /// A word that is as it is written.
    pub(crate) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), known: !text.contains(['$', '`']), globs: false }
    }

    /// Whether the shell may make another word or several of it.
    pub(crate) fn expands(&self) -> bool {
        self.globs && !matches!(self.text.as_str(), "[" | "{")
    }

    fn unknown(text: &str) -> Self {
        Self { text: text.to_owned(), known: false, globs: false }
    }
}

/// Returns what is written at a node.
pub(crate) fn of<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Returns the word at a node.
pub(crate) fn value(node: Node<'_>, source: &str) -> Word {
    let written = of(node, source);
    match node.kind() {
        "raw_string" => Word { text: inner(written, "'").to_owned(), known: true, globs: false },
        "string" => in_quotes(node, source),
        "concatenation" => joined(node, source),
        "simple_expansion" | "expansion" => expansion(written),
        "ansi_c_string" if !written.contains('\\') => {
            Word { text: inner(written.trim_start_matches('$'), "'").to_owned(), known: true, globs: false }
        }
        "ansi_c_string"
        | "translated_string"
        | "command_substitution"
        | "process_substitution"
        | "arithmetic_expansion" => Word::unknown(written),
        _ => unquoted(written),
    }
}

fn inner<'a>(text: &'a str, quote: &str) -> &'a str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

fn expansion(written: &str) -> Word {
    let name = written.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
    match KNOWN.iter().find(|(known, _)| *known == name) {
        Some((_, spelled)) => Word { text: (*spelled).to_owned(), known: true, globs: false },
        None => Word::unknown(written),
    }
}

fn unquoted(written: &str) -> Word {
    let mut word = Word { known: true, ..Word::default() };
    let mut rest = written.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => word.text.extend(rest.next().filter(|escaped| *escaped != '\n')),
            other => {
                word.globs |= matches!(other, '*' | '?' | '[' | '{');
                word.known &= !matches!(other, '$' | '`');
                word.text.push(other);
            }
        }
    }
    word
}

/// In double quotes a backslash escapes only what would not stand for itself there.
fn escaped(written: &str) -> String {
    let mut text = String::new();
    let mut rest = written.chars().peekable();
    while let Some(next) = rest.next() {
        let escapes = next == '\\' && rest.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`' | '\n'));
        match rest.next_if(|_| escapes) {
            Some('\n') => {}
            Some(escaped) => text.push(escaped),
            None => text.push(next),
        }
    }
    text
}

fn in_quotes(node: Node<'_>, source: &str) -> Word {
    let mut cursor = node.walk();
    let range = node.byte_range();
    let (mut word, mut at) = (Word { known: true, ..Word::default() }, range.start + 1);
    let holes = node.named_children(&mut cursor).filter(|child| child.kind() != "string_content");
    for hole in holes {
        word.text.push_str(&escaped(source.get(at..hole.start_byte()).unwrap_or_default()));
        word.add(value(hole, source));
        at = hole.end_byte();
    }
    let end = range.end.saturating_sub(1);
    word.text.push_str(&escaped(source.get(at..end).unwrap_or_default()));
    word
}

fn joined(node: Node<'_>, source: &str) -> Word {
    let mut cursor = node.walk();
    let (mut word, mut at) = (Word { known: true, ..Word::default() }, node.start_byte());
    for part in node.children(&mut cursor) {
        word.add(unquoted(source.get(at..part.start_byte()).unwrap_or_default()));
        word.add(value(part, source));
        at = part.end_byte();
    }
    word
}

impl Word {
    fn add(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.known &= other.known;
        self.globs |= other.globs;
    }
}
