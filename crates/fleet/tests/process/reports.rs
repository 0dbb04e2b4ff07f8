//! What agents say, what Fleet saw, and what follows: from the tool, a file, a block of text, and from git alone.

use std::time::Duration;

use api::devfleet::{
    CancelSession, CreateMission, ExplainMission, GetMission, GetMissionReport, GetSession, ListLandings, ListReports,
    RecoverMission, ReportRow, ReportSource, ReportVerdict, SendSessionMessage, SessionStatus, SubmitReport,
    UpdateProject, WaitForMission,
};
use runtime::{Clock, Rng};
use serde_json::{Value, json};
use types::{MissionId, SessionId};

use crate::sessions::{Work, git, launch, script};

const WRITE: &str = r#"{ do = "write", path = "cart.txt", text = "tea" }"#;
const COMMIT: &str = r#"{ do = "commit", message = "Add a cart" }"#;
const FINISH: &str = r#"{ do = "finish", text = "I am through." }"#;

/// States a mission of which a commit is due and gives it to the scripted agent.
async fn run(work: &Work, steps: &[&str]) -> (MissionId, SessionId) {
    work.run_as("implement", &script(steps)).await
}

async fn report(work: &Work, mission: &MissionId) -> ReportRow {
    let found = work.call::<GetMissionReport>(json!({ "mission": mission })).await.unwrap();
    found.report.unwrap_or_else(|| panic!("no report: {:#?}", found.session))
}

fn submitted(mission: &MissionId, done: &str) -> Value {
    json!({
        "files_changed": "cart.txt", "what_done": done, "what_open": "", "what_tested": "by hand",
        "what_untested": "", "next_steps": "Add taxes.", "errors_encountered": "", "mission_id": mission,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_submitted_survives_a_kill_and_stands_beside_what_fleet_saw() {
    let mut work = Work::begin(launch()).await;
    let wait = ["{ do = 'say', text = 'written' }", "{ do = 'listen' }"];
    let (mission, session) = run(&work, &[&[WRITE, COMMIT][..], &wait, &[FINISH]].concat()).await;
    work.server().session_says(&session, "written").await;
    work.call::<SubmitReport>(submitted(&mission, "Began a cart.")).await.unwrap();
    work.call::<SubmitReport>(submitted(&mission, "Added a cart.")).await.unwrap();
    work.restart().await;
    work.call::<SendSessionMessage>(json!({ "session": session, "text": "go on" })).await.unwrap();
    let ended = work.server().session_ended(&session).await;
    assert_eq!(ended.session.status, SessionStatus::Completed, "{ended:#?}");
    let row = report(&work, &mission).await;
    assert_eq!((row.source, row.verdict), (ReportSource::Submitted, ReportVerdict::Done), "{row:#?}");
    assert_eq!(row.texts.what_done, "Added a cart.", "the second takes the place of the first");
    let subjects: Vec<_> = row.evidence.commits.iter().map(|commit| commit.subject.as_str()).collect();
    let files: Vec<_> = row.evidence.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!((subjects, files), (vec!["Add a cart"], vec!["cart.txt"]));
    assert_eq!(row.discrepancies, Vec::<String>::new());
    assert_eq!(ended.report.map(|report| report.id), Some(row.id), "the session shows it too");
    let late = work.call::<SubmitReport>(submitted(&mission, "too late")).await.unwrap_err();
    assert_eq!(late.code, api::Code::MISSION_HELD, "{late:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_marked_block_is_a_report() {
    let work = Work::begin(launch()).await;
    let block = r###"{ do = "say", text = "Here it is.\n\u002d--DEVFLEET-REPORT-START---\n## Files Changed\n- src/other.rs\n## What's Done\nAdded a cart.\n## Errors & Human Input Needed\nWhich tax?\n\u002d--DEVFLEET-REPORT-END---" }"###;
    let (mission, session) = run(&work, &[WRITE, COMMIT, block, FINISH]).await;
    work.server().session_ended(&session).await;
    let row = report(&work, &mission).await;
    assert_eq!((row.source, row.verdict), (ReportSource::MarkedText, ReportVerdict::Done), "{row:#?}");
    assert_eq!((row.texts.what_done.as_str(), row.texts.errors_encountered.as_str()), ("Added a cart.", "Which tax?"));
    let differ =
        ["the report names src/other.rs, which did not change", "cart.txt changed, and the report does not name it"];
    assert_eq!(row.discrepancies, differ);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_file_is_a_report_whole_or_broken_and_never_part_of_the_work() {
    let work = Work::begin(launch()).await;
    let left = |text: &str| format!(r#"{{ do = "write", path = ".codefleet/result.json", text = '{text}' }}"#);
    let whole = left(r#"{"summary": "Added a cart.", "status": "completed", "files_changed": ["cart.txt"]}"#);
    let broken = left(r#"{"summary": "Added a cart.", "status": "completed", "files_changed": ["car"#);
    let blocked = left(r#"{"summary": "No key.", "status": "blocked"}"#);
    let runs = [
        (whole, ReportSource::ResultFile, SessionStatus::Completed),
        (broken, ReportSource::Salvaged, SessionStatus::Completed),
        (blocked, ReportSource::ResultFile, SessionStatus::Failed),
    ];
    for (left, source, status) in runs {
        let (mission, session) = run(&work, &[WRITE, COMMIT, &left, FINISH]).await;
        let ended = work.server().session_ended(&session).await.session;
        assert_eq!(ended.status, status, "{ended:#?}");
        let row = report(&work, &mission).await;
        assert_eq!(row.source, source, "{row:#?}");
        let files = git(&work.repository, &["ls-tree", "-r", "--name-only", &ended.branch.unwrap()]);
        assert_eq!(files, "cart.txt\n", "what is for Fleet is no part of the work");
        if status == SessionStatus::Failed {
            assert_eq!(row.reasons, ["the agent says that it is blocked: No key."]);
            assert_eq!(work.status(&mission).await, "failed");
        } else {
            assert_eq!(row.texts.what_done, "Added a cart.");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn to_say_done_without_a_commit_fails_with_the_reason_and_nothing_lands() {
    let work = Work::begin(launch()).await;
    work.call::<UpdateProject>(json!({ "project": work.project, "checks": ["true"] })).await.unwrap();
    let lies = "{ do = 'pretend', path = 'cart.txt' }";
    let idle = r#"{ do = "finish", text = '{"summary": "All there.", "status": "completed_no_changes"}' }"#;
    let none = "a commit is due and there is none";
    for (steps, reason) in [
        (vec![lies, FINISH], none.to_owned()),
        (vec![idle], format!("{none}; the agent says that nothing needed doing")),
    ] {
        let (mission, session) = run(&work, &steps).await;
        let ended = work.server().session_ended(&session).await.session;
        let told = (ended.status, ended.error_type.as_str(), ended.last_error.as_str(), ended.retry_count);
        assert_eq!(told, (SessionStatus::Failed, "no_work_done", reason.as_str(), 0), "{ended:#?}");
        assert_eq!(work.status(&mission).await, "failed");
        let why = work.call::<ExplainMission>(json!({ "mission": mission })).await.unwrap().why;
        assert!(why.contains(&reason), "{why}");
        let row = report(&work, &mission).await;
        assert_eq!((row.verdict, row.reasons), (ReportVerdict::NotDone, vec![reason]));
        let landings = work.call::<ListLandings>(json!({ "mission_id": mission })).await.unwrap().items;
        assert_eq!(landings, []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_left_uncommitted_is_on_the_branch_however_the_session_ended() {
    let work = Work::begin(launch()).await;
    let fail = "{ do = 'fail', class = { name = 'invalid' }, text = 'no such model' }";
    let hang = ["{ do = 'say', text = 'written' }", "{ do = 'hang' }"];
    let runs = [
        (run(&work, &[WRITE, FINISH]).await, SessionStatus::Completed),
        (run(&work, &[WRITE, fail]).await, SessionStatus::Failed),
        (run(&work, &[&[WRITE][..], &hang].concat()).await, SessionStatus::Cancelled),
    ];
    for ((mission, session), status) in runs {
        if status == SessionStatus::Cancelled {
            work.server().session_says(&session, "written").await;
            work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
        }
        let ended = work.server().session_ended(&session).await.session;
        assert_eq!(ended.status, status, "{ended:#?}");
        let branch = ended.branch.unwrap();
        assert_eq!(git(&work.repository, &["show", &format!("{branch}:cart.txt")]), "tea");
        let row = report(&work, &mission).await;
        assert!(row.evidence.uncommitted_kept, "{row:#?}");
        let done = status == SessionStatus::Completed;
        assert_eq!(row.verdict == ReportVerdict::Done, done, "{row:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_while_sessions_end_makes_one_report_of_each() {
    let (chance, clock) = (Rng::from_os(), Clock::system());
    let mut work = Work::begin(launch().env("MAX_WORKERS", 20)).await;
    let mut sessions = Vec::new();
    for _ in 0..6 {
        let nap = format!("{{ do = 'sleep', ms = {} }}", 300 + chance.below(700));
        sessions.push(run(&work, &[WRITE, "{ do = 'say', text = 'written' }", &nap, FINISH]).await);
    }
    for _ in 0..4 {
        clock.sleep(Duration::from_millis(100 + chance.below(300))).await;
        work.restart().await;
    }
    for (mission, session) in sessions {
        let ended = work.server().session_ended(&session).await;
        assert_eq!(ended.session.status, SessionStatus::Completed, "{:#?}", ended.session);
        let reports = work.call::<ListReports>(json!({ "mission_id": mission })).await.unwrap().items;
        assert_eq!(reports.len(), 1, "{reports:#?}");
        assert!(reports[0].evidence.uncommitted_kept, "{reports:#?}");
        assert_eq!(reports[0].evidence.commits.len(), 1, "{reports:#?}");
        assert_eq!(work.status(&mission).await, "completed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_builds_on_a_mission_is_told_what_it_left() {
    let launch = launch().env("FLEET_DEFAULT_AGENT", "sim");
    let agents = launch.home().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test adds the file by hand, as a user does")]
    std::fs::write(agents.join("notes.toml"), crate::custom::file()).unwrap();
    let work = Work::begin(launch).await;
    let block = r###"{ do = "say", text = "\u002d--DEVFLEET-REPORT-START---\n## What's Done\nThe cart holds tea.\n\u002d--DEVFLEET-REPORT-END---" }"###;
    let (first, session) = run(&work, &[WRITE, COMMIT, block, FINISH]).await;
    let begun = work.server().session_ended(&session).await.session.branch.unwrap();
    // This agent writes down what it was told, on top of the work that has not landed.
    let second = json!({ "project_id": work.project, "title": "Sell", "detailed_prompt": "Sell what is in the cart.",
        "acceptance_criteria": "It is sold.", "depends_on": [first] });
    let second = work.call::<CreateMission>(second).await.unwrap().id;
    let session = work.dispatch(&second, json!({ "agent": "notes" })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    let branch = ended.branch.unwrap();
    let names = git(&work.repository, &["diff", "--name-only", &begun, &branch]);
    let prompt = git(&work.repository, &["show", &format!("{branch}:{}", names.trim())]);
    for part in ["Sell what is in the cart.", "It is sold.", "The cart holds tea.", "cart.txt", "submit_report"] {
        assert!(prompt.contains(part), "{part}:\n{prompt}");
    }
    let shown = work.call::<GetMission>(json!({ "mission": first })).await.unwrap();
    assert_eq!(shown.latest_report.map(|report| report.texts.what_done).as_deref(), Some("The cart holds tea."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checks_that_ran_where_the_branch_lands_are_in_its_report() {
    let work = Work::begin(launch()).await;
    let check = "echo looked; test -e cart.txt";
    work.call::<UpdateProject>(json!({ "project": work.project, "checks": [check] })).await.unwrap();
    let (mission, _) = run(&work, &[WRITE, COMMIT, FINISH]).await;
    let wait = json!({ "mission": mission, "timeout_seconds": 60 });
    let awaited = work.call::<WaitForMission>(wait).await.unwrap();
    assert!(!awaited.timed_out && awaited.report.is_some(), "{awaited:#?}");
    let row = report(&work, &mission).await;
    let checks: Vec<_> = row.evidence.checks.iter().map(|check| (check.passed, check.output_tail.trim())).collect();
    assert_eq!((checks, row.verdict), (vec![(true, "looked")], ReportVerdict::Done), "{row:#?}");
    let session = work.call::<GetSession>(json!({ "session": row.session_id })).await.unwrap();
    assert_eq!(session.report.map(|report| report.evidence.checks.len()), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_of_a_mission_that_failed_lands_when_it_is_recovered_and_twice_is_once() {
    let work = Work::begin(launch()).await;
    work.call::<UpdateProject>(json!({ "project": work.project, "checks": ["test -e cart.txt"] })).await.unwrap();
    let fail = "{ do = 'fail', class = { name = 'invalid' }, text = 'no such model' }";
    let (mission, session) = run(&work, &[WRITE, COMMIT, fail]).await;
    work.server().session_ended(&session).await;
    assert_eq!(work.status(&mission).await, "failed");
    let recovered = work.call::<RecoverMission>(json!({ "mission": mission })).await.unwrap();
    work.call::<WaitForMission>(json!({ "mission": mission, "timeout_seconds": 60 })).await.unwrap();
    assert_eq!(work.status(&mission).await, "completed");
    assert_eq!(git(&work.repository, &["log", "--format=%s", "main"]), "Add a cart\nbegin\n");
    let again = work.call::<RecoverMission>(json!({ "mission": mission })).await.unwrap();
    assert_eq!((again.landing_id, again.landing_status.as_str()), (recovered.landing_id, "landed"));
    let (idle, session) = run(&work, &[FINISH]).await;
    work.server().session_ended(&session).await;
    let refused = work.call::<RecoverMission>(json!({ "mission": idle })).await.unwrap_err();
    assert_eq!(refused.code, api::Code::NOTHING_TO_RECOVER, "{refused:?}");
}
