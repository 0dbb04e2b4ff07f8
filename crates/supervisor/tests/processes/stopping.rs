//! A stop ends all descendants and no other process.

use fleet_supervisor::{End, Error, Loss};

use crate::*;

#[tokio::test]
async fn a_stop_ends_the_stubborn_the_detached_and_the_orphaned_and_no_bystander() {
    let world = World::new();
    let bystander = Bystander::new("");
    let (family, running) = world.family("a").await;
    let asked = world.clock.monotonic();
    let exit = running.stop(quickly()).await.unwrap();
    assert!(world.clock.monotonic() - asked < Duration::from_secs(10));
    assert_eq!((exit.end, exit.stopped, exit.survivors), (End::Signalled { signal: 9 }, true, vec![]));
    assert!(family.iter().all(|process| !process.runs()), "{family:?}");
    assert!(bystander.runs());
}

#[tokio::test]
async fn what_an_agent_that_ends_by_itself_leaves_behind_ends_too() {
    let world = World::new();
    let running = world.start("a", &["detach-and-end"]).await;
    let orphan = Identity::of(world.next_pid(&mut world.tail(&running, Stream::Output, 0)).await).unwrap();
    running.input(1, b"end\n").await.unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.stopped), (End::Exited { code: 0 }, false));
    assert!(!orphan.runs());
}

#[tokio::test]
async fn an_agent_that_listens_is_asked_and_not_killed() {
    let world = World::new();
    for (name, signal, number) in [("a", Signal::Terminate, 15), ("b", Signal::Interrupt, 2)] {
        let running = world.start(name, &["idle"]).await;
        let exit = running.stop(Stop::new(signal, Duration::from_secs(8))).await.unwrap();
        assert_eq!((exit.end, exit.stopped), (End::Signalled { signal: number }, true));
    }
}

#[tokio::test]
async fn stopping_what_has_ended_tells_how_it_ended() {
    let world = World::new();
    let running = world.start("a", &["exit", "3"]).await;
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!(running.stop(quickly()).await.unwrap(), exit);
    assert_eq!(exit.end, End::Exited { code: 3 });
}

#[tokio::test]
async fn a_shim_that_is_asked_to_end_stops_its_agent_and_leaves_word() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let shim = raw(running.record().shim);
    rustix::process::kill_process(shim, rustix::process::Signal::TERM).unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.stopped), (End::Signalled { signal: 15 }, true));
}

#[tokio::test]
async fn an_orphan_that_is_made_while_its_agent_ends_is_found() {
    let world = World::new();
    let mut launch = world.launch(&["detach-and-end"]);
    launch.stdin = Stdin::Closed;
    for number in 0..30 {
        let running = world.start_launch(&format!("agent-{number}"), &launch).await;
        let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
        assert_eq!((exit.end, exit.survivors), (End::Exited { code: 0 }, vec![]));
        assert_eq!(running_in(&world.folder.path().canonicalize().unwrap()), [""; 0], "after agent {number}");
    }
}

#[tokio::test]
async fn a_shim_that_hangs_is_ended_with_its_whole_family_and_no_bystander() {
    let world = World::new();
    let (family, running) = world.family("a").await;
    let shim = running.record().shim;
    // It looks like one of them, and is not.
    let bystander = Bystander::new(&format!("{}@{}.{}", running.record().launch, shim.pid, shim.start_ticks + 1));
    rustix::process::kill_process(raw(shim), rustix::process::Signal::STOP).unwrap();
    let asked = world.clock.monotonic();
    let ended = running.stop(quickly()).await;
    assert!(world.clock.monotonic() - asked < Duration::from_secs(10));
    assert!(matches!(&ended, Err(Error::Lost(Loss::ShimDied))), "{ended:?}");
    assert!(family.iter().chain([&shim]).all(|process| !process.runs()), "{family:?}");
    assert!(bystander.runs());
}

#[tokio::test]
async fn a_shim_that_hangs_has_its_agent_asked_before_it_is_killed() {
    let world = World::new();
    let script = "trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    let mut launch = world.launch(&["-c", script]);
    launch.program = PathBuf::from("/bin/sh");
    launch.env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let running = world.start_launch("a", &launch).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    assert_eq!(text(&world.next(&mut tail).await.unwrap()), "ready");
    rustix::process::kill_process(raw(running.record().shim), rustix::process::Signal::STOP).unwrap();
    let ended = running.stop(Stop::new(Signal::Terminate, Duration::from_secs(4))).await;
    assert!(matches!(&ended, Err(Error::Lost(Loss::ShimDied))), "{ended:?}");
    assert_eq!(text(&world.next(&mut tail).await.unwrap()), "asked");
}
