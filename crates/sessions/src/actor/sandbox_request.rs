//! The requested sandbox of the next process: from the settings, the project, the mission, the caller that started the
//! session, and the repository itself, which only narrows it.

use std::path::Path;

use sandbox::GitDirs;
use types::{LandingRules, Mission, Project, SaidBy, SandboxSaid, SandboxWish, Wanted};

use super::Actor;
use super::start::Ready;
use crate::Result;
use crate::landing_rules::{sandbox_rules, says_something};

impl Actor {
    /// Combines the levels into the sandbox of the next process.
    pub(super) async fn wish(&mut self, git: Option<&GitDirs>) -> Result<Ready<()>> {
        let store = &self.shared.parts.store;
        let project = match &self.session.project {
            Some(project) => store.get::<Project>(project).await?,
            None => None,
        };
        let mission = match &self.session.mission {
            Some(assignment) => store.get::<Mission>(&assignment.mission).await?,
            None => None,
        };
        let mut wish = SandboxWish::of_settings(&self.shared.settings().sandbox_rules());
        if let Some(project) = &project {
            wish = wish.and(SaidBy::Project, &project.sandbox);
        }
        if let Some(mission) = &mission {
            wish = wish.and(SaidBy::Mission, &mission.sandbox);
        }
        wish = wish.and(SaidBy::Command, &self.session.order.sandbox);
        let landing = project.map_or_else(LandingRules::default, |project| project.landing);
        let (workspaces, folder) =
            (self.shared.parts.workspaces.as_ref(), Path::new(self.session.order.place.folder()));
        if git.is_some() && says_something(workspaces, &landing, folder).await && self.is_in_repository(git).await {
            match sandbox_rules(workspaces, &landing, folder).await {
                Ok(rules) => wish = wish.narrowed(SaidBy::File, &rules),
                Err(text) => return Ok(Ready::No(text)),
            }
        }
        self.wished = Some(wish);
        Ok(Ready::Yes(()))
    }

    /// Returns whether there is a repository with rules: a folder that is worked in directly need not be in one,
    /// whatever lies above it.
    async fn is_in_repository(&self, git: Option<&GitDirs>) -> bool {
        let folder = Path::new(self.session.order.place.folder());
        match git {
            Some(git) if git.is_checkout() => self.shared.parts.workspaces.head_branch(folder).await.is_ok(),
            Some(_) => true,
            None => false,
        }
    }

    /// Returns the combined request; the settings' where nothing was combined.
    pub(super) fn wished(&self) -> SandboxWish {
        let settings = || SandboxWish::of_settings(&self.shared.settings().sandbox_rules());
        self.wished.clone().unwrap_or_else(settings)
    }

    /// Returns who said so; what is written down, if a server before this one started the process.
    pub(super) fn said(&self) -> Option<SandboxSaid> {
        let said = self.wished.as_ref().map(|wish| SandboxSaid { level: wish.level_by, network: wish.network_by });
        said.or_else(|| self.session.guard.as_ref().and_then(|guard| guard.said))
    }

    /// Returns why there is no sandbox, if a level switched it off.
    pub(super) fn said_off(&self) -> String {
        let wish = self.wished();
        match (wish.level, wish.level_by) {
            (Wanted::Off, SaidBy::Settings) => "the settings say so".to_owned(),
            (Wanted::Off, by) => format!("{by} says so"),
            (Wanted::Auto | Wanted::Required, _) => "full access was asked for".to_owned(),
        }
    }
}
