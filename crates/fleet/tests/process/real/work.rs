//! It works: writes, commits, reports, and tells what that took.

use api::devfleet::{GetMission, ReportSource};
use serde_json::{Value, json};
use testkit::Cli;
use testkit::model::{Act, Answer, Script, Usage};

use super::matrix::{Capability, Cell};
use super::scene::{CACHED_PRICE, INPUT_PRICE, OUTPUT_PRICE, Scene};
use super::with_each_agent;
use crate::sessions::git;

with_each_agent!(
    #[ignore = "in the sandbox git cannot lock refs, and Fleet's tools do not find the server"]
    it_commits_reports_and_tells_what_it_took
);

/// What is put into the cache is told by one of the dialects only.
fn usage(seed: u64) -> Usage {
    Usage { input: 1000 + seed, output: 100 + seed, cache_read: 20_000 + seed, cache_write: 0 }
}

async fn it_commits_reports_and_tells_what_it_took(cli: Cli) -> Vec<(Capability, Cell)> {
    let report = json!({
        "files_changed": "hello.txt", "what_done": "Greeted.", "what_open": "", "what_tested": "", "what_untested": "",
        "next_steps": "", "errors_encountered": "",
    });
    let commit = Act::shell("git add --all && git commit --quiet --message 'Add a greeting'");
    let script = Script::new()
        .then(Answer::new().text("I write.").act_as("c_write", Act::write("hello.txt", "hello\n")).usage(usage(1)))
        .then(Answer::new().text("I commit.").act_as("c_commit", commit).usage(usage(20)))
        .then(
            Answer::new()
                .text("I report.")
                .act_as("c_report", Act::mcp("fleet", "submit_report", report))
                .usage(usage(300)),
        )
        .then(Answer::new().text("It is done.").usage(usage(4000)));
    let scene = Scene::new(cli, script).await;
    let (mission, session) = scene.run("Write a greeting and commit it.", json!({})).await;
    let ended = scene.completed(&session).await;

    let repository = &scene.work.repository;
    let branch = ended.branch.as_ref().unwrap();
    let last = scene.model.requests().pop().unwrap();
    assert_eq!(git(repository, &["log", "--format=%s", branch]), "Add a greeting\nbegin\n", "{:#?}", last.results());
    assert_eq!(git(repository, &["show", &format!("{branch}:hello.txt")]), "hello\n");
    assert_eq!(git(repository, &["status", "--porcelain"]), "", "the user's checkout was touched");
    assert_eq!(ended.retry_count, 0);

    let told = last.results().get("c_report");
    assert!(told.is_some_and(|said| said.contains("Your report is kept")), "{:#?}", last.results());
    let mission = scene.work.call::<GetMission>(json!({ "mission": mission })).await.unwrap();
    let report = mission.latest_report.unwrap();
    assert_eq!((report.source, report.texts.what_done.as_str()), (ReportSource::Submitted, "Greeted."));

    let all = [1, 20, 300, 4000].map(usage);
    let sum = |of: fn(&Usage) -> u64| all.iter().map(of).sum::<u64>();
    let (input, output, cached) = (sum(|used| used.input), sum(|used| used.output), sum(|used| used.cache_read));
    let tokens: Value = serde_json::from_str(&ended.token_usage).unwrap();
    assert_eq!(
        (&tokens["input"], &tokens["output"], &tokens["cache_read"]),
        (&json!(input), &json!(output), &json!(cached))
    );
    let dollars = match cli {
        Cli::Claude => told_by_claude(&scene, &session),
        Cli::Codex | Cli::Gemini => {
            (input as f64 * INPUT_PRICE + output as f64 * OUTPUT_PRICE + cached as f64 * CACHED_PRICE) / 1e6
        }
    };
    assert!(
        dollars > 0.0 && (ended.total_cost_usd - dollars).abs() < 1e-6,
        "{dollars} is not {}",
        ended.total_cost_usd
    );
    scene.model.assert_done();
    [Capability::Commit, Capability::Mcp, Capability::Usage].map(|shown| (shown, Cell::Yes)).into()
}

/// What it says that it has cost, in its own words.
fn told_by_claude(scene: &Scene, session: &types::SessionId) -> f64 {
    let tasks = scene.work.server().home().join("tasks");
    let missions = std::fs::read_dir(tasks).unwrap().map(|entry| entry.unwrap().path());
    let log = missions.map(|mission| mission.join(session.as_str()).join("1/log.jsonl")).find(|log| log.exists());
    #[expect(clippy::disallowed_methods, reason = "the test reads what the agent wrote")]
    let text = std::fs::read_to_string(log.unwrap()).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["total_cost_usd"].as_f64()).last().unwrap()
}
