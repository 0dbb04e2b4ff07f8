//! Beginning a session: its names, its record, its task, also where the store does not say whether it was begun.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::Kind;
use store::{EngineError, Stamp, Transaction};
use types::{Event, Handle, Mission, MissionId, Session, SessionId, SessionState, Spending, Spent};

use crate::Result;
use crate::ask::NewSession;
use crate::assign::{Going, take};
use crate::error::{Error, Refusal};
use crate::manager::{Begin, SessionManager, Shared};
use crate::parking::needs_slot;
use crate::slots::{Seat, Slot};

/// Characters behind the prefix of a new id.
const ID_LENGTH: usize = 5;

/// How often another name is drawn because the one before is taken; with some thousand sessions hardly ever once.
const DRAWS_MAX: u32 = 16;

/// How long to wait before the store is asked again what became of a session.
const PAUSE: Duration = Duration::from_secs(1);

impl SessionManager {
    /// Begins a session; its process is started in the background.
    ///
    /// # Errors
    /// Refuses when there is no slot, no such agent, or somebody else has the name or the mission. When the store does
    /// not say whether the session was begun, neither does this; it is attended as soon as that is known.
    pub async fn spawn(&self, new: NewSession, stamp: &Stamp) -> Result<Session> {
        self.0.agent_registry().find(&new.order.agent)?;
        self.0.afford(&new).await?;
        let slot = self.0.slot(Seat::new(&new.order.agent, new.project.as_ref()).on(new.mission.as_ref()))?;
        let (new, drawn) = (&new, &Mutex::new(None));
        let begun = self.0.parts.store.transact(stamp, |tx| async move {
            let session = self.0.insert(&tx, new, stamp).await?;
            *drawn.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.id.clone());
            Ok(session)
        });
        let begun = begun.await;
        let drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.0.attend(begun, drawn, slot)
    }
}

impl Shared {
    /// Starts the task of a session that was begun or opened again, at once or when it is known that it was.
    pub(crate) fn attend(
        self: &Arc<Self>,
        begun: Result<Session>,
        id: Option<SessionId>,
        slot: Slot,
    ) -> Result<Session> {
        match (&begun, id) {
            (Ok(session), _) => self.begin(session.clone(), Some(slot), Begin::Fresh),
            (Err(Error::Store(store::Error::Engine(EngineError::Unknown(_)))), Some(id)) => self.find_out(id, slot),
            (Err(_), _) => {}
        }
        begun
    }

    /// Finds out whether a session was begun, and attends it if it was.
    fn find_out(self: &Arc<Self>, id: SessionId, slot: Slot) {
        let shared = Arc::clone(self);
        self.parts.tree.spawn(Kind::Job, format!("find session {id}"), move |stop| async move {
            loop {
                tokio::select! {
                    biased;
                    () = shared.parts.clock.sleep(PAUSE) => {}
                    // The next server takes up whatever there is.
                    () = stop.asked() => return,
                }
                match shared.stored(&id).await {
                    Ok(session) => {
                        let live = session.filter(|session| session.state.is_live());
                        tracing::warn!(session = %id, begun = live.is_some(), "the store says what became of it");
                        if let Some(session) = live {
                            let slot = needs_slot(&session.state).then_some(slot);
                            shared.begin(session, slot, Begin::Found);
                        }
                        return;
                    }
                    Err(error) => tracing::warn!(session = %id, %error, "what became of it is not known yet"),
                }
            }
        });
    }

    /// Reads a session as it is for certain: no commit of before changes it any more.
    pub(crate) async fn stored(&self, id: &SessionId) -> Result<Option<Session>> {
        self.parts.store.resolve().await?;
        Ok(self.parts.store.get::<Session>(id).await?)
    }

    async fn insert(&self, tx: &Transaction, new: &NewSession, stamp: &Stamp) -> Result<Session> {
        let (id, handle) = self.names(tx, new).await?;
        let assignment = match &new.mission {
            Some(mission) => {
                as_spent(tx, mission, new.spent).await?;
                Some(take(tx, mission, &id, &handle, Going::Anew, stamp).await?)
            }
            None => None,
        };
        let session = Session {
            id: id.clone(),
            team: new.team.clone(),
            handle,
            project: new.project.clone(),
            mission: assignment,
            origin: new.origin.clone(),
            order: new.order.clone(),
            workspace: None,
            conversation: new.conversation.clone(),
            runs: 1,
            begun: new.begun(),
            failures: 0,
            restarts: 0,
            spending: Spending { seen: new.seen.seen, ..Spending::default() },
            booked: Spent::default(),
            guard: None,
            exit: None,
            trouble: None,
            servers: Vec::new(),
            model: None,
            state: SessionState::Starting { since: stamp.at },
            created_by: stamp.handle.clone(),
            created_at: stamp.at,
            updated_at: stamp.at,
        };
        tx.insert(&session)?;
        if let (Some(automatic), Some(mission)) = (&new.automatic, &new.mission) {
            let met = automatic.freed_by.clone().map(|on| Event::DependencyMet { mission: mission.clone(), on });
            let dispatched = Event::AutoDispatched { mission: mission.clone(), session: id.clone() };
            met.into_iter().chain([dispatched]).for_each(|event| tx.append(event));
        }
        tx.append(Event::SessionCreated { session: id, mission: new.mission.clone() });
        Ok(session)
    }

    /// Draws an id that no session has, and with it a name, unless the caller chose one: only that can be taken.
    async fn names(&self, tx: &Transaction, new: &NewSession) -> Result<(SessionId, Handle)> {
        for _ in 0..DRAWS_MAX {
            let code = self.parts.rng.short_code(ID_LENGTH);
            let id = SessionId::from_code(&code).map_err(|error| fault(&error))?;
            let handle = new.name(&id).ok_or_else(|| fault(&"the id makes no name"))?;
            let other = self.named(&new.team, &handle).await?;
            match (other, &new.handle) {
                (Some(other), Some(_)) => return Err(Refusal::HandleTaken { handle, session: other.id }.into()),
                (None, _) if tx.get::<Session>(&id).await?.is_none() => return Ok((id, handle)),
                (Some(_) | None, _) => {}
            }
        }
        Err(fault(&"every name that was drawn is taken"))
    }
}

/// Refuses a mission that an earlier session has spent more on since the order was made.
async fn as_spent(tx: &Transaction, mission: &MissionId, counted: Option<Spent>) -> Result<()> {
    let spent = tx.get::<Mission>(mission).await?.map(|held| held.record.spent);
    match (counted, spent) {
        (Some(counted), Some(spent)) if counted != spent => {
            Err(Refusal::SpentMeanwhile { mission: mission.clone(), spent }.into())
        }
        (Some(_) | None, _) => Ok(()),
    }
}

fn fault(error: &impl std::fmt::Display) -> Error {
    Error::File { what: "cannot make a session".to_owned(), source: std::io::Error::other(error.to_string()) }
}
