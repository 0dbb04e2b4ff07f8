//! Those outside who asked to be told when a mission ends: told, though they or the server fail, and told by us.

use std::collections::BTreeMap;

use api::Code;
use api::devfleet::{CancelSession, CreateMission, ListMissionEvents, UpdateMission};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use types::MissionId;

use crate::sessions::{Work, launch, script};

/// What was told.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// Work that is done by what git shows.
const DONE: [&str; 4] = [
    "{ do = 'spend', input = 5 }",
    "{ do = 'write', path = 'a.txt', text = 'a' }",
    "{ do = 'commit', message = 'add a' }",
    "{ do = 'finish', text = 'all done' }",
];

/// A receiver of callbacks and notifications.
pub(crate) struct Receiver(TcpListener);

impl Receiver {
    pub(crate) async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/done", self.0.local_addr().unwrap())
    }

    /// Waits to be told something, and answers.
    pub(crate) async fn hear(&self, status: &str) -> Told {
        let heard = async {
            let (mut stream, _) = self.0.accept().await.unwrap();
            let mut bytes = Vec::new();
            loop {
                let mut part = [0; 4096];
                let count = stream.read(&mut part).await.unwrap();
                bytes.extend_from_slice(&part[..count]);
                if let Some(told) = whole(&bytes) {
                    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    return told;
                }
                assert!(count > 0, "it was cut off");
            }
        };
        tokio::time::timeout(testkit::PATIENCE, heard).await.expect("nobody was told")
    }
}

/// Reads a request, once all of it is there.
fn whole(bytes: &[u8]) -> Option<Told> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    assert!(head.starts_with("POST /done HTTP/1.1"), "{head}");
    let headers: BTreeMap<String, String> = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    (body.len() >= length).then(|| Told { headers, body: body.to_owned() })
}

impl Told {
    fn said(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks the signature as a receiver would.
    fn is_signed_with(&self, secret: &str) -> bool {
        let sent = &self.headers["fleet-signature"];
        let seconds = sent.strip_prefix("t=").unwrap().split(',').next().unwrap().parse().unwrap();
        callbacks::signature(secret.as_bytes(), seconds, &self.body) == *sent
    }
}

async fn told_of(work: &Work, url: &str, prompt: &str) -> MissionId {
    let input = json!({
        "project_id": work.project, "title": "Work", "detailed_prompt": prompt, "callback_url": url,
        "auto_dispatch": true, "agent": "sim",
    });
    work.call::<CreateMission>(input).await.unwrap().id
}

/// Waits for an event of a mission.
async fn event(work: &Work, mission: &MissionId, kind: &str) -> String {
    let owner = work.server().owner();
    let found = async {
        let mut events = owner.stream("/api/events", None).await.unwrap();
        loop {
            let rows = work.call::<ListMissionEvents>(json!({ "mission": mission })).await.unwrap().items;
            if let Some(row) = rows.into_iter().find(|row| row.event_type == kind) {
                return row.data;
            }
            events.next().await.unwrap().expect("the events end");
        }
    };
    tokio::time::timeout(testkit::PATIENCE, found).await.expect("it does not happen")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_is_told_until_it_is_heard_with_the_same_id_and_words_over_a_kill() {
    let receiver = Receiver::new().await;
    let mut work = Work::begin(launch()).await;
    let mission = told_of(&work, &receiver.url(), &script(&DONE)).await;
    let first = receiver.hear("500 Broken").await;
    work.restart().await;
    let second = receiver.hear("204 No Content").await;
    let said = second.said();
    assert_eq!(said["mission_id"], json!(mission));
    assert_eq!(said["mission_title"], "Work");
    assert_eq!(said["project_id"], json!(work.project));
    assert_eq!(said["status"], "completed");
    assert_eq!(said["payload"]["summary"], "all done");
    assert!(said["payload"]["what_done"].as_str().is_some_and(|done| done.contains("all done")), "{said}");
    assert_eq!(first.body, second.body);
    assert_eq!(first.headers["fleet-delivery"], second.headers["fleet-delivery"]);
    let home = work.server().launch().home().to_owned();
    #[expect(clippy::disallowed_methods, reason = "the receiver has its secret from the home, as its owner would")]
    let secret = std::fs::read_to_string(home.join("callback-secret")).unwrap();
    assert!(first.is_signed_with(secret.trim()) && second.is_signed_with(secret.trim()));
    assert!(!second.is_signed_with("another secret"));
    event(&work, &mission, "callback_delivered").await;
    // What was heard is not told again: the next that is told is another.
    work.restart().await;
    let other =
        told_of(&work, &receiver.url(), &script(&["{ do = 'fail', class = { name = 'invalid' }, text = 'no' }"])).await;
    let third = receiver.hear("200 OK").await.said();
    assert_eq!((&third["mission_id"], &third["status"]), (&json!(other), &json!("failed")));
    assert_eq!((&third["payload"]["error"], &third["payload"]["error_type"]), (&json!("no"), &json!("invalid")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_cancelled_is_told_of_and_a_secret_of_the_settings_signs() {
    let receiver = Receiver::new().await;
    let work = Work::begin(launch().env("FLEET_CALLBACK_SECRET", "between us")).await;
    let (mission, session) = work.run("```sim\nstep = [{ do = 'hang' }]\n```").await;
    work.call::<UpdateMission>(json!({ "mission": mission, "callback_url": receiver.url() })).await.unwrap();
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    let told = receiver.hear("200 OK").await;
    // Its session is cancelled; the mission can be done again, so it counts as failed.
    assert_eq!((&told.said()["mission_id"], &told.said()["status"]), (&json!(mission), &json!("failed")));
    assert!(!told.said()["payload"]["cancelled_by"].is_null(), "{}", told.said());
    assert!(told.is_signed_with("between us"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_told_at_an_address_of_this_link_or_by_another_way_than_http() {
    let work = Work::begin(launch()).await;
    let mission = told_of(&work, "http://169.254.169.254/latest", &script(&["{ do = 'finish', text = 'x' }"])).await;
    let why = event(&work, &mission, "callback_failed").await;
    assert!(why.contains("link-local"), "{why}");
    for url in ["file:///etc/passwd", "gopher://127.0.0.1", "done"] {
        let refused = work.call::<UpdateMission>(json!({ "mission": mission, "callback_url": url })).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{refused:?}");
    }
    work.call::<UpdateMission>(json!({ "mission": mission, "callback_url": "" })).await.unwrap();
}
