//! It works: writes, commits, reports, and counts its usage.

use api::devfleet::{GetMission, ReportSource};
use serde_json::{Value, json};
use testkit::Cli;
use testkit::model::{Act, Answer, Script, Usage};

use super::matrix::{Capability, Cell};
use super::scene::{CACHED_PRICE, INPUT_PRICE, OUTPUT_PRICE, Scene, Wish, write};
use super::with_each_agent;
use crate::sessions::git;

with_each_agent!(it_commits_reports_and_tells_what_it_took);

async fn it_commits_reports_and_tells_what_it_took(cli: Cli) -> Vec<(Capability, Cell)> {
    let told = match cli {
        Cli::Claude | Cli::Codex => {
            works(cli, None).await;
            Cell::Yes
        }
        Cli::Gemini => {
            works(cli, None).await;
            works(cli, Some("exec")).await;
            Cell::But("over ACP it does not tell apart what came from a cache")
        }
    };
    vec![(Capability::Commit, Cell::Yes), (Capability::Mcp, Cell::Yes), (Capability::Usage, told)]
}

async fn works(cli: Cli, protocol: Option<&str>) {
    let scene = Scene::with(cli, script(), Wish { protocol, ..Wish::default() }).await;
    // As most users have it: their name is in their own settings, not in those of the repository.
    let repository = &scene.work.repository;
    for name in ["user.name", "user.email"] {
        git(repository, &["config", "--unset", name]);
    }
    write(&repository.with_file_name(".gitconfig"), "[user]\nname = Ann\nemail = ann@example.org\n");
    let (mission, session) = scene.run("Write a greeting and commit it.", json!({})).await;
    let ended = scene.completed(&session).await;
    assert_eq!(ended.retry_count, 0);

    let branch = ended.branch.as_ref().unwrap();
    assert_eq!(
        git(repository, &["log", "--format=%s, %an", branch]),
        "Add a greeting, Ann\nbegin, Ann\n",
        "{}",
        scene.told("c_commit")
    );
    assert_eq!(git(repository, &["show", &format!("{branch}:hello.txt")]), "hello\n");
    assert_eq!(git(repository, &["status", "--porcelain"]), "", "the user's checkout was touched");

    assert!(scene.told("c_report").contains("Your report is kept"), "{}", scene.told("c_report"));
    let mission = scene.work.call::<GetMission>(json!({ "mission": mission })).await.unwrap();
    let report = mission.latest_report.unwrap();
    assert_eq!((report.source, report.texts.what_done.as_str()), (ReportSource::Submitted, "Greeted."));

    let used = used(cli, protocol);
    let tokens: Value = serde_json::from_str(&ended.token_usage).unwrap();
    let told = ["input", "output", "cache_read"].map(|kind| tokens[kind].as_u64().unwrap());
    assert_eq!(told, [used.input, used.output, used.cache_read]);
    let dollars = match cli {
        Cli::Claude => told_by_claude(&scene, &session),
        Cli::Codex | Cli::Gemini => priced(used),
    };
    let cost = ended.total_cost_usd;
    assert!(dollars > 0.0 && (cost - dollars).abs() < 1e-6, "{dollars} is not {cost}");
    scene.model.assert_done();
}

/// Each turn takes another number of tokens, so that none is left out or counted twice unseen.
const TURNS: [u64; 4] = [1, 20, 300, 4000];

fn script() -> Script {
    let report = json!({
        "files_changed": "hello.txt", "what_done": "Greeted.", "what_open": "", "what_tested": "", "what_untested": "",
        "next_steps": "", "errors_encountered": "",
    });
    let commit = Act::shell("git add --all && git commit --quiet --message 'Add a greeting'");
    let [write, commits, reports, ends] = TURNS.map(usage);
    let turn = |words: &str| Answer::new().text(words);
    Script::new()
        .then(turn("I write.").act_as("c_write", Act::write("hello.txt", "hello\n")).usage(write))
        .then(turn("I commit.").act_as("c_commit", commit).usage(commits))
        .then(turn("I report.").act_as("c_report", Act::mcp("fleet", "submit_report", report)).usage(reports))
        .then(turn("It is done.").usage(ends))
}

/// What is put into the cache is told by one of the dialects only.
fn usage(seed: u64) -> Usage {
    Usage { input: 1000 + seed, output: 100 + seed, cache_read: 20_000 + seed, cache_write: 0 }
}

/// What all turns took, as the agent can tell it.
fn used(cli: Cli, protocol: Option<&str>) -> Usage {
    let add = |sum: Usage, turn: Usage| Usage {
        input: sum.input + turn.input,
        output: sum.output + turn.output,
        cache_read: sum.cache_read + turn.cache_read,
        cache_write: 0,
    };
    let all = TURNS.map(usage).into_iter().fold(Usage::NONE, add);
    match (cli, protocol) {
        // What came from the cache is within what it has read.
        (Cli::Gemini, None) => Usage { input: all.input + all.cache_read, cache_read: 0, ..all },
        (Cli::Claude | Cli::Codex | Cli::Gemini, _) => all,
    }
}

fn priced(used: Usage) -> f64 {
    let dollars = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
    dollars(used.input, INPUT_PRICE) + dollars(used.output, OUTPUT_PRICE) + dollars(used.cache_read, CACHED_PRICE)
}

/// What it says that it has cost, in its own words.
fn told_by_claude(scene: &Scene, session: &types::SessionId) -> f64 {
    let tasks = scene.work.server().home().join("tasks");
    let missions = std::fs::read_dir(tasks).unwrap().map(|entry| entry.unwrap().path());
    let log = missions.map(|mission| mission.join(session.as_str()).join("1/log.jsonl")).find(|log| log.exists());
    #[expect(clippy::disallowed_methods, reason = "the test reads what the agent wrote")]
    let text = std::fs::read_to_string(log.unwrap()).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["total_cost_usd"].as_f64()).next_back().unwrap()
}
