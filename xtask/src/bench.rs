//! `cargo xtask bench`: what the release binary does on this machine, beside its limits.
//!
//! Absolute times mean little on a shared machine; what counts are ratios from one run. The load comes from threads of
//! this process over loopback, so server and client share the cores, as they do for people who run agents.

mod load;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use self::load::Load;
use crate::cargo::passes;
use crate::http::Request;
use crate::server::{Server, Setup};

/// How long each load lasts.
const SPAN: Duration = Duration::from_secs(4);

/// Connections at once, as in the figures of the other systems.
const CONNECTIONS: usize = 16;

/// Starts from which the median is taken.
const STARTS: usize = 15;

/// Tasks in the team that is listed.
const LISTED: usize = 1000;

/// Runs everything and prints one line per figure; the whole goes to `target/bench.json`.
pub(crate) fn run(root: &Path, missions: usize) -> Result<bool> {
    build(root)?;
    let mut report = Vec::new();
    commits(root, &mut report)?;
    starts(root, &mut report)?;
    requests(root, &mut report)?;
    flatness(root, missions, &mut report)?;
    let path = root.join("target/bench.json");
    std::fs::write(&path, serde_json::to_vec_pretty(&report)?)?;
    println!("written to target/bench.json");
    Ok(true)
}

fn build(root: &Path) -> Result<()> {
    let packages = ["--package", "fleet", "--package", "fleet-kv-sqlite", "--bins", "--examples"];
    let built = passes(root, "cargo", &[&["build", "--release", "--locked"], &packages[..]].concat())?;
    ensure!(built, "the release build failed");
    Ok(())
}

/// Durable commits, beside what SQLite alone does with the same settings.
fn commits(root: &Path, report: &mut Vec<Value>) -> Result<()> {
    let program = root.join("target/release/examples/commit_rate");
    let output = std::process::Command::new(program).current_dir(root.join("target")).output()?;
    ensure!(output.status.success(), "commit_rate failed: {}", String::from_utf8_lossy(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).context("commit_rate prints one JSON object")?;
    tell(report, "durable commits", figures);
    Ok(())
}

/// Time from exec to the first answer, and memory once it is idle.
fn starts(root: &Path, report: &mut Vec<Value>) -> Result<()> {
    let home = on_disk(root)?;
    let mut times = Vec::new();
    let mut rss = 0;
    for _ in 0..STARTS {
        let server = Server::start(&Setup::release(root, home.path()))?;
        times.push(server.took);
        rss = server.rss_kb()?;
    }
    times.sort();
    let median = times[times.len() / 2];
    tell(
        report,
        "cold start to first 200",
        json!({ "median_ms": ms(median), "max_ms": times.last().copied().map(ms) }),
    );
    tell(report, "idle memory", json!({ "rss_mb": rss / 1024 }));
    Ok(())
}

fn requests(root: &Path, report: &mut Vec<Value>) -> Result<()> {
    let home = on_disk(root)?;
    let server = Server::start(&Setup::release(root, home.path()))?;
    server.register("bench", "lister")?;
    server.register("load", "worker")?;
    let health = server.access().request("GET", "/health", None);
    tell(report, "GET /health", measure(&server, &health, CONNECTIONS)?);
    fill(&server, "bench", "lister", LISTED)?;
    let list = server.access().request("GET", "/teams/bench/tasks", None);
    tell(report, "GET /teams/:t/tasks with 1,000 tasks", measure(&server, &list, CONNECTIONS)?);
    for connections in [1, CONNECTIONS, 64] {
        let post = server.task("load", "worker")?;
        tell(report, &format!("POST /tasks, {connections} at once"), measure(&server, &post, connections)?);
    }
    Ok(())
}

/// The same calls with few and with many missions in the store.
fn flatness(root: &Path, missions: usize, report: &mut Vec<Value>) -> Result<()> {
    let home = on_disk(root)?;
    let mut server = Server::start(&Setup::release(root, home.path()))?;
    server.register("load", "worker")?;
    let mut stored = 0;
    for goal in [1000, missions] {
        fill(&server, "load", "worker", goal.saturating_sub(stored))?;
        stored = goal;
        drop(server);
        server = Server::start(&Setup::release(root, home.path()))?;
        let rss = server.rss_kb()? / 1024;
        let one = server.first_task("load")?;
        let page = server.access().request("GET", "/teams/load/tasks?limit=50", None);
        let figures = json!({
            "cold_start_ms": ms(server.took),
            "rss_mb": rss,
            "health": measure(&server, &server.access().request("GET", "/health", None), CONNECTIONS)?,
            "get_task": measure(&server, &one, CONNECTIONS)?,
            "list_50": measure(&server, &page, CONNECTIONS)?,
            "post_task": measure(&server, &server.task("load", "worker")?, CONNECTIONS)?,
        });
        tell(report, &format!("with {goal} missions"), figures);
    }
    Ok(())
}

/// Stores tasks as fast as the server takes them.
fn fill(server: &Server, team: &str, handle: &str, count: usize) -> Result<()> {
    let task = server.task(team, handle)?;
    let filled =
        Load { request: &task, connections: 64, span: None, count: Some(count) }.run(server.access().address)?;
    ensure!(filled.failed == 0, "{} of {count} tasks were not stored", filled.failed);
    Ok(())
}

fn measure(server: &Server, request: &Request, connections: usize) -> Result<Value> {
    let done = Load { request, connections, span: Some(SPAN), count: None }.run(server.access().address)?;
    ensure!(done.failed == 0, "{} requests failed: {request:?}", done.failed);
    Ok(json!({ "per_second": done.per_second(), "p50_ms": ms(done.percentile(50)), "p99_ms": ms(done.percentile(99)) }))
}

fn tell(report: &mut Vec<Value>, name: &str, figures: Value) {
    println!("{name}: {figures}");
    report.push(json!({ "name": name, "figures": figures }));
}

/// A folder beside the build: a system's folder for temporary files may be memory, where durable costs nothing.
fn on_disk(root: &Path) -> Result<tempfile::TempDir> {
    Ok(tempfile::tempdir_in(root.join("target"))?)
}

/// Milliseconds with two decimals.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}
