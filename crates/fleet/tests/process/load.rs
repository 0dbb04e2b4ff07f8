//! Writers that state missions and give tasks for as long as the server answers, and note what it acknowledged.

use std::sync::atomic::{AtomicU64, Ordering};

use api::claude_fleet::{Authenticate, CreateTask};
use api::devfleet::{CreateMission, CreateProject};
use api::{Code, Error};
use client::Client;
use serde_json::json;
use testkit::Server;
use tokens::Member;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use types::{ProjectId, Role};

/// Distinguishes every attempt of a test from every other.
static ATTEMPT: AtomicU64 = AtomicU64::new(1);

/// A write that the server said it had made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) id: String,
    pub(crate) title: String,
    /// The number within the project, for a mission that has one.
    pub(crate) number: Option<u64>,
}

/// Writers at work.
pub(crate) struct Load {
    writers: JoinSet<Error>,
    acknowledged: mpsc::UnboundedReceiver<Acknowledged>,
}

/// Adds what writers need: a project, and an agent to assign tasks to.
pub(crate) async fn prepare(server: &Server) -> ProjectId {
    let owner = server.owner();
    let agent = Authenticate { handle: "w".parse().unwrap(), team_name: team(), agent_type: Role::Worker };
    owner.call(agent).await.unwrap();
    let project = json!({ "name": "shop", "path": server.home() });
    owner.call(serde_json::from_value::<CreateProject>(project).unwrap()).await.unwrap().output.id
}

fn team() -> types::TeamName {
    Member::owner().team
}

impl Load {
    /// Starts writers; every second one gives tasks, the others state missions.
    pub(crate) fn start(server: &Server, project: &ProjectId, writers: usize) -> Self {
        let (sender, acknowledged) = mpsc::unbounded_channel();
        let mut set = JoinSet::new();
        for writer in 0..writers {
            let (client, project, sender) = (server.owner(), project.clone(), sender.clone());
            set.spawn(async move { write(client, writer % 2 == 0, project, sender).await });
        }
        Self { writers: set, acknowledged }
    }

    /// Waits for the next acknowledged write.
    pub(crate) async fn next(&mut self) -> Acknowledged {
        tokio::time::timeout(testkit::PATIENCE, self.acknowledged.recv()).await.expect("nothing is written").unwrap()
    }

    /// Waits until every writer has met its end, and returns the rest of what was acknowledged and how each ended.
    pub(crate) async fn rest(mut self) -> (Vec<Acknowledged>, Vec<Error>) {
        let ends = tokio::time::timeout(testkit::PATIENCE, self.writers.join_all()).await.expect("writers hang");
        let mut rest = Vec::new();
        while let Ok(acknowledged) = self.acknowledged.try_recv() {
            rest.push(acknowledged);
        }
        (rest, ends)
    }
}

/// Writes until the server does not answer with success, and returns how that was.
async fn write(
    client: Client,
    tasks: bool,
    project: ProjectId,
    acknowledged: mpsc::UnboundedSender<Acknowledged>,
) -> Error {
    loop {
        let title = format!("write {}", ATTEMPT.fetch_add(1, Ordering::Relaxed));
        let written = if tasks { give(&client, &title).await } else { state(&client, &project, &title).await };
        match written {
            Ok((id, number)) => acknowledged.send(Acknowledged { id, title, number }).unwrap(),
            Err(error) => return error,
        }
    }
}

async fn give(client: &Client, title: &str) -> Result<(String, Option<u64>), Error> {
    let from = Member::owner().uid();
    let task = json!({ "fromUid": from, "toHandle": "w", "teamName": team(), "subject": title });
    let task: CreateTask = serde_json::from_value(task).unwrap();
    Ok((client.call(task).await?.output.id.to_string(), None))
}

async fn state(client: &Client, project: &ProjectId, title: &str) -> Result<(String, Option<u64>), Error> {
    let mission = json!({ "project_id": project, "title": title, "detailed_prompt": "Do it.", "tags": ["load"] });
    let mission: CreateMission = serde_json::from_value(mission).unwrap();
    let row = client.call(mission).await?.output;
    Ok((row.id.to_string(), row.mission_number))
}

/// Says that a writer's end was the server's: it did not answer any more.
pub(crate) fn assert_gone(ends: &[Error]) {
    for end in ends {
        assert_eq!(end.code, Code::SERVER_UNREACHABLE, "{end}: {:?}", end.hints);
    }
}
