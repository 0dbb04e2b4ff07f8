//! What a landing costs, so that an increase is noticed.

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
    let lander = sandbox.lander_with(sandbox.git_at(&program));
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
    // Each more is looked at, merged and committed; then all are committed as one.
    assert!(five.lines().count() <= 12 + 3 * 4 + 2, "{}:\n{five}", five.lines().count());
}
