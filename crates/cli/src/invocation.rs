//! From the arguments of the process to what is to be done.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, FromArgMatches as _, Subcommand as _};
use config::Environment;

use crate::call::Call;
use crate::demo::DemoArgs;
use crate::field::Field;
use crate::generated::{self, YES};
use crate::input;
use crate::operations::{Entry, entries};
use crate::options::Options;
use crate::own::{Handed, Own};
use crate::suggest;
use crate::terminal::Terminal;
use crate::up::UpArgs;

const ABOUT: &str = "Run fleets of coding agents";
const AFTER: &str = "\
Any unambiguous prefix of an id is accepted, and so are a project's name or folder and a mission's number.
`fleet config show` shows the settings in force, `fleet explain CODE` explains an error.";

/// What a command line asks for.
#[derive(Debug)]
pub enum Invocation {
    /// A command that [`crate::run`] does.
    Command(Box<Command>),
    /// The server is to be started, looked at or stopped.
    Up(UpArgs),
    /// The demo is to be played.
    Demo(DemoArgs),
    /// MCP is to be spoken over standard input and output.
    Mcp(Options),
    /// The generated files are to be written into this folder.
    Generate(PathBuf),
}

/// A command of the command line's own.
#[derive(Debug)]
pub struct Command {
    pub(crate) options: Options,
    pub(crate) action: Action,
}

#[derive(Debug)]
pub(crate) enum Action {
    Call(Call),
    Own(Own),
}

/// What is printed in place of doing anything: help, the version, or what is wrong with the arguments.
#[derive(Debug)]
pub struct Usage(clap::Error);

impl Usage {
    /// Prints it, and returns what the process ends with: 0 for help that was asked for, 2 otherwise.
    #[must_use]
    pub fn print(&self, environment: &Environment) -> u8 {
        let text = self.0.render();
        let mut terminal = Terminal::of_process(environment);
        if self.0.use_stderr() {
            let text = if terminal.colours_messages() { text.ansi().to_string() } else { text.to_string() };
            terminal.say(text.trim_end());
            return 2;
        }
        let text = if terminal.colours_data() { text.ansi().to_string() } else { text.to_string() };
        // The reader may have closed the pipe.
        let _ = terminal.print(&text);
        0
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Reads the arguments of the process, its own name first.
///
/// # Errors
/// [`Usage`] when help or the version is asked for, or the arguments are not those of any command.
pub fn parse<T: Into<OsString> + Clone>(args: impl IntoIterator<Item = T>) -> Result<Invocation, Usage> {
    let entries = entries();
    let matches = root(&entries).try_get_matches_from(args).map_err(|error| Usage(suggest::improved(error)))?;
    let options = Options::from_arg_matches(&matches).map_err(Usage)?;
    let name = matches.subcommand_name().unwrap_or_default();
    if Handed::has_subcommand(name) {
        return Ok(match Handed::from_arg_matches(&matches).map_err(Usage)? {
            Handed::Up(args) => Invocation::Up(UpArgs { json: options.json, ..args }),
            Handed::Demo(args) => Invocation::Demo(args),
            Handed::Mcp => Invocation::Mcp(options),
            Handed::Generate { folder } => Invocation::Generate(folder),
        });
    }
    // `fleet report list` is an operation, though `fleet report` is not.
    let typed = words(&matches).0;
    let is_operation = entries.iter().any(|entry| entry.pattern.words == typed);
    let action = if Own::has_subcommand(name) && !is_operation {
        let own = Own::from_arg_matches(&matches).map_err(Usage)?;
        // Without a prompt, missions are supervised in the foreground.
        if matches!(&own, Own::Run(args) if args.prompt.is_none()) {
            return Ok(Invocation::Up(UpArgs { json: options.json, ..UpArgs::default() }));
        }
        Action::Own(own)
    } else {
        Action::Call(call(entries, &matches)?)
    };
    Ok(Invocation::Command(Box::new(Command { options, action })))
}

/// The whole tree of commands.
pub(crate) fn root(entries: &[Entry]) -> clap::Command {
    let root = Options::augment_args(clap::Command::new("fleet"));
    let root = Own::augment_subcommands(Handed::augment_subcommands(root))
        .bin_name("fleet")
        .about(ABOUT)
        .long_about(None)
        .after_help(AFTER)
        .version(concat!("v", env!("CARGO_PKG_VERSION")))
        .max_term_width(100)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true);
    generated::augment(root, entries)
}

/// Returns the words of the command that was typed, and what was given to it.
fn words(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut words, mut inner) = (Vec::new(), matches);
    while let Some((word, below)) = inner.subcommand() {
        words.push(word);
        inner = below;
    }
    (words, inner)
}

/// Finds the operation whose words were typed.
fn call(entries: Vec<Entry>, matches: &ArgMatches) -> Result<Call, Usage> {
    let (words, inner) = words(matches);
    // clap took the words from these very entries, so it finds one.
    let entry = entries.into_iter().find(|entry| entry.pattern.words == words).ok_or_else(|| {
        let message = format!("`{}` is not the command of an operation\n", words.join(" "));
        Usage(clap::Error::raw(ErrorKind::InvalidSubcommand, message))
    })?;
    let all = Field::all(&entry, &entry.input());
    let fields = input::fields(&all, inner);
    let yes = entry.spec.confirm && inner.get_flag(YES);
    Ok(Call { entry, fields, yes })
}

#[cfg(test)]
#[path = "invocation_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "documents_tests.rs"]
mod documents;
