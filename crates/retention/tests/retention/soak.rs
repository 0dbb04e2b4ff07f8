//! Many missions on SQLite with files on disk, a virtual hour apart: what is kept reaches a plateau.
//!
//! `cargo xtask soak --missions N` runs it and prints a table.

use std::time::Instant;

use crate::world::{World, done, landing_of, mission, session};
use fleet_retention::Mode;
use futures::future::join_all;

/// Missions in all, and of a virtual day; a test runs a few.
fn missions() -> (usize, usize) {
    let asked = std::env::var("FLEET_SOAK_MISSIONS").ok().and_then(|text| text.parse().ok());
    asked.map_or((250, 10), |missions| (missions, 100))
}

#[tokio::test]
async fn what_is_kept_reaches_a_plateau() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::on_disk(folder.path()).await;
    world.set(|settings| {
        settings.feed_keep_days = 2;
        settings.landed_branch_keep_days = 3;
        settings.history_keep_days = 5;
        settings.record_keep_days = 10;
    });
    let (missions, per_day) = missions();
    let days = missions.div_ceil(per_day);
    let begun = Instant::now();
    println!("missions  records  database KB  files  memory MB  seconds");
    let mut sizes = Vec::new();
    for day in 0..days {
        let now = world.clock.now();
        let world = &world;
        let add = |number| async move {
            let mission = mission(number, now, done(now));
            let session = session(number, &mission, now, false);
            world.add(&mission, &session, landing_of(&mission, &session, now, true)).await;
        };
        join_all((day * per_day..(day + 1) * per_day).map(add)).await;
        world.pass(1);
        world.sweep(Mode::Remove).await;
        let files = world.outside.count_files();
        let (kept, bytes) = (world.missions().await.len(), world.database_bytes());
        sizes.push((kept, bytes, files));
        if (day + 1) % (days / 20).max(1) == 0 {
            let memory = runtime::resident_memory_bytes().unwrap_or_default() / 1_000_000;
            let (made, took) = ((day + 1) * per_day, begun.elapsed().as_secs());
            println!("{made:8}  {kept:7}  {:11}  {files:5}  {memory:9}  {took:7}", bytes / 1_000);
        }
    }
    // Nothing is removed before the tenth day; two thirds of the days lie well behind it.
    let (middle, end) = (sizes[days * 2 / 3], sizes[days - 1]);
    assert!(end.0 <= middle.0 + per_day, "records grow: {middle:?} {end:?}");
    assert!(end.1 <= middle.1 + middle.1 / 10, "the database grows: {middle:?} {end:?}");
    assert!(end.2 <= middle.2 + middle.2 / 10, "files grow: {middle:?} {end:?}");
}
