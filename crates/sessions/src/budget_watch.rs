//! Watches the budgets while agents run: tells those that a budget was used up without their doing, and those who wait
//! that there is something to spend again.
//!
//! An agent looks itself whenever a turn of its own has cost something. What it cannot see is what passes without a turn:
//! time, and what others spend.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::Stop;
use schedule::{Budget, Overdrawn, Scope, Spender, overdrawn, time_up_at};
use store::Stamp;
use types::{Event, Handle, Project, ProjectId, TeamName, Timestamp};

use crate::Result;
use crate::actor::Command;
use crate::ledger::spender;
use crate::manager::{Reach, SessionManager, Shared};

/// How long to wait when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// What was used up when it was last looked at: whose, and whether by the day.
type UsedUp = BTreeMap<(Scope, bool), Overdrawn>;

impl SessionManager {
    /// Keeps to the budgets until it is asked to stop.
    pub async fn keep_budgets(&self, stop: &Stop) {
        let shared = &self.0;
        let mut turns = shared.ledger.turns();
        let mut settings = shared.parts.settings.clone();
        let mut known = UsedUp::new();
        loop {
            turns.mark_unchanged();
            settings.mark_unchanged();
            let now = shared.parts.clock.now();
            let again_at = shared.look(&mut known, now).await.unwrap_or_else(|error| {
                tracing::error!(%error, "the budgets cannot be read; they are looked at again");
                Some(now + PAUSE)
            });
            tokio::select! {
                biased;
                () = stop.asked() => return,
                Ok(()) = turns.changed() => {}
                Ok(()) = settings.changed() => {}
                () = until(shared, again_at) => {}
            }
        }
    }
}

impl Shared {
    /// Looks at the budgets once, and says when to look again if nothing happens before.
    async fn look(&self, known: &mut UsedUp, now: Timestamp) -> Result<Option<Timestamp>> {
        let budgets = self.budgets(now).await?;
        let used_up: UsedUp = budgets
            .iter()
            .filter_map(|budget| Some(((budget.scope.clone(), budget.resets_at.is_some()), budget.overdrawn(now)?)))
            .collect();
        self.tell(known, &used_up, now).await?;
        let renewed = known.keys().any(|whose| !used_up.contains_key(whose));
        *known = used_up;
        if renewed {
            // Those who wait look for themselves, and letters that were held back go out.
            self.slots.ease();
            self.reached().into_iter().for_each(|reach| drop(reach.commands.send(Command::Letters)));
        }
        Ok(self.warn(&budgets, now).into_iter().chain(known.values().filter_map(|over| over.resets_at)).min())
    }

    /// Tells those who run under a budget that is used up, and says when time alone will have used up another.
    fn warn(&self, budgets: &[Budget], now: Timestamp) -> Option<Timestamp> {
        let reached = self.reached();
        let lives: Vec<_> = reached.iter().map(|reach| (reach, reach.live.borrow().clone())).collect();
        let running: Vec<_> = lives.iter().filter(|(_, live)| live.is_timed()).collect();
        for (reach, live) in &running {
            if overdrawn(spender(&live.session), budgets, now).is_some() {
                let _ = reach.commands.send(Command::Overdrawn);
            }
        }
        let spenders: Vec<Spender<'_>> = running.iter().map(|(_, live)| spender(&live.session)).collect();
        time_up_at(&spenders, budgets, now)
    }

    /// Says in the feed what was used up since, and what is not any more.
    async fn tell(&self, known: &UsedUp, used_up: &UsedUp, now: Timestamp) -> Result<()> {
        for (whose, over) in used_up.iter().filter(|(whose, _)| !known.contains_key(*whose)) {
            tracing::warn!(%over, "a budget is used up");
            let (why, resets_at) = (over.to_string(), over.resets_at);
            self.announce(Event::BudgetUsedUp { project: project(&whose.0), why, resets_at }, &whose.0, now).await?;
        }
        for (scope, _) in known.keys().filter(|whose| !used_up.contains_key(*whose)) {
            self.announce(Event::BudgetRenewed { project: project(scope) }, scope, now).await?;
        }
        Ok(())
    }

    async fn announce(&self, event: Event, scope: &Scope, now: Timestamp) -> Result<()> {
        let store = &self.parts.store;
        let found = match project(scope) {
            Some(id) => store.get::<Project>(&id).await?,
            None => None,
        };
        let team = found.map_or_else(TeamName::default_team, |project| project.team);
        let stamp = Stamp { at: now, handle: Handle::owner(), team };
        let event = &event;
        store
            .transact(&stamp, |tx| async move {
                tx.append(event.clone());
                Ok(())
            })
            .await
    }

    fn reached(&self) -> Vec<Reach> {
        self.everyone().iter().filter_map(|live| self.reach(&live.session.id)).collect()
    }
}

async fn until(shared: &Shared, at: Option<Timestamp>) {
    match at {
        Some(at) => shared.parts.clock.sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn project(scope: &Scope) -> Option<ProjectId> {
    match scope {
        Scope::Project(project) => Some(project.clone()),
        Scope::Fleet | Scope::Mission(_) => None,
    }
}
