//! What is said about the sandbox of the next process: by the settings, the project, the mission, whoever started the
//! session, and the repository itself, which only narrows it.

use std::path::Path;

use sandbox::GitDirs;
use types::{LandingRules, Mission, Project, SaidBy, SandboxSaid, SandboxWish, Wanted};

use super::Actor;
use super::begin::Ready;
use crate::Result;
use crate::landing_rules::{sandbox_rules, says_something};

impl Actor {
    /// Puts together what holds for the next process.
    pub(super) async fn wish(&mut self, git: Option<&GitDirs>) -> Result<Ready<()>> {
        let store = &self.hub.parts.store;
        let project = match &self.session.project {
            Some(project) => store.get::<Project>(project).await?,
            None => None,
        };
        let mission = match &self.session.mission {
            Some(assignment) => store.get::<Mission>(&assignment.mission).await?,
            None => None,
        };
        let mut wish = SandboxWish::of_settings(&self.hub.settings().sandbox_rules());
        if let Some(project) = &project {
            wish = wish.and(SaidBy::Project, &project.sandbox);
        }
        if let Some(mission) = &mission {
            wish = wish.and(SaidBy::Mission, &mission.sandbox);
        }
        wish = wish.and(SaidBy::Command, &self.session.order.sandbox);
        let landing = project.map_or_else(LandingRules::default, |project| project.landing);
        let (workspaces, folder) = (&self.hub.parts.workspaces, Path::new(self.session.order.place.folder()));
        if git.is_some() && says_something(workspaces, &landing, folder).await && self.is_in_repository(git).await {
            match sandbox_rules(workspaces, &landing, folder).await {
                Ok(rules) => wish = wish.narrowed(SaidBy::File, &rules),
                Err(text) => return Ok(Ready::No(text)),
            }
        }
        self.wished = Some(wish);
        Ok(Ready::Yes(()))
    }

    /// Tells whether there is a repository that may say something: a folder that is worked in as it is need not be in one,
    /// whatever lies above it.
    async fn is_in_repository(&self, git: Option<&GitDirs>) -> bool {
        let folder = Path::new(self.session.order.place.folder());
        match git {
            Some(git) if git.own == git.common => self.hub.parts.workspaces.head_branch(folder).await.is_ok(),
            Some(_) => true,
            None => false,
        }
    }

    /// Returns what holds, as it was put together last; what the settings say where nothing was.
    pub(super) fn wished(&self) -> SandboxWish {
        let settings = || SandboxWish::of_settings(&self.hub.settings().sandbox_rules());
        self.wished.clone().unwrap_or_else(settings)
    }

    /// Returns who said so; what is written down, if a server before this one started the process.
    pub(super) fn said(&self) -> Option<SandboxSaid> {
        let said = self.wished.as_ref().map(|wish| SandboxSaid { level: wish.level_by, network: wish.network_by });
        said.or_else(|| self.session.guard.as_ref().and_then(|guard| guard.said))
    }

    /// Says why there is no sandbox, where somebody wants it so.
    pub(super) fn said_off(&self) -> String {
        let wish = self.wished();
        match (wish.level, wish.level_by) {
            (Wanted::Off, SaidBy::Settings) => "the settings say so".to_owned(),
            (Wanted::Off, by) => format!("{by} says so"),
            (Wanted::Auto | Wanted::Required, _) => "full access was asked for".to_owned(),
        }
    }
}
