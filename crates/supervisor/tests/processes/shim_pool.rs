//! A spool from the pool is like any other, and a later server uses the pool.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use fleet_supervisor::{Error, ShimPool};

use crate::*;

fn stock(world: &World, size: usize) -> ShimPool {
    ShimPool::open(&Tree::new(world.clock.clone()), world.folder.path().join("stock"), size)
}

/// The numbers of the files below a folder that have this name.
fn files_named(folder: &Path, name: &str) -> Vec<u64> {
    let spools = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    spools.filter_map(|spool| Some(spool.join(name).metadata().ok()?.ino())).collect()
}

#[tokio::test]
async fn an_agent_writes_into_the_very_file_that_was_made_in_advance_and_its_spool_is_used_once() {
    let world = World::new();
    let stock = stock(&world, 2);
    stock.filled().await;
    let mut made = files_named(&world.folder.path().join("stock"), "log.jsonl.made");
    assert_eq!(made.len(), 2);

    let supervisor = world.supervisor.clone().with_stock(stock.clone());
    // The folder in which they lie is not there before the first.
    for name in ["a", "b"] {
        stock.filled().await;
        let spool = world.spool(name);
        let running = supervisor.start(&spool, &world.launch(&["lines", "3"])).await.unwrap();
        let said = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
        assert_eq!(said, ["line 0", "line 1", "line 2", "without an end"]);
        running.ended().await.unwrap();
        let again = supervisor.start(&spool, &world.launch(&["idle"])).await;
        assert!(matches!(&again, Err(Error::NotStarted(why)) if why.contains("before")), "{again:?}");
    }
    let mut used = files_named(&world.folder.path().join("spools"), "log.jsonl");
    made.sort_unstable();
    used.sort_unstable();
    assert_eq!(used, made);
    assert_eq!(files_named(&world.folder.path().join("spools"), "log.jsonl.made"), [0; 0]);
    stock.filled().await;
}

#[tokio::test]
async fn of_many_starts_at_once_in_one_spool_from_stock_one_succeeds() {
    let world = World::new();
    let stock = stock(&world, 4);
    let supervisor = world.supervisor.clone().with_stock(stock.clone());
    for number in 0..10 {
        stock.filled().await;
        let (spool, launch) = (world.spool(&format!("agent-{number}")), world.launch(&["idle"]));
        let start = || supervisor.start(&spool, &launch);
        let (a, b, c) = tokio::join!(start(), start(), start());
        let started: Vec<_> = [a, b, c].into_iter().flatten().collect();
        assert_eq!(started.len(), 1);
        started[0].stop(quickly()).await.unwrap();
    }
}

/// The shims that wait in a stock.
fn waiting(world: &World) -> Vec<String> {
    let spools = std::fs::read_dir(world.folder.path().canonicalize().unwrap().join("stock")).unwrap();
    spools.flat_map(|spool| running_in(&spool.unwrap().path())).collect()
}

fn is_among(running: &Running, waiting: &[String]) -> bool {
    waiting.contains(&format!("/proc/{}", running.record().shim.pid))
}

#[tokio::test]
async fn after_the_first_start_shims_wait_and_each_starts_one_agent_as_any_other_shim_would() {
    let world = World::new();
    let stock = stock(&world, 3);
    let supervisor = world.supervisor.clone().with_stock(stock.clone());
    stock.filled().await;
    assert_eq!(waiting(&world), [""; 0], "nobody needs one yet");
    let mut started = vec![supervisor.start(&world.spool("first"), &world.launch(&["idle"])).await.unwrap()];
    for name in ["a", "b", "c"] {
        stock.filled().await;
        let there = waiting(&world);
        assert_eq!(there.len(), 3);
        let launch = Launch { opening: vec!["hello\n".to_owned()], ..world.launch(&["echo"]) };
        let running = supervisor.start(&world.spool(name), &launch).await.unwrap();
        assert!(is_among(&running, &there), "another shim was executed");
        let mut tail = world.tail(&running, Stream::Output, 0);
        assert_eq!(text(&world.next(&mut tail).await.unwrap()), "heard hello");
        assert!(world.adopt_running(name).await.status().await.is_ok());
        let again = supervisor.start(&world.spool(name), &world.launch(&["idle"])).await;
        assert!(matches!(&again, Err(Error::NotStarted(why)) if why.contains("before")), "{again:?}");
        started.push(running);
    }
    for running in started {
        running.stop(quickly()).await.unwrap();
    }
}

#[tokio::test]
async fn a_spool_can_be_taken_the_moment_its_shim_was_executed() {
    let world = World::new();
    let supervisor = world.supervisor.clone().with_stock(stock(&world, 2));
    for number in 0..20 {
        // Nothing is waited for, so some shims have not even begun to run.
        let running = supervisor.start(&world.spool(&number.to_string()), &world.launch(&["exit", "3"])).await.unwrap();
        assert_eq!(running.ended().await.unwrap().end, fleet_supervisor::End::Exited { code: 3 });
    }
}

#[tokio::test]
async fn a_shim_that_was_killed_while_it_waited_hinders_no_start() {
    let world = World::new();
    let stock = stock(&world, 2);
    let supervisor = world.supervisor.clone().with_stock(stock.clone());
    supervisor.start(&world.spool("first"), &world.launch(&["exit", "0"])).await.unwrap();
    stock.filled().await;
    for waiting in waiting(&world) {
        let pid: u32 = waiting.strip_prefix("/proc/").unwrap().parse().unwrap();
        rustix::process::kill_process(raw(Identity::of(pid).unwrap()), rustix::process::Signal::KILL).unwrap();
    }
    let running = supervisor.start(&world.spool("a"), &world.launch(&["idle"])).await.unwrap();
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn shims_that_wait_go_with_whoever_they_wait_for_and_leave_their_spools_unused() {
    let world = World::new();
    let tree = Tree::new(world.clock.clone());
    let stock = ShimPool::open(&tree, world.folder.path().join("stock"), 2);
    let supervisor = world.supervisor.clone().with_stock(stock.clone());
    supervisor.start(&world.spool("first"), &world.launch(&["exit", "0"])).await.unwrap();
    stock.filled().await;
    assert_eq!(waiting(&world).len(), 2);
    drop((supervisor, stock));
    tree.shutdown(Duration::from_secs(5)).await;
    let gone = async {
        while !waiting(&world).is_empty() {
            // tidy: sleep because a process that ends says so to its parent alone.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    world.clock.timeout(PATIENCE, gone).await.expect("they wait for nobody");
    assert_eq!(files_named(&world.folder.path().join("stock"), "log.jsonl"), [0; 0]);
}

#[tokio::test]
async fn what_an_earlier_stock_left_is_used_and_not_doubled() {
    let world = World::new();
    stock(&world, 3).filled().await;
    let before = files_named(&world.folder.path().join("stock"), "log.stderr.made");
    stock(&world, 3).filled().await;
    assert_eq!(files_named(&world.folder.path().join("stock"), "log.stderr.made"), before);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test puts something in the way")]
async fn a_stock_that_cannot_be_made_hinders_no_start() {
    let world = World::new();
    std::fs::write(world.folder.path().join("stock"), "no folder").unwrap();
    let supervisor = world.supervisor.clone().with_stock(stock(&world, 3));
    let running = supervisor.start(&world.spool("a"), &world.launch(&["idle"])).await.unwrap();
    running.stop(quickly()).await.unwrap();
}
