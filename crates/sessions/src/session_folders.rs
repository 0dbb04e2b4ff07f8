//! The folders of sessions: who works in which, and their care when a session ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use runtime::Kind;
use types::{Place, ProjectId, Session};

use crate::manager::{SessionManager, Shared};

impl SessionManager {
    /// Returns the folder with the files of a session.
    #[must_use]
    pub fn folder(&self, session: &Session) -> PathBuf {
        self.0.spools.session(session)
    }

    /// Returns which session works in which folder, as of now: these must not be removed.
    pub fn in_use(&self) -> impl Fn(&Path) -> Option<String> + Send + Sync + use<> {
        self.0.in_use()
    }
}

impl Shared {
    fn in_use(&self) -> impl Fn(&Path) -> Option<String> + Send + Sync + use<> {
        let live = self.everyone().into_iter().filter_map(|live| {
            let path = live.session.workspace.as_ref()?.path.clone();
            Some((PathBuf::from(path), format!("session {}", live.session.id)))
        });
        let live: BTreeMap<PathBuf, String> = live.collect();
        move |path| live.get(path).cloned()
    }

    /// Sees to the disk and to the pool when a session has ended: there is time for it, and space may be short.
    pub(crate) fn care_for(self: &Arc<Self>, project: Option<&ProjectId>, place: &Place) {
        let (shared, project, place) = (Arc::clone(self), project.cloned(), place.clone());
        self.parts.tree.spawn(Kind::Chore, "care for workspaces", move |_| async move {
            let workspaces = &shared.parts.workspaces;
            match workspaces.make_room(Box::new(shared.in_use())).await {
                Ok(None) => {}
                Ok(Some(report)) => {
                    tracing::info!(removed = report.removed.len(), freed = report.freed, "workspaces made room");
                }
                Err(error) => tracing::warn!(%error, "cannot see to the space that workspaces take"),
            }
            shared.fill_pool(project.as_ref(), &place).await;
        });
    }

    /// Makes worktrees in advance for the next sessions on a repository.
    pub(crate) async fn fill_pool(&self, project: Option<&ProjectId>, place: &Place) {
        let Place::Worktree { folder, base } = place else { return };
        let refilled = match self.recipe_of(project, place).await {
            Ok(Ok(recipe)) => {
                let refill = self.parts.workspaces.refill(Path::new(folder), base.as_deref(), &recipe);
                refill.await.map_err(|error| error.to_string())
            }
            Ok(Err(text)) => Err(text),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = refilled {
            tracing::warn!(%error, folder, "cannot make worktrees in advance");
        }
    }
}
