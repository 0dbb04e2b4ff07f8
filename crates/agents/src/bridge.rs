//! Agents that are spoken with through Fleet's bridge: how the bridge is started, and how it is read.
//!
//! It prints events as they are and reads words as they are, so there is nothing to translate and nothing to remember.

mod adapter;
mod launch;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use adapter::Bridged;
pub(crate) use launch::Started;

use crate::{Brief, Event, LaunchError, Opening, Reader, Say, Spoken};

/// The word under which the binary is the bridge.
pub const COMMAND: &str = "__bridge";

/// The option for the folder with the session's permissions and journal.
pub const PRIVATE: &str = "--private";

/// The command line of the bridge to an agent, and the line that it reads first.
pub(crate) fn across(
    spoken: Spoken,
    brief: &Brief,
    opening: &Opening,
    agent: Vec<String>,
) -> Result<(Vec<String>, String), LaunchError> {
    let folder = brief.private_dir.as_ref().ok_or_else(|| LaunchError::Incapable {
        agent: agent.first().cloned().unwrap_or_default(),
        what: "be judged without a folder for its permissions",
    })?;
    let program = brief.program.to_string_lossy().into_owned();
    let bridge = [program, COMMAND.to_owned(), spoken.as_str().to_owned(), PRIVATE.to_owned()];
    let folder = [folder.display().to_string(), "--".to_owned()];
    let opening = serde_json::to_string(opening).unwrap_or_default();
    Ok((bridge.into_iter().chain(folder).chain(agent).collect(), opening))
}

/// A line that is said to a bridge. One of another version passes over what it does not know of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// What.
    #[serde(flatten)]
    pub say: Say,
    /// The proof that a [`Say::Allow`] is the server's, and for which call it is; none from a server that gave no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// The line that sends something to a bridge.
pub(crate) fn say(say: &Say, proof: Option<String>) -> Option<String> {
    serde_json::to_string(&Said { say: say.clone(), proof }).ok()
}

/// Reads events as they are; it remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EventReader;

impl Reader for EventReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        match serde_json::from_str(line) {
            _ if line.is_empty() => Vec::new(),
            // Whether a process is gone is for those to say who watch it.
            Ok(Event::Ended { .. }) | Err(_) => vec![Event::Raw { line: line.to_owned() }],
            Ok(event) => vec![event],
        }
    }

    fn state(&self) -> Value {
        Value::Null
    }
}
