//! `cargo xtask upgrade --old BINARY`: agents that an older binary started, taken up and stopped by the new one.
//!
//! Server, shim, hook and bridge of two versions work side by side after an upgrade. Whatever the older ones said and
//! wrote must be understood: no agent is lost, no line is lost, a message arrives, and a stop works. Both directions are
//! tried: after a downgrade, a stop still ends everything.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use crate::processes::{Role, end_all, walk};
use crate::server::{Access, Server, Setup};

/// Lines that an agent says while its server is replaced.
const LINES: u64 = 1_500;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a stop may take.
const STOP_MAX: Duration = Duration::from_secs(12);

/// What a run is made of.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// The binary that starts the agents, such as that of the last landed commit.
    #[arg(long)]
    old: PathBuf,
    /// The binary that takes them up, in place of the one of the debug build.
    #[arg(long)]
    new: Option<PathBuf>,
    /// Keep the home, the repository and the servers' log.
    #[arg(long)]
    keep: bool,
}

/// Upgrades and downgrades, and prints what was seen; `false` if something was lost.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let new = options.new.clone().unwrap_or_else(|| root.join("target/debug/fleet"));
    std::fs::create_dir_all(root.join("target"))?;
    let folder = tempfile::Builder::new().prefix("upgrade-").tempdir_in(root.join("target"))?;
    let old = copied(&options.old, &folder.path().join("old"))?;
    let new = copied(&new, &folder.path().join("new"))?;
    let tries = [("upgrade", &old, &new, true), ("downgrade", &new, &old, false)];
    let mut well = true;
    for (name, from, to, survives) in tries {
        let place = folder.path().join(name);
        let tried = Site::make(&place, from).and_then(|site| site.replace(to, survives));
        end_all(&place.join("home/tasks"));
        match tried {
            Ok(seen) => println!("{name}: {seen}"),
            Err(error) => {
                println!("{name}: FAILED: {error:#}");
                well = false;
            }
        }
    }
    if options.keep {
        println!("kept: {}", folder.keep().display());
    }
    Ok(well)
}

/// A home, a repository, and the servers on them.
struct Site {
    home: PathBuf,
    repository: PathBuf,
    setup: Setup,
}

/// An agent, and the process of its shim.
struct Agent {
    session: String,
    shim: u32,
}

impl Site {
    fn make(folder: &Path, program: &Path) -> Result<Self> {
        let (home, repository) = (folder.join("home"), folder.join("repository"));
        std::fs::create_dir_all(&home)?;
        std::fs::create_dir_all(&repository)?;
        for args in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &[
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@example.org",
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                "begin",
            ],
        ] {
            let done = Command::new("git").arg("-C").arg(&repository).args(args).status()?;
            ensure!(done.success(), "git {args:?} failed");
        }
        let settings = vec![("FLEET_STOP_GRACE_SECS", "1".to_owned())];
        let setup = Setup { program: program.into(), home: home.clone(), settings, log: Some(folder.join("log")) };
        Ok(Self { home, repository, setup })
    }

    /// Starts agents, replaces the server, and reports what happened to them.
    fn replace(&self, other: &Path, survives: bool) -> Result<String> {
        let first = Server::start(&self.setup)?;
        let project =
            first.access().send("POST", "/api/projects", Some(&json!({ "name": "p", "path": self.repository })))?;
        let project = project["id"].as_str().context("a project has an id")?;
        let flood = format!("{{ do = 'flood', lines = {LINES}, every_ms = 4 }}");
        let speaks = self.begin(first.access(), project, &[&flood, "{ do = 'finish', text = 'all said' }"])?;
        let listens = ["{ do = 'say', text = 'flood 1' }", "{ do = 'listen' }", "{ do = 'finish', text = 'heard it' }"];
        let listens = self.begin(first.access(), project, &listens)?;
        let deaf = [
            "{ do = 'ignore_term' }",
            "{ do = 'fork_off', secs = 3600 }",
            "{ do = 'flood', lines = 1000000, every_ms = 20 }",
        ];
        let deaf = self.begin(first.access(), project, &deaf)?;
        // The server goes, its agents stay.
        drop(first);
        let second = Server::start(&Setup { program: other.into(), ..self.setup.clone() })?;
        let access = second.access();
        let (mut said, mut told) = (0, false);
        if survives {
            for agent in [&speaks, &listens, &deaf] {
                let now = self.shim(&agent.session)?;
                ensure!(now == agent.shim, "{} has another process: {now} for {}", agent.session, agent.shim);
            }
            // Session and agent share what is behind the prefix of the id.
            let path = format!("/orchestrate/send/worker-{}", listens.session.trim_start_matches("s-"));
            access.send("POST", &path, Some(&json!({ "message": "go on" })))?;
            for agent in [&speaks, &listens] {
                self.ended(access, agent, "completed")?;
            }
            told = true;
            said = self.said(&speaks)?;
            ensure!(said == LINES, "{said} of {LINES} lines are there");
        }
        let asked = Instant::now();
        // One that was lost on the way is over already, and cannot be stopped any more.
        let stopped = access.send("POST", &format!("/api/sessions/{}/cancel", deaf.session), Some(&json!({})));
        ensure!(stopped.is_ok() || !survives, "it cannot be stopped: {stopped:?}");
        self.gone(&deaf, asked)?;
        let took = asked.elapsed();
        let survived = if survives { "3 agents taken up" } else { "agents are not taken up" };
        Ok(format!(
            "{survived}, {said} lines, message delivered: {told}, all processes of a deaf agent gone in {took:.1?}"
        ))
    }

    /// Starts a scripted agent and waits until it has said something.
    fn begin(&self, access: &Access, project: &str, steps: &[&str]) -> Result<Agent> {
        let prompt = format!("```sim\nstep = [\n{}\n]\n```", steps.join(",\n"));
        let body = json!({ "project_id": project, "title": "Work", "detailed_prompt": prompt, "mission_type": "explore",
            "allowed_tools": "implement" });
        let mission = access.send("POST", "/api/missions", Some(&body))?;
        let mission = mission["id"].as_str().context("a mission has an id")?;
        let begun =
            access.send("POST", &format!("/api/missions/{mission}/dispatch"), Some(&json!({ "agent": "sim" })))?;
        let session = begun["session_id"].as_str().context("a session has an id")?.to_owned();
        let told = || self.log(&session).is_some_and(|log| log.contains("flood "));
        wait("its first words", told)?;
        let shim = self.shim(&session)?;
        Ok(Agent { session, shim })
    }

    fn show(&self, access: &Access, session: &str) -> Result<Value> {
        let shown = access.send("GET", &format!("/api/sessions/{session}"), None)?;
        Ok(if shown["session"].is_object() { shown["session"].clone() } else { shown })
    }

    fn ended(&self, access: &Access, agent: &Agent, status: &str) -> Result<()> {
        let is = || self.show(access, &agent.session).is_ok_and(|shown| shown["status"] == status);
        wait(status, is).with_context(|| format!("{:?}", self.show(access, &agent.session)))
    }

    fn shim(&self, session: &str) -> Result<u32> {
        let all = walk(&self.home.join("tasks"));
        let shim = all.into_iter().find(|process| process.session == session && process.role == Role::Shim);
        shim.map(|shim| shim.pid).ok_or_else(|| anyhow!("{session} has no shim"))
    }

    fn log(&self, session: &str) -> Option<String> {
        let missions = std::fs::read_dir(self.home.join("tasks")).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut logs = missions.map(|mission| mission.join(session).join("1/log.jsonl"));
        std::fs::read_to_string(logs.find(|log| log.exists())?).ok()
    }

    /// Counts the numbered lines, which must be there once each and in order.
    fn said(&self, agent: &Agent) -> Result<u64> {
        let log = self.log(&agent.session).context("there is no log")?;
        let numbers = log.lines().filter_map(|line| {
            let rest = line.split_once("flood ")?.1;
            rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
        });
        let mut last = 0;
        for number in numbers {
            ensure!(number == last + 1, "line {number} follows line {last}");
            last = number;
        }
        Ok(last)
    }

    fn gone(&self, agent: &Agent, since: Instant) -> Result<()> {
        loop {
            let left = walk(&self.home.join("tasks"));
            let left: Vec<_> = left.iter().filter(|process| process.session == agent.session).collect();
            if left.is_empty() {
                return Ok(());
            }
            ensure!(since.elapsed() < STOP_MAX, "{left:?} still run {:?} after the stop", since.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn wait(what: &str, is: impl Fn() -> bool) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if is() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    bail!("{what} did not come within {PATIENCE:?}")
}

/// Copies a program, so that a build meanwhile does not change what is tested.
fn copied(program: &Path, folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let copy = folder.join("fleet");
    std::fs::copy(program, &copy).with_context(|| format!("cannot copy {}", program.display()))?;
    Ok(copy)
}
