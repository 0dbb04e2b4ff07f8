//! A server whose disk is full: it says so, lands nothing by half, and works again when there is room. Only root can make
//! such a disk.
#![expect(clippy::disallowed_methods, reason = "the test mounts a disk and fills it by hand")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use api::claude_fleet::GetHealth;
use api::devfleet::ApproveLanding;
use serde_json::json;

use crate::landing::{lands, main_log, rule, until, writes};
use crate::sessions::{Work, launch};

/// A file system in memory; gone when dropped.
struct Disk(PathBuf);

impl Disk {
    /// Makes it, if this user may.
    fn at(folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let made =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=192m,mode=700", "tmpfs"]).arg(folder).status();
        made.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }

    fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("filler")).unwrap();
        while file.write_all(&[1; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Asks until the answer is this one: a good one is repeated for some seconds.
async fn until_health(work: &Work, is_ok: bool) -> Option<api::Error> {
    loop {
        match work.call::<GetHealth>(json!({})).await {
            Ok(_) if is_ok => return None,
            Err(error) if !is_ok => return Some(error),
            Ok(_) | Err(_) => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_the_server_is_unwell_and_lands_nothing_until_there_is_room() {
    let launch = launch();
    let Some(disk) = Disk::at(launch.home()) else { return };
    let work = Work::begin(launch).await;
    rule(&work, json!({ "land": "review" })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let review = until(&work, &mission, |landing| landing.status == "review").await;
    until_health(&work, true).await;
    let before = main_log(&work.repository);

    disk.fill();
    let unwell = until_health(&work, false).await.unwrap();
    assert!(unwell.to_string().contains("full"), "{unwell}");
    let refused = work.call::<ApproveLanding>(json!({ "landing": review.id })).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(main_log(&work.repository), before);

    disk.make_room();
    until_health(&work, true).await;
    assert_eq!(until(&work, &mission, |_| true).await.status, "review");
    work.call::<ApproveLanding>(json!({ "landing": review.id })).await.unwrap();
    lands(&work, &mission).await;
    assert!(main_log(&work.repository).starts_with("Write hello.txt\n"));
}
