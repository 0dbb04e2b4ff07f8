//! The supervisor dies, the shim dies, files lie: what is found afterwards is true.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use fleet_supervisor::{End, Error, Loss};

use crate::*;

#[expect(clippy::disallowed_methods, reason = "the test needs a supervisor that it can kill")]
fn supervise_and_be_killed(world: &World) {
    let mut command = Command::new(PROBE);
    let command = command.arg("supervise").arg(world.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut supervisor = command.spawn().unwrap();
    let mut said = String::new();
    BufReader::new(supervisor.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("started "), "{said}");
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
}

#[tokio::test]
async fn an_agent_outlives_its_supervisor_and_its_output_is_whole() {
    let world = World::new();
    supervise_and_be_killed(&world);
    let spool = Spool::at(world.folder.path().join("spool"));
    let Adopted::Running(running) = world.supervisor.adopt(&spool).await else { panic!("it is not found again") };
    assert_eq!(running.record().launch, "held");
    let mut tail = world.tail(&running, Stream::Output, 0);
    let mut said = Vec::new();
    for _ in 0..500 {
        said.push(text(&world.next(&mut tail).await.unwrap()));
    }
    running.input(1, b"go on\n").await.unwrap();
    said.extend(world.all(&mut tail).await);
    assert_eq!(said, numbered(1000));
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.input_delivered), (End::Exited { code: 7 }, 1));
}

/// Changes the record of a spool behind the back of its shim.
#[expect(clippy::disallowed_methods, reason = "the test makes a file that lies")]
fn edit(spool: &Spool, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let path = spool.path().join("shim.json");
    let before = std::fs::read_to_string(&path).unwrap();
    let mut record = serde_json::from_str(&before).unwrap();
    change(&mut record);
    std::fs::write(&path, record.to_string()).unwrap();
    before
}

#[tokio::test]
async fn a_record_whose_number_went_to_another_process_finds_nobody_and_signals_nobody() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let true_record = edit(running.spool(), |record| {
        for who in ["shim", "agent"] {
            let start = record[who]["start_ticks"].as_u64().unwrap();
            record[who]["start_ticks"] = (start + 1).into();
        }
    });
    let Adopted::Lost { why, leftover } = world.adopt("a").await else { panic!("a stranger was adopted") };
    assert_eq!((why, leftover), (Loss::ShimDied, None));
    assert!(running.record().agent.runs() && running.record().shim.runs());

    edit(running.spool(), |record| *record = serde_json::from_str(&true_record).unwrap());
    world.adopt_running("a").await.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn a_record_that_names_this_process_as_agent_and_shim_does_it_no_harm() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let own = serde_json::to_value(Identity::own().unwrap()).unwrap();
    let true_record = edit(running.spool(), |record| record["shim"] = own);
    // The process is there, but the one that listens is another.
    let Adopted::Lost { why, leftover } = world.adopt("a").await else { panic!("a stranger was adopted") };
    assert_eq!((why, leftover), (Loss::ShimSilent, None));
    edit(running.spool(), |record| *record = serde_json::from_str(&true_record).unwrap());
    world.adopt_running("a").await.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn an_agent_of_an_earlier_run_of_the_machine_is_lost() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let true_record = edit(running.spool(), |record| record["boot"] = "another".into());
    assert!(matches!(world.adopt("a").await, Adopted::Lost { why: Loss::Rebooted, leftover: None }));
    edit(running.spool(), |record| *record = serde_json::from_str(&true_record).unwrap());
    world.adopt_running("a").await.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_ended_before_the_machine_was_restarted_has_ended() {
    let world = World::new();
    let running = world.start("a", &["exit", "3"]).await;
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    edit(running.spool(), |record| record["boot"] = "another".into());
    assert!(matches!(world.adopt("a").await, Adopted::Ended(found) if found == exit));
}

#[tokio::test]
async fn a_spool_in_which_nothing_was_started_says_so() {
    let world = World::new();
    assert!(matches!(world.adopt("a").await, Adopted::Lost { why: Loss::NeverStarted, leftover: None }));
}

#[tokio::test]
async fn an_agent_whose_shim_was_killed_is_ended_with_all_it_started_the_orphaned_too_and_no_bystander() {
    let world = World::new();
    let (family, running) = world.family("a").await;
    let bystander = Bystander::new("launch of family");
    let lost = lose(&running).await;
    assert!(matches!(&lost, Err(Error::Lost(Loss::ShimDied))), "{lost:?}");
    let Adopted::Lost { why: Loss::ShimDied, leftover: Some(leftover) } = world.adopt("a").await else {
        panic!("the agent is not found")
    };
    assert_eq!(leftover.agent(), running.record().agent);
    assert_eq!(leftover.end().await, family.len());
    assert!(family.iter().all(|process| !process.runs()), "{family:?}");
    assert!(bystander.runs());
    assert!(matches!(world.adopt("a").await, Adopted::Lost { why: Loss::ShimDied, leftover: None }));
    let mut tail = world.tail(&running, Stream::Output, 0);
    world.watcher.give_up(running.spool()).unwrap();
    assert_eq!(world.all(&mut tail).await.len(), family.len());
}

#[tokio::test]
async fn what_an_agent_left_behind_is_found_although_neither_it_nor_its_shim_is_there() {
    let world = World::new();
    let running = world.start("a", &["detach-and-end"]).await;
    let orphan = Identity::of(world.next_pid(&mut world.tail(&running, Stream::Output, 0)).await).unwrap();
    // The agent ends with its input, which was the shim's to write.
    lose(&running).await.unwrap_err();
    while running.record().agent.runs() {
        world.clock.sleep(Duration::from_millis(5)).await;
    }
    assert!(orphan.runs());
    let Adopted::Lost { why: Loss::ShimDied, leftover: Some(leftover) } = world.adopt("a").await else {
        panic!("the orphan is not found")
    };
    assert_eq!(leftover.end().await, 1);
    assert!(!orphan.runs());
}

#[tokio::test]
async fn what_wiped_its_environment_is_found_as_long_as_its_session_or_a_parent_of_it_is_known() {
    let world = World::new();
    // One has lost its parent and stays in the session of the shim, one has left it and has its parent.
    let script = format!("(env -i {PROBE} idle &); env -i setsid {PROBE} idle & echo 'ready 0'; wait");
    let mut launch = world.launch(&["-c", &script]);
    launch.program = PathBuf::from("/bin/sh");
    launch.env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let running = world.start_launch("a", &launch).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    let mut family = vec![running.record().agent];
    for _ in 0..3 {
        let pid = world.next_pid(&mut tail).await;
        family.extend((pid != 0).then(|| Identity::of(pid).unwrap()));
    }
    lose(&running).await.unwrap_err();
    let Adopted::Lost { leftover: Some(leftover), .. } = world.adopt("a").await else { panic!("nothing is found") };
    assert_eq!(leftover.end().await, family.len());
    assert!(family.iter().all(|process| !process.runs()), "{family:?}");
}

#[tokio::test]
async fn an_agent_whose_shim_hangs_is_found_and_can_be_ended() {
    let world = World::new();
    let (family, running) = world.family("a").await;
    rustix::process::kill_process(raw(running.record().shim), rustix::process::Signal::STOP).unwrap();
    let Adopted::Lost { why: Loss::ShimSilent, leftover: Some(leftover) } = world.adopt("a").await else {
        panic!("the shim that hangs is not found")
    };
    assert_eq!(leftover.end().await, family.len() + 1);
    assert!(family.iter().all(|process| !process.runs()), "{family:?}");
    assert!(matches!(world.adopt("a").await, Adopted::Lost { why: Loss::ShimDied, leftover: None }));
}

/// Kills the shim of an agent.
async fn lose(running: &Running) -> Result<fleet_supervisor::Exit, Error> {
    rustix::process::kill_process(raw(running.record().shim), rustix::process::Signal::KILL).unwrap();
    running.ended().await
}
