//! What a landing costs, so that nobody adds to it unseen.

use std::time::Duration;

use crate::sandbox::{Sandbox, batch, landed, put, script};

/// A repository of a thousand files.
fn large() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..1_000 {
        put(&sandbox.repo(), format!("d{}/f{number}.txt", number % 50), &format!("file {number}\n").repeat(20));
    }
    sandbox.commit(&sandbox.repo(), "a thousand files");
    sandbox
}

#[tokio::test]
async fn a_landing_takes_few_processes_of_git() {
    let sandbox = large();
    let (log, program) = (sandbox.path("log"), sandbox.path("git"));
    script(&program, &format!("#!/bin/sh\necho \"$*\" >> {}\nexec git \"$@\"\n", log.display()));
    let lander = sandbox.lander_with(sandbox.git_at(&program), Duration::from_secs(60));
    let ground = sandbox.ground(&["true"]);
    let queue: Vec<_> = (0..7).map(|n| sandbox.branch(&format!("b{n}"), "main", &[(&format!("{n}"), "x\n")])).collect();
    let processes = || {
        let log_text = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(&log).unwrap();
        log_text
    };
    landed(lander.attempt(&ground, &queue[0]).await.unwrap());
    processes();
    landed(lander.attempt(&ground, &queue[1]).await.unwrap());
    let plain = processes();
    assert!(plain.lines().count() <= 12, "{}:\n{plain}", plain.lines().count());
    batch(&lander, &ground, &queue[2..]).await.into_iter().for_each(|outcome| drop(landed(outcome)));
    let five = processes();
    assert!(five.lines().count() <= 12 + 3 * 4, "{}:\n{five}", five.lines().count());
}

#[tokio::test]
#[ignore = "a measurement: run with --run-ignored and --no-capture"]
async fn time_per_landing_on_a_thousand_files() {
    let sandbox = large();
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&["true"]));
    let queue: Vec<_> =
        (0..21).map(|n| sandbox.branch(&format!("b{n}"), "main", &[(&format!("{n}"), "x\n")])).collect();
    let mut times = Vec::new();
    for candidate in &queue {
        let begun = std::time::Instant::now();
        landed(lander.attempt(&ground, candidate).await.unwrap());
        times.push(begun.elapsed());
    }
    let first = times.remove(0);
    times.sort();
    println!("first {first:?}, then median {:?}, max {:?}", times[times.len() / 2], times[times.len() - 1]);
    let queue: Vec<_> =
        (30..50).map(|n| sandbox.branch(&format!("b{n}"), "main", &[(&format!("{n}"), "x\n")])).collect();
    let begun = std::time::Instant::now();
    batch(&lander, &ground, &queue).await;
    println!("a batch of 20: {:?}", begun.elapsed());
}
