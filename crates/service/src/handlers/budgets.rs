//! What may be spent, and what was.

use api::IsoTime;
use api::Listing;
use api::fleet::{BudgetView, Ceilings, ListBudgets, Period};
use schedule::{Budget, Scope};
use store::{Query, by};
use types::{Allotment, Day, Limits, Project, Timestamp};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service};

impl Handle<ListBudgets> for Service {
    async fn handle(&self, caller: &Caller, _: ListBudgets) -> Result<Listing<BudgetView>> {
        let member = caller.member()?;
        let now = self.clock.now();
        let query = Query::earliest(by::project::budgeted(), LIST_MAX);
        let who = self.viewer(member);
        let projects = self.first(query, |project: &Project| who.sees(project)).await?;
        let mut views = self.shown(None, self.settings().budget(), now);
        for project in &projects {
            let set = self.shown(Some(project), project.budget, now);
            views.extend(set.into_iter().filter(|view| view.ceilings.is_some()));
        }
        Ok(Listing::whole(views))
    }
}

impl Service {
    fn shown(&self, project: Option<&Project>, allotment: Allotment, now: Timestamp) -> Vec<BudgetView> {
        let today = self.sessions.today();
        let kinds = [(Period::Day, allotment.daily, Some(today)), (Period::Ever, allotment.total, None)];
        kinds.map(|(period, ceiling, day)| self.view(project, period, ceiling, day, now)).into()
    }

    fn view(
        &self,
        project: Option<&Project>,
        period: Period,
        ceiling: Limits,
        day: Option<Day>,
        now: Timestamp,
    ) -> BudgetView {
        let budget = self.budget(project, ceiling, day);
        BudgetView {
            of: project.map_or_else(|| "fleet".to_owned(), |project| project.name.clone()),
            project_id: project.map(|project| project.id.clone()),
            period,
            used: BudgetView::used(budget.spent.into(), Ceilings::of(ceiling)),
            spent: budget.spent.into(),
            ceilings: Ceilings::of(ceiling),
            left: Ceilings::of(budget.left(now)),
            used_up: budget.used_up(now).map(|used| used.to_string()),
            resets_at: budget.resets_at.map(IsoTime),
        }
    }
    /// Returns a budget of a project or the fleet, with what was spent of it.
    pub(super) fn budget(&self, project: Option<&Project>, ceiling: Limits, day: Option<Day>) -> Budget {
        Budget {
            scope: project.map_or(Scope::Fleet, |project| Scope::Project(project.id.clone())),
            ceiling,
            spent: self.sessions.spent(project.map(|project| &project.id), day),
            resets_at: day.map(Day::ends_at),
        }
    }
}
