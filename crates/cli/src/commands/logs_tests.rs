//! `fleet logs` against a server that answers what it is told.

use crate::stub::{Answer, Stub, answer, run, run_watched};

fn session(id: &str, handle: &str, status: &str) -> String {
    format!(
        r#"{{"id":"{id}","mission_id":null,"status":"{status}","state":"{status}","started_at":"2026-01-02 03:04:05","ended_at":null,
        "exit_code":null,"output_log":"","error_log":"","model":"sim","token_usage":"{{}}","claude_session_id":"",
        "remote_url":"","total_cost_usd":0.0,"total_tokens":0,"retry_count":0,"last_error":"","error_type":"",
        "agent":"sim","handle":"{handle}","work_dir":null,"branch":null,"waits_until":null,"mission_title":null,
        "project_name":null,"mission_number":null,"report":null}}"#
    )
}

const FOUND: &str = r#"{"id":"s-x7k2m","kind":"session","title":"Add a cart"}"#;
const DONE: &str = r#"data: {"type":"done","status":"completed","exit_code":0,"cost":0.0,"tokens":3}"#;
const USAGE: &str = r#"{"type":"usage","usage":{"input_tokens":1,"output_tokens":2},"cost":0.0}"#;

fn text(text: &str) -> String {
    format!(r#"data: {{"type":"text","text":"\n{text}\n"}}"#)
}

/// A stream that ends behind these frames.
fn stream(frames: &[String]) -> Answer {
    let body: String = frames.iter().map(|frame| format!("{frame}\n\n")).collect();
    answer(200, &format!("retry: 2000\n\n{body}"))
}

fn asked(answers: Vec<Answer>) -> Stub {
    let known = [answer(200, FOUND), answer(200, &session("s-x7k2m", "worker", "running"))];
    Stub::start(known.into_iter().chain(answers).collect())
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_goes_on_with_nothing_lost_or_doubled() {
    let config = "id: 0-0\ndata: {\"type\":\"config\",\"model\":null}".to_owned();
    let stub = asked(vec![
        stream(&[]),
        stream(&[config, format!("id: 1-10\n{}", text("one")), format!("id: 1-10+1\n{}", text("half a line"))]),
        stream(&[format!("id: 1-30\n{}", text("the other half"))]),
        stream(&[format!("id: 1-40\ndata: {USAGE}"), DONE.to_owned()]),
    ]);
    let ran = run(&stub, "fleet logs s-x7 -f").await;
    let stream = "GET /api/sessions/s-x7k2m/stream";
    assert_eq!(
        stub.requests(),
        [
            "GET /ids/s-x7?folder=HERE".to_owned(),
            "GET /api/sessions/s-x7k2m".to_owned(),
            stream.to_owned(),
            stream.to_owned(),
            format!("{stream} 1-10+1"),
            format!("{stream} 1-30"),
        ]
    );
    assert_eq!((ran.err.as_str(), ran.exit), ("", 0));
    assert_eq!(ran.out, "one\nhalf a line\nthe other half\n── completed: $0.00, 3 tokens (1 in, 2 out)\n");
}

fn landing(status: &str, returns: u32) -> Answer {
    let text = format!(
        r#"[{{"id":"d-x7k2m","status":"{status}","title":"Add a cart","mission_id":"m-x7k2m","session_id":"s-x7k2m",
        "project_id":null,"branch":"fleet/cart","target_branch":"main","commit":null,"why":null,"checks":[],
        "published":null,"pr_url":null,"returns":{returns},"created_at":"2026-01-02T03:04:05Z",
        "updated_at":"2026-01-02T03:04:05Z"}}]"#
    );
    answer(200, &text)
}

fn of_mission(status: &str) -> String {
    session("s-x7k2m", "worker", status).replace(r#""mission_id":null"#, r#""mission_id":"m-x7k2m""#)
}

#[tokio::test]
async fn work_is_followed_through_its_landing_with_what_it_was_sent_back_for_and_the_commit_it_landed_as() {
    let sent_back =
        r#"data: {"type":"notice","text":"sent back to its agent: check `make` failed with exit code 2\n1 error"}"#;
    let sent_back = format!("id: 2-0~1\n{sent_back}");
    let again = format!("id: 2-10~1\n{}", text("fixed"));
    let landed = landing("landed", 1);
    let stub = Stub::start(vec![
        answer(200, FOUND),
        answer(200, &of_mission("running")),
        stream(&[format!("id: 1-10\n{}", text("one")), DONE.to_owned()]),
        landing("queued", 0),
        landing("returned", 1),
        answer(200, &of_mission("running")),
        stream(&[sent_back, again, DONE.to_owned()]),
        landed,
    ]);
    let ran = run(&stub, "fleet logs s-x7 -f").await;
    assert_eq!(ran.exit, 0, "{ran}");
    let mut at = 0;
    for part in [
        "one",
        "── queued to land on `main`",
        "── sent back to its agent: check `make` failed with exit code 2",
        "   1 error",
        "fixed",
        "── landed on `main`",
    ] {
        let found = ran.out[at..].find(part).unwrap_or_else(|| panic!("`{part}` is missing or misplaced: {ran}"));
        at += found + part.len();
    }
    assert_eq!(stub.requests()[6], "GET /api/sessions/s-x7k2m/stream 1-10");
}

#[tokio::test]
async fn who_follows_a_landing_sees_for_how_long_it_is_checked_and_the_line_is_gone_before_the_next() {
    let queued = (0..4).map(|_| landing("queued", 0));
    let known = [answer(200, FOUND), answer(200, &of_mission("completed")), stream(&[DONE.to_owned()])];
    let answers = || known.into_iter().chain(queued).chain([landing("landed", 0)]).collect();
    let ran = run_watched(&Stub::start(answers()), "fleet logs s-x7 -f").await;
    assert_eq!(ran.exit, 0, "{ran}");
    assert!(ran.err.contains("\r\x1b[Kqueued or checking, 1 s …"), "{ran}");
    assert!(ran.err.ends_with("\r\x1b[K"), "the last line of progress stays: {:?}", ran.err);
}

#[tokio::test]
async fn what_an_agent_did_with_work_that_came_back_is_shown_though_all_was_over_before_it_was_asked_for() {
    let again = format!("id: 2-10~1\n{}", text("tried again"));
    let stub = Stub::start(vec![
        answer(200, FOUND),
        answer(200, &of_mission("completed")),
        stream(&[format!("id: 1-10\n{}", text("one")), DONE.to_owned()]),
        landing("stuck", 1),
        stream(&[again, DONE.to_owned()]),
        landing("stuck", 1),
    ]);
    let ran = run(&stub, "fleet logs s-x7 -f").await;
    let (tried, stuck) = (ran.out.find("tried again"), ran.out.find("── cannot land"));
    assert!(ran.exit == 1 && tried.is_some() && tried < stuck, "{ran}");
    assert_eq!(ran.out.matches("── cannot land").count(), 1, "{ran}");
}

#[tokio::test]
async fn work_that_cannot_land_ends_with_one_and_without_follow_its_state_is_shown_once() {
    let stuck = landing("stuck", 0);
    let stub =
        Stub::start(vec![answer(200, FOUND), answer(200, &of_mission("completed")), stream(&[DONE.to_owned()]), stuck]);
    let ran = run(&stub, "fleet logs s-x7 -f").await;
    assert!(ran.exit == 1 && ran.out.contains("`fleet land retry d-x7k2m`"), "{ran}");
    let known = vec![answer(200, FOUND), answer(200, &of_mission("completed")), stream(&[DONE.to_owned()])];
    let stub = Stub::start(known.into_iter().chain([landing("waiting", 0)]).collect());
    let ran = run(&stub, "fleet logs s-x7").await;
    assert!(ran.exit == 0 && ran.out.contains("── waits to land"), "{ran}");
}

#[tokio::test]
async fn a_session_that_failed_ends_with_one() {
    for (status, exit) in [("completed", 0), ("failed", 1), ("cancelled", 1)] {
        let stub = asked(vec![stream(&[DONE.replace("completed", status)])]);
        assert_eq!(run(&stub, "fleet logs s-x7k2m -f").await.exit, exit, "{status}");
    }
}

#[tokio::test]
async fn json_is_a_frame_a_line_with_its_place() {
    let stub = asked(vec![stream(&[format!("id: 1-10\n{}", text("one")), DONE.to_owned()])]);
    let ran = run(&stub, "fleet logs s-x7k2m -f --json --after 1-5").await;
    assert_eq!(stub.requests().last().unwrap(), "GET /api/sessions/s-x7k2m/stream 1-5");
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(lines[0], r#"{"id":"1-10","type":"text","text":"\none\n"}"#);
    assert!(lines.len() == 2 && lines[1].starts_with(r#"{"type":"done","#), "{ran}");
}

#[tokio::test]
async fn a_mission_means_its_newest_session() {
    let mission = r#"{"id":"m-x7k2m","kind":"mission","title":"Add a cart"}"#;
    let list = format!("[{}]", session("s-p4qrs", "worker", "completed"));
    let stub = Stub::start(vec![answer(200, mission), answer(200, &list), stream(&[DONE.to_owned()])]);
    assert_eq!(run(&stub, "fleet logs m-x7").await.exit, 0);
    let requests = stub.requests();
    assert_eq!(
        requests[1..],
        ["GET /api/sessions?mission_id=m-x7k2m&limit=1", "GET /api/sessions/s-p4qrs/stream?follow=false"]
    );
    let stub = Stub::start(vec![answer(200, mission), answer(200, "[]")]);
    let ran = run(&stub, "fleet logs m-x7").await;
    assert!(ran.err.contains("mission m-x7k2m has no session yet") && ran.exit == 5, "{ran}");
}

#[tokio::test]
async fn a_name_means_the_live_agent_and_else_the_last_that_had_it() {
    let live = format!("[{},{}]", session("s-aaaaa", "other", "running"), session("s-bbbbb", "scout", "running"));
    let stub = Stub::start(vec![answer(200, &live), stream(&[DONE.to_owned()])]);
    assert_eq!(run(&stub, "fleet logs scout -f").await.exit, 0);
    assert_eq!(stub.requests(), ["GET /api/sessions?status=running", "GET /api/sessions/s-bbbbb/stream"]);
    let gone = format!("[{},{}]", session("s-ccccc", "scout", "failed"), session("s-ddddd", "scout", "failed"));
    let stub = Stub::start(vec![answer(200, "[]"), answer(200, &gone), stream(&[DONE.to_owned()])]);
    run(&stub, "fleet logs scout").await;
    assert_eq!(stub.requests().last().unwrap(), "GET /api/sessions/s-ccccc/stream?follow=false");
    let stub = Stub::start(vec![answer(200, "[]"), answer(200, "[]")]);
    let ran = run(&stub, "fleet logs scout").await;
    assert!(ran.err.starts_with("error: no session, mission or agent is called `scout`") && ran.exit == 5, "{ran}");
}

#[tokio::test]
async fn a_name_that_agents_of_two_teams_have_is_refused_with_both() {
    let live = format!("[{},{}]", session("s-aaaaa", "scout", "running"), session("s-bbbbb", "scout", "running"));
    let stub = Stub::start(vec![answer(200, &live)]);
    let ran = run(&stub, "fleet attach scout").await;
    assert!(ran.err.contains("s-aaaaa, s-bbbbb") && ran.exit != 0, "{ran}");
}

#[tokio::test]
async fn nobody_is_attached_to_a_session_that_is_over() {
    let stub = Stub::start(vec![answer(200, FOUND), answer(200, &session("s-x7k2m", "worker", "failed"))]);
    let ran = run(&stub, "fleet attach s-x7k2m").await;
    assert!(
        ran.err.contains("session s-x7k2m is over: it is failed") && ran.err.contains("fleet logs s-x7k2m"),
        "{ran}"
    );
}

#[tokio::test]
async fn what_was_told_so_far_is_asked_for_as_that_and_an_end_without_its_mark_is_a_cut() {
    let first = stream(&[format!("id: 1-10\n{}", text("one"))]);
    let second = stream(&[format!("id: 1-20\n{}", text("two")), r#"data: {"type":"so_far"}"#.to_owned()]);
    let stub = asked(vec![first, second.unended()]);
    let ran = run(&stub, "fleet logs s-x7k2m --after 1-5").await;
    assert_eq!((ran.exit, ran.out.as_str()), (0, "one\ntwo\n"));
    assert!(ran.err.contains("`fleet logs s-x7k2m -f --after 1-20` follows it"), "{ran}");
    let asked = "GET /api/sessions/s-x7k2m/stream?follow=false";
    assert_eq!(stub.requests()[2..], [format!("{asked} 1-5"), format!("{asked} 1-10")]);
}
