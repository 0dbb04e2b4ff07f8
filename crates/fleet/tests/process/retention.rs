//! What is left of work: the worktree of what has landed goes at once, its branch stays, and a session can come back.

use std::path::{Path, PathBuf};

use api::devfleet::{ResumeMission, SessionStatus};
use api::fleet::{PruneWorkspaces, ShowRetention};
use serde_json::json;

use crate::landing::{lands, with_check_on, writes};
use crate::sessions::{Work, git, launch};

async fn worktree(work: &Work, session: &types::SessionId) -> PathBuf {
    let found = work.server().session_until(session, |it| it.session.work_dir.is_some()).await;
    PathBuf::from(found.session.work_dir.unwrap())
}

async fn until_gone(path: &Path) {
    let looking = async {
        while path.exists() {
            // tidy: sleep because a folder is waited for
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(testkit::PATIENCE, looking).await.unwrap_or_else(|_| panic!("{} stays", path.display()));
}

fn has_branch(work: &Work, session: &types::SessionId) -> bool {
    git(&work.repository, &["branch", "--list", &format!("devfleet/{session}")]).contains(session.as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worktree_of_landed_work_goes_at_once_and_comes_back_with_its_session() {
    let work = with_check_on(launch(), "true").await;
    let (mission, session) = work.run(&writes(&[("cart", "full")])).await;
    let folder = worktree(&work, &session).await;
    lands(&work, &mission).await;
    until_gone(&folder).await;
    assert!(has_branch(&work, &session), "the branch is kept for some days");
    let snapshots = git(&work.repository, &["for-each-ref", "refs/fleet/snapshots"]);
    assert!(snapshots.contains(session.as_str()), "{snapshots}");

    work.call::<ResumeMission>(json!({ "mission": mission })).await.unwrap();
    let again = work.server().session_until(&session, |it| it.session.status == SessionStatus::Completed).await;
    assert_eq!(again.session.status, SessionStatus::Completed, "{again:#?}");

    let rows = work.call::<ShowRetention>(json!({})).await.unwrap().items;
    assert!(rows.iter().all(|row| row.failed.is_none() && row.due.is_some()), "{rows:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worktrees_stay_where_that_is_set_and_pruning_without_apply_says_that_it_removed_nothing() {
    let work = with_check_on(launch().env("FLEET_KEEP_LANDED_WORKTREES", true), "true").await;
    let (mission, session) = work.run(&writes(&[("cart", "full")])).await;
    let folder = worktree(&work, &session).await;
    lands(&work, &mission).await;
    // A second landing: whatever follows the first has been done by then.
    let (second, _) = work.run(&writes(&[("shelf", "full")])).await;
    lands(&work, &second).await;
    assert!(folder.exists());
    let pruned = work.call::<PruneWorkspaces>(json!({ "free_mb": 900_000_000 })).await.unwrap();
    assert!(folder.exists() && pruned.summary.starts_with("Nothing was removed"), "{pruned:#?}");
}
