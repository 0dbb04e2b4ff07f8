//! A shim that waits holds little memory, and is none the slower to wake.

use crate::*;

/// Kilobytes of files that a process has in memory as its own.
#[expect(clippy::disallowed_methods, reason = "facts about a process are no files of a user")]
fn files_kb(process: Identity) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Waits until a shim holds less than `most_kb` of its program.
async fn rests(world: &World, running: &Running, most_kb: u64) {
    let less = async {
        while files_kb(running.record().shim) >= most_kb {
            // tidy: sleep because no event reports that a process has released memory.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    world.clock.timeout(PATIENCE, less).await.expect("it keeps what it has read");
}

#[tokio::test]
async fn a_shim_gives_back_what_it_read_of_its_program_each_time_it_has_nothing_to_do_and_works_on() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    let at_first = files_kb(running.record().shim);
    let mut tail = world.tail(&running, Stream::Output, 0);
    for seq in 1..=2_u64 {
        rests(&world, &running, at_first / 2).await;
        running.input(seq, format!("message {seq}\n").as_bytes()).await.unwrap();
        assert_eq!(text(&world.next(&mut tail).await.unwrap()), format!("heard message {seq}"));
    }
    rests(&world, &running, at_first / 2).await;
    assert!(running.stop(quickly()).await.unwrap().stopped);
}
