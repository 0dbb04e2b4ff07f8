//! Agents at work on missions, as far as that goes without processes: others run them, Fleet keeps their sessions.

use fleet_service::Caller;
use sessions::NewSession;
use store::Stamp;
use testkit::{Fleet, START};
use tokens::Member;
use types::{Limits, Mission, MissionId, Order, Place, Rank, SessionId, SessionStateName, Stay};

/// What an agent is started with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct With<'a> {
    /// The preset whose tools it has; none for whatever there is.
    pub(crate) preset: Option<&'a str>,
    pub(crate) limits: Limits,
}

/// Puts an agent to work on a mission, and returns it as the caller that its token makes it.
pub(crate) async fn at_work(fleet: &Fleet, mission: &str, with: With<'_>) -> (Caller, SessionId) {
    let id: MissionId = mission.parse().unwrap();
    let mission = fleet.service.store().get::<Mission>(&id).await.unwrap().unwrap();
    let order = Order {
        agent: "external".to_owned(),
        model: None,
        title: Some(mission.title.clone()),
        prompt: "Do it.".to_owned(),
        again: None,
        system_prompt: None,
        allowed_tools: with.preset.and_then(policy::preset),
        preset: with.preset.map(str::to_owned),
        limits: with.limits,
        place: Place::InPlace { folder: fleet.folder().to_string_lossy().into_owned() },
        stay: Stay::UntilDone,
        retries_max: None,
        waits: None,
        context_mode: false,
        args: Vec::new(),
        rank: Rank::default(),
        sandbox: types::SandboxRules::default(),
    };
    let project = mission.project.clone();
    let new = NewSession { mission: Some(id), project, ..NewSession::new(mission.team.clone(), order) };
    let stamp = Stamp { at: START, handle: "lead".parse().unwrap(), team: mission.team.clone() };
    let session = fleet.service.sessions().spawn(new, &stamp).await.unwrap();
    let mut live = fleet.service.sessions().watch(&session.id).unwrap();
    live.wait_for(|live| live.session.state.name() == SessionStateName::Running).await.unwrap();
    (Caller::Known(Member::agent(session.id.clone(), session.handle, session.team)), session.id)
}
