//! What may be said about the sandbox of agents, and by whom: those who do not lead only narrow it.
//!
//! What stands around an agent that asks for another stands around that one, too: it could otherwise have it do what it
//! may not do itself.

use api::devfleet::SandboxEdit;
use tokens::Member;
use types::{Mission, Project, SaidBy, SandboxRules, SandboxWish, Session};

use crate::{Result, Service, gate};

/// What only those who lead may do.
const WIDER: &str = "to let an agent reach more than its project and its mission do (`sandbox`, `sandbox_…`)";

impl Service {
    /// Returns what the settings and a project say together.
    fn walls_of(&self, project: Option<&Project>) -> SandboxWish {
        let wish = SandboxWish::of_settings(&self.settings().sandbox_rules());
        project.into_iter().fold(wish, |wish, project| wish.and(SaidBy::Project, &project.sandbox))
    }

    /// Returns what holds for a member's own session beside its project; nothing for those who lead.
    async fn own_walls(&self, member: &Member) -> Result<SandboxRules> {
        let session = match member.role.leads() {
            true => None,
            false => self.sessions.named(&member.team, &member.handle).await?,
        };
        let Some(session) = session else { return Ok(SandboxRules::default()) };
        let mission = match &session.mission {
            Some(assignment) => self.store.get::<Mission>(&assignment.mission).await?,
            None => None,
        };
        let own = SandboxWish::of_settings(&SandboxRules::default());
        let mission = mission.map(|mission| mission.sandbox).unwrap_or_default();
        let held = own.clone().and(SaidBy::Mission, &mission).and(SaidBy::Command, &session.order.sandbox);
        Ok(held.since(&own))
    }

    /// Returns the rules for a new mission: as they were said, narrowed by what holds for whoever states it.
    pub(super) async fn walls_for_new(
        &self,
        member: &Member,
        project: Option<&Project>,
        said: &SandboxRules,
    ) -> Result<SandboxRules> {
        self.narrowed(member, self.walls_of(project), SaidBy::Mission, said).await
    }

    /// Refuses rules for a mission that are wider than those it has, unless the caller leads.
    pub(super) fn no_wider_walls(
        &self,
        member: &Member,
        project: Option<&Project>,
        before: &SandboxRules,
        after: &SandboxRules,
    ) -> Result<()> {
        let base = self.walls_of(project);
        let [before, after] = [before, after].map(|rules| base.clone().and(SaidBy::Mission, rules));
        Ok(gate::leading(member, !after.is_within(&before), WIDER)?)
    }

    /// Returns the rules for a session that is started on a mission.
    pub(super) async fn walls_for_start(
        &self,
        member: &Member,
        project: Option<&Project>,
        mission: &Mission,
        asked: SandboxEdit,
    ) -> Result<SandboxRules> {
        let base = self.walls_of(project).and(SaidBy::Mission, &mission.sandbox);
        self.narrowed(member, base, SaidBy::Command, &asked.applied(SandboxRules::default())).await
    }

    /// Returns the rules for a mission that is handed on by whoever works on another: what narrows that one.
    pub(super) fn walls_handed_on(
        &self,
        project: Option<&Project>,
        mission: &Mission,
        session: Option<&Session>,
    ) -> SandboxRules {
        let base = self.walls_of(project);
        let held = base.clone().narrowed(SaidBy::Mission, &mission.sandbox);
        let held = session.into_iter().fold(held, |held, by| held.narrowed(SaidBy::Command, &by.order.sandbox));
        held.since(&base)
    }

    /// Returns the rules for a worker that somebody starts without a mission.
    pub(super) async fn walls_for_worker(&self, member: &Member) -> Result<SandboxRules> {
        self.narrowed(member, self.walls_of(None), SaidBy::Command, &SandboxRules::default()).await
    }

    async fn narrowed(
        &self,
        member: &Member,
        base: SandboxWish,
        by: SaidBy,
        said: &SandboxRules,
    ) -> Result<SandboxRules> {
        if member.role.leads() {
            return Ok(said.clone());
        }
        gate::leading(member, !base.clone().and(by, said).is_within(&base), WIDER)?;
        let own = self.own_walls(member).await?;
        Ok(base.clone().narrowed(by, &own).narrowed(by, said).since(&base))
    }
}
