//! The end of a worker: its agent stopped, its worktree and branch removed.

use std::path::Path;

use api::codefleet::{CancelWorker, CleanUpWorker, CleanedWorker, WorkerPayload, WorkerStatus};
use api::{Code, Error};
use missions::Move;
use store::{Query, by};
use tokens::Member;
use types::{Holder, Mission, MissionState, Session};

use super::LIST_MAX;
use super::workspaces::refused;
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Worker";

/// How often a worker is looked at again that was started, or let go of, while it was being cancelled.
const TRIES_MAX: u32 = 5;

impl Handle<CancelWorker> for Service {
    async fn handle(&self, caller: &Caller, op: CancelWorker) -> Result<WorkerPayload> {
        let member = caller.member()?;
        let mut mission = self.mission(member, &op.worker_id, NOUN).await?;
        let mut was_stopped = false;
        for _ in 0..TRIES_MAX {
            if let Some(cancelled) = self.cancelled(member, &mission, &mut was_stopped).await? {
                return self.worker_payload(cancelled).await;
            }
            mission = self.mission(member, &op.worker_id, NOUN).await?;
        }
        let message = format!("worker `{}` changed each time it was cancelled", mission.id);
        Err(Error::new(Code::TOO_MUCH_CONTENTION, message).hint("Cancel it again.").into())
    }
}

impl Handle<CleanUpWorker> for Service {
    async fn handle(&self, caller: &Caller, op: CleanUpWorker) -> Result<CleanedWorker> {
        let mission = self.mission(caller.member()?, &op.worker_id, NOUN).await?;
        if WorkerStatus::from(&mission) == WorkerStatus::Running {
            return Err(Error::new(Code::WORKSPACE_REFUSED, format!("worker `{}` is at work", mission.id))
                .hint("Cancel it first: cancel_worker.")
                .into());
        }
        let sessions = Query::latest(by::session::mission(&mission.id), LIST_MAX);
        let mut cleaned = CleanedWorker {
            worker_id: mission.id.clone(),
            worktree_removed: false,
            branch_removed: false,
            worker_dir_removed: false,
            errors: Vec::new(),
        };
        for session in self.store.list::<Session>(sessions).await?.records {
            self.clean(&session, &op, &mut cleaned).await;
        }
        Ok(cleaned)
    }
}

impl Service {
    /// Cancels a worker as it was read; none if it is to be looked at again.
    async fn cancelled(&self, member: &Member, mission: &Mission, was_stopped: &mut bool) -> Result<Option<Mission>> {
        match &mission.state {
            MissionState::Held { holder: Holder::Session { session, .. }, .. } => {
                *was_stopped = true;
                self.sessions.stop(session, &member.handle).await?;
                Ok(None)
            }
            MissionState::Done { .. } | MissionState::Cancelled { .. } => Ok(Some(mission.clone())),
            // One that ended badly before it was to be cancelled stays as it is.
            MissionState::Failed { .. } if !*was_stopped => Ok(Some(mission.clone())),
            MissionState::Failed { .. }
            | MissionState::Draft
            | MissionState::Ready { .. }
            | MissionState::Held { holder: Holder::Agent { .. }, .. }
            | MissionState::Landing { .. }
            | MissionState::Parked { .. } => match self.step(member, &mission.id, Move::Cancel, NOUN).await {
                // A session took it meanwhile.
                Err(crate::Error::Refused(error)) if error.code == Code::MISSION_HELD && is_free(mission) => Ok(None),
                moved => moved.map(Some),
            },
        }
    }

    /// Removes what is left of a session, and notes what cannot be.
    async fn clean(&self, session: &Session, op: &CleanUpWorker, cleaned: &mut CleanedWorker) {
        let Some(workspace) = &session.workspace else { return };
        let Some(tree) = &workspace.worktree else { return };
        let is_there = tokio::fs::try_exists(&workspace.path).await.unwrap_or(true);
        if op.remove_worktree_dir && is_there {
            match self.remove_workspace(session).await {
                Ok(removed) => {
                    cleaned.worktree_removed = true;
                    cleaned.branch_removed |= removed.deleted_branch.is_some();
                    cleaned.errors.extend(removed.notes);
                }
                Err(error) => cleaned.errors.push(error.told().message),
            }
        }
        if op.remove_branch {
            let repository = Path::new(&tree.repository);
            match self.workspaces.remove_kept_branch(repository, session.id.as_str(), &tree.branch).await {
                Ok(removed) => cleaned.branch_removed |= removed,
                Err(error) => cleaned.errors.push(refused(error).told().message),
            }
        }
    }
}

/// Whether it had no holder when it was read.
fn is_free(mission: &Mission) -> bool {
    matches!(mission.state, MissionState::Draft | MissionState::Ready { .. } | MissionState::Parked { .. })
}
