//! `fleet retry`: a mission that stopped starts again, in its conversation if it had one.

use api::devfleet::{
    DispatchMission, Dispatched, GetMission, ListSessions, MissionStatus, ResumeMission, Resumed, StartOptions,
};
use api::{AgentName, Code, Page};
use client::Client;
use serde_json::{Map, json};
use types::MissionId;

use crate::call::Call;
use crate::context::Context;
use crate::failure::Failure;
use crate::operations::unlisted;

/// Start a failed, cancelled or parked mission again
///
/// Continues the conversation and the branch of its last session; starts anew, with the same agent, if
/// there was none, or with `--fresh`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The mission
    mission: String,
    /// Start anew, in a new worktree
    #[arg(long)]
    fresh: bool,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let fields = Map::from_iter([("mission".to_owned(), json!(args.mission))]);
    let reply = Call { entry: unlisted::<GetMission>(), fields, yes: false }.answer(context).await?;
    let unreadable = |error: serde_json::Error| Failure::new(api::Kind::Internal, error.to_string());
    let status: MissionStatus = serde_json::from_value(reply.body["status"].clone()).map_err(unreadable)?;
    let mission: MissionId = serde_json::from_value(reply.body["id"].clone()).map_err(unreadable)?;
    let refused = |why: &str, hint: String| Err(Failure::new(api::Kind::Conflict, why.to_owned()).hint(hint));
    match status {
        MissionStatus::Running => {
            return refused(
                &format!("mission {mission} runs already"),
                format!("Follow it: `fleet logs {mission} -f`."),
            );
        }
        MissionStatus::Completed => {
            let hint = format!(
                "See what was done: `fleet report {mission}`; continue from there: `fleet mission next {mission}`."
            );
            return refused(&format!("mission {mission} is completed"), hint);
        }
        MissionStatus::Draft | MissionStatus::Queued | MissionStatus::Failed | MissionStatus::Cancelled => {}
    }
    let client = context.connect().await?;
    if !args.fresh {
        let resume = ResumeMission { mission: mission.clone(), options: StartOptions::default() };
        match context.awaited("Starting its agent", client.call(resume)).await {
            Ok(reply) => {
                let Resumed { session_id, .. } = reply.output;
                context.terminal.say(&format!(
                    "Mission {mission} continues in session {session_id}, in its conversation and on its branch."
                ));
                context.terminal.say(&format!("Follow it: `fleet logs {mission} -f`."));
                return Ok(0);
            }
            Err(error) if error.code == Code::SESSION_NOT_RESUMABLE => {}
            Err(error) => return Err(error.into()),
        }
    }
    let options = StartOptions { agent: last_agent(&client, &mission).await?, ..StartOptions::default() };
    let dispatch = DispatchMission { mission: mission.clone(), options };
    let Dispatched { session_id, model, .. } =
        context.awaited("Starting an agent", client.call(dispatch)).await?.output;
    match session_id {
        Some(session) => context
            .terminal
            .say(&format!("Mission {mission} starts anew in session {session}, in a new worktree (model {model}).")),
        None => context.terminal.say(&format!("Mission {mission} waits for a free slot: `fleet why {mission}`.")),
    }
    context.terminal.say(&format!("Follow it: `fleet logs {mission} -f`."));
    Ok(0)
}

/// The agent that worked on a mission last: who chose it for one start means it for the next one too.
async fn last_agent(client: &Client, mission: &MissionId) -> Result<AgentName, Failure> {
    let page = Page { limit: Some(1), after: None };
    let list = ListSessions { mission_id: Some(mission.clone()), page, ..ListSessions::default() };
    let last = client.call(list).await?.output.items.pop();
    Ok(AgentName::of(last.map(|session| session.agent)))
}
