//! A server with agents to measure: starts it, starts them, finds their files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::figures::{now_us, stamp_us, written_us};
use crate::http::Connection;
use crate::processes::end_all;
use crate::server::{Access, Server, Setup};

/// How long anything that is waited for may take.
const WAIT_MAX: Duration = Duration::from_secs(90);

/// A server in a home of its own, with one project.
pub(super) struct Fleet {
    // Dropped in this order: a server that still ran would start agents anew whose processes are ended under it.
    pub(super) server: Server,
    left: Left,
    connection: Connection,
    project: String,
}

/// The processes that outlive a server; ends them when it is dropped.
struct Left {
    spools: PathBuf,
}

/// An agent that was started.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) session: String,
    pub(super) spool: PathBuf,
    /// When it was asked for.
    pub(super) asked_us: u64,
}

impl Fleet {
    /// Starts a server with room for any number of agents, for a project whose folder is there.
    pub(super) fn start(program: &Path, home: &Path, project: &Path, pool: u32) -> Result<Self> {
        Self::with_slots(program, home, &json!({ "name": "bench", "path": project }), 2000, pool)
    }

    /// Starts a server for a project, with so many slots and so many worktrees made ahead.
    pub(super) fn with_slots(program: &Path, home: &Path, project: &Value, slots: u32, pool: u32) -> Result<Self> {
        std::fs::create_dir_all(home)?;
        let settings = vec![
            ("MAX_WORKERS", slots.to_string()),
            ("FLEET_RATE_LIMIT", "0".to_owned()),
            ("FLEET_WORKTREE_POOL", pool.to_string()),
            ("FLEET_STOP_GRACE_SECS", "1".to_owned()),
        ];
        let setup = Setup { program: program.to_owned(), home: home.to_owned(), settings, log: None };
        let server = Server::start(&setup)?;
        let made = server.access().send("POST", "/api/projects", Some(project))?;
        let project = made["id"].as_str().context("a project has an id")?.to_owned();
        let connection = Connection::open(server.access().address)?;
        let left = Left { spools: home.join("tasks") };
        Ok(Self { server, left, connection, project })
    }

    pub(super) fn access(&self) -> &Access {
        self.server.access()
    }

    pub(super) fn mission(&mut self, prompt: &str) -> Result<String> {
        self.state(&self.body(prompt))
    }

    /// The fields of a mission that needs no commit.
    pub(super) fn body(&self, prompt: &str) -> Value {
        json!({
            "project_id": self.project, "title": "bench", "detailed_prompt": prompt, "agent": "sim",
            "mission_type": "explore",
            "allowed_tools": "implement",
        })
    }

    pub(super) fn state(&mut self, mission: &Value) -> Result<String> {
        let mission = self.send("POST", "/api/missions", Some(mission))?;
        Ok(mission["id"].as_str().context("a mission has an id")?.to_owned())
    }

    /// Asks for an agent on a mission.
    pub(super) fn dispatch(&mut self, mission: &str, in_place: bool) -> Result<Agent> {
        self.dispatch_as(mission, &json!({ "agent": "sim", "in_place": in_place }))
    }

    /// Asks for an agent as `body` says.
    pub(super) fn dispatch_as(&mut self, mission: &str, body: &Value) -> Result<Agent> {
        let path = format!("/api/missions/{mission}/dispatch");
        let asked_us = now_us();
        let answer = self.send("POST", &path, Some(body))?;
        let session = answer["session_id"].as_str().context("a session has an id")?.to_owned();
        let spool = self.left.spools.join(mission).join(&session).join("1");
        Ok(Agent { session, spool, asked_us })
    }

    pub(super) fn status(&mut self, session: &str) -> Result<String> {
        let row = self.send("GET", &format!("/api/sessions/{session}"), None)?;
        Ok(row["status"].as_str().unwrap_or_default().to_owned())
    }

    /// Waits until a session is over, and insists that it went well.
    pub(super) fn completed(&mut self, agent: &Agent) -> Result<()> {
        let done = wait(|| Ok(Some(self.status(&agent.session)?).filter(|status| status != "running")))?;
        ensure!(done == "completed", "session {} is {done}", agent.session);
        Ok(())
    }

    pub(super) fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let request = self.server.access().request(method, path, body);
        let (status, body) = self.connection.send(&request)?;
        ensure!(status < 300, "{method} {path} answered {status}: {}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        end_all(&self.spools);
    }
}

impl Agent {
    /// Waits until it has begun; returns who its shim and itself are, and when that executed it.
    pub(super) fn begun(&self) -> Result<Begun> {
        wait(|| {
            let Ok(text) = std::fs::read(self.spool.join("shim.json")) else { return Ok(None) };
            let record: Value = serde_json::from_slice(&text)?;
            let pid = |who: &str| record[who]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
            let (shim, agent) = (pid("shim").context("a shim has a number")?, pid("agent").context("so has an agent")?);
            let executed_us = stamp_us(record["started_at"].as_str().unwrap_or_default())?;
            Ok(Some(Begun { shim, agent, executed_us }))
        })
    }

    /// Waits for its first numbered line and returns when it wrote that.
    pub(super) fn first_word_us(&self) -> Result<u64> {
        wait(|| {
            let text = std::fs::read_to_string(self.spool.join("log.jsonl")).unwrap_or_default();
            Ok(text.lines().find_map(written_us))
        })
    }
}

/// An agent that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    pub(super) shim: u32,
    pub(super) agent: u32,
    pub(super) executed_us: u64,
}

/// Looks again and again; rarely enough to leave the processors to what is measured.
pub(super) fn wait<T>(mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let deadline = Instant::now() + WAIT_MAX;
    while Instant::now() < deadline {
        if let Some(found) = look()? {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    bail!("waited for {WAIT_MAX:?} in vain")
}

/// When the first process of a mission was executed, whose spools lie below `tasks`.
pub(super) fn started_us(tasks: &Path, mission: &str) -> Result<u64> {
    let sessions = std::fs::read_dir(tasks.join(mission))?.filter_map(|entry| Some(entry.ok()?.path()));
    let records = sessions.filter_map(|session| std::fs::read(session.join("1/shim.json")).ok());
    let record =
        records.map(|text| serde_json::from_slice::<Value>(&text)).next().context("a process was started")??;
    stamp_us(record["started_at"].as_str().unwrap_or_default())
}
