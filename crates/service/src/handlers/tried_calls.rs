//! Whether the calls of an agent are held, in the words that a person can act on.

use api::SqlTime;
use api::fleet::CallsState;
use sessions::{Admission, Finding, Tried};

use crate::{Result, Service};

/// What is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) state: CallsState,
    pub(super) note: String,
    pub(super) tried_at: Option<SqlTime>,
}

impl Service {
    /// Says what is known of an agent's calls.
    pub(super) fn calls(&self, agent: &str) -> Result<Calls> {
        let found = match self.sessions.tried(agent)? {
            Tried::NotNeeded => return Ok(shown(CallsState::NotNeeded, "Fleet plays it itself; every preset holds.")),
            Tried::Not => {
                let note = "not tried in this version; it is when a session first needs it, or with `fleet agent test`";
                return Ok(shown(CallsState::Untried, note));
            }
            Tried::Found(found) => found,
        };
        let readers = self.sessions.readers(&found.finding);
        let (state, note) = match &found.finding {
            Finding::Held => (CallsState::Held, "presets and policies hold".to_owned()),
            Finding::Broken { why } => (CallsState::Broken, follows(why, &readers)),
            Finding::NotTried { why } => {
                (CallsState::Untried, follows(&format!("it could not be tried: {why}"), &readers))
            }
        };
        Ok(Calls { state, note, tried_at: Some(SqlTime(found.tried_at)) })
    }

    /// Tries an agent's calls, unless something is known about them.
    pub(super) async fn try_unknown_calls(&self, agent: &str) -> Result<()> {
        let unknown = match self.sessions.tried(agent)? {
            Tried::NotNeeded => false,
            Tried::Not => true,
            Tried::Found(found) => matches!(found.finding, Finding::NotTried { .. }),
        };
        if unknown {
            self.sessions.try_calls(agent).await?;
        }
        Ok(())
    }
}

fn shown(state: CallsState, note: &str) -> Calls {
    Calls { state, note: note.to_owned(), tried_at: None }
}

/// Says what follows for presets where calls are not held.
fn follows(why: &str, readers: &Admission) -> String {
    let readers = match readers {
        Admission::Runs(_) => "presets that only read are held by the sandbox alone",
        Admission::Refused { .. } => "presets that only read are refused",
    };
    format!("{why}; {readers}, sessions under others are marked unenforced, and no policy holds")
}

#[cfg(test)]
mod tests {
    use types::Held;

    use super::*;

    #[test]
    fn what_is_not_held_says_what_becomes_of_those_who_only_read() {
        let runs = follows("a call was carried out", &Admission::Runs(Held::Untried));
        assert!(runs.starts_with("a call was carried out; ") && runs.contains("by the sandbox alone"), "{runs}");
        assert!(follows("x", &Admission::Refused { why: String::new() }).contains("are refused"));
    }
}
