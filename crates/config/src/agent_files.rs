//! The files that describe agents of the user's own: `agents/NAME.toml` in the home directory, and `.fleet/agents` of
//! projects that the user trusts.
//!
//! Such a file names a program that is run, so one that lies in a project counts only if the settings name that project.
//! A wrong file of the home is refused like a wrong setting; one of a project is told and left out, for others write it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::custom::{Definition, RESERVED};

use crate::agent_tables;
use crate::disk;
use crate::error::{Error, Position};
use crate::home::Home;
use crate::sessions::{AGENT_NAME, is_agent_name};
use crate::warning::Warning;

/// Where a project keeps its files, below its folder.
const IN_PROJECT: &str = ".fleet/agents";

/// An agent that a file describes.
#[derive(Clone)]
pub struct AgentFile {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub definition: Arc<Definition>,
    text: String,
}

/// Two are the same if they are the same file and say the same.
impl PartialEq for AgentFile {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.text == other.text
    }
}

/// What it says may hold secrets.
impl fmt::Debug for AgentFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reads every file there is. Of two for one name that of the home counts, then that of the project named first.
pub(crate) fn read(
    home: &Home,
    projects: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<BTreeMap<String, AgentFile>, Error> {
    let mut agents = BTreeMap::new();
    for path in files(&home.agents())? {
        let (name, agent) = agent(path)?;
        agents.insert(name, agent);
    }
    for project in projects {
        let found = match files(&Path::new(project).join(IN_PROJECT)) {
            Ok(found) => found,
            Err(error) => {
                warnings.push(Warning::AgentFile { reason: told(&error) });
                continue;
            }
        };
        for path in found {
            match agent(path.clone()) {
                Ok((name, _)) if agents.contains_key(&name) => {
                    let reason = format!("`{}` is ignored because another file describes `{name}`", path.display());
                    warnings.push(Warning::AgentFile { reason });
                }
                Ok((name, agent)) => drop(agents.insert(name, agent)),
                Err(error) => warnings.push(Warning::AgentFile { reason: told(&error) }),
            }
        }
    }
    Ok(agents)
}

/// Names what differs between two readings, as `agents.NAME`.
pub(crate) fn changes(old: &BTreeMap<String, AgentFile>, new: &BTreeMap<String, AgentFile>) -> Vec<String> {
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    let other = new.iter().filter(|(name, agent)| old.get(*name) != Some(*agent)).map(|(name, _)| name);
    gone.chain(other).map(|name| format!("{}.{name}", agent_tables::KEY)).collect()
}

/// An error with what caused it.
fn told(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// The files of a folder, in their order; a missing folder has none.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn agent(path: PathBuf) -> Result<(String, AgentFile), Error> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let text = disk::read_to_string(&path)?;
    let refuse = |at: usize, reason: String| Error::Agent {
        path: path.clone(),
        position: Position::of(&text, at),
        key: format!("{}.{name}", agent_tables::KEY),
        reason,
    };
    if !is_agent_name(&name) {
        return Err(refuse(0, AGENT_NAME.to_owned()));
    }
    if RESERVED.contains(&name.as_str()) {
        let reason =
            format!("`{name}` is an agent that Fleet knows; its settings are `[agents.{name}]` in runtime.toml");
        return Err(refuse(0, reason));
    }
    let definition = Definition::parse(&text).map_err(|error| refuse(error.at, error.reason))?;
    Ok((name, AgentFile { path, definition: Arc::new(definition), text }))
}

#[cfg(test)]
#[path = "agent_files_tests.rs"]
mod tests;
