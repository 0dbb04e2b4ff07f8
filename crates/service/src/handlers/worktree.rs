//! The worktrees of workers under `/orchestrate/worktree`.

use std::path::Path;

use api::claude_fleet::{
    AheadBehind, CommitWorktree, CommittedWorktree, GetWorktree, OpenPullRequest, OpenedPullRequest, PushWorktree,
    WorkerDone, WorktreeView,
};
use api::{Code, Error};
use tokens::Member;
use types::{Handle as Name, Workspace};
use workspaces::{Committed, PullRequest};

use super::workspaces::refused;
use crate::{Caller, Handle, Result, Service};

impl Handle<GetWorktree> for Service {
    async fn handle(&self, caller: &Caller, op: GetWorktree) -> Result<WorktreeView> {
        let session = self.last_worker(caller.member()?, &op.handle).await?;
        let there = session.workspace.filter(|workspace| workspace.worktree.is_some());
        let Some(workspace) = there.filter(|workspace| Path::new(&workspace.path).is_dir()) else {
            return Ok(none(op.handle));
        };
        let status = self.workspaces.status(&workspace).await.map_err(refused)?;
        Ok(WorktreeView {
            exists: true,
            branch: workspace.worktree.map(|tree| tree.branch),
            has_changes: status.is_dirty(),
            ahead_behind: AheadBehind { ahead: status.ahead, behind: status.behind },
            handle: op.handle,
            path: Some(workspace.path),
            unpushed: status.unpushed,
        })
    }
}

impl Handle<CommitWorktree> for Service {
    async fn handle(&self, caller: &Caller, op: CommitWorktree) -> Result<CommittedWorktree> {
        let (handle, workspace) = self.worktree_of(caller.member()?, op.handle).await?;
        match self.workspaces.commit_all(&workspace, &op.message).await.map_err(refused)? {
            Committed::Commit(commit_hash) => Ok(CommittedWorktree { success: true, commit_hash, handle }),
            Committed::Nothing => Err(Error::new(Code::WORKSPACE_REFUSED, "No changes to commit")
                .hint(format!("`fleet worktree-status {handle}` shows its state."))
                .into()),
        }
    }
}

impl Handle<PushWorktree> for Service {
    async fn handle(&self, caller: &Caller, op: PushWorktree) -> Result<WorkerDone> {
        let (handle, workspace) = self.worktree_of(caller.member()?, op.handle).await?;
        self.workspaces.push(&workspace).await.map_err(refused)?;
        Ok(WorkerDone { success: true, handle })
    }
}

impl Handle<OpenPullRequest> for Service {
    async fn handle(&self, caller: &Caller, op: OpenPullRequest) -> Result<OpenedPullRequest> {
        let (handle, workspace) = self.worktree_of(caller.member()?, op.handle).await?;
        let asked = PullRequest { title: op.title, body: op.body, base: op.base, draft: false };
        self.workspaces.push(&workspace).await.map_err(refused)?;
        let pr_url = self.workspaces.open_pr(&workspace, &asked).await.map_err(refused)?;
        Ok(OpenedPullRequest { success: true, pr_url, handle })
    }
}

impl Service {
    /// Finds the worktree of a worker; the caller's own, if none is named.
    async fn worktree_of(&self, member: &Member, named: Option<Name>) -> Result<(Name, Workspace)> {
        let handle = named.unwrap_or_else(|| member.handle.clone());
        let session = self.last_worker(member, &handle).await?;
        // The record follows what is live: an agent may have spoken before it is stored where it works.
        let session = self.sessions.live(&session.id).map_or(session, |live| live.session);
        let none = || {
            Error::new(Code::WORKSPACE_REFUSED, format!("Worktree not found: `{handle}` has none yet"))
                .hint(format!("`fleet output {handle}` shows what the worker does."))
        };
        let workspace = session.workspace.ok_or_else(none)?;
        Ok((handle, workspace))
    }
}

fn none(handle: Name) -> WorktreeView {
    WorktreeView {
        exists: false,
        branch: None,
        has_changes: false,
        ahead_behind: AheadBehind::default(),
        handle,
        path: None,
        unpushed: 0,
    }
}
