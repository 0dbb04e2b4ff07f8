//! How many agents run at once, and who waits for one to end.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use config::Settings;
use tokio::sync::Notify;
use types::{MissionId, ProjectId, Session};

use crate::slot_lending::{Loans, Places};

/// The agents that run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<Places>,
    freed: Notify,
    /// Notified for the starter of new work, beside the sessions that wait for a slot.
    eased: Notify,
}

/// The right to run one agent; dropped, it is free again.
#[derive(Debug)]
pub(crate) struct Slot {
    seat: Seat,
    shared: Arc<Shared>,
}

/// What an agent takes a slot as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seat {
    agent: String,
    project: Option<ProjectId>,
    mission: Option<MissionId>,
}

/// How many may run at once; a limit that is none is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    fleet: u32,
    each_project: Option<u32>,
    each_agent: Option<u32>,
}

/// A limit that is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// That of all agents.
    Fleet,
    /// That of a project.
    Project(ProjectId),
    /// That of a kind of agent.
    Agent(String),
}

impl Seat {
    pub(crate) fn new(agent: &str, project: Option<&ProjectId>) -> Self {
        Self { agent: agent.to_owned(), project: project.cloned(), mission: None }
    }

    /// Says which mission it works on.
    pub(crate) fn on(self, mission: Option<&MissionId>) -> Self {
        Self { mission: mission.cloned(), ..self }
    }

    pub(crate) fn mission(&self) -> Option<&MissionId> {
        self.mission.as_ref()
    }

    pub(crate) fn is_of(&self, agent: &str) -> bool {
        self.agent == agent
    }

    pub(crate) fn of(session: &Session) -> Self {
        let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
        Self::new(&session.order.agent, session.project.as_ref()).on(mission)
    }
}

impl Room {
    pub(crate) fn of(settings: &Settings) -> Self {
        let limit = |most: u32| Some(most).filter(|most| *most > 0);
        Self {
            fleet: settings.max_workers,
            each_project: limit(settings.max_workers_per_project),
            each_agent: limit(settings.max_workers_per_agent),
        }
    }

    /// Returns which limit is reached, the narrowest first, and how many it allows.
    fn full(self, taken: &Places, seat: &Seat) -> Option<(Bound, u32)> {
        let reached = |most: Option<u32>, same: &dyn Fn(&Seat) -> bool| {
            most.filter(|most| taken.counted().filter(|other| same(other)).count() >= *most as usize)
        };
        let project = seat.project.as_ref().and_then(|project| {
            Some((Bound::Project(project.clone()), reached(self.each_project, &|other| other.project == seat.project)?))
        });
        let agent =
            || Some((Bound::Agent(seat.agent.clone()), reached(self.each_agent, &|other| other.agent == seat.agent)?));
        project.or_else(agent).or_else(|| Some((Bound::Fleet, reached(Some(self.fleet), &|_| true)?)))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet => Ok(()),
            Self::Project(project) => write!(f, " on project `{project}`"),
            Self::Agent(agent) => write!(f, " as `{agent}`"),
        }
    }
}

impl Slots {
    /// Takes a slot, one that is lent if there is no other, or says which limit is reached.
    pub(crate) fn take(&self, seat: Seat, room: Room) -> Result<Slot, (Bound, u32)> {
        let mut taken = self.places();
        match room.full(&taken, &seat) {
            Some(full) if !taken.borrow(&seat) => return Err(full),
            Some(_) => {}
            None => taken.enter(seat.clone()),
        }
        Ok(Slot { seat, shared: Arc::clone(&self.0) })
    }

    /// Takes a slot for an agent that runs already, however many do.
    pub(crate) fn found(&self, seat: Seat) -> Slot {
        self.places().enter(seat.clone());
        Slot { seat, shared: Arc::clone(&self.0) }
    }

    /// Returns how many are taken.
    pub(crate) fn taken(&self) -> u32 {
        u32::try_from(self.places().len()).unwrap_or(u32::MAX)
    }

    /// Notes for which missions the agent of another waits.
    pub(crate) fn lend(&self, lender: &MissionId, awaited: BTreeSet<MissionId>) {
        self.places().lend(lender, awaited);
        self.0.freed.notify_waiters();
        self.ease();
    }

    /// Returns who runs on a place that is lent, and who could.
    pub(crate) fn loans(&self) -> Loans {
        self.places().loans()
    }

    /// Waits until starting may have become easier; what happened without a waiter counts.
    pub(crate) async fn eased(&self) {
        self.0.eased.notified().await;
    }

    /// Says that starting may have become easier.
    pub(crate) fn ease(&self) {
        self.0.eased.notify_one();
    }

    /// Waits for a slot. Every waiter is asked whenever one comes free, for it may be one that the first cannot use.
    pub(crate) async fn wait(&self, seat: &Seat, room: impl Fn() -> Room) -> Slot {
        loop {
            let freed = self.0.freed.notified();
            tokio::pin!(freed);
            // From here on a ring counts, also before it is waited for.
            freed.as_mut().enable();
            if let Ok(slot) = self.take(seat.clone(), room()) {
                return slot;
            }
            freed.await;
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared.taken.lock().unwrap_or_else(PoisonError::into_inner).leave(&self.seat);
        self.shared.freed.notify_waiters();
        self.shared.eased.notify_one();
    }
}

#[cfg(test)]
#[path = "slots_tests.rs"]
mod tests;
