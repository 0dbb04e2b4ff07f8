//! `cargo xtask bench --beside CMD`: the same load on Fleet and on any other server, in turns.
//!
//! The other server speaks the contract of teams and tasks: `POST /auth`, `POST /tasks`, `GET /teams/:team/tasks`,
//! `GET /health`. It listens on the port that it finds in `PORT`, on loopback, and keeps its data below its working
//! directory or `FLEET_HOME`, which are fresh. Both servers run during the whole measurement and only one is under load
//! at a time, so both see the same machine.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::load::Load;
use super::{CONNECTIONS, Figures, LISTED, on_disk};
use crate::http::{Connection, Request};
use crate::server::Access;

/// How often each server has its turn under each load.
const TURNS: usize = 5;

/// How long a turn lasts.
const TURN: Duration = Duration::from_secs(2);

/// How long a server may take until it answers.
const START_MAX: Duration = Duration::from_secs(30);

/// Clock ticks in a second, as `/proc` counts processor time.
const TICKS_PER_SECOND: f64 = 100.0;

/// The team whose tasks are listed, and the one that tasks are added to.
const TEAMS: [&str; 2] = ["listed", "filled"];

/// One of the two servers; stopped when dropped.
struct Peer {
    child: Child,
    address: SocketAddr,
}

/// A request that is sent again and again.
struct Case {
    name: &'static str,
    ours: Request,
    theirs: Request,
}

/// What one server did in its turns under one load.
#[derive(Default)]
struct Sum {
    answered: usize,
    seconds: f64,
    cpu_seconds: f64,
    per_second: Vec<f64>,
}

/// Measures both servers and reports the ratio of each load.
pub(super) fn run(root: &Path, program: &Path, other: &str, report: &mut Figures) -> Result<()> {
    let homes = [on_disk(root)?, on_disk(root)?];
    let own = format!("FLEET_OPEN_REGISTRATION=true FLEET_RATE_LIMIT=0 '{}' up", program.display());
    let ours = Peer::start(&own, homes[0].path())?;
    let theirs = Peer::start(other, homes[1].path())?;
    for case in cases(&ours, &theirs)? {
        let (mut own, mut peer) = (Sum::default(), Sum::default());
        for _ in 0..TURNS {
            own.add(&ours, &case.ours)?;
            peer.add(&theirs, &case.theirs)?;
        }
        report.tell(case.name, figures(&own, &peer));
    }
    Ok(())
}

fn cases(ours: &Peer, theirs: &Peer) -> Result<Vec<Case>> {
    let [listed, filled] = TEAMS;
    let list = |peer: &Peer| -> Result<Request> {
        let (access, task) = peer.member(listed)?;
        let stored = Load { request: &task, connections: CONNECTIONS, span: None, count: Some(LISTED) };
        let stored = stored.run(peer.address)?;
        ensure!(stored.failed == 0, "{} of {LISTED} tasks were not stored", stored.failed);
        Ok(access.request("GET", &format!("/teams/{listed}/tasks"), None))
    };
    let health = |peer: &Peer| Ok(peer.member(filled)?.0.request("GET", "/health", None));
    let post = |peer: &Peer| Ok(peer.member(filled)?.1);
    let both = |name, request: &dyn Fn(&Peer) -> Result<Request>| -> Result<Case> {
        Ok(Case { name, ours: request(ours)?, theirs: request(theirs)? })
    };
    Ok(vec![
        both("GET /teams/:t/tasks with 1,000 tasks", &list)?,
        both("POST /tasks", &post)?,
        both("GET /health", &health)?,
    ])
}

fn figures(own: &Sum, peer: &Sum) -> Value {
    let ratios: Vec<f64> = own.per_second.iter().zip(&peer.per_second).map(|(own, peer)| own / peer).collect();
    json!({
        "ratio": rounded(own.rate() / peer.rate()),
        "ratio_of_turns": ratios.into_iter().map(rounded).collect::<Vec<_>>(),
        "cpu_ratio": rounded(peer.cpu_us() / own.cpu_us()),
        "per_second": [own.rate() as u64, peer.rate() as u64],
        "server_cpu_us": [own.cpu_us() as u64, peer.cpu_us() as u64],
    })
}

impl Sum {
    /// Puts a server under load for one turn.
    fn add(&mut self, peer: &Peer, request: &Request) -> Result<()> {
        let before = peer.cpu_seconds()?;
        let load = Load { request, connections: CONNECTIONS, span: Some(TURN), count: None };
        let done = load.run(peer.address)?;
        ensure!(done.failed == 0, "{} requests failed: {request:?}", done.failed);
        self.cpu_seconds += peer.cpu_seconds()? - before;
        self.answered += done.answered();
        self.seconds += done.seconds();
        self.per_second.push(done.answered() as f64 / done.seconds());
        Ok(())
    }

    fn rate(&self) -> f64 {
        self.answered as f64 / self.seconds
    }

    /// Processor time of the server's process for each request, in microseconds.
    fn cpu_us(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.answered.max(1) as f64
    }
}

impl Peer {
    /// Runs a command of the shell and waits until `GET /health` answers 200.
    fn start(command: &str, home: &Path) -> Result<Self> {
        let address = free_address()?;
        let child = Command::new("sh")
            // `env` lets a command begin with variables, and `exec` makes the server the process that is measured.
            .args(["-c", &format!("exec env {command}")])
            .current_dir(home)
            .envs([("PORT", address.port().to_string()), ("HOST", "127.0.0.1".to_owned())])
            .envs([("FLEET_HOME", home), ("HOME", home)])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot start {command}"))?;
        let mut peer = Self { child, address };
        peer.answering().with_context(|| format!("`{command}` does not serve"))?;
        Ok(peer)
    }

    fn answering(&mut self) -> Result<()> {
        let health = Request(format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", self.address));
        let started = Instant::now();
        while started.elapsed() < START_MAX {
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended with {status}");
            }
            let answer = Connection::open(self.address).and_then(|mut connection| connection.send(&health));
            if answer.is_ok_and(|(status, _)| status == 200) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("no answer on {} within {START_MAX:?}", self.address)
    }

    /// Registers a member of a team; returns its access, and the request that gives it a task.
    fn member(&self, team: &str) -> Result<(Access, Request)> {
        let anonymous = Access { address: self.address, token: String::new() };
        let body = json!({ "handle": "worker", "teamName": team, "agentType": "worker" });
        let member = anonymous.send("POST", "/auth", Some(&body))?;
        let token = member["token"].as_str().context("`POST /auth` answers with a token")?.to_owned();
        let task = json!({
            "fromUid": member["uid"], "toHandle": "worker", "teamName": team, "subject": "Find the slow query",
            "description": "One of the reports takes a minute. Find out which query is slow, and why.",
        });
        let access = Access { address: self.address, token };
        let task = access.request("POST", "/tasks", Some(&task));
        Ok((access, task))
    }

    /// Processor time of the process so far, in user and kernel mode.
    fn cpu_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name of the program may hold blanks; what follows it does not.
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace()).context("stat has a name")?;
        let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
        ensure!(ticks.len() == 2, "stat has processor times");
        Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// A port of loopback that was free a moment ago.
fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?)
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 100.0).round() / 100.0
}
