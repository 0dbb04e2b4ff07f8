//! Many agents that all talk at once: how late a client sees a line, beside a plain reader of one of the files.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::json;

use crate::bench::figures::{Times, now_us, ratio, written_us};
use crate::bench::fleet::{Agent, Begun, Fleet};
use crate::bench::script::prompt;
use crate::bench::{Figures, plain};
use crate::http::Connection;
use crate::server::Access;

/// Agents.
const AGENTS: usize = 500;

/// Lines that an agent writes at once, each in a write of its own, as agents do that wait for a model in between. One
/// line every 10 ms is as many lines and ten times the wake-ups, which alone fill two cores.
const BURST: u64 = 10;

/// Time between two bursts of an agent.
const EVERY_MS: u64 = 100;

/// How long an agent says nothing, so that all are there before the first begins.
const QUIET: Duration = Duration::from_secs(20);

/// How long is measured, once all of them talk.
const SPAN: Duration = Duration::from_secs(20);

/// Agents whose transcripts are followed by clients.
const FOLLOWED: usize = 20;

/// Processor time is counted in ticks of this length.
const TICK_MS: u64 = 10;

pub(super) fn run(folder: &Path, program: &Path, report: &mut Figures) -> Result<()> {
    let project = folder.join("empty");
    let mut fleet = Fleet::start(program, &folder.join("home-flood"), &project, 0)?;
    let quiet = json!({ "do": "sleep", "ms": QUIET.as_millis() as u64 });
    let burst = [json!({ "do": "flood", "lines": BURST }), json!({ "do": "sleep", "ms": EVERY_MS })];
    let script = prompt(&[quiet, json!({ "do": "repeat", "times": 100_000, "step": burst })]);
    let mut agents = Vec::new();
    for _ in 0..AGENTS {
        let mission = fleet.mission(&script)?;
        agents.push(fleet.dispatch(&mission, true)?);
    }
    let begun = agents.iter().map(Agent::begun).collect::<Result<Vec<_>>>()?;
    thread::sleep(QUIET);
    let figures = measure(&fleet, &agents, &begun)?;
    report.tell("500 agents that talk", figures);
    Ok(())
}

fn measure(fleet: &Fleet, agents: &[Agent], begun: &[Begun]) -> Result<serde_json::Value> {
    let over = &AtomicBool::new(false);
    let (access, from) = (fleet.access(), now_us());
    let step = (agents.len() / FOLLOWED).max(1);
    thread::scope(|scope| {
        let followers: Vec<_> = agents
            .iter()
            .step_by(step)
            .take(FOLLOWED)
            .map(|agent| scope.spawn(move || follow(access, &agent.session, from, over)))
            .collect();
        let log = agents.first().map(|agent| agent.spool.join("log.jsonl")).ok_or_else(|| anyhow!("no agent"))?;
        let reader = scope.spawn(move || plain::tail(&log, over));
        // Clients first get what was written before they came.
        thread::sleep(Duration::from_secs(3));
        let (lines, began) = (written(agents), Instant::now());
        let (server, children) = (ticks(&[fleet.server.pid()]), all_ticks(begun));
        thread::sleep(SPAN);
        let (lines, took) = (written(agents) - lines, began.elapsed());
        let (server, children) = (ticks(&[fleet.server.pid()]) - server, all_ticks(begun) - children);
        over.store(true, Ordering::Relaxed);
        let mut seen = Times::default();
        for follower in followers {
            seen.extend(follower.join().map_err(|_| anyhow!("a client panicked"))??);
        }
        let plain = reader.join().map_err(|_| anyhow!("the reader panicked"))??;
        let share = |ticks: u64| ticks * TICK_MS * 100 / u64::try_from(took.as_millis()).unwrap_or(1).max(1);
        Ok(json!({
            "agents": agents.len(),
            "lines_per_second": lines * 1_000 / u64::try_from(took.as_millis())?.max(1),
            "write_to_subscriber": seen.told(),
            "plain_tail": plain.told(),
            "ratio": ratio(&seen, &plain),
            "server_cpu_percent": share(server),
            "agents_and_shims_cpu_percent": share(children),
        }))
    })
}

/// Follows a transcript, and returns how late each line was that was written since `from`.
fn follow(access: &Access, session: &str, from: u64, over: &AtomicBool) -> Result<Times> {
    let mut connection = Connection::follow(access.address, &access.stream(session, None))?;
    let mut times = Times::default();
    while !over.load(Ordering::Relaxed) {
        let Some(frame) = connection.frame()? else { break };
        if let Some(written) = written_us(&frame.data).filter(|written| *written > from + 3_000_000) {
            times.add(now_us().saturating_sub(written));
        }
    }
    Ok(times)
}

/// Lines that all agents have written.
fn written(agents: &[Agent]) -> u64 {
    agents.iter().map(|agent| last_number(&agent.spool.join("log.jsonl")).unwrap_or_default()).sum()
}

/// The number of the last whole line of a log.
fn last_number(log: &Path) -> Option<u64> {
    let mut file = std::fs::File::open(log).ok()?;
    let mut end = String::new();
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(1_000))).ok()?;
    file.read_to_string(&mut end).ok()?;
    end.lines().rev().skip(1).find_map(|line| line.split_once("flood ")?.1.split(' ').next()?.parse().ok())
}

fn all_ticks(begun: &[Begun]) -> u64 {
    ticks(&begun.iter().flat_map(|begun| [begun.shim, begun.agent]).collect::<Vec<_>>())
}

/// Processor time of processes, in user and system mode.
fn ticks(pids: &[u32]) -> u64 {
    let of = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields: Vec<_> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        [11, 12].iter().filter_map(|place| fields.get(*place)?.parse::<u64>().ok()).sum::<u64>()
    };
    pids.iter().map(of).sum()
}
