//! A deleted mission takes its reports with it, however many there are and whenever the deletion is cut off.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use api::Code;
use async_trait::async_trait;
use kv::{Commit, Engine, Error, Key, MemEngine, Outcome, Row, Scan};
use serde_json::{Value, json};
use store::{Query, by};
use testkit::{Fleet, owner};
use types::{Author, Event, MissionId, ProjectId, Report, ReportId};

use crate::world::World;

/// Puts so many reports about a mission into the store.
async fn reported(fleet: &Fleet, project: &ProjectId, mission: &str, count: usize) {
    for run in 0..count {
        let run = u32::try_from(run).unwrap();
        let report = Report {
            id: ReportId::derived(&format!("{mission} {run}")),
            project: Some(project.clone()),
            author: Author::Session { session: "s-22222".parse().unwrap(), run },
            ..testkit::report(mission.parse().unwrap(), fleet.clock.now())
        };
        fleet.insert(&report).await;
        fleet.clock.advance(std::time::Duration::from_secs(1));
    }
}

/// Returns the runs whose reports about a mission are left, the newest first.
async fn left(fleet: &Fleet, mission: &str) -> Vec<u32> {
    let mission: MissionId = mission.parse().unwrap();
    let query = Query::latest(by::report::mission(&mission), 1000);
    let found = fleet.service.store().list::<Report>(query).await.unwrap().records;
    let run = |report: Report| match report.author {
        Author::Session { run, .. } => run,
        Author::Agent { .. } => panic!("nobody else reported"),
    };
    found.into_iter().map(run).collect()
}

#[tokio::test]
async fn the_reports_of_a_deleted_mission_are_gone_from_every_list_and_those_of_others_are_not() {
    let world = World::new().await;
    let kept = world.fleet.mission(&world.lead, &world.project, json!({})).await;
    reported(&world.fleet, &world.project, &kept, 2).await;
    let position = world.fleet.position();
    world.fleet.json(&world.worker, "mission_delete", json!({ "mission": world.mission })).await.unwrap();
    let change = world.fleet.service.store().tail(position).next().await.unwrap().change.clone();
    let deleted = |event: &Event| matches!(event, Event::MissionDeleted { .. });
    assert!(change.events.iter().any(deleted), "a few reports go in the commit of the mission: {change:?}");
    let gone = world.fleet.json(&world.lead, "report_get", json!({ "report": world.report })).await.unwrap_err();
    assert_eq!(gone.code, Code::REPORT_NOT_FOUND);
    let of = |row: &Value| row["mission_id"].as_str().unwrap().to_owned();
    let rows = world.fleet.json(&world.lead, "report_list", json!({})).await.unwrap();
    assert_eq!(rows.as_array().unwrap().iter().map(of).collect::<Vec<_>>(), [kept.clone(), kept]);
}

#[tokio::test]
async fn a_mission_goes_with_more_reports_than_one_commit_holds_and_with_the_most_tags_and_links() {
    let world = World::new().await;
    let mut links = Vec::new();
    for _ in 0..16 {
        links.push(world.fleet.mission(&world.lead, &world.project, json!({})).await);
    }
    let tags: Vec<String> = (0..16).map(|at| format!("tag-{at}")).collect();
    for count in [10, 40] {
        let said = json!({ "tags": tags, "depends_on": links, "parent_mission_id": world.mission });
        let mission = world.fleet.mission(&world.lead, &world.project, said).await;
        reported(&world.fleet, &world.project, &mission, count).await;
        assert_eq!(left(&world.fleet, &mission).await.len(), count);
        world.fleet.json(&world.lead, "mission_delete", json!({ "mission": mission })).await.unwrap();
        assert_eq!(left(&world.fleet, &mission).await, [0; 0]);
    }
}

#[tokio::test]
async fn a_mission_that_is_worked_on_keeps_its_reports() {
    let world = World::new().await;
    let claim = json!({ "taskId": world.mission, "status": "in_progress" });
    world.fleet.json(&world.worker, "task_update", claim).await.unwrap();
    let refused = world.fleet.json(&world.lead, "mission_delete", json!({ "mission": world.mission })).await;
    assert_eq!(refused.unwrap_err().code, Code::MISSION_HELD);
    world.fleet.json(&world.lead, "report_get", json!({ "report": world.report })).await.unwrap();
}

#[tokio::test]
async fn a_deleted_project_takes_the_reports_of_its_missions_along() {
    let world = World::new().await;
    reported(&world.fleet, &world.project, &world.mission, 20).await;
    world.fleet.json(&world.lead, "project_delete", json!({ "project": world.project })).await.unwrap();
    assert_eq!(world.fleet.json(&owner(), "report_list", json!({})).await.unwrap(), json!([]));
}

/// An engine in memory that applies so many more commits, and then none.
#[derive(Debug)]
struct Ending {
    rows: MemEngine,
    left: AtomicU32,
}

#[async_trait]
impl Engine for Ending {
    fn limits(&self) -> kv::Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        let left = self.left.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map_err(|_| Error::Unavailable("its end has come".into()))?;
        self.rows.commit(commit).await
    }
}

#[tokio::test]
async fn a_deletion_that_is_cut_off_leaves_the_newest_reports_and_no_report_without_its_mission() {
    let mut found = Vec::new();
    for commits in 0..=4 {
        let engine = Arc::new(Ending { rows: MemEngine::new(), left: AtomicU32::new(u32::MAX) });
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "shop").await;
        let mission = fleet.mission(&owner(), &project, json!({})).await;
        reported(&fleet, &project, &mission, 40).await;
        engine.left.store(commits, Ordering::SeqCst);
        let answer = fleet.send(&owner(), "mission_delete", json!({ "mission": mission })).await;
        engine.left.store(u32::MAX, Ordering::SeqCst);
        // What a new process finds.
        drop(fleet);
        let fleet = Fleet::over(engine, 2).await;
        let runs = left(&fleet, &mission).await;
        let exists = fleet.json(&owner(), "mission_get", json!({ "mission": mission })).await.is_ok();
        assert_eq!(answer.is_err(), exists, "after {commits} commits");
        assert!(exists || runs.is_empty(), "after {commits} commits: reports without their mission");
        assert_eq!(runs, (0..40).rev().take(runs.len()).collect::<Vec<u32>>(), "after {commits} commits");
        found.push((exists, runs.len()));
        if exists {
            fleet.json(&owner(), "mission_delete", json!({ "mission": mission })).await.unwrap();
            assert_eq!(left(&fleet, &mission).await, [0; 0], "after {commits} commits");
        }
    }
    assert_eq!(found, [(true, 40), (true, 25), (true, 10), (false, 0), (false, 0)]);
}
