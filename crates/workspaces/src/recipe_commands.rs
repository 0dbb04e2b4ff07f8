//! The sandbox in which the commands of a recipe run.
//!
//! The recipe is the target branch's, but what its commands run is in the worktree, where an agent may have written it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{CommandPlace, CommandRules, Confined};
use types::Wanted;

use crate::Workspaces;
use crate::command::{Ran, Surroundings};
use crate::error::Error;
use crate::record::Record;

/// Commands of a recipe, and what they need.
#[derive(Debug)]
pub(crate) struct RecipeCommands<'a> {
    pub(crate) commands: &'a [String],
    /// How long they may take together.
    pub(crate) timeout: Duration,
    /// The worktree, below the folder of all worktrees of its repository.
    pub(crate) path: &'a Path,
    pub(crate) home: &'a Path,
    /// What they read beside it: the repository.
    pub(crate) read: Vec<PathBuf>,
    pub(crate) rules: &'a CommandRules,
}

impl Workspaces {
    /// The surroundings of a recipe's commands, without a sandbox yet.
    pub(crate) fn around(&self, path: &Path, env: &BTreeMap<String, String>) -> Surroundings {
        Surroundings::of_recipe(path, &self.inner().options.variables, env, &self.inner().clock)
    }

    /// Runs commands of a recipe in their sandbox until one fails; the last one that ran, if any did.
    pub(crate) async fn run_recipe(
        &self,
        mut around: Surroundings,
        run: &RecipeCommands<'_>,
    ) -> Result<Option<Ran>, Error> {
        if run.commands.is_empty() {
            return Ok(None);
        }
        let name = run.path.file_name().unwrap_or_default().to_string_lossy();
        let private = Record::folder(run.home).join(format!("{name}.private"));
        around.sandbox = self.confined(&around, run, &private).await?;
        let _gone = Gone(private);
        around.run_all(run.commands, run.timeout).await
    }

    async fn confined(
        &self,
        around: &Surroundings,
        run: &RecipeCommands<'_>,
        private: &Path,
    ) -> Result<Option<Confined>, Error> {
        let refused = |why: String| Error::Sandbox { path: run.path.to_owned(), why };
        let Some(sandboxes) = self.inner().options.sandboxes.clone() else {
            return match run.rules.wish.level {
                Wanted::Required => Err(refused("this server makes no sandboxes".to_owned())),
                Wanted::Auto | Wanted::Off => Ok(None),
            };
        };
        let (rules, variables, read) = (run.rules.clone(), around.variables.clone(), run.read.clone());
        let (workspace, private) = (run.path.to_owned(), private.to_owned());
        let planned = runtime::blocking(move || {
            let place = CommandPlace { workspace: &workspace, read, private: &private };
            sandboxes.confine(&rules, &place, |name| variables.get(OsStr::new(name))?.to_str())
        });
        planned.await.map(Some).map_err(|error| refused(error.to_string()))
    }
}

/// The folder of temporary files of commands, which goes when they have ended, also when they were called off.
struct Gone(PathBuf);

impl Drop for Gone {
    fn drop(&mut self) {
        if let Err(error) = sandbox::remove_private(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "could not remove temporary files of a recipe");
        }
    }
}
