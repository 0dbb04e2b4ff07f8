//! `cargo xtask bench`: what the release binary does on this machine, beside its limits.
//!
//! Absolute times mean little on a shared machine; what counts are ratios from one run. The load comes from threads of
//! this process over loopback, so server and client share the cores, as they do for people who run agents.

mod beside;
mod figures;
mod fleet;
mod load;
mod missions;
mod plain;
mod script;
mod sessions;

use std::path::{Path, PathBuf};
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

/// What to measure.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// How many missions "many" is.
    #[arg(long, default_value_t = 20_000)]
    many: usize,
    /// Measures sessions alone: starts of agents, their memory, their lines.
    #[arg(long)]
    sessions: bool,
    /// Measures missions alone: how soon one starts that waited for another, and what each costs.
    #[arg(long)]
    missions: bool,
    /// Hops in the chain of missions of which each waits for the one before.
    #[arg(long, default_value_t = 60)]
    hops: usize,
    /// Missions that wait for each other and share fifty slots.
    #[arg(long, default_value_t = 1000)]
    dag: usize,
    /// Starts of each kind from which the percentiles are taken.
    #[arg(long, default_value_t = 50)]
    starts: usize,
    /// Measures only these parts of sessions.
    #[arg(long, value_enum)]
    only: Vec<sessions::Part>,
    /// Uses this binary and builds none; without `--beside`, only for sessions and missions.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Measures requests alone, in turns with another server: a command of the shell that serves on `PORT`.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["sessions", "missions"])]
    beside: Option<String>,
}

/// The figures so far.
#[derive(Default)]
struct Figures(Vec<Value>);

/// Runs everything and prints one line per figure; the whole goes to `target/bench.json`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let mut report = Figures::default();
    if options.binary.is_none() {
        build(root)?;
    }
    let program = options.binary.clone().unwrap_or_else(|| root.join("target/release/fleet"));
    if let Some(other) = &options.beside {
        beside::run(root, &program, other, &mut report)?;
        return report.write(root);
    }
    if !options.sessions && !options.missions {
        commits(root, &mut report)?;
        starts(root, &mut report)?;
        requests(root, &mut report)?;
        flatness(root, options.many, &mut report)?;
    }
    if options.sessions || !options.missions {
        sessions::run(root, &program, options.starts, &options.only, &mut report)?;
    }
    if options.missions || !options.sessions {
        missions::run(root, &program, options, &mut report)?;
    }
    report.write(root)
}

fn build(root: &Path) -> Result<()> {
    let packages = ["--package", "fleet", "--package", "fleet-kv-sqlite", "--bins", "--examples"];
    let built = passes(root, "cargo", &[&["build", "--release", "--locked"], &packages[..]].concat())?;
    ensure!(built, "the release build failed");
    Ok(())
}

/// Durable commits, beside what SQLite alone does with the same settings.
fn commits(root: &Path, report: &mut Figures) -> Result<()> {
    let program = root.join("target/release/examples/commit_rate");
    let output = std::process::Command::new(program).current_dir(root.join("target")).output()?;
    ensure!(output.status.success(), "commit_rate failed: {}", String::from_utf8_lossy(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).context("commit_rate prints one JSON object")?;
    report.tell("durable commits", figures);
    Ok(())
}

/// Time from exec to the first answer, and memory once it is idle.
fn starts(root: &Path, report: &mut Figures) -> Result<()> {
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
    report.tell("cold start to first 200", json!({ "median_ms": ms(median), "max_ms": times.last().copied().map(ms) }));
    report.tell("idle memory", json!({ "rss_mb": rss / 1024 }));
    Ok(())
}

fn requests(root: &Path, report: &mut Figures) -> Result<()> {
    let home = on_disk(root)?;
    let server = Server::start(&Setup::release(root, home.path()))?;
    server.register("bench", "lister")?;
    server.register("load", "worker")?;
    let health = server.access().request("GET", "/health", None);
    report.tell("GET /health", measure(&server, &health, CONNECTIONS)?);
    fill(&server, "bench", "lister", LISTED)?;
    let list = server.access().request("GET", "/teams/bench/tasks", None);
    report.tell("GET /teams/:t/tasks with 1,000 tasks", measure(&server, &list, CONNECTIONS)?);
    for connections in [1, CONNECTIONS, 64] {
        let post = server.task("load", "worker")?;
        report.tell(&format!("POST /tasks, {connections} at once"), measure(&server, &post, connections)?);
    }
    Ok(())
}

/// The same calls with few and with many missions in the store.
fn flatness(root: &Path, missions: usize, report: &mut Figures) -> Result<()> {
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
        report.tell(&format!("with {goal} missions"), figures);
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

impl Figures {
    fn tell(&mut self, name: &str, figures: Value) {
        println!("{name}: {figures}");
        self.0.push(json!({ "name": name, "figures": figures }));
    }

    fn write(&self, root: &Path) -> Result<bool> {
        std::fs::write(root.join("target/bench.json"), serde_json::to_vec_pretty(&self.0)?)?;
        println!("written to target/bench.json");
        Ok(true)
    }
}

/// A folder beside the build: a system's folder for temporary files may be memory, where durable costs nothing.
fn on_disk(root: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(root.join("target"))?;
    // Git looks no further up: a project here without a repository is not worked on in the one that is measured.
    std::fs::write(folder.path().join(".git"), "gitdir: no-repository\n")?;
    Ok(folder)
}

/// Milliseconds with two decimals.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}
