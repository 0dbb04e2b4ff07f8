//! Lists of projects and agents, and what a list does when records move while it is read.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fleet_store::{Error, Query, Record, Store, by};
use kv::{Commit, Engine, Key, Limits, MemEngine, Outcome, Row, Scan};
use types::{Agent, Handle, Mission, MissionState, Project, ProjectNotes, Role, StateName, TeamName, Uid};

use crate::support::{at, change, fresh, id, insert, mission, open_as, project, stamp};

fn team(name: &str) -> TeamName {
    name.parse().unwrap()
}

fn sample_project(number: usize) -> Project {
    Project {
        id: project(number),
        team: TeamName::default_team(),
        name: format!("shop {number}"),
        path: "shop".to_owned(),
        description: String::new(),
        system_prompt: String::new(),
        agent: None,
        model: None,
        notes: ProjectNotes::default(),
        landing: types::LandingRules::default(),
        sandbox: types::SandboxRules::default(),
        budget: types::Allotment::default(),
        deleting: false,
        // The later the number, the older the project.
        created_at: at(-i64::try_from(number).unwrap()),
    }
}

fn agent(team: &TeamName, name: &str) -> Agent {
    let handle: Handle = name.parse().unwrap();
    let uid = Uid::of(team, &handle);
    Agent { uid, handle, team: team.clone(), role: Role::Worker, created_at: at(0), seen_at: at(0) }
}

async fn store_all<R: Record>(store: &Store, records: &[R]) {
    let stored: Result<(), Error> =
        store.transact(stamp(), |tx| async move { records.iter().try_for_each(|record| tx.insert(record)) }).await;
    stored.unwrap();
}

#[tokio::test]
async fn projects_are_listed_by_age() {
    let store = fresh().await;
    let mut projects: Vec<_> = (0..4).map(sample_project).collect();
    store_all(&store, &projects).await;
    let listed = store.list::<Project>(Query::latest(by::project::all(), 10)).await.unwrap();
    assert_eq!((listed.records, listed.next), (projects.clone(), None));
    projects.reverse();
    let group = by::project::team(&TeamName::default_team());
    let listed = store.list::<Project>(Query::earliest(group, 10)).await.unwrap();
    assert_eq!(listed.records, projects);
    assert_eq!(store.count(by::project::ALL), 4);
}

#[tokio::test]
async fn agents_are_listed_by_handle_within_their_team() {
    let store = fresh().await;
    let (red, blue) = (team("red"), team("blue"));
    let agents = [agent(&red, "b"), agent(&red, "a"), agent(&blue, "a"), agent(&red, "B")];
    store_all(&store, &agents).await;
    let listed = store.list::<Agent>(Query::earliest(by::agent::team(&red), 10)).await.unwrap();
    assert_eq!(listed.records, [agents[3].clone(), agents[1].clone(), agents[0].clone()]);
    let listed = store.list::<Agent>(Query::earliest(by::agent::team(&blue), 10)).await.unwrap();
    assert_eq!(listed.records, [agents[2].clone()]);
    assert_eq!(store.count(by::agent::ALL), 4);
}

#[tokio::test]
async fn a_limit_of_nothing_lists_nothing() {
    let store = fresh().await;
    insert(&store, &mission(1)).await.unwrap();
    let listed = store.list::<Mission>(Query::latest(by::mission::all(), 0)).await.unwrap();
    assert_eq!((listed.records, listed.next), (vec![], None));
}

#[tokio::test]
async fn ids_are_found_by_what_they_begin_with() {
    let store = fresh().await;
    for number in [1, 2, 40] {
        insert(&store, &mission(number)).await.unwrap();
    }
    let first = id(1);
    assert_eq!(store.ids::<Mission>(&first.as_str()[..6], 10).await.unwrap(), [mission(1), mission(2)]);
    assert_eq!(store.ids::<Mission>("m-", 1).await.unwrap(), [mission(1)]);
    assert_eq!(store.ids::<Mission>("p-", 10).await.unwrap(), []);
}

/// Lets one commit slip in behind the next scan.
#[derive(Debug, Default)]
struct Sneaking {
    engine: MemEngine,
    behind_scan: Mutex<Option<Commit>>,
    sneaks: Mutex<bool>,
}

#[async_trait]
impl Engine for Sneaking {
    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, kv::Error> {
        self.engine.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, kv::Error> {
        let rows = self.engine.scan(scan).await?;
        let commit = self.behind_scan.lock().unwrap().take();
        if let Some(commit) = commit {
            self.engine.commit(commit).await?;
        }
        Ok(rows)
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, kv::Error> {
        if *self.sneaks.lock().unwrap() {
            *self.behind_scan.lock().unwrap() = Some(commit);
            return Err(kv::Error::TooLarge(kv::Excess::Operations { count: 0, max: 0 }));
        }
        self.engine.commit(commit).await
    }
}

#[tokio::test]
async fn a_record_that_leaves_the_group_while_it_is_listed_is_not_listed() {
    let engine = Arc::new(Sneaking::default());
    let store = open_as(Arc::clone(&engine) as _, "server", 1).await;
    insert(&store, &mission(1)).await.unwrap();
    insert(&store, &mission(2)).await.unwrap();
    *engine.sneaks.lock().unwrap() = true;
    let ready = MissionState::Ready { since: at(1) };
    let late = change(&store, &id(1), |mission| mission.state = ready.clone()).await;
    late.unwrap_err();
    let drafts = store.list::<Mission>(Query::earliest(by::mission::state(StateName::Draft), 10)).await.unwrap();
    assert_eq!(drafts.records, [mission(2)]);
}
