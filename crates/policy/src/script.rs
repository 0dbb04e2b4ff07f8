//! Which commands a shell script may run, by a parser of bash.
//!
//! This is for rules that stop something: it finds every simple command wherever it is, in lists, loops, functions,
//! substitutions and heredocs, behind programs that run another one (`wrapped.rs`), and in texts that a shell reads as
//! a script. What cannot be read for certain is said to be unclear, so that a rule that stops something stops it.
//! Rules that allow use [`crate::shell::parts`], which takes plain commands alone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::words::{self, Word};
use crate::wrapped::{self, Runs};

/// Most scripts within scripts, such as `sh -c "sh -c …"`.
const DEPTH_MAX: u32 = 8;

/// Most commands of one script that are looked at.
const COMMANDS_MAX: usize = 4000;

/// Most words of all commands together.
const WORDS_MAX: usize = 1 << 16;

/// Most times that the parser reports progress on one text, which it does every hundred steps.
const STEPS_MAX: u32 = 5000;

/// Most pipes and heredocs of one text: the time that the parser takes grows with the square of their number.
const PIPES_MAX: usize = 500;
const HEREDOCS_MAX: usize = 32;

/// What ends a word that is not quoted, and quotes.
const SIGNS: [char; 14] = [';', '&', '|', '(', ')', '`', '{', '}', '<', '>', '"', '\'', '$', ','];

/// What a script may run.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Every simple command, without the assignments in front.
    pub(crate) commands: Vec<Simple>,
    /// Values of assignments and other words that belong to no command.
    pub(crate) others: Vec<String>,
    /// Files of redirections.
    pub(crate) targets: Vec<String>,
    /// Why something else may run as well.
    pub(crate) unclear: Option<Unclear>,
    size: usize,
    pub(crate) heredocs: Vec<String>,
    pipes: bool,
    reads_stdin: bool,
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) words: Vec<Word>,
}

/// Words that begin, join or end compound commands.
const KEYWORDS: [&str; 14] =
    ["if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "function"];

/// Why it is not certain what a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unclear {
    #[error("it is not valid shell")]
    Syntax,
    #[error("the name of a program is known only when it runs")]
    Program,
    #[error("a shell reads a script that is known only when it runs")]
    Script,
    #[error("it has too many commands, or commands within commands")]
    Size,
}

impl Simple {
    /// Returns the words as one line.
    pub(crate) fn line(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the program by its own name, whatever folder it is called from.
    pub(crate) fn program(&self) -> &str {
        let first = self.words.first().map_or("", |word| word.text.as_str());
        first.rsplit('/').next().unwrap_or(first)
    }

    /// Returns the line with the program by its own name.
    pub(crate) fn bare_line(&self) -> String {
        let arguments = self.words.iter().skip(1).map(|word| word.text.as_str());
        std::iter::once(self.program()).chain(arguments).collect::<Vec<_>>().join(" ")
    }

    /// Returns the words before the first one that is known only when it runs; none if all are known.
    pub(crate) fn known_begin(&self) -> Option<String> {
        let unknown = self.words.iter().position(|word| !word.known)?;
        let known = self.words.iter().take(unknown).map(|word| format!("{} ", word.text));
        Some(known.collect())
    }
}

impl Script {
    /// Reads a script.
    pub(crate) fn of(text: &str) -> Self {
        let mut script = Self::default();
        script.read(text, 0);
        if script.reads_stdin {
            let heredocs = std::mem::take(&mut script.heredocs);
            if heredocs.is_empty() || script.pipes {
                script.be_unclear(Unclear::Script);
            }
            heredocs.iter().for_each(|body| script.read(body, 1));
        }
        script
    }

    /// Returns every word that may name a file. A text that is read as one word here may be several elsewhere, so
    /// what is written between blanks and signs of the shell counts as well.
    pub(crate) fn words(&self, source: &str) -> BTreeSet<String> {
        let read = self.commands.iter().flat_map(|simple| simple.words.iter().map(|word| word.text.as_str()));
        let read = read.chain(self.others.iter().chain(&self.targets).map(String::as_str));
        let rough = source.split(|c: char| c.is_whitespace() || SIGNS.contains(&c)).filter(|word| !word.is_empty());
        read.chain(rough).map(str::to_owned).collect()
    }

    /// Returns what looks like a path among the words.
    pub(crate) fn paths(&self, source: &str) -> Vec<String> {
        let words = self.words(source);
        let values = words.iter().map(|word| word.split_once('=').map_or(word.as_str(), |(_, value)| value));
        let path = |word: &&str| {
            !word.contains("://")
                && !word.contains(char::is_whitespace)
                && (word.contains('/') || word.starts_with(['.', '~']))
        };
        values.filter(path).map(str::to_owned).collect()
    }

    fn be_unclear(&mut self, why: Unclear) {
        self.unclear.get_or_insert(why);
    }

    fn read(&mut self, text: &str, depth: u32) {
        let Some(tree) = parse(text).filter(|_| depth <= DEPTH_MAX) else { return self.be_unclear(Unclear::Size) };
        if tree.root_node().has_error() || text.contains('\0') {
            self.be_unclear(Unclear::Syntax);
        }
        // A stack of our own: a hostile text nests deeper than that of the process.
        let mut rest = vec![tree.root_node()];
        while let Some(node) = rest.pop() {
            self.take(node, text, depth);
            let mut cursor = node.walk();
            rest.extend(node.children(&mut cursor));
        }
    }

    fn take(&mut self, node: Node<'_>, text: &str, depth: u32) {
        match node.kind() {
            "command" => self.command(node, text, depth),
            "declaration_command" | "unset_command" | "test_command" => {
                let listed = words::of(node, text).split_whitespace().map(Word::plain).collect();
                self.simple(Simple { words: listed }, depth);
            }
            "file_redirect" => {
                let mut cursor = node.walk();
                self.targets.extend(node.named_children(&mut cursor).map(|child| words::value(child, text).text));
            }
            "variable_assignment" => {
                let mut cursor = node.walk();
                self.others.extend(node.named_children(&mut cursor).map(|child| words::value(child, text).text));
            }
            "heredoc_body" => self.heredocs.push(words::of(node, text).to_owned()),
            "herestring_redirect" => {
                let mut cursor = node.walk();
                self.heredocs.extend(node.named_children(&mut cursor).map(|child| words::value(child, text).text));
            }
            "pipeline" => self.pipes = true,
            _ => {}
        }
    }

    fn command(&mut self, node: Node<'_>, text: &str, depth: u32) {
        let mut found = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment" | "file_redirect" | "heredoc_redirect" | "herestring_redirect" | "comment" => {}
                "command_name" => found.extend(child.named_child(0).map(|name| words::value(name, text))),
                _ => found.push(words::value(child, text)),
            }
        }
        if !found.is_empty() {
            self.simple(Simple { words: found }, depth);
        }
    }

    /// Takes a command, and whatever it runs itself.
    fn simple(&mut self, simple: Simple, depth: u32) {
        let mut waiting = vec![simple];
        while let Some(simple) = waiting.pop() {
            self.size += simple.words.len();
            if self.commands.len() >= COMMANDS_MAX || self.size > WORDS_MAX {
                return self.be_unclear(Unclear::Size);
            }
            if simple.words.first().is_some_and(|first| !first.known || first.expands()) {
                self.be_unclear(Unclear::Program);
            }
            // No program has the name of a keyword: the grammar lost its way, as it does in `! case a in a) X;; esac`.
            if KEYWORDS.contains(&simple.program()) {
                self.be_unclear(Unclear::Syntax);
            }
            for runs in wrapped::runs(&simple) {
                match runs {
                    Runs::Command(words) => waiting.push(Simple { words }),
                    Runs::Script(Word { known: true, text, .. }) => self.read(&text, depth + 1),
                    Runs::Script(_) => self.be_unclear(Unclear::Script),
                    Runs::Stdin => self.reads_stdin = true,
                }
            }
            self.commands.push(simple);
        }
    }
}

/// Writes a letter for every byte that is none to a shell but part of a word. The scanner of the grammar is written in C,
/// and looks characters up in a table that has only those of ASCII.
fn in_ascii(text: &str) -> Vec<u8> {
    let plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    text.bytes().map(|byte| if plain(byte) { byte } else { b'x' }).collect()
}

/// Parses a text; none if that takes too many steps, as it does for texts that are not written by hand.
fn parse(text: &str) -> Option<Tree> {
    if text.matches('|').count() > PIPES_MAX || text.matches("<<").count() > HEREDOCS_MAX {
        return None;
    }
    let text = in_ascii(text);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut left = STEPS_MAX;
    let mut count = |_: &ParseState| {
        left -= 1;
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    parser.parse_with_options(&mut |at, _| text.get(at..).unwrap_or_default(), None, Some(options))
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
