//! `cargo xtask chaos`: agents of all bad kinds, a server that is killed again and again, and an auditor.
//!
//! The server is the built binary in a home of its own. Clients start agents, follow them, write to them and cancel
//! them, while the server dies at random moments and in the middle of their calls. What must never happen is counted,
//! from what the kernel, the spools, the clients, the server and git each say. The product is only driven from
//! outside: nothing here knows how it is made.

mod audit;
mod chance;
mod door;
mod findings;
mod follow;
mod judge;
mod kinds;
mod lives;
mod site;
mod slot;
mod spools;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use self::audit::Audit;
use self::chance::Chance;
use self::door::{Call, Door};
use self::findings::{Breach, Findings};
use self::lives::{Moment, live_and_die};
use self::site::Site;
use self::slot::{Played, Stage};
use self::watch::{ORPHAN_MAX, Watch};
use crate::processes::{end_all, walk};
use crate::server::Setup;

/// Worktrees that are made ahead, where any are.
const POOL: usize = 3;

/// What a run is made of.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Agents at the same time.
    #[arg(long, default_value_t = 30)]
    agents: u64,
    /// How often the server is killed.
    #[arg(long, default_value_t = 100)]
    kills: u64,
    /// Choices as in an earlier run; its report names the number.
    #[arg(long)]
    seed: Option<u64>,
    /// The binary to test, in place of the one of the debug build.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Keep the home, the repository and the server's log even if all is well.
    #[arg(long)]
    keep: bool,
}

/// Runs everything and prints the table; `false` if a promise was broken.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = options.seed.unwrap_or(since_1970.as_secs());
    let program = options.binary.clone().unwrap_or_else(|| root.join("target/debug/fleet"));
    println!("chaos: {} agents, {} kills, seed {seed}, {}", options.agents, options.kills, program.display());
    std::fs::create_dir_all(root.join("target"))?;
    let folder = tempfile::Builder::new().prefix("chaos-").tempdir_in(root.join("target"))?;
    let site = Site::make(folder.path(), &program)?;
    let findings = Findings::default();
    let begun = Instant::now();
    let outcome = play(&site, options, Chance::new(seed), &findings);
    let took = begun.elapsed();
    end_all(&site.tasks());
    if let Err(error) = &outcome {
        findings.add(Breach::Panic, format!("the run broke off: {error:#}"));
    }
    findings.print();
    if let Ok(tally) = &outcome {
        println!("\n{tally}, in {} s", took.as_secs());
    }
    let well = findings.count() == 0;
    println!("seed {seed}: {}", if well { "all promises kept" } else { "PROMISES BROKEN" });
    if options.keep || !well {
        println!("kept in {}", folder.keep().display());
    }
    Ok(well)
}

fn play(site: &Site, options: &Options, mut chance: Chance, findings: &Findings) -> Result<String> {
    let (calls_in, calls) = channel();
    let door = &Door::new(calls_in);
    // Half of the runs take worktrees that were made ahead, as long as there are any.
    let pool = if chance.percent(50) { POOL } else { 0 };
    let setup = &setup(site, pool);
    let (closing, over) = (&AtomicBool::new(false), &AtomicBool::new(false));
    thread::scope(|scope| {
        let watching = scope.spawn(|| Watch::new(door, site.tasks(), findings).run(over));
        let reign = {
            let mut chance = chance.fork();
            let calls = calls;
            scope.spawn(move || {
                let lived = live_and_die(setup, door, &calls, findings, options.kills, &mut chance);
                closing.store(true, Ordering::Relaxed);
                lived
            })
        };
        let played = start_slots(site, door, options, &mut chance, findings, closing);
        let reign = reign.join().unwrap_or_else(|_| bail!("the one who kills panicked"));
        let quiet = reign.as_ref().ok().map(|_| await_quiet(site, findings));
        over.store(true, Ordering::Relaxed);
        let watch = watching.join().map_err(|_| anyhow!("the watcher panicked"))?;
        let (server, moments) = reign?;
        let played = played?;
        Audit { site, door, findings, agents: &watch.agents, pool }.all(&played)?;
        drop(server);
        let tally = tally(&played, &moments, watch.looks, quiet.unwrap_or_default());
        Ok(format!("{tally}; pool of {pool}"))
    })
}

/// Fast enough to be killed often: no limits, and little patience with agents that do not end.
fn setup(site: &Site, pool: usize) -> Setup {
    let settings =
        [("MAX_WORKERS", 1_000), ("FLEET_RATE_LIMIT", 0), ("FLEET_STOP_GRACE_SECS", 1), ("FLEET_WORKTREE_POOL", pool)];
    Setup {
        program: site.program.clone(),
        home: site.home.clone(),
        settings: settings.map(|(name, value)| (name, value.to_string())).to_vec(),
        log: Some(site.log.clone()),
    }
}

fn start_slots(
    site: &Site,
    door: &Door,
    options: &Options,
    chance: &mut Chance,
    findings: &Findings,
    closing: &AtomicBool,
) -> Result<Vec<Played>> {
    let project = project(site, door)?;
    let messages = takes_messages(door)?;
    let count = &AtomicU64::new(0);
    let stage = &Stage { door, project: &project, findings, closing, count, messages };
    thread::scope(|scope| {
        let slots: Vec<_> = (0..options.agents)
            .map(|_| {
                let chance = chance.fork();
                scope.spawn(move || stage.play_all(chance))
            })
            .collect();
        let played = slots.into_iter().map(|slot| slot.join().map_err(|_| anyhow!("a client panicked")));
        Ok(played.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

fn project(site: &Site, door: &Door) -> Result<String> {
    let body = json!({ "name": "chaos", "path": site.repository });
    let made = door.insist(Call::Create, "POST", "/api/projects", Some(&body)).done();
    let project = made.map_err(|why| anyhow!("the project was not made: {why}"))?;
    Ok(project["id"].as_str().context("a project has an id")?.to_owned())
}

/// A server that cannot pass messages on is tested for all the rest.
fn takes_messages(door: &Door) -> Result<bool> {
    let told = door.insist(Call::Look, "GET", "/openapi.json", None).done();
    let document = told.map_err(|why| anyhow!("the server does not say what it can be asked: {why}"))?;
    Ok(!document["paths"]["/orchestrate/send/{handle}"].is_null())
}

/// Waits until nothing of any agent is left, as long as that may take, and returns how long it took.
fn await_quiet(site: &Site, findings: &Findings) -> Duration {
    let begun = Instant::now();
    loop {
        let left = walk(&site.tasks());
        if left.is_empty() {
            return begun.elapsed();
        }
        if begun.elapsed() > ORPHAN_MAX {
            for process in left {
                let what = format!("{}: process {} (`{}`)", process.session, process.pid, process.command);
                findings.add(Breach::Orphan, what);
            }
            return begun.elapsed();
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn tally(played: &[Played], moments: &BTreeMap<Moment, u64>, looks: u64, quiet: Duration) -> String {
    let lines: usize = played.iter().map(|session| session.seen.texts.len()).sum();
    let sent: usize = played.iter().map(|session| session.sent.len()).sum();
    let connections: u64 = played.iter().map(|session| session.seen.connections).sum();
    let cancelled = played.iter().filter(|session| session.cancelled).count();
    let mut kinds = BTreeMap::<_, u64>::new();
    played.iter().for_each(|session| *kinds.entry(session.part.kind).or_default() += 1);
    format!(
        "{} sessions {kinds:?}, {cancelled} cancelled; {lines} lines seen over {connections} connections; \
         {sent} messages; kills {moments:?}; {looks} looks; quiet after {quiet:?}",
        played.len()
    )
}
