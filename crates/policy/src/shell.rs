//! Shell commands of plain words, for tool patterns and rules that allow.
//!
//! A pattern that allows is held only against commands of which nothing is left to guess. So whatever a shell would
//! expand, substitute, redirect or group is refused with its reason, and what is understood here means the same to every
//! shell that agents use. `script.rs` is the other direction, for rules that stop something.

/// Targets of a redirection that nothing is written to.
const NOWHERE: &str = "/dev/null";

/// What stands between the words of a command and is no part of them.
const META: [char; 10] = [' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'];

/// One simple command: a program and its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) words: Vec<Word>,
}

/// One word, without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Whether the shell puts names of files in its place.
    pub(crate) glob: bool,
    quoted: bool,
    /// Braces that are open.
    braces: u32,
}

/// Why a command is not plain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Odd {
    #[error("it has a variable, a substitution or a `$` that is not in single quotes")]
    Expansion,
    #[error("it reads or writes `{0}` by a redirection")]
    Redirection(String),
    #[error("it has a subshell or a group")]
    Group,
    #[error("it has a brace expansion")]
    Brace,
    #[error("it has a comment")]
    Comment,
    #[error("a quote is not closed")]
    Unclosed,
    #[error("it has a control character")]
    Control,
    #[error("a command is missing between two operators")]
    Empty,
}

/// Takes a command apart into simple commands, in order, however they are joined.
pub(crate) fn parts(command: &str) -> Result<Vec<Part>, Odd> {
    let mut lexer = Lexer { rest: command.chars().peekable(), parts: Vec::new(), part: Part::default(), word: None };
    lexer.run()?;
    Ok(lexer.parts)
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

struct Lexer<'a> {
    rest: Rest<'a>,
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), Odd> {
        let mut more_needed = false;
        while let Some(next) = self.rest.next() {
            match next {
                ' ' | '\t' => self.end_word()?,
                '\n' => self.end_line()?,
                ';' => self.end_part()?,
                '&' if self.rest.next_if_eq(&'>').is_some() => self.redirection()?,
                '&' => {
                    more_needed = self.rest.next_if_eq(&'&').is_some();
                    self.end_part()?;
                    continue;
                }
                '|' => {
                    self.rest.next_if(|next| matches!(next, '|' | '&'));
                    self.end_part()?;
                    more_needed = true;
                    continue;
                }
                '>' => self.redirection()?,
                other => self.character(other)?,
            }
            more_needed &= self.part.words.is_empty() && self.word.is_none();
        }
        self.end_word()?;
        if self.part.words.is_empty() {
            return if more_needed { Err(Odd::Empty) } else { Ok(()) };
        }
        self.end_part()
    }

    fn character(&mut self, next: char) -> Result<(), Odd> {
        match next {
            '\'' => self.single_quoted(),
            '"' => self.double_quoted(),
            '\\' => match self.rest.next() {
                None => Err(Odd::Unclosed),
                Some('\n') => Ok(()),
                Some(escaped) => self.quoted(escaped),
            },
            '$' | '`' => Err(Odd::Expansion),
            '(' | ')' => Err(Odd::Group),
            '<' => Err(Odd::Redirection("a file".to_owned())),
            // What a comment hides ends with its line, whatever quotes are in it.
            '#' if self.word.is_none() => Err(Odd::Comment),
            control if control.is_control() => Err(Odd::Control),
            other => {
                let word = self.word();
                word.glob |= matches!(other, '*' | '?' | '[');
                match other {
                    '{' => word.braces += 1,
                    '}' => word.braces = word.braces.saturating_sub(1),
                    ',' if word.braces > 0 => return Err(Odd::Brace),
                    '.' if word.braces > 0 && word.text.ends_with('.') => return Err(Odd::Brace),
                    _ => {}
                }
                word.text.push(other);
                Ok(())
            }
        }
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn quoted(&mut self, next: char) -> Result<(), Odd> {
        if next.is_control() && !matches!(next, '\t' | '\n') {
            return Err(Odd::Control);
        }
        let word = self.word();
        word.quoted = true;
        word.text.push(next);
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<(), Odd> {
        self.word().quoted = true;
        loop {
            match self.rest.next() {
                None => return Err(Odd::Unclosed),
                Some('\'') => return Ok(()),
                Some(other) => self.quoted(other)?,
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), Odd> {
        self.word().quoted = true;
        loop {
            match self.rest.next() {
                None => return Err(Odd::Unclosed),
                Some('"') => return Ok(()),
                Some('$' | '`') => return Err(Odd::Expansion),
                Some('\\') => match self.rest.next() {
                    None => return Err(Odd::Unclosed),
                    Some('\n') => {}
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => self.quoted(escaped)?,
                    Some(other) => {
                        self.quoted('\\')?;
                        self.quoted(other)?;
                    }
                },
                Some(other) => self.quoted(other)?,
            }
        }
    }

    /// Behind a `>`: only another stream, or nowhere at all, is nothing that is written to.
    fn redirection(&mut self) -> Result<(), Odd> {
        let stream = |word: &Word| !word.quoted && word.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(stream) {
            self.word = None;
        }
        self.end_word()?;
        self.rest.next_if(|next| matches!(next, '>' | '|'));
        if self.rest.next_if_eq(&'&').is_some() && self.rest.next_if(|next| next.is_ascii_digit()).is_some() {
            // `2>&1x` would be a file.
            return match self.rest.peek() {
                Some(next) if !META.contains(next) => Err(Odd::Redirection("a file".to_owned())),
                Some(_) | None => Ok(()),
            };
        }
        while self.rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        let mut target = String::new();
        while let Some(next) = self.rest.next_if(|next| !META.contains(next)) {
            target.push(next);
        }
        if target == NOWHERE { Ok(()) } else { Err(Odd::Redirection(target)) }
    }

    fn end_word(&mut self) -> Result<(), Odd> {
        let Some(word) = self.word.take() else { return Ok(()) };
        if !word.quoted && matches!(word.text.as_str(), "{" | "}") {
            return Err(Odd::Group);
        }
        self.part.words.push(word);
        Ok(())
    }

    fn end_part(&mut self) -> Result<(), Odd> {
        self.end_word()?;
        if self.part.words.is_empty() {
            return Err(Odd::Empty);
        }
        self.parts.push(std::mem::take(&mut self.part));
        Ok(())
    }

    /// Empty lines are nothing; behind `&&` and `|` they do not end anything either.
    fn end_line(&mut self) -> Result<(), Odd> {
        self.end_word()?;
        if self.part.words.is_empty() { Ok(()) } else { self.end_part() }
    }
}

/// Tells whether a word in front of a command sets a variable for it.
pub(crate) fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
