//! A store that fails now and then: what was answered holds, what was refused is not there, and nothing is there twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{Code, Error};
use kv::{Faulty, MemEngine};
use serde_json::{Value, json};
use testkit::{Fleet, owner};
use types::ProjectId;

const SEEDS: std::ops::Range<u64> = 0..12;
const CALLS: usize = 60;

/// What a caller may conclude from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Done,
    NotDone,
    Perhaps,
}

fn told(answer: &Result<Value, Error>) -> Told {
    match answer {
        Ok(_) => Told::Done,
        Err(error) => {
            assert_eq!(error.code, Code::STORE_UNAVAILABLE, "{error}");
            if error.message.contains("nothing was changed") { Told::NotDone } else { Told::Perhaps }
        }
    }
}

async fn create(fleet: &Fleet, project: &ProjectId, title: &str) -> Result<Value, Error> {
    let input = json!({ "project_id": project, "title": title, "detailed_prompt": "p", "auto_dispatch": true });
    fleet.json(&owner(), "mission_create", input).await
}

/// Every mission by its title; a title that is there twice is a write that was made twice.
async fn by_title(fleet: &Fleet) -> BTreeMap<String, Value> {
    let rows = fleet.pages(&owner(), "mission_list", json!({})).await.concat();
    let titled: BTreeMap<String, Value> =
        rows.iter().map(|row| (row["title"].as_str().unwrap().to_owned(), row.clone())).collect();
    assert_eq!(titled.len(), rows.len(), "something was written twice");
    titled
}

async fn assert_counted(fleet: &Fleet, rows: &BTreeMap<String, Value>) {
    let metrics = fleet.json(&owner(), "metrics", json!({})).await.unwrap();
    let done = rows.values().filter(|row| row["status"] == "completed").count();
    assert_eq!(
        (&metrics["tasks"]["total"], &metrics["tasks"]["byStatus"]["resolved"]),
        (&json!(rows.len()), &json!(done))
    );
    let cards = fleet.json(&owner(), "project_list", json!({})).await.unwrap();
    assert_eq!((&cards[0]["mission_count"], &cards[0]["completed_count"]), (&json!(rows.len()), &json!(done)));
}

#[tokio::test]
async fn whatever_the_store_loses_the_caller_is_told_the_truth() {
    let mut seen = [0; 3];
    for seed in SEEDS {
        let engine = Arc::new(Faulty::new(MemEngine::new(), seed));
        engine.calm();
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "shop").await;
        engine.disturb();
        let mut answers = Vec::new();
        for call in 0..CALLS {
            let title = format!("write {call}");
            let created = create(&fleet, &project, &title).await;
            let mut moved = None;
            if let Ok(row) = &created {
                let input = json!({ "mission": row["id"], "status": "completed" });
                moved = Some(told(&fleet.json(&owner(), "mission_update", input).await));
            }
            answers.push((title, told(&created), moved));
        }
        engine.calm();

        // The same records, as this process and as the next one see them.
        let next = Fleet::over(engine.clone(), 2).await;
        for fleet in [&fleet, &next] {
            let rows = by_title(fleet).await;
            for (title, created, moved) in &answers {
                let row = rows.get(title);
                assert!(*created != Told::Done || row.is_some(), "seed {seed}: {title} was lost");
                assert!(*created != Told::NotDone || row.is_none(), "seed {seed}: {title} is there all the same");
                let completed = row.is_some_and(|row| row["status"] == "completed");
                assert!(*moved != Some(Told::Done) || completed, "seed {seed}: {title} moved back");
                assert!(*moved != Some(Told::NotDone) || !completed, "seed {seed}: {title} moved all the same");
            }
            assert_counted(fleet, &rows).await;
        }
        answers.iter().for_each(|(_, created, _)| seen[*created as usize] += 1);
    }
    assert!(seen[Told::Done as usize] > 0 && seen[Told::NotDone as usize] > 0, "{seen:?}");
}

#[tokio::test]
async fn a_store_that_fails_is_never_called_a_fault_of_ours_nor_an_absence() {
    for seed in SEEDS {
        let engine = Arc::new(Faulty::new(MemEngine::new(), seed));
        engine.calm();
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "shop").await;
        let mission = fleet.mission(&owner(), &project, json!({})).await;
        engine.disturb();
        for _ in 0..20 {
            for (name, input) in [
                ("mission_get", json!({ "mission": mission })),
                ("project_get", json!({ "project": project })),
                ("task_get", json!({ "taskId": mission })),
                ("id_resolve", json!({ "prefix": mission })),
                ("health", json!({})),
                ("mission_list", json!({ "tag": "x" })),
            ] {
                if let Err(error) = fleet.send(&owner(), name, input).await {
                    assert_eq!(error.code, Code::STORE_UNAVAILABLE, "seed {seed}: {name}: {error}");
                }
            }
        }
    }
}
