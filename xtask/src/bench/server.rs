//! A server of the release binary on a free port, for one measurement.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::load::{Connection, Request};

/// How long a start may take before it counts as failed.
const START_MAX: Duration = Duration::from_secs(20);

/// A running server; stopped when dropped.
pub(super) struct Server {
    child: Child,
    home: PathBuf,
    token: String,
    pub(super) address: SocketAddr,
    /// From exec to the first 200.
    pub(super) took: Duration,
}

impl Server {
    pub(super) fn start(root: &Path, home: &Path) -> Result<Self> {
        let fleet = root.join("target/release/fleet");
        let started = Instant::now();
        let child = Command::new(&fleet)
            .arg("up")
            .env_clear()
            .env("FLEET_HOME", home)
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let address = answering(home, child.id(), started)?;
        let took = started.elapsed();
        let token = Command::new(&fleet).arg("token").env_clear().env("FLEET_HOME", home).output()?;
        ensure!(token.status.success(), "fleet token failed: {}", String::from_utf8_lossy(&token.stderr));
        let token = String::from_utf8(token.stdout)?.trim().to_owned();
        Ok(Self { child, home: home.to_owned(), token, address, took })
    }

    pub(super) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request {
        let (address, token) = (self.address, &self.token);
        let body = body.map(Value::to_string).unwrap_or_default();
        let length = body.len();
        Request(format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    pub(super) fn register(&self, team: &str, handle: &str) -> Result<Value> {
        self.send("POST", "/auth", Some(&json!({ "handle": handle, "teamName": team })))
    }

    /// The request that gives a task to a member, from itself.
    pub(super) fn task(&self, team: &str, handle: &str) -> Result<Request> {
        let uid = self.register(team, handle)?["uid"].clone();
        let body = json!({
            "fromUid": uid, "toHandle": handle, "teamName": team, "subject": "Find the slow query",
            "description": "One of the reports takes a minute. Find out which query is slow, and why.",
        });
        Ok(self.request("POST", "/tasks", Some(&body)))
    }

    /// The request that shows one task of a team.
    pub(super) fn first_task(&self, team: &str) -> Result<Request> {
        let tasks = self.send("GET", &format!("/teams/{team}/tasks?limit=1"), None)?;
        let id = tasks[0]["id"].as_str().context("the team has a task")?;
        Ok(self.request("GET", &format!("/tasks/{id}"), None))
    }

    pub(super) fn rss_kb(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS is listed")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let (status, body) = Connection::open(self.address)?.send(&self.request(method, path, body))?;
        ensure!(status < 300, "{method} {path} answered {status}: {}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(self.home.join("server.json"));
    }
}

/// Waits for the server's own word on where it listens, and for its first answer.
fn answering(home: &Path, pid: u32, started: Instant) -> Result<SocketAddr> {
    while started.elapsed() < START_MAX {
        let file: Option<Value> =
            std::fs::read(home.join("server.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(file) = file.filter(|file| file["pid"] == pid) {
            let address = format!("{}:{}", file["host"].as_str().unwrap_or_default(), file["port"]).parse()?;
            let health = Request(format!("GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n"));
            if Connection::open(address)
                .and_then(|mut connection| connection.send(&health))
                .is_ok_and(|(s, _)| s == 200)
            {
                return Ok(address);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    bail!("the server did not answer within {START_MAX:?}")
}
