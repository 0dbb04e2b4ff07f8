//! From the request that asks for an agent to the agent: with no worktree, with one, with one made ahead.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::bench::figures::{Times, ratio};
use crate::bench::fleet::{Fleet, wait};
use crate::bench::script::prompt;
use crate::bench::{Figures, plain};

/// Files of the big repository.
const FILES: usize = 10_000;

/// Worktrees that are made ahead.
const POOL: u32 = 4;

/// Times from the request until the agent is executed, and until it has written its first line.
#[derive(Default)]
struct Starts {
    executed: Times,
    first_word: Times,
}

/// Makes the big repository.
pub(super) fn repository(folder: &Path) -> Result<()> {
    plain::repository(&folder.join("big"), FILES)
}

/// An agent that says one line and ends.
fn script() -> String {
    prompt(&[json!({ "do": "flood", "lines": 1 })])
}

pub(super) fn in_place(folder: &Path, program: &Path, starts: usize, report: &mut Figures) -> Result<()> {
    // In no repository: what one says about its agents is asked of git, and that is not what is measured here.
    let apart = tempfile::tempdir()?;
    let project = apart.path().canonicalize()?;
    let mut fleet = Fleet::start(program, &folder.join("home-in-place"), &project, 0)?;
    let (mut ours, mut limit) = (Starts::default(), Starts::default());
    for _ in 0..starts {
        let (executed, first_word) = plain::execute(program, &project, &script())?;
        limit.executed.add(executed);
        limit.first_word.add(first_word);
        start(&mut fleet, true, &mut ours)?;
    }
    let figures = json!({
        "dispatch_to_exec": ours.executed.told(),
        "dispatch_to_first_line": ours.first_word.told(),
        "plain_fork_exec": limit.executed.told(),
        "plain_to_first_line": limit.first_word.told(),
        "ratio_first_line": ratio(&ours.first_word, &limit.first_word),
    });
    report.tell("dispatch, no worktree", figures);
    Ok(())
}

pub(super) fn worktree(folder: &Path, program: &Path, starts: usize, report: &mut Figures) -> Result<()> {
    let repository = &folder.join("big");
    let mut fleet = Fleet::start(program, &folder.join("home-worktree"), repository, 0)?;
    let (mut ours, mut limit) = (Starts::default(), Times::default());
    for number in 0..starts {
        limit.add(plain::worktree(repository, &folder.join(format!("plain-{number}")), &format!("plain-{number}"))?);
        start(&mut fleet, false, &mut ours)?;
    }
    let figures = json!({
        "files": FILES,
        "dispatch_to_exec": ours.executed.told(),
        "plain_git_worktree_add": limit.told(),
        "ratio": ratio(&ours.executed, &limit),
    });
    report.tell("dispatch, worktree", figures);
    Ok(())
}

pub(super) fn pool(folder: &Path, program: &Path, starts: usize, report: &mut Figures) -> Result<()> {
    let repository = &folder.join("big");
    let mut fleet = Fleet::start(program, &folder.join("home-pool"), repository, POOL)?;
    // The first finds none, and lets them be made.
    start(&mut fleet, false, &mut Starts::default())?;
    let mut ours = Starts::default();
    for _ in 0..starts {
        let full = wait(|| {
            let listed = fleet.send("GET", "/workspaces", None)?;
            let ready = listed.as_array().into_iter().flatten().filter(|row| row["purpose"] == "pool").count();
            Ok((ready >= POOL as usize).then_some(()))
        });
        if full.is_err() {
            report.tell("dispatch, from the pool", json!({ "not measured": "nobody fills the pool" }));
            return Ok(());
        }
        start(&mut fleet, false, &mut ours)?;
    }
    let figures = json!({ "files": FILES, "dispatch_to_exec": ours.executed.told() });
    report.tell("dispatch, from the pool", figures);
    Ok(())
}

/// Starts an agent and waits for its end.
///
/// Its worktree stays: a file system that has just deleted thousands of files is slow to make others.
fn start(fleet: &mut Fleet, in_place: bool, starts: &mut Starts) -> Result<()> {
    let mission = fleet.mission(&script())?;
    let agent = fleet.dispatch(&mission, in_place)?;
    starts.executed.add(agent.begun()?.executed_us.saturating_sub(agent.asked_us));
    starts.first_word.add(agent.first_word_us()?.saturating_sub(agent.asked_us));
    fleet.completed(&agent)
}
