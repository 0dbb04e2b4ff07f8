//! What is shown of a session while it runs: its conversation, and a stream that bears being cut.

use api::devfleet::{ListSessions, SessionStatus};
use runtime::Rng;
use serde_json::{Value, json};
use testkit::PATIENCE;

use crate::sessions::{Work, launch, script};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_own_name_for_its_conversation_is_shown_while_it_runs() {
    let work = Work::begin(launch()).await;
    let (_, session) = work.run(&script(&["{ do = 'say', text = 'begun' }", "{ do = 'hang' }"])).await;
    work.server().session_says(&session, "begun").await;
    let shown =
        work.server().session_until(&session, |shown| !shown.session.claude_session_id.is_empty()).await.session;
    assert_eq!(shown.status, SessionStatus::Running);
    assert!(!shown.claude_session_id.is_empty(), "{shown:#?}");
    let listed = work.call::<ListSessions>(json!({})).await.unwrap().items;
    assert_eq!(listed[0].claude_session_id, shown.claude_session_id);
}

/// Reads some frames of a stream behind a place, and returns them with the place behind the last.
async fn read(work: &Work, path: &str, place: &mut Option<String>, most: u64) -> Vec<Value> {
    let mut stream = work.server().owner().stream(path, place.as_deref()).await.unwrap();
    let mut frames = Vec::new();
    while (frames.len() as u64) < most
        && let Some(frame) = tokio::time::timeout(PATIENCE, stream.next()).await.expect("nothing comes").unwrap()
    {
        *place = frame.id.or(place.take());
        frames.push(serde_json::from_str(&frame.data).unwrap());
    }
    frames
}

/// A session of two processes, whose turns end with words that were said and with words that were not.
async fn talkative(work: &Work) -> String {
    let turn = "{ do = 'say', text = 'all is well' }, { do = 'turn', text = 'all is well' }";
    let news = "{ do = 'call', tool = 'Read', answer = 'x' }, { do = 'turn', text = 'more' }";
    let resumed = "resume = [{ do = 'say', text = 'again' }, { do = 'finish', text = 'again' }]";
    let prompt = script(&[turn, news, turn, "{ do = 'crash' }"]).replace("\n]\n", &format!("\n]\n{resumed}\n"));
    let (_, session) = work.run(&prompt).await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
    format!("/api/sessions/{session}/stream")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_cut_anywhere_tells_what_it_would_have_told_uncut() {
    let work = Work::begin(launch()).await;
    let path = talkative(&work).await;
    let whole = read(&work, &path, &mut None, u64::MAX).await;
    assert!(whole.iter().any(|frame| frame["type"] == "retry"), "{whole:#?}");
    let chance = Rng::from_os();
    for _ in 0..10 {
        let (mut place, mut frames) = (None, Vec::new());
        while frames.last().is_none_or(|frame: &Value| frame["type"] != "done") {
            frames.extend(read(&work, &path, &mut place, 1 + chance.below(3)).await);
        }
        assert_eq!(frames, whole);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_follow_gets_everything_so_far_and_the_stream_ends() {
    let work = Work::begin(launch()).await;
    let flood = "{ do = 'flood', lines = 300 }";
    let (_, session) = work.run(&script(&[flood, "{ do = 'say', text = 'begun' }", "{ do = 'hang' }"])).await;
    let whole = work.server().session_says(&session, "begun").await;
    let path = format!("/api/sessions/{session}/stream?follow=false");
    let mut place = None;
    let so_far = read(&work, &path, &mut place, u64::MAX).await;
    let (last, frames) = so_far.split_last().unwrap();
    assert_eq!((frames, last), (whole.as_slice(), &json!({ "type": "so_far" })));
    assert_eq!(read(&work, &path, &mut place, u64::MAX).await, [json!({ "type": "so_far" })]);
    let refused = work.server().owner().stream(&path.replace("false", "maybe"), None).await.unwrap_err();
    assert_eq!(refused.code, api::Code::FIELDS_INVALID, "{refused:?}");
}
