//! The stored form: what was ever written is read for ever, and a change of what is written is seen here first.

use bytes::Bytes;
use fleet_store::{Error, Index, Record, Table};
use kv::{Engine, Expect, Key, MemEngine, Operation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{
    Agent, Failure, Holder, Limits, Mission, MissionState, Project, ProjectNotes, Proof, Retry, Role, Schedule, Start,
    StartFrom,
};

use crate::support::{open, stamp};

/// Stores bytes under an id as they are, and reads them as a record.
async fn read<R: Record>(id: &R::Id, document: impl Into<Bytes>) -> Result<R, Error> {
    let engine = MemEngine::new();
    let key = Key::new(R::TABLE.as_str(), id.to_string());
    engine.commit(Operation::put(&key, Expect::Absent, document).into()).await.unwrap();
    open(engine, 1).await.get::<R>(id).await.map(Option::unwrap)
}

/// Stores a record and returns the document that stands for it.
async fn written<R: Record>(record: &R) -> Value {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    store.transact(stamp(), |tx| async move { tx.insert(record) }).await.unwrap();
    let row = engine.get(&Key::new(R::TABLE.as_str(), record.id().to_string())).await.unwrap();
    serde_json::from_slice(&row.unwrap().value).unwrap()
}

/// Reads a fixture of the version that is written now as the record, and finds it written again as it stands there.
pub(crate) async fn assert_newest<R: Record + PartialEq + std::fmt::Debug>(fixture: &'static str, record: &R) {
    assert_eq!(read::<R>(&record.id(), fixture).await.unwrap(), *record);
    assert_eq!(written(record).await, serde_json::from_str::<Value>(fixture).unwrap());
}

pub(crate) fn text(text: &str) -> String {
    text.to_owned()
}

/// A mission of which everything was said.
pub(crate) fn full(state: MissionState) -> Mission {
    Mission {
        id: "m-x7k2m".parse().unwrap(),
        project: Some("p-x7k2m".parse().unwrap()),
        number: Some(7),
        team: "alpha".parse().unwrap(),
        title: text("Add a cart"),
        prompt: text("Add a cart to the shop."),
        acceptance: text("The cart holds what was put in."),
        kind: types::MissionKind::Implement,
        state,
        priority: -2,
        tags: vec![text("shop"), text("cart")],
        depends_on: vec!["m-abcde".parse().unwrap(), "m-fghjk".parse().unwrap()],
        parent: Some("m-22222".parse().unwrap()),
        assignee: Some("scout-1".parse().unwrap()),
        created_by: "lead".parse().unwrap(),
        start: Start::WhenReady,
        land: None,
        sandbox: types::SandboxRules::default(),
        agent: None,
        model: Some(text("opus")),
        allowed_tools: Some(types::ToolChoice::Preset(text("read,write"))),
        limits: Limits { turns_max: Some(40), dollars_max: Some(2.5), ..Limits::default() },
        schedule: Some(Schedule {
            fired_at: Some("2025-06-16T09:00:00.25Z".parse().unwrap()),
            since: None,
            ..Schedule::new(text("0 9 * * 1"), "2025-06-15T15:06:40Z".parse().unwrap())
        }),
        spent: types::Spent::default(),
        callback_url: Some(text("https://example.org/done")),
        retry: Retry { times_max: 3, automatic: true },
        start_from: StartFrom::Target,
        may_change_nothing: false,
        base: None,
        worker: None,
        shares: Vec::new(),
        holders: 2,
        created_at: "2025-06-15T15:06:40Z".parse().unwrap(),
        updated_at: "2025-06-15T15:06:41.000000001Z".parse().unwrap(),
    }
}

/// A mission of which as little as possible was said.
fn bare(state: MissionState) -> Mission {
    Mission {
        project: None,
        number: None,
        acceptance: String::new(),
        priority: 0,
        tags: Vec::new(),
        depends_on: Vec::new(),
        parent: None,
        assignee: None,
        start: Start::ByHand,
        model: None,
        allowed_tools: None,
        limits: Limits::default(),
        schedule: None,
        spent: types::Spent::default(),
        callback_url: None,
        retry: Retry { times_max: 0, automatic: false },
        start_from: StartFrom::Target,
        may_change_nothing: false,
        base: None,
        worker: None,
        shares: Vec::new(),
        holders: 0,
        ..full(state)
    }
}

#[tokio::test]
async fn a_mission_in_every_state_is_read_and_written_as_its_fixture_has_it() {
    let at = "2025-06-15T15:06:40Z".parse().unwrap();
    let scout: types::Handle = "scout-1".parse().unwrap();
    let holder = Holder::Agent { handle: scout.clone() };
    let parked = MissionState::Parked {
        why: types::ParkReason::Recorded { landing: None, text: text("no quota") },
        until: Some("2025-06-16T09:00:00Z".parse().unwrap()),
    };
    let obstacle = types::Obstacle::Conflict { files: vec![text("src/cart.rs")] };
    let why = types::ParkReason::Stuck { landing: "d-x7k2m".parse().unwrap(), obstacle };
    let stuck = MissionState::Parked { why, until: None };
    let done = MissionState::Done { at, proof: Proof::Stated { by: scout.clone() } };
    let failed = MissionState::Failed { at, failure: Failure::Stated { by: scout } };
    let cancelled = MissionState::Cancelled { at, by: "lead".parse().unwrap() };
    let held = MissionState::Held { holder, generation: 2, since: at };
    let fixtures = [
        (include_str!("../fixtures/mission.v1.draft.json"), bare(MissionState::Draft)),
        (include_str!("../fixtures/mission.v1.ready.json"), full(MissionState::Ready { since: at })),
        (include_str!("../fixtures/mission.v1.held.json"), full(held)),
        (include_str!("../fixtures/mission.v1.parked.json"), full(parked)),
        (include_str!("../fixtures/mission.v1.parked_stuck.json"), full(stuck)),
        (include_str!("../fixtures/mission.v1.done.json"), full(done)),
        (include_str!("../fixtures/mission.v1.failed.json"), full(failed)),
        (include_str!("../fixtures/mission.v1.cancelled.json"), full(cancelled)),
    ];
    for (fixture, mission) in &fixtures {
        assert_newest(fixture, mission).await;
    }
}

#[tokio::test]
async fn a_project_is_read_and_written_as_its_fixture_has_it() {
    let project = Project {
        id: "p-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        name: text("Shop"),
        path: text("/srv/shop"),
        description: text("Sells things."),
        system_prompt: text("Speak of things."),
        agent: None,
        model: None,
        notes: ProjectNotes {
            state: text("active"),
            owner: text("ann"),
            start_date: text("2025-06-01"),
            target_end_date: text("2025-12-31"),
            parent_team: text("retail"),
            teams_channel_id: text("19:abc"),
            teams_channel_name: text("shop"),
        },
        landing: types::LandingRules::default(),
        sandbox: types::SandboxRules::default(),
        budget: types::Allotment::default(),
        deleting: false,
        created_at: "2025-06-15T15:06:40Z".parse().unwrap(),
    };
    assert_newest(include_str!("../fixtures/project.v1.json"), &project).await;
}

#[tokio::test]
async fn an_agent_is_read_and_written_as_its_fixture_has_it() {
    let agent = Agent {
        uid: "2c26b46b68ffc68ff99b453c".parse().unwrap(),
        handle: "scout-1".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        role: Role::TeamLead,
        created_at: "2025-06-15T15:06:40Z".parse().unwrap(),
        seen_at: "2025-06-15T15:06:41Z".parse().unwrap(),
    };
    assert_newest(include_str!("../fixtures/agent.v1.json"), &agent).await;
}

/// A record with a past: version 1 called its text `t`, version 2 called it `words`, version 3 keeps them in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    id: String,
    words: Vec<String>,
}

impl Record for Note {
    const TABLE: Table = Table::Project;
    const VERSION: u32 = 3;
    type Id = String;

    fn id(&self) -> String {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }

    fn upgrade(version: u32, mut document: Value) -> Result<Value, serde_json::Error> {
        match version {
            1 => document["words"] = document["t"].take(),
            2 => document["words"] = Value::Array(vec![document["words"].take()]),
            other => return Err(serde::de::Error::custom(format!("there is no version {other}"))),
        }
        Ok(document)
    }
}

#[tokio::test]
async fn every_older_version_is_raised_step_by_step() {
    let note = Note { id: text("n"), words: vec![text("hello")] };
    for document in [
        r#"{"v":1,"d":{"id":"n","t":"hello"}}"#,
        r#"{"v":2,"d":{"id":"n","words":"hello"}}"#,
        r#"{"v":3,"d":{"id":"n","words":["hello"]}}"#,
    ] {
        assert_eq!(read::<Note>(&note.id, document).await.unwrap(), note, "{document}");
    }
    assert_eq!(written(&note).await["v"], 3);
}

#[tokio::test]
async fn a_document_that_looks_like_todays_but_says_an_older_version_is_raised() {
    let document = r#"{"v":2,"d":{"id":"n","words":["hello"]}}"#;
    // As version 2 has it, the list is the text; it cannot be read as words, and is not taken for today's form.
    let refused = read::<Note>(&text("n"), document).await;
    assert!(matches!(refused, Err(Error::Decode { table: "project", .. })), "{refused:?}");
}

#[tokio::test]
async fn a_newer_version_is_refused_by_name() {
    let refused = read::<Note>(&text("n"), r#"{"v":4,"d":{"id":"n","words":["hello"]}}"#).await.unwrap_err();
    let told = "project `n` was stored in version 4, this version of fleet reads up to 3";
    assert_eq!(refused.to_string(), told);
}

#[tokio::test]
async fn what_no_version_wrote_is_refused_by_name() {
    for document in ["", "null", "{}", "[]", r#"{"v":3}"#, r#"{"v":0,"d":{}}"#, r#"{"v":3,"d":{"id":"n"}}"#] {
        let refused = read::<Note>(&text("n"), document).await.unwrap_err();
        assert_eq!(refused.to_string(), "cannot read project `n` as stored", "{document}");
    }
}
