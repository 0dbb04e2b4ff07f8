//! What the sandbox costs at the start of an agent: all its layers, beside the same start with the sandbox off.
//!
//! One server starts both, in turns, on one repository, so both see the same machine. The agent is the scripted one,
//! which starts in milliseconds: the ratio of a real one, which takes longer by itself, is smaller.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::figures::{Times, ratio};
use crate::bench::fleet::Fleet;
use crate::bench::script::prompt;
use crate::bench::{Figures, plain};

/// Files of the repository: with more of them a start is a checkout of files and little else.
const FILES: usize = 20;

/// Times from the request until the shim executes, until the agent has written its first line, and between the two.
#[derive(Default)]
struct Starts {
    executed: Times,
    first_line: Times,
    entered: Times,
}

pub(super) fn run(folder: &Path, program: &Path, starts: usize, report: &mut Figures) -> Result<()> {
    let repository = &folder.join("small");
    plain::repository(repository, FILES)?;
    let mut fleet = Fleet::start(program, &folder.join("home-layers"), repository, 0)?;
    let (mut held, mut free) = (Starts::default(), Starts::default());
    // The first of each kind finds nothing that is kept from an earlier one.
    for starts_of in [&mut Starts::default(), &mut Starts::default()] {
        start(&mut fleet, "auto", starts_of)?;
        start(&mut fleet, "off", starts_of)?;
    }
    for _ in 0..starts {
        start(&mut fleet, "auto", &mut held)?;
        start(&mut fleet, "off", &mut free)?;
    }
    let told = |starts: &Starts| -> Value {
        json!({
            "dispatch_to_first_line": starts.first_line.told(),
            "dispatch_to_exec": starts.executed.told(),
            "exec_to_first_line": starts.entered.told(),
        })
    };
    let figures = json!({
        "all_layers": told(&held),
        "sandbox_off": told(&free),
        "ratio_first_line": ratio(&held.first_line, &free.first_line),
        "ratio_exec_to_first_line": ratio(&held.entered, &free.entered),
    });
    report.tell("start in the sandbox", figures);
    Ok(())
}

fn start(fleet: &mut Fleet, sandbox: &str, starts: &mut Starts) -> Result<()> {
    let mission = fleet.mission(&prompt(&[json!({ "do": "flood", "lines": 1 })]))?;
    let agent = fleet.dispatch_as(&mission, &json!({ "agent": "sim", "sandbox": sandbox }))?;
    let executed = agent.begun()?.executed_us;
    let first_line = agent.first_word_us()?;
    starts.executed.add(executed.saturating_sub(agent.asked_us));
    starts.first_line.add(first_line.saturating_sub(agent.asked_us));
    starts.entered.add(first_line.saturating_sub(executed));
    fleet.completed(&agent)?;
    let shown = fleet.send("GET", &format!("/api/sessions/{}", agent.session), None)?;
    let enforced = shown["sandbox"].as_str().context("a session says what was enforced")?;
    let expected = if sandbox == "off" { "off" } else { "held: " };
    ensure!(enforced.starts_with(expected), "`sandbox = {sandbox}` gave `{enforced}`");
    Ok(())
}
