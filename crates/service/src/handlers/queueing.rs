//! A mission that is dispatched while all places are taken: it waits in the same queue as those that start by
//! themselves, by its priority and its age.

use api::devfleet::{DispatchMission, Dispatched, MissionStatus};
use missions::{Edit, Move};
use sessions::Refusal;
use tokens::Member;
use types::{Event, Start};

use super::stating::held_mission;
use crate::{Result, Service};

const NOUN: &str = "Mission";

impl Service {
    /// Queues a mission with what it was to be started with, or refuses if that cannot be kept.
    pub(super) async fn wait_its_turn(
        &self,
        member: &Member,
        asked: &DispatchMission,
        full: Refusal,
    ) -> Result<Dispatched> {
        let Some(edit) = kept(asked) else { return Err(sessions::Error::from(full).into()) };
        let before = self.mission(member, &asked.mission, NOUN).await?;
        let project = self.project_of(&before).await?;
        let (by, edit) = (self.stamp(member, &before.team), &edit);
        let queued = self.store.transact(&by, |tx| async move {
            let held = held_mission(&tx, member, &asked.mission, NOUN).await?;
            let blockers = sessions::unmet(&tx, &held.record).await?;
            if !blockers.is_empty() {
                let mission = asked.mission.clone();
                let refusal = Refusal::Mission(missions::Refusal::Unresolved { mission, blockers });
                return Err(sessions::Error::from(refusal).into());
            }
            let edited = missions::edit(&held.record, edit.clone(), self.clock.now());
            if edited != held.record {
                tx.append(Event::MissionUpdated { mission: edited.id.clone() });
            }
            let moved = self.moved(&tx, member, &edited, Move::Open).await?;
            if moved != held.record {
                tx.update(&held, &moved)?;
            }
            Ok::<_, crate::Error>(moved)
        });
        let mission = queued.await?;
        let model = self.standing_choice(&mission, project.as_ref()).shown_model();
        Ok(Dispatched { session_id: None, status: MissionStatus::Queued, model })
    }
}

/// What a mission keeps of how it was to be started; none if something is asked for that no mission says of itself.
fn kept(asked: &DispatchMission) -> Option<Edit> {
    let DispatchMission {
        mission: _,
        agent,
        coder,
        executor,
        model,
        max_turns,
        max_budget_usd,
        allowed_tools,
        tool_preset,
        append_system_prompt: None,
        fork_session: false,
        context_mode: false,
        sandbox: None,
        sandbox_network: None,
        sandbox_read: None,
        sandbox_write: None,
        sandbox_tcp_ports: None,
        max_retries,
        retry_initial_delay: None,
        retry_max_delay: None,
        base: None,
        inherit: None,
        in_place: false,
    } = asked.clone()
    else {
        return None;
    };
    let listed = allowed_tools.map(|tools| serde_json::Value::from(tools).to_string());
    Some(Edit {
        start: Some(Start::WhenReady),
        agent: agent.or(coder).or(executor),
        model,
        turns_max: max_turns,
        dollars_max: max_budget_usd,
        allowed_tools: listed.or(tool_preset),
        retries_max: max_retries,
        ..Edit::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> DispatchMission {
        DispatchMission::of("m-x7k2m".parse().unwrap())
    }

    #[test]
    fn what_a_mission_can_say_of_itself_is_kept() {
        let tools = Some(vec!["Read".to_owned(), "Grep".to_owned()]);
        let edit =
            kept(&DispatchMission { coder: Some("claude".to_owned()), allowed_tools: tools, ..asked() }).unwrap();
        assert_eq!(edit.agent.as_deref(), Some("claude"));
        assert_eq!(edit.allowed_tools.as_deref(), Some(r#"["Read","Grep"]"#));
        assert_eq!((edit.start, edit.turns_max), (Some(Start::WhenReady), None));
    }

    #[test]
    fn what_it_cannot_say_is_not_dropped_in_silence() {
        let others = [
            DispatchMission { in_place: true, ..asked() },
            DispatchMission { base: Some("v1".to_owned()), ..asked() },
            DispatchMission { append_system_prompt: Some("be brief".to_owned()), ..asked() },
            DispatchMission { inherit: Some("s-x7k2m".parse().unwrap()), ..asked() },
        ];
        assert!(others.iter().all(|asked| kept(asked).is_none()));
    }
}
