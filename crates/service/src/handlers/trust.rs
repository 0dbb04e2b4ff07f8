//! Which repositories the owner trusts: the setting `trusted_repositories` says so, and these operations edit it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use api::devfleet::{ProjectTrust, TrustProject, UntrustProject};
use api::{Code, Error};
use config::{Home, Settings};
use types::ProjectId;

use super::workspaces::refused;
use crate::{Caller, Handle, Result, Service};

/// How long a changed file of settings may take to be read again.
const PATIENCE: Duration = Duration::from_secs(10);

/// The setting, and the variable that has the last word.
const SETTING: &str = "trusted_repositories";
const VARIABLE: &str = "FLEET_TRUSTED_REPOSITORIES";

impl Handle<TrustProject> for Service {
    async fn handle(&self, caller: &Caller, op: TrustProject) -> Result<ProjectTrust> {
        self.set_trust(caller, &op.project, true).await
    }
}

impl Handle<UntrustProject> for Service {
    async fn handle(&self, caller: &Caller, op: UntrustProject) -> Result<ProjectTrust> {
        self.set_trust(caller, &op.project, false).await
    }
}

impl Service {
    /// Adds the repository of a project to the setting, or removes it, and waits until that is in force.
    async fn set_trust(&self, caller: &Caller, project: &ProjectId, wanted: bool) -> Result<ProjectTrust> {
        let project = self.project(caller.member()?, project).await?;
        // Of two changes at once the second must see the first.
        let _turn = self.linking.lock().await;
        let folder = self.workspaces.repository_folder(Path::new(&project.path)).await.map_err(refused)?;
        if self.trusts(&self.settings(), &folder) != wanted {
            let home = self.facts.home.clone().ok_or_else(|| unchanged("this server has no file of settings"))?;
            let list = self.changed(&folder, wanted)?;
            runtime::blocking(move || write(&home, &list)).await?;
            let mut settings = self.settings.clone();
            let applied = settings.wait_for(|settings| self.trusts(settings, &folder) == wanted);
            match self.clock.timeout(PATIENCE, applied).await {
                Ok(Ok(_)) => {}
                Ok(Err(_)) | Err(_) => return Err(unchanged(&format!("`{VARIABLE}` sets it")).into()),
            }
        }
        Ok(ProjectTrust { id: project.id, repository: folder.to_string_lossy().into_owned(), trusted: wanted })
    }

    fn trusts(&self, settings: &Settings, folder: &Path) -> bool {
        settings.trusted_folders(self.facts.user_home.as_deref()).iter().any(|entry| is_same(entry, folder))
    }

    /// Returns the setting with the folder in it, or without.
    fn changed(&self, folder: &Path, wanted: bool) -> Result<String> {
        let settings = self.settings();
        let entries = settings.trusted_folders(self.facts.user_home.as_deref());
        let kept = settings.trusted_repositories.iter().zip(entries).filter(|(_, entry)| !is_same(entry, folder));
        let mut list: Vec<String> = kept.map(|(text, _)| text.clone()).collect();
        if wanted {
            let text = folder.to_str().filter(|text| !text.contains(',') && text.trim() == *text);
            let text = text.ok_or_else(|| unchanged("a path with a comma cannot be in a list of settings"))?;
            list.push(text.to_owned());
        }
        Ok(list.join(","))
    }
}

/// Whether an entry of the setting is this repository, by its folder or by its `.git`.
fn is_same(entry: &Path, folder: &Path) -> bool {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let entry = real(entry.to_owned());
    entry == folder || entry == folder.join(".git")
}

fn write(home: &Home, list: &str) -> std::result::Result<(), Error> {
    config::set(home, &[(SETTING, list)]).map(drop).map_err(|error| unchanged(&error.to_string()))
}

fn unchanged(why: &str) -> Error {
    Error::new(Code::WORKSPACE_REFUSED, format!("the setting `{SETTING}` did not change: {why}"))
        .hint(format!("Change it yourself: `fleet config set {SETTING}=FOLDER,…`, or the variable `{VARIABLE}`."))
}
