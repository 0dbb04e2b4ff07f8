//! Many missions that wait for each other, with agents that end at once: what the control plane adds to each.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use super::FILES;
use crate::bench::fleet::Fleet;
use crate::bench::script::prompt;
use crate::bench::{Figures, plain};

/// Agents at once.
const SLOTS: u32 = 50;

/// How long it may take until one more is done.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// How often it is looked whether all are done.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn run(folder: &Path, program: &Path, count: usize, report: &mut Figures) -> Result<()> {
    let (repository, other) = (folder.join("repository"), folder.join("by-hand"));
    for repository in [&repository, &other] {
        plain::repository(repository, FILES)?;
    }
    let script = prompt(&[json!({ "do": "flood", "lines": 1 })]);
    // In a repository of its own: git looks at each worktree that there is before it makes another.
    let limit = by_hand(&other, folder, program, &script, count)?;
    let project = json!({ "name": "bench", "path": repository, "land": "never" });
    let mut fleet = Fleet::with_slots(program, &folder.join("home"), &project, SLOTS, 0)?;
    let mut missions: Vec<String> = Vec::new();
    for number in 0..count {
        let mut body = fleet.body(&script);
        if number > 0 {
            let mut on = vec![&missions[(number - 1) / 2], &missions[(number - 1) / 3]];
            on.dedup();
            (body["depends_on"], body["auto_dispatch"]) = (json!(on), json!(true));
        }
        missions.push(fleet.state(&body)?);
    }
    let (begun, before) = (Instant::now(), cpu_us(fleet.server.pid())?);
    fleet.dispatch(&missions[0], false)?;
    done(&mut fleet, count)?;
    let (took, used) = (begun.elapsed(), cpu_us(fleet.server.pid())? - before);
    let each = |us: u128| (us as f64 / count as f64 / 10.0).round() / 100.0;
    let figures = json!({
        "missions": count,
        "slots": SLOTS,
        "wall_ms_each": each(took.as_micros()),
        "plain_wall_ms_each": each(limit.as_micros()),
        "overhead_wall_ms_each": each(took.as_micros().saturating_sub(limit.as_micros())),
        "server_cpu_ms_each": each(used.into()),
    });
    report.tell("missions that wait for each other", figures);
    Ok(())
}

/// Waits until all missions are done.
fn done(fleet: &mut Fleet, count: usize) -> Result<()> {
    let (mut last, mut changed) = (0, Instant::now());
    while changed.elapsed() < PAUSE_MAX {
        let projects = fleet.send("GET", "/api/projects", None)?;
        let completed = projects[0]["completed_count"].as_u64().context("missions are counted")?;
        if completed == count as u64 {
            return Ok(());
        }
        if completed != last {
            (last, changed) = (completed, Instant::now());
        }
        std::thread::sleep(LOOK);
    }
    bail!("{last} of {count} missions were done, and then no more")
}

/// The same worktrees and the same agents by hand, as many at once as there are slots.
///
/// Git makes one worktree at a time: two at once read what the other has half written, and fail.
fn by_hand(repository: &Path, folder: &Path, program: &Path, script: &str, count: usize) -> Result<Duration> {
    let (begun, next, turn) = (Instant::now(), AtomicUsize::new(0), Mutex::new(()));
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok::<_, anyhow::Error>(());
                }
                let path = folder.join(format!("plain-{number}"));
                let one_at_a_time = turn.lock().unwrap_or_else(PoisonError::into_inner);
                plain::worktree(repository, &path, &format!("plain-{number}"))?;
                drop(one_at_a_time);
                plain::execute(program, &path, script)?;
            }
        };
        let threads: Vec<_> = (0..SLOTS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread panicked"))?)
    })?;
    Ok(begun.elapsed())
}

/// What the processor has done for a process itself, in microseconds; its children are not counted.
fn cpu_us(pid: u32) -> Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = text.rsplit_once(')').context("a stat has a name")?.1.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<u64>().ok()).context("a number");
    // The kernel counts hundredths of seconds.
    Ok((ticks(11)? + ticks(12)?) * 10_000)
}
