//! Commands made from operations: the words are its name, the fields its arguments, the docs its help.

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command, value_parser};

use crate::field::Field;
use crate::operations::Entry;
use crate::pattern::Position;
use crate::prefix::takes_ids;
use crate::schema::Kind;

/// The flag that skips the confirmation of a destructive command.
pub(crate) const YES: &str = "yes";

/// Each group of commands: its word in the singular, its plural, and its help line. `mcp-servers` has no singular:
/// `mcp-server` is what claude-fleet calls `mcp`.
const GROUPS: &[(&str, Option<&str>, &str)] = &[
    ("project", Some("projects"), "Manage projects: directories that missions work on"),
    ("mission", Some("missions"), "Manage missions: work for agents"),
    ("session", Some("sessions"), "Manage sessions: runs of agents on missions"),
    ("report", Some("reports"), "Read reports: what agents say they did, with Fleet's evidence"),
    ("approval", Some("approvals"), "Answer approvals: tool calls that wait for a person"),
    ("question", Some("questions"), "Show questions of agents; answer them with `fleet answer`"),
    ("land", None, "Manage landings: finished branches on their way to the target branch"),
    ("mcp-servers", None, "Manage MCP servers: tools for the agents of a project"),
    ("policy", Some("policies"), "Manage policies: rules about tool calls, and violations"),
    ("agent", Some("agents"), "List and test the agents that Fleet can run"),
    ("workspace", Some("workspaces"), "Manage workspaces: folders of sessions, and their snapshots"),
    ("retention", None, "Show what is kept for how long, and remove what is due"),
    ("schedule", Some("schedules"), "Run missions at the times of a cron expression"),
    ("view", Some("views"), "Manage saved views: a page and its filters under a name"),
    ("account", Some("accounts"), "Show accounts of model providers whose quota is used up"),
];

/// Adds a command for every operation to the root.
pub(crate) fn augment(root: Command, entries: &[Entry]) -> Command {
    entries.iter().fold(root, |root, entry| insert(root, &entry.pattern.words, command(entry)))
}

/// Makes the command of one operation, under the last of its words.
fn command(entry: &Entry) -> Command {
    let input = entry.input();
    let doc = input["description"].as_str().unwrap_or_default();
    let summary = doc.lines().next().unwrap_or_default();
    let mut command = Command::new(entry.pattern.words.last().copied().unwrap_or_default())
        .about(summary.to_owned())
        .args(Field::all(entry, &input).iter().map(argument));
    if doc != summary {
        command = command.long_about(doc.to_owned());
    }
    if entry.spec.confirm {
        let yes = Arg::new(YES).long("yes").short('y').action(ArgAction::SetTrue).help("Skip the confirmation");
        command = command.arg(yes);
    }
    command
}

/// Puts a command below its words, and merges it with what is there under the same name.
fn insert(parent: Command, words: &[&'static str], command: Command) -> Command {
    let Some((word, rest)) = words.split_first() else { return parent };
    if rest.is_empty() && parent.find_subcommand(word).is_some() {
        // `fleet land MISSION` beside `fleet land status`.
        return parent.mut_subcommand(word, |group| both(group, &command));
    }
    if rest.is_empty() {
        return parent.subcommand(command);
    }
    if parent.find_subcommand(word).is_some() {
        return parent.mut_subcommand(word, |group| insert(joined(group), rest, command));
    }
    parent.subcommand(insert(group(word), rest, command))
}

/// Makes a command a group as well: `fleet report list` beside `fleet report MISSION`.
fn joined(command: Command) -> Command {
    if command.get_positionals().next().is_none() || command.has_subcommands() {
        return command;
    }
    let alias = GROUPS.iter().find(|(name, ..)| *name == command.get_name()).and_then(|(_, alias, _)| *alias);
    command.visible_aliases(alias).args_conflicts_with_subcommands(true)
}

/// Makes a group a command as well: what is not the word of a command in it is an argument.
fn both(group: Command, command: &Command) -> Command {
    let about = command.get_about().map(|about| format!("; or {}", lowered(&about.to_string()))).unwrap_or_default();
    let about = group.get_about().map(|own| format!("{own}{about}")).unwrap_or_default();
    let args: Vec<Arg> = command.get_arguments().cloned().collect();
    group.about(about).args(args).subcommand_required(false).args_conflicts_with_subcommands(true)
}

fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn group(word: &'static str) -> Command {
    let (alias, about) = GROUPS
        .iter()
        .find(|(name, ..)| *name == word)
        .map_or((None, "More commands"), |(_, alias, about)| (*alias, *about));
    Command::new(word).about(about).visible_aliases(alias).subcommand_required(true).arg_required_else_help(true)
}

fn argument(field: &Field) -> Arg {
    let arg = Arg::new(field.name.clone()).help(help(field)).value_name(field.flag().replace('-', "_").to_uppercase());
    let arg = match field.position {
        Some((at, Position { needed, .. })) => arg.index(at + 1).required(needed),
        None => {
            // `--project shop` is what people type who never saw an id.
            let short = field.flag().strip_suffix("-id").filter(|_| takes_ids(&field.kind)).map(str::to_owned);
            arg.long(field.flag()).visible_aliases(short).required(field.required)
        }
    };
    takes(arg, &field.kind)
}

fn help(field: &Field) -> String {
    let mut text = field.help.clone();
    if matches!(field.kind, Kind::List(_)) {
        text.push_str(" (can be repeated)");
    }
    if matches!(field.kind, Kind::Text { is_long: true, .. }) {
        text.push_str(" (`-` reads standard input)");
    }
    if !field.default.is_empty() {
        text.push_str(&format!(" [default: {}]", field.default));
    }
    text
}

fn takes(arg: Arg, kind: &Kind) -> Arg {
    match kind {
        Kind::Choice(words) => {
            let value = |(word, help): &(String, String)| PossibleValue::new(word.clone()).help(help.clone());
            arg.value_parser(PossibleValuesParser::new(words.iter().map(value)))
        }
        Kind::Switch => arg
            .value_parser(value_parser!(bool))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .hide_possible_values(true)
            .value_name("BOOL"),
        Kind::Integer { min, max } => {
            let (min, max) = (*min, *max);
            arg.value_parser(move |text: &str| whole(text, min, max)).allow_negative_numbers(true)
        }
        Kind::Number { min, max } => {
            let (min, max) = (*min, *max);
            arg.value_parser(move |text: &str| number(text, min, max)).allow_negative_numbers(true)
        }
        // An empty value takes a list back, so it is taken for a list of ids as well.
        Kind::List(inner) if matches!(**inner, Kind::Text { .. }) => {
            arg.value_parser(value_parser!(String)).action(ArgAction::Append)
        }
        Kind::List(inner) => takes(arg, inner).action(ArgAction::Append),
        Kind::Json => arg.value_parser(|text: &str| serde_json::from_str::<serde_json::Value>(text)),
        Kind::Text { is_id: true, .. } => arg.value_parser(NonEmptyStringValueParser::new()),
        Kind::Text { is_id: false, .. } => arg.value_parser(value_parser!(String)),
    }
}

fn whole(text: &str, min: i64, max: i64) -> Result<i64, String> {
    let number: i64 = text.parse().map_err(|_| "not a whole number".to_owned())?;
    match (min..=max).contains(&number) {
        true => Ok(number),
        false if max == i64::MAX => Err(format!("{number} is less than {min}")),
        false if min == i64::MIN => Err(format!("{number} is more than {max}")),
        false => Err(format!("takes a number from {min} to {max}")),
    }
}

fn number(text: &str, min: f64, max: f64) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (min..=max).contains(&number) { Ok(number) } else { Err(format!("takes a number from {min} to {max}")) }
}
