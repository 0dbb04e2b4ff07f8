//! Runs missions for the dispatcher, as sessions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use config::Settings;
use dispatcher::{Conditions, MissionRunner, NotStarted, Post};
use runtime::Clock;
use schedule::{Busy, Place, Slots};
use sessions::{Automatic, Live, Refusal, SessionManager};
use store::{EngineError, Stamp, Store};
use tokio::sync::watch;
use types::{Event, Handle, Mission, MissionId, Project};

use crate::{Error, StartRequest};

/// How long a mission that could not be started waits for the next try.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// What a runner is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Starts and resumes sessions.
    pub sessions: SessionManager,
    /// Where agents of missions without a project work.
    pub working_dir: PathBuf,
}

/// Starts and resumes missions; clones are the same.
#[derive(Debug, Clone)]
pub struct Runner {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    settings: watch::Receiver<Arc<Settings>>,
    pub(crate) sessions: SessionManager,
    pub(crate) working_dir: PathBuf,
}

impl Runner {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, settings, sessions, working_dir } = parts;
        Self { store, clock, settings, sessions, working_dir }
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow())
    }

    /// Reads the project of a mission.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn project_of(&self, mission: &Mission) -> Result<Option<Project>, store::Error> {
        match &mission.project {
            Some(project) => self.store.get::<Project>(project).await,
            None => Ok(None),
        }
    }
}

impl MissionRunner for Runner {
    async fn post(&self, mission: &Mission) -> Post {
        let agent = self.agent_of_waiting(mission).await;
        let budget = sessions::own_budget(mission);
        Post { account: self.sessions.agent_registry().account(&agent), agent, budget }
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
        // A store that fails here fails the start too, which says so.
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
        match self.start_by_itself(mission, because).await {
            Ok(()) => Ok(()),
            Err(Error::Session(sessions::Error::Refused(Refusal::Full { .. }))) => Err(NotStarted::Full),
            Err(Error::Session(sessions::Error::Refused(Refusal::Mission(_) | Refusal::MissionNotFound { .. }))) => {
                Err(NotStarted::Gone)
            }
            Err(Error::Refused(crate::Refusal::Dependencies { trouble, .. })) => {
                tracing::info!(%mission, "a mission is parked: {trouble}");
                match self.park(mission, &trouble).await {
                    Ok(()) => Err(NotStarted::Gone),
                    Err(error) => {
                        Err(NotStarted::Failed { why: error.to_string(), again_at: self.clock.now() + RETRY_AFTER })
                    }
                }
            }
            Err(error) => {
                let is_unknown = matches!(
                    &error,
                    Error::Store(store::Error::Engine(EngineError::Unknown(_)))
                        | Error::Session(sessions::Error::Store(store::Error::Engine(EngineError::Unknown(_))))
                );
                let why = error.to_string();
                // After a lost answer it may have been started; then the session shows it.
                if !is_unknown {
                    tracing::warn!(%error, %mission, "a mission could not be started");
                    self.record_failure(mission, &why).await;
                }
                Err(NotStarted::Failed { why, again_at: self.clock.now() + RETRY_AFTER })
            }
        }
    }
}

impl Runner {
    async fn start_by_itself(&self, mission: &MissionId, freed_by: Option<&MissionId>) -> crate::Result<()> {
        let found = self.store.get::<Mission>(mission).await?;
        let mission = found.ok_or_else(|| Refusal::MissionNotFound { mission: mission.clone() })?;
        let by = self.by_itself(&mission);
        let automatic = Automatic { freed_by: freed_by.cloned() };
        self.start(&StartRequest::new(mission), Some(automatic), &by).await.map(drop)
    }

    /// Records in the mission's events that it could not be started.
    async fn record_failure(&self, mission: &MissionId, why: &str) {
        let Ok(Some(found)) = self.store.get::<Mission>(mission).await else { return };
        let event = &Event::DispatchFailed { mission: mission.clone(), why: why.to_owned() };
        let stamp = self.by_itself(&found);
        let recorded = self.store.transact(&stamp, |tx| async move {
            tx.append(event.clone());
            Ok::<_, store::Error>(())
        });
        if let Err(error) = recorded.await {
            tracing::error!(%error, %mission, "cannot record that a mission could not be started");
        }
    }

    /// Returns the stamp of a change that Fleet makes by itself.
    pub(crate) fn by_itself(&self, mission: &Mission) -> Stamp {
        Stamp { at: self.clock.now(), handle: Handle::owner(), team: mission.team.clone() }
    }
}
