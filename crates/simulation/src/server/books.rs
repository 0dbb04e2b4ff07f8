//! The budgets over sessions, with all that was spent under them; as `sessions::books`.

use agents::Meter;
use schedule::{Budget, Overdrawn, Scope, Spender, overdrawn};
use store::{Query, by};
use types::{Allotment, Day, Limits, Mission, Project, ProjectId, Session, Spending, Spent, Timestamp};

use super::{NotBegun, Server};
use crate::agent::secs;
use crate::bug::Bug;

/// What a session that runs has spent, as far as it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) spending: Spending,
    /// Seconds that processes before this one ran.
    pub(super) secs_before: u64,
    /// Since when one runs; none if none does.
    pub(super) since: Option<Timestamp>,
    /// The day that counts what is not booked.
    pub(super) day: Day,
}

impl Shown {
    pub(super) fn of(session: &Session, now: Timestamp) -> Self {
        Self { spending: session.spending, secs_before: session.booked.secs, since: None, day: Day::of(now) }
    }

    fn unbooked(&self, booked: Spent, now: Timestamp) -> Spent {
        let ran = self.since.map_or(0, |since| secs(since, now));
        self.spending.in_all(self.secs_before.saturating_add(ran)).less(booked)
    }
}

impl Server {
    /// Returns the budgets of the fleet and of projects.
    pub(crate) async fn budgets(&self, now: Timestamp) -> Result<Vec<Budget>, store::Error> {
        let seen = self.read_books(now).await?;
        if seen.iter().all(|budget| budget.used_up(now).is_none()) {
            return Ok(seen);
        }
        // Something may have been told twice: nobody is stopped for that.
        let _closed = self.booking.write().await;
        self.read_books(now).await
    }

    /// Says which budget over a session is used up.
    pub(super) async fn overdrawn(&self, session: &Session, now: Timestamp) -> Result<Option<Overdrawn>, store::Error> {
        Ok(overdrawn(spender(session), &self.budgets(now).await?, now))
    }

    /// Refuses a mission that somebody dispatches while a budget over it is used up.
    pub(super) async fn afford(&self, mission: &Mission) -> Result<(), NotBegun> {
        let now = self.site.clock.now();
        let mut budgets = self.budgets(now).await?;
        budgets.extend(self.own_budget(mission));
        let who = Spender { mission: Some(&mission.id), project: mission.project.as_ref() };
        if overdrawn(who, &budgets, now).is_some() { Err(NotBegun::Refused) } else { Ok(()) }
    }

    /// Returns what a mission's sessions together may spend, and have.
    pub(crate) fn own_budget(&self, mission: &Mission) -> Option<Budget> {
        sessions::own_budget(mission).and_then(|budget| self.heeded(budget))
    }

    /// Says that something was spent.
    pub(super) fn turn(&self) {
        self.turned.send_modify(|count| *count += 1);
    }

    /// Says that a budget was changed: those who wait for it look again.
    pub(crate) fn budget_changed(&self) {
        self.turn();
        self.slots.ease();
    }

    async fn read_books(&self, now: Timestamp) -> Result<Vec<Budget>, store::Error> {
        let running: Vec<_> =
            self.live().values().map(|live| (live.session.project.clone(), live.session.booked, live.shown)).collect();
        let projects = match self.store.count(by::project::BUDGETED) {
            0 => Vec::new(),
            _ => self.store.list::<Project>(Query::earliest(by::project::budgeted(), 100)).await?.records,
        };
        let fleet = self.site.agents.purse.get();
        let all = projects.iter().map(|project| (Some(&project.id), project.budget)).chain([(None, fleet)]);
        Ok(all.flat_map(|(whose, allotment)| self.of(whose, allotment, &running, now)).collect())
    }

    fn of(
        &self,
        whose: Option<&ProjectId>,
        allotment: Allotment,
        running: &[(Option<ProjectId>, Spent, Shown)],
        now: Timestamp,
    ) -> Vec<Budget> {
        let scope = whose.map_or(Scope::Fleet, |project| Scope::Project(project.clone()));
        let kinds = [(allotment.total, None), (allotment.daily, Some(Day::of(now)))];
        let set = kinds.into_iter().filter(|(ceiling, _)| *ceiling != Limits::default());
        let budgets = set.map(|(ceiling, day)| {
            let counts = |(project, _, shown): &&(Option<ProjectId>, Spent, Shown)| {
                (whose.is_none() || project.as_ref() == whose) && day.is_none_or(|day| shown.day == day)
            };
            let unbooked = running.iter().filter(counts).map(|(_, booked, shown)| shown.unbooked(*booked, now));
            let spent = unbooked.fold(self.store.spent(whose, day), Spent::plus);
            Budget { scope: scope.clone(), ceiling, spent, resets_at: day.map(Day::ends_at) }
        });
        budgets.filter_map(|budget| self.heeded(budget)).collect()
    }

    /// Returns what is heeded of a budget: all of it, unless a rule is broken on purpose.
    fn heeded(&self, mut budget: Budget) -> Option<Budget> {
        let (is_daily, scope) = (budget.resets_at.is_some(), &budget.scope);
        let ceiling = &mut budget.ceiling;
        let ignored = match self.site.bug {
            Some(Bug::IgnoresFleetBudgets) => *scope == Scope::Fleet,
            Some(Bug::IgnoresProjectBudgets) => matches!(scope, Scope::Project(_)),
            Some(Bug::IgnoresMissionBudgets) => matches!(scope, Scope::Mission(_)),
            Some(Bug::IgnoresDailyBudgets) => is_daily,
            _ => false,
        };
        match self.site.bug {
            Some(Bug::IgnoresDollars) => ceiling.dollars_max = None,
            Some(Bug::IgnoresTokens) => ceiling.tokens_max = None,
            Some(Bug::IgnoresTurns) => ceiling.turns_max = None,
            Some(Bug::IgnoresTime) => ceiling.secs_max = None,
            _ => {}
        }
        (!ignored).then_some(budget)
    }
}

/// Says for whom a session spends.
pub(super) fn spender(session: &Session) -> Spender<'_> {
    let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
    Spender { mission, project: session.project.as_ref() }
}

/// Begins to count what a session's next process spends.
pub(super) fn meter(session: &Session) -> Meter {
    let mut meter = Meter::from(session.spending);
    meter.restarted(agents::Counting::PerProcess);
    meter
}
