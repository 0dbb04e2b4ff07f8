//! The folders of sessions: who works in which, and their care when a session ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use runtime::Kind;
use types::Place;

use crate::hub::{Hub, Sessions};

impl Sessions {
    /// Returns who works in which folder, as of now: what nobody may remove.
    pub fn in_use(&self) -> impl Fn(&Path) -> Option<String> + Send + Sync + use<> {
        self.0.in_use()
    }
}

impl Hub {
    fn in_use(&self) -> impl Fn(&Path) -> Option<String> + Send + Sync + use<> {
        let live = self.everyone().into_iter().filter_map(|live| {
            let path = live.session.workspace.as_ref()?.path.clone();
            Some((PathBuf::from(path), format!("session {}", live.session.id)))
        });
        let live: BTreeMap<PathBuf, String> = live.collect();
        move |path| live.get(path).cloned()
    }

    /// Sees to the disk and to the pool when a session has ended: there is time for it, and space may be short.
    pub(crate) fn care_for(self: &Arc<Self>, place: &Place) {
        let (hub, place) = (Arc::clone(self), place.clone());
        self.parts.tree.spawn(Kind::Chore, "care for workspaces", move |_| async move {
            let workspaces = &hub.parts.workspaces;
            match workspaces.govern(hub.in_use()).await {
                Ok(None) => {}
                Ok(Some(report)) => {
                    tracing::info!(removed = report.removed.len(), freed = report.freed, "workspaces made room");
                }
                Err(error) => tracing::warn!(%error, "cannot see to the space that workspaces take"),
            }
            hub.trim_spools().await;
            hub.fill_pool(&place).await;
        });
    }

    /// Makes worktrees in advance for the next sessions on a repository.
    pub(crate) async fn fill_pool(&self, place: &Place) {
        let workspaces = &self.parts.workspaces;
        if workspaces.options().pool_size == 0 {
            return;
        }
        if let Place::Worktree { folder, base } = place
            && let Err(error) = workspaces.refill(Path::new(folder), base.as_deref()).await
        {
            tracing::warn!(%error, folder, "cannot make worktrees in advance");
        }
    }
}
