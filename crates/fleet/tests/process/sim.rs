//! The scripted agent as its page says: without a script it works on its own mission, with one it plays it.

use api::devfleet::{CreateMission, MissionStatus, WaitForMission};
use futures::future::join_all;
use serde_json::json;
use types::MissionId;

use crate::landing::rule;
use crate::sessions::{Work, git, launch};

const PAGE: &str = include_str!("../../../../docs/sim.md");

async fn create(work: &Work, title: &str, prompt: &str) -> MissionId {
    let input = json!({
        "project_id": work.project, "title": title, "detailed_prompt": prompt, "agent": "sim", "auto_dispatch": true,
    });
    work.call::<CreateMission>(input).await.unwrap().id
}

async fn completed(work: &Work, mission: &MissionId) {
    let wait = json!({ "mission": mission, "timeout_seconds": 110 });
    let awaited = work.call::<WaitForMission>(wait).await.unwrap().mission;
    assert_eq!(awaited.status, MissionStatus::Completed, "{mission}\n{}", work.server().log().text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missions_with_one_title_all_land_each_with_a_commit_that_names_it() {
    let work = Work::begin(launch().env("MAX_WORKERS", 16)).await;
    rule(&work, json!({ "checks": ["true"] })).await;
    let missions = join_all((0..30).map(|_| create(&work, "Trial", "Try it."))).await;
    for mission in &missions {
        completed(&work, mission).await;
    }
    let subjects = git(&work.repository, &["log", "--format=%s", "main"]);
    for mission in &missions {
        let text = git(&work.repository, &["show", &format!("main:trial-{mission}.md")]);
        assert!(text.starts_with("# Trial\n") && text.contains(mission.as_str()), "{text}");
        assert!(subjects.contains(&format!("Trial ({mission})")), "{subjects}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_of_the_page_is_played_and_lands() {
    let prompt = PAGE.split("- <<'END'\n").nth(1).and_then(|rest| rest.split("\nEND\n").next()).unwrap();
    let work = Work::begin(launch()).await;
    rule(&work, json!({ "checks": ["true"] })).await;
    let mission = create(&work, "Add a greeting", prompt).await;
    completed(&work, &mission).await;
    assert_eq!(git(&work.repository, &["show", "main:docs/greeting.md"]), "Good morning!\n");
}

#[test]
fn the_page_names_every_step() {
    let source = include_str!("../../../agents/src/sim/script.rs");
    let steps = source.split("pub enum Step {").nth(1).and_then(|rest| rest.split("\n}\n").next()).unwrap();
    let is_step = |line: &&str| line.starts_with("    ") && line.as_bytes().get(4).is_some_and(u8::is_ascii_uppercase);
    let steps: Vec<_> =
        steps.lines().filter(is_step).map(|line| line.trim().trim_end_matches([' ', '{', ','])).collect();
    assert!(steps.len() > 20, "{steps:?}");
    for step in steps {
        let parts = step.char_indices().map(|(at, letter)| match letter {
            'A'..='Z' if at > 0 => format!("_{}", letter.to_ascii_lowercase()),
            _ => letter.to_ascii_lowercase().to_string(),
        });
        let name: String = parts.collect();
        assert!(PAGE.contains(&format!("`{name}`")), "docs/sim.md does not name step `{name}`");
    }
}
