//! The budgets over sessions, with all that was spent under them: what is in the store's ledger, and what agents that
//! run have spent since.
//!
//! A session ledger what it has spent when its process ends, and when a day does; until then it is part of what is shown
//! of it. The two together are all there is, at any time.

use std::sync::Arc;
use std::time::Duration;

use runtime::Clock;
use schedule::{Budget, Overdrawn, Scope, Spender, overdrawn};
use store::{Query, by};
use tokio::sync::{RwLock, RwLockReadGuard, watch};
use types::{Allotment, Day, Limits, Mission, Project, ProjectId, Session, SessionId, Spent, Timestamp};

use crate::Result;
use crate::actor::Command;
use crate::ask::NewSession;
use crate::error::Refusal;
use crate::live::Live;
use crate::manager::{SessionManager, Shared};

/// The longest that a start waits for what earlier sessions have spent.
const COUNT_WAIT: Duration = Duration::from_secs(60);

/// Most projects with a budget.
const PROJECTS_MAX: usize = 10_000;

/// Keeps what is booked and what is shown from being read in the moment in which they tell the same.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    booking: RwLock<()>,
    turned: watch::Sender<u64>,
    uncounted: Arc<watch::Sender<usize>>,
}

/// A session of an earlier server of which is not known yet what it has spent meanwhile; dropped once it is.
#[derive(Debug)]
pub(crate) struct Uncounted(Arc<watch::Sender<usize>>);

impl Drop for Uncounted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl Ledger {
    /// Adds a session of an earlier server to those that are not counted yet.
    pub(crate) fn uncounted(&self) -> Uncounted {
        self.uncounted.send_modify(|count| *count += 1);
        Uncounted(Arc::clone(&self.uncounted))
    }

    /// Waits until it is known what sessions of an earlier server have spent: until then, a budget may look open that
    /// they have used up. One that cannot be read keeps others waiting for a while only.
    pub(crate) async fn counted(&self, clock: &Clock) {
        let mut uncounted = self.uncounted.subscribe();
        tokio::select! {
            biased;
            _ = uncounted.wait_for(|count| *count == 0) => {}
            () = clock.sleep(COUNT_WAIT) => {}
        }
    }

    /// Holds the ledger open: until this is dropped, what was committed may still be shown as not booked.
    pub(crate) async fn booking(&self) -> RwLockReadGuard<'_, ()> {
        self.booking.read().await
    }

    /// Says that something was spent, or that a budget is another now.
    pub(crate) fn turn(&self) {
        self.turned.send_modify(|count| *count += 1);
    }

    /// Listens for that.
    pub(crate) fn turns(&self) -> watch::Receiver<u64> {
        self.turned.subscribe()
    }
}

impl SessionManager {
    /// Returns the budgets of the fleet and of projects that have a ceiling, with what was spent until now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn budgets(&self) -> Result<Vec<Budget>> {
        self.0.budgets(self.0.parts.clock.now()).await
    }

    /// Returns what was spent by a project or, without one, by the fleet; on a day or, without one, ever.
    #[must_use]
    pub fn spent(&self, project: Option<&ProjectId>, day: Option<Day>) -> Spent {
        let now = self.0.parts.clock.now();
        // In this order: what is booked in between is told twice for a moment, and not left out.
        let unbooked = unbooked(&self.0.everyone(), project, day, now);
        self.0.parts.store.spent(project, day).plus(unbooked)
    }

    /// Says which budget over a mission's next session is used up, its own included.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn overdrawn(&self, mission: &Mission) -> Result<Option<Overdrawn>> {
        let mut budgets = self.budgets().await?;
        budgets.extend(own_budget(mission));
        let who = Spender { mission: Some(&mission.id), project: mission.project.as_ref() };
        Ok(overdrawn(who, &budgets, self.0.parts.clock.now()))
    }

    /// Returns the day that counts what is spent now.
    #[must_use]
    pub fn today(&self) -> Day {
        self.0.today()
    }

    /// Reports that a session has handed on a part of its ceilings; one that is not live reads it when it starts.
    pub fn ceilings_changed(&self, session: &SessionId) {
        if let Some(reach) = self.0.reach(session) {
            let _ = reach.commands.send(Command::CeilingsChanged);
        }
    }

    /// Reports that a budget was changed: sessions that wait for it look again.
    pub fn budget_changed(&self) {
        self.0.ledger.turn();
        self.0.slots.ease();
    }
}

/// Returns what a mission's sessions together may spend, and have; none if it has no ceiling.
#[must_use]
pub fn own_budget(mission: &Mission) -> Option<Budget> {
    let limited = mission.limits != Limits::default();
    limited.then(|| Budget {
        scope: Scope::Mission(mission.id.clone()),
        ceiling: mission.limits,
        spent: mission.spent.plus(missions::handed_on(mission, None)),
        resets_at: None,
    })
}

impl Shared {
    /// Returns whether there is a ceiling for more than one mission.
    pub(crate) fn has_budgets(&self) -> bool {
        !self.settings().budget().is_open() || self.parts.store.count(by::project::BUDGETED) > 0
    }

    /// Returns the day that counts what is spent now.
    pub(crate) fn today(&self) -> Day {
        self.day_of(self.parts.clock.now())
    }

    fn day_of(&self, now: Timestamp) -> Day {
        Day::beginning(self.settings().daily_budget_resets_at, now)
    }

    /// Returns the budgets of the fleet and of projects.
    pub(crate) async fn budgets(&self, now: Timestamp) -> Result<Vec<Budget>> {
        if !self.has_budgets() {
            return Ok(Vec::new());
        }
        let seen = self.read_books(now).await?;
        if seen.iter().all(|budget| budget.used_up(now).is_none()) {
            return Ok(seen);
        }
        // Something may have been reported twice: no agent is stopped for that.
        let _closed = self.ledger.booking.write().await;
        self.read_books(now).await
    }

    /// Refuses a session that a caller requests while a budget over it is used up. One that Fleet begins by itself was
    /// looked at before, and waits if it has to.
    pub(crate) async fn afford(&self, new: &NewSession) -> Result<()> {
        if new.automatic.is_some() {
            return Ok(());
        }
        let now = self.parts.clock.now();
        let who = Spender { mission: new.mission.as_ref(), project: new.project.as_ref() };
        match overdrawn(who, &self.budgets(now).await?, now) {
            Some(over) => Err(Refusal::Overdrawn(over).into()),
            None => Ok(()),
        }
    }

    /// Says which budget over a session is used up.
    pub(crate) async fn overdrawn(&self, session: &Session, now: Timestamp) -> Result<Option<Overdrawn>> {
        Ok(overdrawn(spender(session), &self.budgets(now).await?, now))
    }

    async fn read_books(&self, now: Timestamp) -> Result<Vec<Budget>> {
        let running = self.everyone();
        let query = Query::earliest(by::project::budgeted(), PROJECTS_MAX);
        let projects = match self.parts.store.count(by::project::BUDGETED) {
            0 => Vec::new(),
            _ => self.parts.store.list::<Project>(query).await?.records,
        };
        let fleet = self.settings().budget();
        let all = projects.iter().map(|project| (Some(&project.id), project.budget)).chain([(None, fleet)]);
        Ok(all.flat_map(|(whose, allotment)| self.of(whose, allotment, &running, now)).collect())
    }

    fn of(&self, whose: Option<&ProjectId>, allotment: Allotment, running: &[Live], now: Timestamp) -> Vec<Budget> {
        let today = self.day_of(now);
        let scope = whose.map_or(Scope::Fleet, |project| Scope::Project(project.clone()));
        let kinds = [(allotment.total, None), (allotment.daily, Some(today))];
        let set = kinds.into_iter().filter(|(ceiling, _)| *ceiling != Limits::default());
        set.map(|(ceiling, day)| Budget {
            scope: scope.clone(),
            ceiling,
            spent: self.parts.store.spent(whose, day).plus(unbooked(running, whose, day, now)),
            resets_at: day.map(Day::ends_at),
        })
        .collect()
    }
}

/// Adds up what running agents have spent and not booked yet.
fn unbooked(running: &[Live], project: Option<&ProjectId>, day: Option<Day>, now: Timestamp) -> Spent {
    let counts = |live: &&Live| {
        let whose = project.is_none() || live.session.project.as_ref() == project;
        // Until a session has closed its day, what it spent is the day's before.
        whose && day.is_none_or(|day| live.day.number() == day.number())
    };
    running.iter().filter(counts).fold(Spent::default(), |sum, live| sum.plus(live.unbooked(now)))
}

/// Returns the budgets that a session spends from.
pub(crate) fn spender(session: &Session) -> Spender<'_> {
    let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
    Spender { mission, project: session.project.as_ref() }
}
