//! The service as the crew of the dispatcher: it runs missions as sessions.

use std::time::Duration;

use api::devfleet::{DispatchMission, ExplainMission, Explained, MissionStatus};
use dispatcher::{Conditions, Crew, NotStarted, Post};
use schedule::{Busy, Place, Slots, Why};
use sessions::{Automatic, Live, NewSession, Refusal};
use store::{EngineError, Stamp};
use types::{Event, Handle as Name, Holder, Mission, MissionId, MissionState};

use crate::{Caller, Error, Handle, Service};

/// How long a mission that could not be started waits for the next try.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

impl Crew for Service {
    async fn post(&self, mission: &Mission) -> Post {
        let agent = self.agent_in_line(mission).await;
        let budget = sessions::own_budget(mission);
        Post { account: self.sessions.roster().account(&agent), agent, budget }
    }

    async fn conditions(&self) -> Conditions {
        let settings = self.settings();
        let loans = self.sessions.loans();
        let lent = |live: &Live| {
            let mission = live.session.mission.as_ref().map(|assignment| &assignment.mission);
            mission.is_some_and(|mission| loans.given.contains(mission))
        };
        let busy = self.sessions.each(|live| {
            let (project, agent) = (&live.session.project, &live.session.order.agent);
            (live.takes_slot() && !lent(live)).then(|| Busy {
                project: project.clone(),
                agent: agent.clone(),
                place: Place::Here,
            })
        });
        let own = |most: u32| Some(most).filter(|most| *most > 0);
        let slots = Slots {
            fleet: settings.max_workers,
            node: settings.max_workers,
            each_project: own(settings.max_workers_per_project),
            each_agent: own(settings.max_workers_per_agent),
            ..Slots::default()
        };
        // A store that fails here fails the start too, which then says so.
        let parked = self.sessions.parked().await.unwrap_or_default();
        let parking = match settings.parking {
            config::Parking::Account => schedule::Parking::Account,
            config::Parking::Fleet => schedule::Parking::Fleet,
            config::Parking::Off => schedule::Parking::Off,
        };
        let budgets = self.sessions.budgets().await.unwrap_or_default();
        Conditions {
            busy: busy.into_iter().flatten().collect(),
            slots,
            lent: loans.open,
            parked,
            parking,
            budgets,
            ..Conditions::default()
        }
    }

    async fn eased(&self) {
        self.sessions.eased().await;
    }

    async fn start(&self, mission: &MissionId, because: Option<&MissionId>) -> Result<(), NotStarted> {
        match self.dispatch(mission, because).await {
            Ok(()) => Ok(()),
            Err(Error::Session(sessions::Error::Refused(Refusal::Full { .. }))) => Err(NotStarted::Full),
            Err(Error::Session(sessions::Error::Refused(Refusal::Mission(_) | Refusal::MissionNotFound { .. }))) => {
                Err(NotStarted::Gone)
            }
            Err(error) => {
                let is_unknown = matches!(
                    &error,
                    Error::Session(sessions::Error::Store(store::Error::Engine(EngineError::Unknown(_))))
                );
                let why = error.told().message;
                // It may have been started all the same; then the session tells.
                if !is_unknown {
                    self.not_dispatched(mission, &why).await;
                }
                Err(NotStarted::Failed { why, again_at: self.clock.now() + AGAIN_AFTER })
            }
        }
    }
}

impl Handle<ExplainMission> for Service {
    async fn handle(&self, caller: &Caller, op: ExplainMission) -> crate::Result<Explained> {
        let mission = self.mission(caller.member()?, &op.mission, "Mission").await?;
        let why = self.explain(&mission).await?;
        Ok(Explained { status: MissionStatus::from(&mission.state), mission: mission.id, why: why.to_string() })
    }
}

impl Service {
    /// Says why a mission does not run, or that it does.
    pub(crate) async fn explain(&self, mission: &Mission) -> crate::Result<Why> {
        Ok(match schedule::why(&mission.state) {
            // It was put aside in the midst of its work; what it waits for may be another budget since.
            Some(why @ Why::Parked { .. }) => self.sessions.overdrawn(mission).await?.map_or(why, Why::from),
            Some(why @ Why::Held { .. }) => self.asks(mission).await?.unwrap_or(why),
            Some(why) => why,
            None => dispatcher::why(&self.store, &self.clock, self, &mission.id).await?,
        })
    }

    /// Says what the agent of a mission waits for a person to say.
    async fn asks(&self, mission: &Mission) -> crate::Result<Option<Why>> {
        let MissionState::Held { holder: Holder::Session { session, .. }, .. } = &mission.state else {
            return Ok(None);
        };
        let asked = self.sessions.asks(session).await?;
        Ok(asked.map(|asked| Why::Approval { approval: asked.id, summary: asked.wanted.summary }))
    }

    async fn dispatch(&self, mission: &MissionId, because: Option<&MissionId>) -> crate::Result<()> {
        let found = self.store.get::<Mission>(mission).await?;
        let gone = || sessions::Error::from(Refusal::MissionNotFound { mission: mission.clone() });
        let mission = found.ok_or_else(gone)?;
        let project = self.project_of(&mission).await?;
        let order = self.order(&mission, project.as_ref(), &DispatchMission::of(mission.id.clone()), None).await?;
        let new = NewSession {
            project: mission.project.clone(),
            mission: Some(mission.id.clone()),
            automatic: Some(Automatic { freed_by: because.cloned() }),
            ..NewSession::new(mission.team.clone(), order)
        };
        self.sessions.spawn(new, &self.by_itself(&mission)).await?;
        Ok(())
    }

    /// Tells in the mission's events that it could not be started.
    async fn not_dispatched(&self, mission: &MissionId, why: &str) {
        let Ok(Some(found)) = self.store.get::<Mission>(mission).await else { return };
        let event = &Event::DispatchFailed { mission: mission.clone(), why: why.to_owned() };
        let stamp = self.by_itself(&found);
        let told = self.store.transact(&stamp, |tx| async move {
            tx.append(event.clone());
            Ok::<_, store::Error>(())
        });
        if let Err(error) = told.await {
            tracing::error!(%error, %mission, "cannot note that a mission could not be started");
        }
    }

    /// Says that Fleet changes something of a mission by itself.
    fn by_itself(&self, mission: &Mission) -> Stamp {
        Stamp { at: self.clock.now(), handle: Name::owner(), team: mission.team.clone() }
    }
}
