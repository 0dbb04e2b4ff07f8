//! Many agents at once, and one that does nothing.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::*;

#[tokio::test]
async fn fifty_agents_at_once_lose_no_line() {
    let world = Arc::new(World::new());
    let mut agents = JoinSet::new();
    for number in 0..50 {
        let world = Arc::clone(&world);
        agents.spawn(async move {
            let running = world.start(&format!("agent-{number}"), &["held-lines", "100"]).await;
            let mut tail = world.tail(&running, Stream::Output, 0);
            let mut said = Vec::new();
            for _ in 0..50 {
                said.push(text(&world.next(&mut tail).await.unwrap()));
            }
            running.input(1, b"go on\n").await.unwrap();
            said.extend(world.all(&mut tail).await);
            let exit = running.ended().await.unwrap();
            (said, exit.end)
        });
    }
    let ended = agents.join_all().await;
    assert_eq!(ended.len(), 50);
    for (said, end) in ended {
        assert_eq!((said, end), (numbered(100), fleet_supervisor::End::Exited { code: 7 }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_agents_started_at_once_are_all_adopted_by_another_supervisor_and_ended() {
    let world = Arc::new(World::new());
    let mut starting = JoinSet::new();
    for number in 0..100 {
        let world = Arc::clone(&world);
        starting.spawn(async move { world.start(&format!("agent-{number}"), &["idle"]).await.record().clone() });
    }
    let started = starting.join_all().await;
    assert_eq!(started.len(), 100);

    let other = Supervisor::with_shim(Clock::system(), PROBE);
    let mut stopping = JoinSet::new();
    for number in 0..100 {
        let (other, spool) = (other.clone(), world.spool(&format!("agent-{number}")));
        stopping.spawn(async move {
            let Adopted::Running(running) = other.adopt(&spool).await else { panic!("agent {number} is not found") };
            (running.record().clone(), running.stop(quickly()).await.unwrap())
        });
    }
    let stopped = stopping.join_all().await;
    let is_among = |record: &Record| started.contains(record);
    assert!(stopped.len() == 100 && stopped.iter().all(|(record, exit)| is_among(record) && exit.stopped));
    assert!(started.iter().all(|record| !record.agent.runs() && !record.shim.runs()));
    assert_eq!(running_in(&world.folder.path().canonicalize().unwrap()), [""; 0]);
}

/// The processor time of a process in ticks, and how often it went to sleep.
#[expect(clippy::disallowed_methods, reason = "facts about a process are no files of a user")]
fn used(pid: u32) -> (u64, String) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let slept = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap();
    (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap(), slept.to_owned())
}

#[tokio::test]
async fn a_shim_with_nothing_to_do_does_not_wake_up() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    // Followed, as the server does with all of them: then it need not look after its logs itself.
    let mut tail = world.tail(&running, Stream::Output, 0);
    world.next(&mut tail).await.unwrap();
    let shim = running.record().shim.pid;
    // Whatever comes with the start is behind it when it has slept through a while.
    let mut before = used(shim);
    let mut quiet = 0;
    for _ in 0..60 {
        // tidy: sleep because doing nothing is what is observed, and it makes no event.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let after = used(shim);
        quiet = if after == before { quiet + 1 } else { 0 };
        before = after;
        if quiet == 25 {
            break;
        }
    }
    assert_eq!(quiet, 25, "it goes on waking up");
    running.stop(quickly()).await.unwrap();
}
