//! Looks at the processes and at what the server says of them, all the time, and compares the two.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::door::Door;
use super::findings::{Breach, Findings};
use crate::http::Connection;
use crate::processes::{Process, Role, walk};
use crate::server::Access;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a session may be said to run while nothing of it does.
const RUNS_NOWHERE_MAX: Duration = Duration::from_secs(5);

/// How long a session may be said to run while its folder is being made and no process was begun.
const STARTS_MAX: Duration = Duration::from_secs(20);

/// How long something may be seen of a session that is said to be over: two looks are never of the same moment.
const OVER_MAX: Duration = Duration::from_secs(2);

/// How long anything may be left of a session that is over.
pub(super) const ORPHAN_MAX: Duration = Duration::from_secs(10);

/// Watches until told to end.
pub(super) struct Watch<'a> {
    door: &'a Door,
    tasks: PathBuf,
    findings: &'a Findings,
    /// Sessions that are said to run and have no process, since when, in which life of the server.
    nowhere: BTreeMap<String, (Instant, u64)>,
    /// Processes of sessions that are said to be over, since when.
    left: BTreeMap<(u32, u64), Instant>,
    /// All agents ever seen: number and start, by session.
    pub(super) agents: BTreeMap<String, BTreeSet<(u32, u64)>>,
    pub(super) looks: u64,
}

impl<'a> Watch<'a> {
    pub(super) fn new(door: &'a Door, tasks: PathBuf, findings: &'a Findings) -> Self {
        let (nowhere, left, agents) = Default::default();
        Self { door, tasks, findings, nowhere, left, agents, looks: 0 }
    }

    pub(super) fn run(mut self, over: &AtomicBool) -> Self {
        while !over.load(Ordering::Relaxed) {
            self.look();
            std::thread::sleep(PAUSE);
        }
        self
    }

    fn look(&mut self) {
        let before = self.door.peek();
        let said = before.and_then(|(access, life)| Some((running(&access).ok()?, life)));
        let processes = walk(&self.tasks);
        self.looks += 1;
        self.count_agents(&processes);
        let Some((said, life)) = said else { return };
        self.compare_running(&said, &processes, life);
        self.compare_over(&said, &processes);
    }

    fn count_agents(&mut self, processes: &[Process]) {
        let mut now: BTreeMap<&str, Vec<&Process>> = BTreeMap::new();
        for agent in processes.iter().filter(|process| process.role == Role::Agent) {
            now.entry(&agent.session).or_default().push(agent);
            self.agents.entry(agent.session.clone()).or_default().insert((agent.pid, agent.start_ticks));
        }
        for (session, agents) in now {
            if let [one, other, ..] = agents.as_slice() {
                let what = format!("{session} has two agents at once: processes {} and {}", one.pid, other.pid);
                self.findings.add(Breach::DoubleStart, what);
            }
        }
    }

    fn compare_running(&mut self, said: &BTreeMap<String, bool>, processes: &[Process], life: u64) {
        let has_process: BTreeSet<_> = processes.iter().map(|process| process.session.as_str()).collect();
        let at_work = |session: &String| said.get(session) == Some(&false) && !has_process.contains(session.as_str());
        self.nowhere.retain(|session, (_, since_life)| at_work(session) && *since_life == life);
        for session in said.keys().filter(|session| at_work(session)) {
            let (since, _) = *self.nowhere.entry(session.clone()).or_insert((Instant::now(), life));
            let most = if since.elapsed() > RUNS_NOWHERE_MAX && !self.has_begun(session) {
                STARTS_MAX
            } else {
                RUNS_NOWHERE_MAX
            };
            if since.elapsed() > most {
                let what = format!("{session} is said to run, and nothing of it runs for {most:?}");
                self.findings.add(Breach::StatusLie, what);
            }
        }
    }

    /// Whether a process was ever begun for a session.
    fn has_begun(&self, session: &str) -> bool {
        let missions = std::fs::read_dir(&self.tasks).into_iter().flatten().flatten();
        missions.map(|mission| mission.path().join(session).join("1/shim.json")).any(|record| record.exists())
    }

    fn compare_over(&mut self, said: &BTreeMap<String, bool>, processes: &[Process]) {
        let left: Vec<_> = processes.iter().filter(|process| !said.contains_key(&process.session)).collect();
        self.left.retain(|name, _| left.iter().any(|process| (process.pid, process.start_ticks) == *name));
        for process in left {
            let since = *self.left.entry((process.pid, process.start_ticks)).or_insert_with(Instant::now);
            let Process { session, pid, command, .. } = process;
            if since.elapsed() > ORPHAN_MAX {
                self.findings.add(Breach::Orphan, format!("{session} is over, process {pid} (`{command}`) lives on"));
            } else if since.elapsed() > OVER_MAX && process.role != Role::Shim {
                self.findings
                    .add(Breach::StatusLie, format!("{session} is said to be over while {pid} (`{command}`) runs"));
            }
        }
    }
}

/// Reads which sessions are said to run, and which of them wait for a time.
fn running(access: &Access) -> anyhow::Result<BTreeMap<String, bool>> {
    let request = access.request("GET", "/api/sessions?status=running&limit=1000", None);
    let (status, body) = Connection::open(access.address)?.send(&request)?;
    anyhow::ensure!(status == 200, "the list of sessions answered {status}");
    let rows: Vec<Value> = serde_json::from_slice(&body)?;
    let row = |row: &Value| Some((row["id"].as_str()?.to_owned(), !row["waits_until"].is_null()));
    Ok(rows.iter().filter_map(row).collect())
}
