//! What an agent that does nothing costs: in its shim, and in the server.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::bench::Figures;
use crate::bench::fleet::Fleet;
use crate::bench::script::prompt;

/// Agents that do nothing.
const AGENTS: u64 = 100;

/// How long they have done nothing when they are measured: a shim gives memory back when it has rested for a second.
const QUIET: Duration = Duration::from_secs(5);

/// Kilobytes of one or several processes.
#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    rss: u64,
    pss: u64,
    private: u64,
}

pub(super) fn run(folder: &Path, program: &Path, report: &mut Figures) -> Result<()> {
    let project = folder.join("empty");
    let mut fleet = Fleet::start(program, &folder.join("home-memory"), &project, 0)?;
    let script = prompt(&[json!({ "do": "flood", "lines": 1 }), json!({ "do": "sleep", "ms": 3_600_000 })]);
    // The first agents let the server take what it needs for any number of them.
    let mut agents = Vec::new();
    for _ in 0..10 {
        let mission = fleet.mission(&script)?;
        agents.push(fleet.dispatch(&mission, true)?);
    }
    agents.iter().try_for_each(|agent| agent.first_word_us().map(drop))?;
    let before = Memory::of(fleet.server.pid())?;
    let mut idle = Vec::new();
    for _ in 0..AGENTS {
        let mission = fleet.mission(&script)?;
        idle.push(fleet.dispatch(&mission, true)?);
    }
    idle.iter().try_for_each(|agent| agent.first_word_us().map(drop))?;
    std::thread::sleep(QUIET);
    let after = Memory::of(fleet.server.pid())?;
    let (mut shims, mut sims) = (Memory::default(), Memory::default());
    for agent in &idle {
        let begun = agent.begun()?;
        shims.add(Memory::of(begun.shim).context("a shim")?);
        sims.add(Memory::of(begun.agent).context("an agent")?);
    }
    let figures = json!({
        "agents": AGENTS,
        "shim_kb": shims.each(AGENTS),
        "scripted_agent_kb": sims.each(AGENTS),
        "server_kb_before": before.rss,
        "server_kb_after": after.rss,
        "server_kb_per_agent": after.rss.saturating_sub(before.rss) / AGENTS,
    });
    report.tell("memory of idle agents", figures);
    Ok(())
}

impl Memory {
    fn of(pid: u32) -> Result<Self> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
            .with_context(|| format!("process {pid} is gone"))?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).context("the field is listed")?;
            Ok::<u64, anyhow::Error>(line.trim().trim_end_matches(" kB").parse()?)
        };
        let private = field("Private_Clean:")? + field("Private_Dirty:")?;
        Ok(Self { rss: field("Rss:")?, pss: field("Pss:")?, private })
    }

    fn add(&mut self, other: Self) {
        self.rss += other.rss;
        self.pss += other.pss;
        self.private += other.private;
    }

    fn each(self, count: u64) -> Value {
        json!({ "rss": self.rss / count, "pss": self.pss / count, "private": self.private / count })
    }
}
