//! What agents wrote is trimmed once their sessions are over, and never before; and it is said where it was.

use api::devfleet::{ResumeMission, SessionStatus};
use serde_json::json;

use crate::sessions::{Work, flood, launch, script, words};

/// Lines that take more than a megabyte.
const LINES: u64 = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_sessions_keep_the_end_of_what_they_wrote_and_live_ones_all_of_it() {
    let mut work = Work::begin(launch()).await;
    let flooding = format!("{{ do = 'flood', lines = {LINES} }}");
    let (mission, over) = work.run(&script(&[&flooding, "{ do = 'finish', text = 'all said' }"])).await;
    work.server().session_ended(&over).await;
    let (other, live) = work.run(&script(&[&flooding, "{ do = 'say', text = 'begun' }", "{ do = 'hang' }"])).await;
    work.server().session_says(&live, "begun").await;
    let length = |log: std::path::PathBuf| std::fs::metadata(log).unwrap().len();
    let logs = [work.spool(&mission, &over, 1).join("log.jsonl"), work.spool(&other, &live, 1).join("log.jsonl")];
    let before = logs.clone().map(length);
    assert!(before.iter().all(|length| *length > 1_000_000), "{before:?}");

    // A server looks when it starts, and then seldom; the first one has room for everything, whenever it looks.
    let launch = work.kill().await.env("FLEET_SPOOLS_MB_MAX", 1);
    work.up(launch).await;
    work.server().log().line("was trimmed").await;
    let after = logs.map(length);
    assert!(after[0] < 100_000 && after[1] == before[1], "{before:?} {after:?}");

    let frames = work.server().session_transcript(&over).await;
    let said = words(&frames);
    assert!(said[0].contains("was removed on") && said[0].contains(&before[0].to_string()), "{said:?}");
    let numbers = flood(&frames);
    let kept = numbers.len() as u64;
    assert!(kept > 100 && numbers == ((LINES - kept + 1)..=LINES).collect::<Vec<_>>(), "{kept}");
    assert_eq!(said.last().unwrap(), "all said");
    let shown = work.server().session_ended(&over).await.session;
    assert!(shown.trimmed_at.is_some() && shown.output_log.contains(&format!("flood {LINES} ")), "{shown:#?}");
    let frames = work.server().session_says(&live, "begun").await;
    assert_eq!(flood(&frames), (1..=LINES).collect::<Vec<_>>());
    assert!(work.server().session_until(&live, |_| true).await.session.trimmed_at.is_none());

    // It continues as before.
    work.call::<ResumeMission>(json!({ "mission": mission })).await.unwrap();
    let gone_on = |status, retries| status == SessionStatus::Completed && retries == 1;
    let ended = work.server().session_until(&over, |it| gone_on(it.session.status, it.session.retry_count)).await;
    assert!(ended.session.trimmed_at.is_some(), "{ended:#?}");
    assert!(words(&work.server().session_transcript(&over).await).contains(&"resumed".to_owned()));
}
