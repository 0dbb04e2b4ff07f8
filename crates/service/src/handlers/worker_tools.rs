//! The MCP tools on workers, their worktrees and their sessions.

use api::claude_fleet::{
    CommittedWorktree, FoundSessions, OpenedPullRequest, SearchSessionsTool, SendMessageTool, SentToWorker,
    SpawnWorker, SpawnedWorker, TeamDismissTool, TeamSendTool, TeamSpawnTool, TeamWorkers, TeamWorkersTool, WorkerDone,
    WorktreeCommitTool, WorktreePrTool, WorktreePushTool,
};
use workspaces::PullRequest;

use crate::{Caller, Handle, Result, Service};

impl Handle<TeamSpawnTool> for Service {
    async fn handle(&self, caller: &Caller, op: TeamSpawnTool) -> Result<SpawnedWorker> {
        let asked = SpawnWorker {
            working_dir: op.working_dir,
            agent: op.agent,
            coder: op.coder,
            executor: op.executor,
            model: op.model,
            ..SpawnWorker::new(op.handle, op.prompt)
        };
        let session = self.spawn_worker(caller.member()?, asked).await?;
        Ok(self.spawned(&session))
    }
}

impl Handle<TeamDismissTool> for Service {
    async fn handle(&self, caller: &Caller, op: TeamDismissTool) -> Result<WorkerDone> {
        self.dismiss_worker(caller.member()?, op.handle).await
    }
}

impl Handle<TeamWorkersTool> for Service {
    async fn handle(&self, caller: &Caller, _: TeamWorkersTool) -> Result<TeamWorkers> {
        let workers = self.workers(caller.member()?).await?;
        Ok(TeamWorkers { count: workers.len(), workers })
    }
}

impl Handle<TeamSendTool> for Service {
    async fn handle(&self, caller: &Caller, op: TeamSendTool) -> Result<SentToWorker> {
        self.tell_worker(caller.member()?, op.handle, &op.message).await
    }
}

impl Handle<SendMessageTool> for Service {
    async fn handle(&self, caller: &Caller, op: SendMessageTool) -> Result<SentToWorker> {
        self.tell_worker(caller.member()?, op.handle, &op.message).await
    }
}

impl Handle<WorktreeCommitTool> for Service {
    async fn handle(&self, caller: &Caller, op: WorktreeCommitTool) -> Result<CommittedWorktree> {
        let member = caller.member()?;
        let handle = op.handle.unwrap_or_else(|| member.handle.clone());
        self.commit_worktree(member, handle, &op.message).await
    }
}

impl Handle<WorktreePushTool> for Service {
    async fn handle(&self, caller: &Caller, op: WorktreePushTool) -> Result<WorkerDone> {
        let member = caller.member()?;
        let handle = op.handle.unwrap_or_else(|| member.handle.clone());
        self.push_worktree(member, handle).await
    }
}

impl Handle<WorktreePrTool> for Service {
    async fn handle(&self, caller: &Caller, op: WorktreePrTool) -> Result<OpenedPullRequest> {
        let member = caller.member()?;
        let handle = op.handle.unwrap_or_else(|| member.handle.clone());
        let asked = PullRequest { title: op.title, body: op.body, base: op.base, draft: false };
        self.open_pull_request(member, handle, &asked).await
    }
}

impl Handle<SearchSessionsTool> for Service {
    async fn handle(&self, caller: &Caller, op: SearchSessionsTool) -> Result<FoundSessions> {
        self.search_sessions(caller.member()?, &op.query, op.limit).await
    }
}
