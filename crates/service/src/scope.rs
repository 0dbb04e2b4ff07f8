//! What an agent that Fleet started may change: its own mission, and what it made itself.
//!
//! Its token is of its session. One without a mission works on whatever its team has, as any worker does. Reading and
//! speaking are not looked at here.

use api::{Access, Code, Error, Spec};
use serde_json::{Map, Value};
use types::{Handle, Mission, MissionId, Session, SessionId};

use crate::{Caller, Service};

/// The fields that name a mission, in the words of all dialects.
const MISSIONS: [&str; 5] = ["mission", "mission_id", "missionId", "task_id", "taskId"];

/// The fields that name a session.
const SESSIONS: [&str; 3] = ["session", "session_id", "sessionId"];

/// What an operation would change.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Changes {
    Mission(MissionId),
    Session(SessionId),
}

impl Service {
    /// Refuses an agent that would change what is not its own.
    pub(crate) async fn scope(&self, spec: &Spec, caller: &Caller, input: &Map<String, Value>) -> Result<(), Error> {
        let Caller::Known(member) = caller else { return Ok(()) };
        let Some(own) = member.session.as_ref().and_then(|id| self.sessions.live(id)) else { return Ok(()) };
        let Some(assignment) = &own.session.mission else { return Ok(()) };
        for change in changes(spec, input) {
            let maker = match &change {
                Changes::Mission(id) if *id == assignment.mission => Ok(None),
                Changes::Session(id) if *id == own.session.id => Ok(None),
                Changes::Mission(id) => self.store.get::<Mission>(id).await.map(|found| found.map(|it| it.created_by)),
                Changes::Session(id) => self.store.get::<Session>(id).await.map(|found| found.map(|it| it.created_by)),
            };
            let maker = maker.map_err(|error| crate::Error::from(error).told())?;
            if maker.is_some_and(|by: Handle| by != member.handle) {
                return Err(Error::new(
                    Code::ROLE_REFUSED,
                    format!("this token is of mission `{}`", assignment.mission),
                )
                .hint("An agent changes its own mission and what it made; ask a lead for the rest."));
            }
        }
        Ok(())
    }
}

/// Returns what an operation would change of what its input names.
fn changes(spec: &Spec, input: &Map<String, Value>) -> Vec<Changes> {
    match spec.access {
        Access::Public | Access::Read => return Vec::new(),
        Access::Work | Access::Lead | Access::Merge | Access::Owner => {}
    }
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let missions = MISSIONS.into_iter().filter_map(text).filter_map(|text| text.parse().ok()).map(Changes::Mission);
    // Others are spoken to; what ends them is marked.
    let sessions = SESSIONS.into_iter().filter(|_| spec.destructive).filter_map(text);
    missions.chain(sessions.filter_map(|text| text.parse().ok()).map(Changes::Session)).collect()
}

#[cfg(test)]
mod tests {
    use api::Verb;
    use serde_json::json;

    use super::*;

    fn named(spec: &Spec, input: Value) -> usize {
        changes(spec, input.as_object().unwrap()).len()
    }

    #[test]
    fn only_what_would_be_changed_counts() {
        let work = Spec::new("x", Verb::Post, "/x", Access::Work);
        assert_eq!(named(&work, json!({ "mission": "m-abcde", "text": "m-fghij" })), 1);
        assert_eq!(named(&work, json!({ "taskId": "m-abcde" })), 1);
        // A message to another agent changes nothing of it.
        assert_eq!(named(&work, json!({ "session": "s-abcde" })), 0);
        let ends = Spec { destructive: true, ..work };
        assert_eq!(named(&ends, json!({ "session": "s-abcde" })), 1);
        let reads = Spec::new("y", Verb::Get, "/y", Access::Read);
        assert_eq!(named(&reads, json!({ "mission": "m-abcde", "session": "s-abcde" })), 0);
    }
}
