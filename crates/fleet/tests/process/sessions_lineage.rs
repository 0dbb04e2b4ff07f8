//! Sessions that continue from others: taken up again, forked, trimmed, continued.

use api::claude_fleet::{ContinueSession, ForkSession, GetLineage, TrimSession};
use api::devfleet::{ResumeMission, SessionStatus};
use serde_json::json;
use types::SessionId;

use crate::sessions::{Work, git, launch, script, words};

/// A session that has committed a file and ended.
async fn ended(work: &Work) -> (types::MissionId, api::devfleet::SessionRow) {
    let spend = "{ do = 'spend', input = 100, output = 10, dollars = 0.25 }";
    let write = "{ do = 'write', path = 'a.txt', text = 'a' }";
    let prompt = script(&[spend, write, "{ do = 'commit', message = 'add a' }", "{ do = 'say', text = 'wrote it' }"]);
    let (mission, session) = work.run(&prompt).await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    (mission, ended)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_taken_up_again_in_its_conversation_and_its_folder() {
    let work = Work::begin(launch()).await;
    let (mission, first) = ended(&work).await;
    let resumed = work.call::<ResumeMission>(json!({ "mission": mission })).await.unwrap();
    assert_eq!(resumed.session_id, first.id);
    let again = work.server().session_until(&first.id, |found| found.session.retry_count == 1 && is_over(found)).await;
    let again = again.session;
    assert_eq!((again.claude_session_id, again.work_dir), (first.claude_session_id, first.work_dir));
    assert_eq!(again.total_cost_usd, 0.25, "what was spent before stays spent");
    let said = words(&work.server().session_transcript(&first.id).await);
    assert_eq!(said, ["wrote it", "done", "resumed", "resumed and finished"]);
    assert_eq!(work.status(&mission).await, "completed");
}

fn is_over(found: &api::devfleet::SessionDetail) -> bool {
    found.session.status != SessionStatus::Running
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heirs_begin_where_the_branch_of_their_parent_stands_and_have_a_cost_of_their_own() {
    let work = Work::begin(launch()).await;
    let (_, parent) = ended(&work).await;
    let spend = "{ do = 'spend', input = 100, output = 10, dollars = 1.5 }";
    let prompt = script(&[spend, "{ do = 'say', text = 'went on' }"]);
    let id = &parent.id;
    let fork = work.call::<ForkSession>(json!({ "id": id, "prompt": prompt })).await.unwrap().id;
    let trim = work.call::<TrimSession>(json!({ "id": id, "prompt": prompt })).await.unwrap().id;
    let next = work.call::<ContinueSession>(json!({ "id": id, "prompt": prompt })).await.unwrap().id;
    let heirs: [SessionId; 3] = [fork, trim, next];
    for heir in &heirs {
        let ended = work.server().session_ended(heir).await.session;
        assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
        assert_ne!(ended.work_dir, parent.work_dir, "two agents would work in one folder");
        let log = git(&work.repository, &["log", "--format=%s", ended.branch.as_ref().unwrap()]);
        assert!(log.contains("add a"), "{log}");
        assert_eq!(ended.total_cost_usd, 1.5);
        assert_ne!(ended.claude_session_id, parent.claude_session_id);
    }
    let fork = work.server().session_ended(&heirs[0]).await.session;
    assert_eq!(fork.claude_session_id, format!("{}-fork", parent.claude_session_id), "it goes on with no copy");
    let lineage = work.call::<GetLineage>(json!({ "id": id })).await.unwrap();
    let lineage = serde_json::to_string(&lineage).unwrap();
    assert!(heirs.iter().all(|heir| lineage.contains(heir.as_str())), "{lineage}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_session_is_trimmed_without_a_word_to_it() {
    let work = Work::begin(launch()).await;
    let listening = ["{ do = 'say', text = 'begun' }", "{ do = 'listen' }", "{ do = 'say', text = 'went on' }"];
    let (_, parent) = work.run(&script(&listening)).await;
    work.server().session_says(&parent, "begun").await;
    let prompt = script(&["{ do = 'say', text = 'the heir' }"]);
    let trim = work.call::<TrimSession>(json!({ "id": parent, "prompt": prompt })).await.unwrap().id;
    let heir = work.server().session_ended(&trim).await.session;
    assert_eq!(heir.status, SessionStatus::Completed, "{heir:#?}");
    // Its own task still hears what it says, and what others ask of it.
    let handle = work.server().session_until(&parent, |_| true).await.session.handle;
    let send = json!({ "handle": handle, "message": "go on" });
    work.call::<api::claude_fleet::SendToWorker>(send).await.unwrap();
    let ended = work.server().session_ended(&parent).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 0), "{ended:#?}");
}
