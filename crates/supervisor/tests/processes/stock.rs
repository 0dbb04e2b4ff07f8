//! A spool from stock is like any other, and a stock is of use to whoever comes later.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use fleet_supervisor::{Error, Stock};

use crate::*;

fn stock(world: &World, size: usize) -> Stock {
    Stock::open(&Tree::new(world.clock.clone()), world.folder.path().join("stock"), size)
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
