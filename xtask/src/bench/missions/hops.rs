//! A chain of missions, each of which waits for the one before to land: from the landing to the next process.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::fs::inotify;
use serde_json::json;

use crate::bench::figures::{Times, now_us, ratio, stamp_us};
use crate::bench::fleet::{Fleet, started_us, wait};
use crate::bench::load::Load;
use crate::bench::script::prompt;
use crate::bench::{Figures, plain};

/// Worktrees that are made ahead.
const POOL: u32 = 2;

/// How long one hop may take.
const HOP_MAX: Duration = Duration::from_secs(60);

/// When one hop began and ended.
struct Hop {
    moved_us: u64,
    recorded_us: u64,
    started_us: u64,
}

pub(super) fn run(folder: &Path, program: &Path, hops: usize, waiting: usize, report: &mut Figures) -> Result<()> {
    let repository = folder.join("repository");
    let limit = limits(&repository, folder, program, hops)?;
    let project = json!({ "name": "bench", "path": repository, "checks": ["true"] });
    let mut fleet = Fleet::with_slots(program, &folder.join("home"), &project, 50, POOL)?;
    crowd(&mut fleet, waiting)?;
    let missions = chain(&mut fleet, hops)?;
    let moves = watch(&repository, missions.len())?;
    fleet.dispatch(&missions[0], false)?;
    let mut moved = Vec::new();
    for number in 0..missions.len() {
        moved.push(moves.recv_timeout(HOP_MAX).with_context(|| format!("mission {number} did not land"))?);
    }
    let recorded = landings(&mut fleet, &missions)?;
    let tasks = folder.join("home/tasks");
    let hops = (1..missions.len()).map(|number| {
        let started_us = started_us(&tasks, &missions[number])?;
        Ok(Hop { moved_us: moved[number - 1], recorded_us: recorded[number - 1], started_us })
    });
    let hops = hops.collect::<Result<Vec<_>>>()?;
    let (mut after_move, mut after_record) = (Times::default(), Times::default());
    for hop in &hops {
        after_move.add(hop.started_us.saturating_sub(hop.moved_us));
        after_record.add(hop.started_us.saturating_sub(hop.recorded_us));
    }
    let figures = json!({
        "others_waiting": waiting,
        "ref_move_to_exec": after_move.told(),
        "record_to_exec": after_record.told(),
        "plain_worktree_and_exec": limit.told(),
        "ratio": ratio(&after_move, &limit),
    });
    report.tell("landing to the process that waited for it", figures);
    Ok(())
}

/// What a shell would do at least: make a worktree and execute the agent.
fn limits(repository: &Path, folder: &Path, program: &Path, count: usize) -> Result<Times> {
    let mut times = Times::default();
    for number in 0..count {
        let made = plain::worktree(repository, &folder.join(format!("plain-{number}")), &format!("plain-{number}"))?;
        times.add(made + plain::execute(program, repository, &prompt(&[json!({ "do": "flood", "lines": 1 })]))?.0);
    }
    Ok(times)
}

/// Lets missions wait for one that nobody opens.
fn crowd(fleet: &mut Fleet, count: usize) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let never = fleet.mission("never")?;
    let mut body = fleet.body("later");
    (body["depends_on"], body["auto_dispatch"]) = (json!([never]), json!(true));
    let request = fleet.access().request("POST", "/api/missions", Some(&body));
    let stated = Load { request: &request, connections: 16, span: None, count: Some(count) };
    ensure!(stated.run(fleet.access().address)?.failed == 0, "missions were not stored");
    Ok(())
}

/// States missions that each commit a file; all but the first start by themselves.
fn chain(fleet: &mut Fleet, hops: usize) -> Result<Vec<String>> {
    let mut missions: Vec<String> = Vec::new();
    for number in 0..=hops {
        let work = [
            json!({ "do": "write", "path": format!("made-{number}.txt"), "text": "made" }),
            json!({ "do": "commit", "message": format!("Make file {number}") }),
        ];
        let mut body = fleet.body(&prompt(&work));
        body["mission_type"] = json!("implement");
        if let Some(last) = missions.last() {
            (body["depends_on"], body["auto_dispatch"]) = (json!([last]), json!(true));
        }
        missions.push(fleet.state(&body)?);
    }
    Ok(missions)
}

/// Tells each time the target branch moves.
fn watch(repository: &Path, count: usize) -> Result<Receiver<u64>> {
    let (sender, moves) = channel();
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watch, repository.join(".git/refs/heads"), inotify::WatchFlags::MOVED_TO)?;
    std::thread::spawn(move || {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&watch, &mut buffer);
        let mut seen = 0;
        while seen < count
            && let Ok(event) = reader.next()
        {
            if event.file_name().is_some_and(|name| name.to_bytes() == b"main") {
                seen += 1;
                let _ = sender.send(now_us());
            }
        }
    });
    Ok(moves)
}

/// When each mission's landing was written down.
fn landings(fleet: &mut Fleet, missions: &[String]) -> Result<Vec<u64>> {
    let path = format!("/api/landings?limit={}", missions.len());
    let all = wait(|| {
        let listed = fleet.send("GET", &path, None)?;
        let landed = listed.as_array().into_iter().flatten().filter(|row| row["status"] == "landed").count();
        Ok((landed == missions.len()).then_some(listed))
    })?;
    let find = |mission: &String| all.as_array()?.iter().find(|row| row["mission_id"] == mission.as_str());
    missions
        .iter()
        .map(|mission| {
            let landing = find(mission).context("each mission has landed")?;
            stamp_us(landing["updated_at"].as_str().unwrap_or_default())
        })
        .collect()
}
