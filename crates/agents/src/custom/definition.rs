//! The file that describes an agent, read and checked as a whole.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use toml::Spanned;
use types::{Access, FailureClass, Limits};

use super::rule::{Kind, Rule, Written, class};
use super::template::{Placeholder, Template};
use crate::{LoginCheck, Needs, Price, Setup, Signal};

/// What the file of an agent says.
#[derive(Debug, Clone)]
pub struct Definition {
    pub(super) argv: Template,
    pub(super) resume: Option<Template>,
    pub(super) fork: Option<Template>,
    pub(super) stop: Signal,
    pub(super) silent: bool,
    pub(super) counts_on: bool,
    pub(super) version_args: Vec<String>,
    pub(super) login: Option<LoginCheck>,
    /// What a person types to log in.
    pub(super) login_command: Option<String>,
    pub(super) needs: Needs,
    pub(super) exit_codes: BTreeMap<i32, FailureClass>,
    /// None takes every line for something that was said.
    pub(super) rules: Option<Vec<Rule>>,
    pub(super) setup: Setup,
    stdin: Option<Stdin>,
    access: AccessArguments,
}

/// What is wrong with the file of an agent, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionError {
    /// At which byte of the text.
    pub at: usize,
    /// What, and what is allowed instead.
    pub reason: String,
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    argv: Spanned<Template>,
    resume: Option<Template>,
    fork: Option<Template>,
    stdin: Option<Stdin>,
    #[serde(default)]
    format: Format,
    stop: Option<Signal>,
    silent: Option<bool>,
    #[serde(default)]
    counting: Count,
    version_args: Option<Vec<String>>,
    login: Option<Login>,
    #[serde(default)]
    needs: Needs,
    #[serde(default)]
    exit_codes: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    access: AccessArguments,
    #[serde(default)]
    events: Vec<Spanned<Written>>,
    model: Option<String>,
    account: Option<String>,
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    pty: bool,
    context_limit: Option<u64>,
    #[serde(default)]
    prices: BTreeMap<String, Price>,
    #[serde(default)]
    limits: Limits,
}

/// What it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stdin {
    Prompt,
    Closed,
}

/// What it writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Text,
    Json,
}

/// How far its totals reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Count {
    #[default]
    PerProcess,
    AcrossResumes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    #[serde(default)]
    env: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    args: Option<Vec<String>>,
    command: Option<String>,
}

/// The arguments that hold it to what it may do to files.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AccessArguments {
    read_only: Vec<String>,
    workspace: Vec<String>,
    full: Vec<String>,
}

impl Definition {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says at which byte something is wrong, what it is and what is allowed there.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let refused = |error: toml::de::Error| DefinitionError {
            at: error.span().map_or(0, |span| span.start),
            reason: error.message().trim().replace('\n', ", "),
        };
        let file: File = toml::from_str(text).map_err(refused)?;
        file.check()
    }

    pub(super) fn mentions(&self, place: Placeholder) -> bool {
        [Some(&self.argv), self.resume.as_ref(), self.fork.as_ref()]
            .into_iter()
            .flatten()
            .any(|one| one.mentions(place))
    }

    pub(super) fn gives_system_prompt(&self) -> bool {
        self.mentions(Placeholder::SystemPrompt) || self.mentions(Placeholder::SystemPromptFile)
    }

    /// An agent that gets the prompt nowhere else reads it from standard input.
    pub(super) fn reads_prompt(&self) -> bool {
        match self.stdin {
            Some(Stdin::Prompt) => true,
            Some(Stdin::Closed) => false,
            None => !self.mentions(Placeholder::Prompt) && !self.mentions(Placeholder::PromptFile),
        }
    }

    pub(super) fn access(&self, access: Access) -> &[String] {
        match access {
            Access::ReadOnly => &self.access.read_only,
            Access::Workspace => &self.access.workspace,
            Access::Full => &self.access.full,
        }
    }

    pub(super) fn tells_results(&self) -> bool {
        self.rules.iter().flatten().any(|rule| rule.kind == Kind::Result)
    }

    pub(super) fn tells_cost(&self) -> bool {
        self.rules.iter().flatten().any(|rule| rule.cost.is_some())
    }
}

impl File {
    fn check(self) -> Result<Definition, DefinitionError> {
        let argv_at = self.argv.span().start;
        if self.argv.get_ref().mentions(Placeholder::Session) {
            let reason = "`{session}` is known in `resume` and `fork` alone".to_owned();
            return Err(DefinitionError { at: argv_at, reason });
        }
        if let (Format::Text, Some(first)) = (self.format, self.events.first()) {
            let reason = "events are read from lines of JSON: say `format = \"json\"`".to_owned();
            return Err(DefinitionError { at: first.span().start, reason });
        }
        let rules = self.events.into_iter().map(|written| {
            let at = written.span().start;
            Rule::of(written.into_inner()).map_err(|reason| DefinitionError { at, reason })
        });
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        let exit_codes = self.exit_codes.iter().map(|(code, word)| {
            let at = |span: std::ops::Range<usize>, reason: String| DefinitionError { at: span.start, reason };
            let number = code.get_ref().parse().map_err(|_| at(code.span(), "takes exit codes as keys".to_owned()))?;
            Ok((number, class(word.get_ref()).map_err(|reason| at(word.span(), reason))?))
        });
        let setup = Setup {
            model: self.model,
            account: self.account,
            aliases: self.aliases,
            env: self.env,
            pass: self.pass,
            pty: self.pty,
            context_limit: self.context_limit,
            prices: self.prices,
            limits: self.limits,
            ..Setup::default()
        };
        Ok(Definition {
            resume: self.resume,
            fork: self.fork,
            stop: self.stop.unwrap_or(Signal::Term),
            silent: self.silent.unwrap_or(self.format == Format::Text),
            counts_on: self.counting == Count::AcrossResumes,
            version_args: self.version_args.unwrap_or_else(|| vec!["--version".to_owned()]),
            login_command: self.login.as_ref().and_then(|login| login.command.clone()),
            login: self.login.map(Login::check),
            needs: self.needs,
            exit_codes: exit_codes.collect::<Result<_, DefinitionError>>()?,
            rules: (self.format == Format::Json).then_some(rules),
            setup,
            stdin: self.stdin,
            access: self.access,
            argv: self.argv.into_inner(),
        })
    }
}

impl Login {
    fn check(self) -> LoginCheck {
        match self.args {
            Some(args) => LoginCheck::Command { args, env: self.env },
            None => LoginCheck::Traces { env: self.env, files: self.files },
        }
    }
}
