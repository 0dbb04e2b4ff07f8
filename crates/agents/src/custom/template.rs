//! A command line with places in it, `{prompt}` and others, that are filled for each run.
//!
//! A list within the list is left out whole where one of its places has no value: `["--model", "{model}"]`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A place in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placeholder {
    Prompt,
    PromptFile,
    SystemPrompt,
    SystemPromptFile,
    Model,
    Session,
    Cwd,
    PrivateDir,
    McpFile,
    Access,
}

const PLACES: [Placeholder; 10] = [
    Placeholder::Prompt,
    Placeholder::PromptFile,
    Placeholder::SystemPrompt,
    Placeholder::SystemPromptFile,
    Placeholder::Model,
    Placeholder::Session,
    Placeholder::Cwd,
    Placeholder::PrivateDir,
    Placeholder::McpFile,
    Placeholder::Access,
];

impl Placeholder {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::PromptFile => "prompt_file",
            Self::SystemPrompt => "system_prompt",
            Self::SystemPromptFile => "system_prompt_file",
            Self::Model => "model",
            Self::Session => "session",
            Self::Cwd => "cwd",
            Self::PrivateDir => "private_dir",
            Self::McpFile => "mcp_file",
            Self::Access => "access",
        }
    }
}

/// What the places of a run are filled with.
#[derive(Debug, Default)]
pub(super) struct Values {
    known: BTreeMap<Placeholder, String>,
    access: Vec<String>,
}

impl Values {
    pub(super) fn new(access: Vec<String>) -> Self {
        Self { known: BTreeMap::new(), access }
    }

    pub(super) fn set(&mut self, place: Placeholder, value: Option<String>) {
        if let Some(value) = value {
            self.known.insert(place, value);
        }
    }

    pub(super) fn get(&self, place: Placeholder) -> Option<String> {
        self.known.get(&place).cloned()
    }
}

/// A command line with places in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Written>")]
pub(super) struct Template(Vec<Group>);

/// Arguments of which all are there or none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    arguments: Vec<Vec<Piece>>,
    optional: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

/// An element of the list, as it is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    Group(Vec<String>),
}

impl TryFrom<Vec<Written>> for Template {
    type Error = String;

    fn try_from(written: Vec<Written>) -> Result<Self, String> {
        let group = |written: Written| {
            let (arguments, optional) = match written {
                Written::One(argument) => (vec![argument], false),
                Written::Group(arguments) => (arguments, true),
            };
            let arguments = arguments.iter().map(|argument| pieces(argument)).collect::<Result<_, _>>()?;
            Ok::<_, String>(Group { arguments, optional })
        };
        let groups = written.into_iter().map(group).collect::<Result<Vec<_>, _>>()?;
        let template = Self(groups);
        match template.program() {
            Some(program) if !program.is_empty() => Ok(template),
            Some(_) | None => Err("takes a list of texts of which the first is the program".to_owned()),
        }
    }
}

impl Template {
    /// Returns the program, which has no place in it.
    pub(super) fn program(&self) -> Option<String> {
        match self.0.first()? {
            Group { arguments, optional: false } => match arguments.first()?.as_slice() {
                [Piece::Text(program)] => Some(program.clone()),
                _ => None,
            },
            Group { optional: true, .. } => None,
        }
    }

    pub(super) fn mentions(&self, place: Placeholder) -> bool {
        let pieces = self.0.iter().flat_map(|group| &group.arguments).flatten();
        pieces.into_iter().any(|piece| *piece == Piece::Placeholder(place))
    }

    /// Returns the command line of a run, or the place that has no value and needs one.
    pub(super) fn fill(&self, values: &Values) -> Result<Vec<String>, Placeholder> {
        let mut argv = Vec::new();
        for group in &self.0 {
            let filled = group.arguments.iter().map(|pieces| fill(pieces, values)).collect::<Result<Vec<_>, _>>();
            match filled {
                Ok(arguments) => argv.extend(arguments.into_iter().flatten()),
                Err(_) if group.optional => {}
                Err(place) => return Err(place),
            }
        }
        Ok(argv)
    }
}

/// One argument; `{access}` alone becomes as many as the file lists.
fn fill(pieces: &[Piece], values: &Values) -> Result<Vec<String>, Placeholder> {
    if pieces == [Piece::Placeholder(Placeholder::Access)] {
        return Ok(values.access.clone());
    }
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => Ok(text.clone()),
        Piece::Placeholder(place) => values.get(*place).ok_or(*place),
    };
    Ok(vec![pieces.iter().map(text).collect::<Result<String, _>>()?])
}

/// Finds the places in an argument. A brace that holds no word is only a brace.
fn pieces(argument: &str) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut rest, mut text) = (Vec::new(), argument, String::new());
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let word = from.get(1..).and_then(|inner| inner.split_once('}')).map(|(word, _)| word);
        match word
            .filter(|word| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
        {
            Some(word) => {
                let place = PLACES.into_iter().find(|place| place.name() == word);
                let place = place.ok_or_else(|| unknown(word))?;
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Placeholder(place));
                rest = from.get(word.len() + 2..).unwrap_or_default();
            }
            None => {
                text.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    if pieces.len() > 1 && pieces.contains(&Piece::Placeholder(Placeholder::Access)) {
        return Err("`{access}` is replaced by several arguments, so it must be an argument of its own".to_owned());
    }
    Ok(pieces)
}

fn unknown(word: &str) -> String {
    let known: Vec<_> = PLACES.iter().map(|place| format!("{{{}}}", place.name())).collect();
    format!("unknown placeholder `{{{word}}}`; placeholders are {}", known.join(", "))
}
