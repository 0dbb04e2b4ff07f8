//! Budgets, with real agents under them: who is stopped, who waits, what is counted.

use api::Code;
use api::devfleet::{
    CancelSession, ExplainMission, GetSession, SessionDetail, SessionStatus, UpdateMission, UpdateProject,
    WaitForMission,
};
use api::fleet::{BudgetView, ListBudgets, Period};
use runtime::Clock;
use serde_json::json;
use types::{Day, MissionId, SessionId};

use crate::sessions::{Work, launch, processes, script};

/// A turn of ten tokens, and the next a while later, without end.
const SPENDS: &str = "{ do = 'repeat', times = 1000, step = [{ do = 'spend', input = 8, output = 2 }, \
                      { do = 'sleep', ms = 60 }] }";

/// One turn, and then a while of nothing, in which a server can be killed and started again: while there is none,
/// nothing can stop an agent.
const BEGINS: [&str; 3] =
    ["{ do = 'spend', input = 8, output = 2 }", "{ do = 'say', text = 'begun' }", "{ do = 'sleep', ms = 6000 }"];

fn spends(first: &[&str]) -> String {
    script(&[first, &[SPENDS]].concat())
}

async fn budgets(work: &Work) -> Vec<BudgetView> {
    work.call::<ListBudgets>(json!({})).await.unwrap().items
}

async fn fleet(work: &Work, period: Period) -> BudgetView {
    let found = budgets(work).await;
    found.into_iter().find(|view| view.of == "fleet" && view.period == period).unwrap()
}

async fn why(work: &Work, mission: &MissionId) -> String {
    work.call::<ExplainMission>(json!({ "mission": mission })).await.unwrap().why
}

/// Waits until a session waits without a process, and says until when.
async fn waits(work: &Work, session: &SessionId) -> Option<types::Timestamp> {
    let stopped = |found: &SessionDetail| found.session.last_error.contains("is used up");
    let found = work.server().session_until(session, stopped).await.session;
    assert_eq!(found.status, SessionStatus::Running, "{found:#?}");
    assert_eq!(processes(session), [].into());
    found.waits_until.map(|until| until.0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daily_budget_stops_all_who_run_and_nothing_is_counted_twice_over_a_kill() {
    let mut work = Work::begin(launch().env("FLEET_DAILY_BUDGET_TOKENS", 300)).await;
    let midnight = Day::of(Clock::system().now()).ends_at();
    let (mut missions, mut sessions) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let (mission, session) = work.run(&spends(&BEGINS)).await;
        missions.push(mission);
        sessions.push(session);
    }
    // In the midst of it.
    for session in &sessions {
        work.server().session_says(session, "begun").await;
    }
    work.restart().await;
    for (mission, session) in missions.iter().zip(&sessions) {
        assert_eq!(waits(&work, session).await, Some(midnight));
        assert_eq!(work.status(mission).await, "queued");
        let why = why(&work, mission).await;
        assert!(why.contains("fleet's budget is used up") && why.contains("T00:00:00Z"), "{why}");
    }
    // As many as may be, and of each that ran no more than the turn it was in.
    let spent = fleet(&work, Period::Day).await;
    assert!((300..=330).contains(&spent.spent.tokens), "{spent:?}");
    let mut sum = 0;
    for session in &sessions {
        sum += work.call::<GetSession>(json!({ "session": session })).await.unwrap().session.total_tokens;
    }
    assert_eq!(spent.spent.tokens, sum, "what is booked is what the sessions have spent");
    assert_eq!(fleet(&work, Period::Ever).await.spent, spent.spent);
    assert!(spent.used_up.is_some(), "{spent:?}");

    // Neither a start by hand nor an automatic one succeeds, and both give the reason.
    let refused = work.dispatch(&missions[0], json!({})).await;
    assert!(refused.is_err());
    let other = work.mission(&script(&["{ do = 'spend', input = 1 }", "{ do = 'finish', text = 'done' }"])).await;
    let refused = work.dispatch(&other, json!({})).await.unwrap_err();
    assert_eq!(refused.code, Code::BUDGET_USED_UP);
    assert!(refused.message.contains("of 300 tokens"), "{refused:?}");
    assert!(format!("{refused:?}").contains("T00:00:00Z"), "{refused:?}");
    work.call::<UpdateMission>(json!({ "mission": other, "auto_dispatch": true, "agent": "sim" })).await.unwrap();
    assert!(why(&work, &other).await.contains("fleet's budget is used up"));

    // Killed while it waits, it waits still; when the budget is raised, all missions continue.
    let launch = work.kill().await;
    work.up(launch.env("FLEET_DAILY_BUDGET_TOKENS", 1_000_000)).await;
    for session in &sessions {
        let ended = work.server().session_ended(session).await.session;
        assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
    }
    for mission in missions.iter().chain([&other]) {
        let waited = json!({ "mission": mission, "timeout_seconds": 30 });
        assert!(!work.call::<WaitForMission>(waited).await.unwrap().timed_out);
        assert_eq!(work.status(mission).await, "completed");
    }
    let now = fleet(&work, Period::Day).await;
    assert_eq!(now.spent.tokens, spent.spent.tokens + 1, "they end without another turn, and the other takes one");
    assert_eq!(now.used_up, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_projects_budget_stops_its_own_and_goes_on_when_it_is_raised() {
    let work = Work::begin(launch()).await;
    let set = |turns: i64| json!({ "project": work.project, "budget_turns": turns });
    work.call::<UpdateProject>(set(2)).await.unwrap();
    let (mission, session) = work.run(&spends(&[])).await;
    assert_eq!(waits(&work, &session).await, None, "it waits for somebody to raise it");
    let told = why(&work, &mission).await;
    assert!(told.contains("2 of 2 turns") && told.contains("raise it"), "{told}");
    let view = budgets(&work).await.into_iter().find(|view| view.project_id.as_ref() == Some(&work.project)).unwrap();
    assert_eq!((view.spent.turns, view.left.unwrap().turns), (2, Some(0)), "{view:?}");
    work.call::<UpdateProject>(set(20)).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    assert_eq!(work.status(&mission).await, "completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_a_budget_can_be_ended() {
    let work = Work::begin(launch().env("FLEET_BUDGET_TOKENS", 10)).await;
    let (mission, session) = work.run(&spends(&[])).await;
    assert_eq!(waits(&work, &session).await, None);
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Cancelled, "{ended:#?}");
    assert_eq!(work.status(&mission).await, "failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missions_budget_is_for_all_its_sessions_together() {
    let work = Work::begin(launch()).await;
    let fails = [
        "{ do = 'spend', input = 60 }",
        "{ do = 'sleep', ms = 1500 }",
        "{ do = 'fail', class = { name = 'invalid' } }",
    ];
    let mission = work.mission(&script(&fails)).await;
    let limit = |tokens: u64| json!({ "mission": mission, "max_tokens": tokens });
    work.call::<UpdateMission>(limit(100)).await.unwrap();
    for failed_of in ["invalid", "budget"] {
        let session = work.dispatch(&mission, json!({})).await.unwrap();
        let ended = work.server().session_ended(&session).await.session;
        assert_eq!((ended.status, ended.error_type.as_str()), (SessionStatus::Failed, failed_of), "{ended:#?}");
    }
    let refused = work.dispatch(&mission, json!({})).await.unwrap_err();
    assert_eq!(refused.code, Code::BUDGET_USED_UP);
    assert!(refused.message.contains("120 of 100 tokens"), "{refused:?}");
    work.call::<UpdateMission>(limit(1000)).await.unwrap();
    assert!(work.dispatch(&mission, json!({})).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_the_next_day_goes_on_by_itself_when_it_begins() {
    // Long enough for a slow machine to use up a day of two turns before.
    let resets_at = types::Timestamp::from_second(Clock::system().now().as_second() + 20).unwrap();
    let time = resets_at.to_string()[11..19].to_owned();
    let day = launch().env("FLEET_DAILY_BUDGET_TOKENS", 20).env("FLEET_DAILY_BUDGET_RESETS_AT", time);
    let work = Work::begin(day).await;
    let (mission, session) = work.run(&spends(&[])).await;
    assert_eq!(waits(&work, &session).await, Some(resets_at));
    // On a slow machine the next turn is in flight before the agent is stopped.
    let spent = fleet(&work, Period::Day).await.spent.tokens;
    assert!([20, 30].contains(&spent), "{spent}");

    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
    assert!(ended.ended_at.is_some_and(|ended| ended.0 >= resets_at), "{ended:#?}");
    assert_eq!(work.status(&mission).await, "completed");
    assert_eq!(fleet(&work, Period::Day).await.spent.tokens, 0, "nothing is spent of the day that has begun");
    assert_eq!(fleet(&work, Period::Ever).await.spent.tokens, spent);
}
