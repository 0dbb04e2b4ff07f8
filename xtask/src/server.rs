//! A server of a built binary on a free port, for one measurement or one life in a chaos run.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::http::{Connection, Request};

/// How long a start may take before it counts as failed.
const START_MAX: Duration = Duration::from_secs(20);

/// How to start servers: the same program, home and settings each time.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) program: PathBuf,
    pub(crate) home: PathBuf,
    /// Settings, by the names of their variables.
    pub(crate) settings: Vec<(&'static str, String)>,
    /// Where the server's own log goes, if it is kept.
    pub(crate) log: Option<PathBuf>,
}

/// A running server; stopped when dropped.
pub(crate) struct Server {
    process: Process,
    home: PathBuf,
    access: Access,
    /// From exec to the first 200.
    pub(crate) took: Duration,
}

/// Where a server is, and by which token it knows who asks; an empty one is not sent.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// A server's process, which may not answer yet; ended when dropped.
pub(crate) struct Process {
    child: Child,
    started: Instant,
}

impl Setup {
    /// The release binary with nothing set.
    pub(crate) fn release(root: &Path, home: &Path) -> Self {
        Self { program: root.join("target/release/fleet"), home: home.to_owned(), settings: Vec::new(), log: None }
    }

    /// Executes the program; it may still fail.
    pub(crate) fn execute(&self) -> Result<Process> {
        let log = match &self.log {
            Some(path) => std::fs::OpenOptions::new().create(true).append(true).open(path)?.into(),
            None => Stdio::null(),
        };
        let started = Instant::now();
        let child = self.command("up").env("PORT", "0").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        let child = child.with_context(|| format!("cannot start {}", self.program.display()))?;
        Ok(Process { child, started })
    }

    /// Reads the token of the owner; there is one once a server has answered.
    pub(crate) fn token(&self) -> Result<String> {
        let token = self.command("token").output()?;
        ensure!(token.status.success(), "fleet token failed: {}", String::from_utf8_lossy(&token.stderr));
        Ok(String::from_utf8(token.stdout)?.trim().to_owned())
    }

    fn command(&self, word: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(word).env_clear().env("FLEET_HOME", &self.home).env("HOME", &self.home);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Process {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the server's own word on where it listens, and for its first answer.
    pub(crate) fn answering(&mut self, home: &Path) -> Result<SocketAddr> {
        let pid = self.pid();
        while self.started.elapsed() < START_MAX {
            ensure!(self.child.try_wait()?.is_none(), "the server ended before it answered");
            let file: Option<Value> =
                std::fs::read(home.join("server.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if let Some(file) = file.filter(|file| file["pid"] == pid) {
                let address = format!("{}:{}", file["host"].as_str().unwrap_or_default(), file["port"]).parse()?;
                let health = Request(format!("GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n"));
                if Connection::open(address)
                    .and_then(|mut connection| connection.send(&health))
                    .is_ok_and(|(status, _)| status == 200)
                {
                    return Ok(address);
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        bail!("the server did not answer within {START_MAX:?}")
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status();
            let _ = self.child.wait();
        }
    }
}

impl Access {
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request {
        let Self { address, token } = self;
        let body = body.map(Value::to_string).unwrap_or_default();
        let length = body.len();
        let bearer = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        Request(format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{bearer}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    /// The request for the transcript of a session, behind a place.
    pub(crate) fn stream(&self, session: &str, after: Option<&str>) -> Request {
        let Self { address, token } = self;
        let after = after.map(|place| format!("Last-Event-ID: {place}\r\n")).unwrap_or_default();
        Request(format!(
            "GET /api/sessions/{session}/stream HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{after}\r\n"
        ))
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let (status, body) = Connection::open(self.address)?.send(&self.request(method, path, body))?;
        ensure!(status < 300, "{method} {path} answered {status}: {}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Server {
    pub(crate) fn start(setup: &Setup) -> Result<Self> {
        let mut process = setup.execute()?;
        let address = process.answering(&setup.home)?;
        let took = process.started.elapsed();
        Ok(Self { process, home: setup.home.clone(), access: Access { address, token: setup.token()? }, took })
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    pub(crate) fn register(&self, team: &str, handle: &str) -> Result<Value> {
        self.access.send("POST", "/auth", Some(&json!({ "handle": handle, "teamName": team })))
    }

    /// The request that gives a task to a member, from itself.
    pub(crate) fn task(&self, team: &str, handle: &str) -> Result<Request> {
        let uid = self.register(team, handle)?["uid"].clone();
        let body = json!({
            "fromUid": uid, "toHandle": handle, "teamName": team, "subject": "Find the slow query",
            "description": "One of the reports takes a minute. Find out which query is slow, and why.",
        });
        Ok(self.access.request("POST", "/tasks", Some(&body)))
    }

    /// The request that shows one task of a team.
    pub(crate) fn first_task(&self, team: &str) -> Result<Request> {
        let tasks = self.access.send("GET", &format!("/teams/{team}/tasks?limit=1"), None)?;
        let id = tasks[0]["id"].as_str().context("the team has a task")?;
        Ok(self.access.request("GET", &format!("/tasks/{id}"), None))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub(crate) fn rss_kb(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS is listed")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.pid().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.child.wait();
        let _ = std::fs::remove_file(self.home.join("server.json"));
    }
}
