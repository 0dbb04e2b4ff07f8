//! From what was typed to an operation's input.

use std::io::Read as _;
use std::path::Path;

use clap::ArgMatches;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::field::Field;
use crate::operations::Entry;
use crate::schema::Kind;

/// The folder of a worker; the one that the person is in, if none is named.
const WORKING_DIR: &str = "workingDir";

/// The word for standard input.
const STANDARD_INPUT: &str = "-";

/// Collects the fields that were given; what was left out stays out, so that the server's defaults hold.
pub(crate) fn fields(fields: &[Field], matches: &ArgMatches) -> Map<String, Value> {
    let given = fields.iter().filter_map(|field| Some((field.name.clone(), value(&field.kind, &field.name, matches)?)));
    given.collect()
}

fn value(kind: &Kind, name: &str, matches: &ArgMatches) -> Option<Value> {
    match kind {
        Kind::Switch => matches.get_one::<bool>(name).map(|yes| Value::from(*yes)),
        Kind::Integer { .. } => matches.get_one::<i64>(name).map(|number| Value::from(*number)),
        Kind::Number { .. } => matches.get_one::<f64>(name).map(|number| Value::from(*number)),
        Kind::Json => matches.get_one::<Value>(name).cloned(),
        Kind::Choice(_) | Kind::Text { .. } => matches.get_one::<String>(name).map(|text| Value::from(text.as_str())),
        Kind::List(inner) => list(inner, name, matches),
    }
}

fn list(inner: &Kind, name: &str, matches: &ArgMatches) -> Option<Value> {
    let values: Vec<Value> = match inner {
        Kind::Switch => matches.get_many::<bool>(name)?.map(|yes| Value::from(*yes)).collect(),
        Kind::Integer { .. } => matches.get_many::<i64>(name)?.map(|number| Value::from(*number)).collect(),
        Kind::Number { .. } => matches.get_many::<f64>(name)?.map(|number| Value::from(*number)).collect(),
        Kind::Json => matches.get_many::<Value>(name)?.cloned().collect(),
        Kind::Choice(_) | Kind::Text { .. } => {
            matches.get_many::<String>(name)?.map(|text| Value::from(text.as_str())).collect()
        }
        Kind::List(_) => return None,
    };
    Some(Value::Array(if is_taken_back(&values) { Vec::new() } else { values }))
}

/// One empty value stands for an empty list, which takes back what was said before: `--checks ""`.
fn is_taken_back(values: &[Value]) -> bool {
    matches!(values, [Value::String(text)] if text.is_empty())
}

/// Fills in what only this process knows: where it runs, and what comes in on standard input.
///
/// # Errors
/// When standard input cannot be read, or is not text.
pub(crate) fn localise(entry: &Entry, all: &[Field], fields: &mut Map<String, Value>) -> Result<(), Failure> {
    for field in all {
        let Some(Value::String(text)) = fields.get_mut(&field.name) else { continue };
        if text == STANDARD_INPUT && matches!(field.kind, Kind::Text { is_long: true, .. }) {
            text.clear();
            std::io::stdin().read_to_string(text).map_err(|error| Failure::io("cannot read standard input", &error))?;
        }
        // The server may work in another directory than the person who types.
        let is_folder = matches!(field.name.as_str(), WORKING_DIR | "working_dir" | "folder");
        if is_folder && !text.is_empty() {
            *text = absolute(text);
        }
        if field.name == "path" && entry.spec.name.starts_with("project_") && !text.is_empty() {
            *text = absolute(text);
            if entry.spec.name == "project_create" {
                is_repository(Path::new(text.as_str()))?;
            }
        }
    }
    if entry.spec.name == "worker_spawn" && !fields.contains_key(WORKING_DIR) {
        fields.insert(WORKING_DIR.to_owned(), Value::from(absolute(".")));
    }
    Ok(())
}

/// Refuses a folder of this machine that is in no git repository: its agents could not have a worktree each.
fn is_repository(folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() || folder.ancestors().any(has_git) {
        return Ok(());
    }
    let shown = folder.display();
    Err(Failure::new(api::Kind::Invalid, format!("{shown} is not in a git repository")).hint(format!(
        "Make it one: `git -C '{shown}' init && git -C '{shown}' add --all && git -C '{shown}' commit -m start`."
    )))
}

/// Returns whether git takes a folder for the top of a worktree: something else may be called `.git`.
#[expect(clippy::disallowed_methods, reason = "git reads the same file, of the person who types")]
pub(crate) fn has_git(folder: &Path) -> bool {
    let git = folder.join(".git");
    // In a worktree or a submodule it is a file that names the folder.
    let named = std::fs::read_to_string(&git).unwrap_or_default();
    let named = named.strip_prefix("gitdir:").map(|path| folder.join(path.trim()));
    named.unwrap_or(git).join("HEAD").exists()
}

fn absolute(path: &str) -> String {
    // Without `..` and links where it exists, so that the same folder has one name.
    let whole = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    whole.map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}
