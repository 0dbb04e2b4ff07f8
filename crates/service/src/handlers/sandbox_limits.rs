//! Who may change the sandbox of agents: callers without a leading role only narrow it.
//!
//! The limits of an agent that starts another apply to that one, too: it could otherwise have it do what it
//! may not do itself.

use mission_runner::StartRequest;
use tokens::Member;
use types::{Mission, Project, SaidBy, SandboxRules, SandboxWish, Session};

use crate::{Result, Service, authorize};

/// What requires a leading role.
const WIDER: &str = "to let an agent reach more than its project and its mission do (`sandbox`, `sandbox_…`)";

impl Service {
    /// Returns what the settings and a project say together.
    fn walls_of(&self, project: Option<&Project>) -> SandboxWish {
        let wish = SandboxWish::of_settings(&self.settings().sandbox_rules());
        project.into_iter().fold(wish, |wish, project| wish.and(SaidBy::Project, &project.sandbox))
    }

    /// Returns the limits of a member's own session beside its project; nothing for leads.
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

    /// Returns the rules for a new mission: as requested, narrowed by the limits of its creator.
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
        Ok(authorize::leading(member, !after.is_within(&before), WIDER)?)
    }

    /// Returns the rules for a session that is started on a mission.
    pub(super) async fn sandbox_of_start(&self, member: &Member, request: &StartRequest) -> Result<SandboxRules> {
        let project = self.project_of(&request.mission).await?;
        let base = self.walls_of(project.as_ref()).and(SaidBy::Mission, &request.mission.sandbox);
        self.narrowed(member, base, SaidBy::Command, &request.sandbox).await
    }

    /// Returns the rules for a sub-mission: narrowed by those of its parent.
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

    /// Returns the rules for a worker that is started without a mission.
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
        authorize::leading(member, !base.clone().and(by, said).is_within(&base), WIDER)?;
        let own = self.own_walls(member).await?;
        Ok(base.clone().narrowed(by, &own).narrowed(by, said).since(&base))
    }
}
