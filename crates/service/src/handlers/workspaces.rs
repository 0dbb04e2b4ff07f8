//! The folders that sessions work in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use api::fleet::{
    KeptWorkspace, ListSnapshots, ListWorkspaces, PruneWorkspaces, Pruned, RemoveWorkspace, RemovedWorkspace,
    RestoreWorkspace, Restored, SnapshotView, WorkspaceView,
};
use api::{Code, Error, IsoTime, Listing};
use types::{Session, SessionId, SessionState};
use workspaces::{Listed, PruneReport, Purpose};

use crate::authority::Viewer;
use crate::{Caller, Handle, Result, Service};

/// Why a workspace stays that is not the caller's.
const OTHER_TEAM: &str = "another team";

/// Megabytes are counted as disks do.
const MEGABYTE: u64 = 1_000_000;

impl Handle<ListWorkspaces> for Service {
    async fn handle(&self, caller: &Caller, _: ListWorkspaces) -> Result<Listing<WorkspaceView>> {
        let team = self.team_workspaces(caller.member()?).await?;
        let listed = self.workspaces.list().await.map_err(refused)?;
        let in_use = self.sessions.in_use();
        let mut views = Vec::with_capacity(listed.len());
        for one in listed {
            if !self.is_of_team(&team, &one).await? {
                continue;
            }
            let removed_after = self.removed_after(&one).await?;
            views.push(WorkspaceView { removed_after, ..view(one, &in_use) });
        }
        Ok(Listing::whole(views))
    }
}

impl Service {
    /// Says when retention removes a workspace.
    async fn removed_after(&self, one: &Listed) -> Result<Option<IsoTime>> {
        let Purpose::Session { session } = &one.purpose else { return Ok(None) };
        let Ok(id) = session.parse::<SessionId>() else { return Ok(None) };
        let days = self.settings().worktree_keep_days;
        let Some(session) = self.store.get::<Session>(&id).await?.filter(|_| days > 0) else { return Ok(None) };
        let SessionState::Ended { at, .. } = session.state else { return Ok(None) };
        let age = Duration::from_secs(u64::from(days) * 86_400);
        Ok(at.checked_add(age).ok().map(IsoTime))
    }
}

impl Handle<ListSnapshots> for Service {
    async fn handle(&self, caller: &Caller, op: ListSnapshots) -> Result<Listing<SnapshotView>> {
        let team = self.team_workspaces(caller.member()?).await?;
        let kept = self.snapshots_of_team(&team, &op.folder).await?;
        let view = |kept: workspaces::Kept| SnapshotView { snapshot: kept.snapshot, commit: kept.commit };
        Ok(Listing::whole(kept.into_iter().map(view).collect()))
    }
}

impl Handle<RestoreWorkspace> for Service {
    async fn handle(&self, caller: &Caller, op: RestoreWorkspace) -> Result<Restored> {
        let member = caller.member()?;
        let team = self.team_workspaces(member).await?;
        self.snapshot_of_team(&team, &op.folder, &op.snapshot).await?;
        // It is written as the user of the server, wherever that is.
        if op.to.is_some() && self.viewer(member) != Viewer::Owner {
            return Err(Error::new(Code::ROLE_REFUSED, "Insufficient permissions: `to` requires role owner")
                .hint("Leave `to` out: the workspace is restored among those of its repository.")
                .into());
        }
        let to = op.to.map(PathBuf::from);
        let path = self.workspaces.restore(Path::new(&op.folder), &op.snapshot, to).await.map_err(refused)?;
        Ok(Restored { path: shown(&path) })
    }
}

impl Handle<RemoveWorkspace> for Service {
    async fn handle(&self, caller: &Caller, op: RemoveWorkspace) -> Result<RemovedWorkspace> {
        let session = self.session(caller.member()?, &op.session).await?;
        self.remove_workspace(&session).await
    }
}

impl Service {
    /// Removes the workspace of a session that is over; a snapshot has everything first.
    pub(super) async fn remove_workspace(&self, session: &Session) -> Result<RemovedWorkspace> {
        if session.state.is_live() {
            return Err(Error::new(Code::WORKSPACE_REFUSED, format!("session `{}` is at work there", session.id))
                .hint(format!("End it first: `fleet session cancel {}`.", session.id))
                .into());
        }
        let Some(workspace) = session.workspace.clone() else {
            return Err(Error::new(Code::WORKSPACE_REFUSED, "the session never had a folder").into());
        };
        let in_use = self.sessions.in_use();
        let removed = self.workspaces.remove(session.id.as_str(), &workspace, in_use).await.map_err(refused)?;
        Ok(RemovedWorkspace {
            path: workspace.path,
            snapshot: Some(removed.snapshot),
            deleted_branch: removed.deleted_branch,
            bytes: None,
            notes: removed.notes,
        })
    }
}

impl Handle<PruneWorkspaces> for Service {
    async fn handle(&self, caller: &Caller, op: PruneWorkspaces) -> Result<Pruned> {
        let target = op.free_mb.map(|megabytes| megabytes.saturating_mul(MEGABYTE));
        let team = self.team_workspaces(caller.member()?).await?;
        let mut others = BTreeSet::new();
        for one in self.workspaces.list().await.map_err(refused)? {
            if !self.is_of_team(&team, &one).await? {
                others.insert(one.path);
            }
        }
        let (in_use, kept) = (self.sessions.in_use(), others.clone());
        // What is made meanwhile is in use.
        let in_use = move |path: &Path| in_use(path).or_else(|| kept.contains(path).then(|| OTHER_TEAM.to_owned()));
        let mut report = self.workspaces.prune(target, !op.apply, in_use).await.map_err(refused)?;
        report.kept.retain(|(path, _)| !others.contains(path));
        Ok(pruned(report, &op))
    }
}

fn view(one: Listed, in_use: &impl Fn(&Path) -> Option<String>) -> WorkspaceView {
    let (purpose, session) = match one.purpose {
        Purpose::Session { session } => ("session", Some(session)),
        Purpose::Pool => ("pool", None),
        Purpose::Unfinished { session } => ("unfinished", session),
        Purpose::Foreign => ("foreign", None),
    };
    WorkspaceView {
        in_use_by: in_use(&one.path),
        removed_after: None,
        path: shown(&one.path),
        purpose: purpose.to_owned(),
        session,
        branch: one.branch,
        repository: one.repository.as_deref().map(shown),
        dirty: one.dirty,
        bytes: one.bytes,
        last_used_at: IsoTime(one.last_used),
        notes: one.notes,
    }
}

/// Says what was done, and without `apply` how to do it.
fn summary(report: &PruneReport, op: &PruneWorkspaces) -> String {
    let count = report.removed.len();
    let what = format!("{count} workspace{} with {} MB", if count == 1 { "" } else { "s" }, report.freed / MEGABYTE);
    let free = op.free_mb.map(|megabytes| format!(" with `--free-mb {megabytes}`")).unwrap_or_default();
    match (op.apply, count) {
        (true, _) => format!("Removed {what}; each has a snapshot."),
        (false, 0) => "Nothing was removed, and nothing would be.".to_owned(),
        (false, _) => {
            format!("Nothing was removed; {what} would be. Remove them: `fleet workspace prune --apply`{free}.")
        }
    }
}

fn pruned(report: PruneReport, op: &PruneWorkspaces) -> Pruned {
    let summary = summary(&report, op);
    let removed = |one: workspaces::Pruned| RemovedWorkspace {
        path: shown(&one.path),
        snapshot: one.snapshot,
        deleted_branch: None,
        bytes: Some(one.bytes),
        notes: Vec::new(),
    };
    let kept = |(path, why): (PathBuf, String)| KeptWorkspace { path: shown(&path), why };
    Pruned {
        summary,
        removed: report.removed.into_iter().map(removed).collect(),
        kept: report.kept.into_iter().map(kept).collect(),
        freed: report.freed,
        missing: report.missing,
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What went wrong with a folder says itself what to do about it.
pub(super) fn refused(error: workspaces::Error) -> crate::Error {
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    Error::new(Code::WORKSPACE_REFUSED, message).into()
}
