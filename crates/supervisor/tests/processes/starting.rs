//! An agent runs as it was asked to, and how it ended is known.

use std::os::unix::fs::PermissionsExt as _;

use fleet_supervisor::{End, Error, Spool};

use crate::*;

#[tokio::test]
async fn an_agent_has_the_environment_and_the_directory_it_was_given_and_the_mark_of_its_launch() {
    let world = World::new();
    let mut launch = world.launch(&["environment"]);
    launch.env = vec![("NAME".to_owned(), "a value".to_owned())];
    let running = world.start_launch("a", &launch).await;
    let said = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    let folder = world.folder.path().canonicalize().unwrap();
    let shim = running.record().shim;
    let mark = format!("FLEET_LAUNCH={}@{}.{}", launch.id, shim.pid, shim.start_ticks);
    let (environment, rest) = said.split_at(2);
    assert!(environment.contains(&"NAME=a value".to_owned()) && environment.contains(&mark), "{said:?}");
    assert_eq!(rest, [format!("in {}", folder.display())]);
}

#[tokio::test]
async fn an_exit_code_and_a_signal_are_recorded() {
    let world = World::new();
    for (name, args, end) in [
        ("a", ["exit", "0"].as_slice(), End::Exited { code: 0 }),
        ("b", &["exit", "42"], End::Exited { code: 42 }),
        ("c", &["abort"], End::Signalled { signal: 6 }),
    ] {
        let running = world.start(name, args).await;
        let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
        assert_eq!((&exit.end, exit.stopped, exit.survivors.len()), (&end, false, 0));
        assert!(exit.started_at <= exit.ended_at);
        // A later server learns the same.
        assert!(matches!(world.adopt(name).await, Adopted::Ended(found) if found == exit));
    }
}

#[tokio::test]
async fn the_last_words_are_returned_even_without_a_line_break() {
    let world = World::new();
    let running = world.start("a", &["lines", "3"]).await;
    let said = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    assert_eq!(said, ["line 0", "line 1", "line 2", "without an end"]);
    assert_eq!(world.all(&mut world.tail(&running, Stream::Errors, 0)).await, ["an error"]);
}

#[tokio::test]
async fn a_tail_resumes_at_every_line() {
    let world = World::new();
    let running = world.start("a", &["lines", "40"]).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    let mut lines = Vec::new();
    while let Some(line) = world.next(&mut tail).await {
        lines.push(line);
    }
    for (at, line) in lines.iter().enumerate() {
        let mut tail = world.tail(&running, Stream::Output, line.offset);
        for expected in &lines[at..] {
            assert_eq!(world.next(&mut tail).await.as_ref(), Some(expected));
        }
        assert_eq!(world.next(&mut tail).await, None);
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_executed_is_named_and_leaves_word() {
    let world = World::new();
    let mut launch = world.launch(&[]);
    launch.program = "/nowhere/agent".into();
    let error = world.supervisor.start(&world.spool("a"), &launch).await.unwrap_err();
    assert!(error.to_string().contains("cannot execute `/nowhere/agent`"), "{error}");
    assert!(matches!(world.adopt("a").await, Adopted::Ended(exit) if matches!(exit.end, End::NotStarted { .. })));

    let mut launch = world.launch(&["idle"]);
    launch.cwd = "/nowhere".into();
    let error = world.supervisor.start(&world.spool("b"), &launch).await.unwrap_err();
    assert!(error.to_string().contains("cannot run in `/nowhere`"), "{error}");
}

#[tokio::test]
async fn a_spool_is_used_once() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let again = world.supervisor.start(&world.spool("a"), &world.launch(&["idle"])).await;
    assert!(matches!(&again, Err(Error::NotStarted(why)) if why.contains("before")), "{again:?}");
    // The first one is none the worse for it.
    assert!(running.status().await.is_ok());
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test puts something in the way")]
async fn an_agent_that_cannot_be_found_again_is_ended_at_once_and_leaves_word() {
    let world = World::new();
    let spool = world.spool("a");
    std::fs::create_dir_all(spool.path()).unwrap();
    std::fs::write(spool.path().join("shim.sock"), "no socket").unwrap();
    let failed = world.supervisor.start(&spool, &world.launch(&["family"])).await;
    assert!(matches!(&failed, Err(Error::NotStarted(_))), "{failed:?}");
    assert_eq!(running_in(&world.folder.path().canonicalize().unwrap()), [""; 0]);
    assert!(matches!(world.adopt("a").await, Adopted::Ended(exit) if matches!(exit.end, End::NotStarted { .. })));
}

#[tokio::test]
async fn of_many_starts_at_once_in_one_spool_one_succeeds() {
    let world = World::new();
    for number in 0..10 {
        let (spool, launch) = (world.spool(&format!("agent-{number}")), world.launch(&["idle"]));
        let start = || world.supervisor.start(&spool, &launch);
        let (a, b, c) = tokio::join!(start(), start(), start());
        let started: Vec<_> = [a, b, c].into_iter().flatten().collect();
        assert_eq!(started.len(), 1);
        started[0].stop(quickly()).await.unwrap();
    }
}

#[tokio::test]
async fn a_spool_may_lie_deeper_than_the_address_of_a_socket_is_long() {
    let world = World::new();
    let spool = Spool::at(world.folder.path().join("d".repeat(100)).join("e".repeat(100)));
    let running = world.supervisor.start(&spool, &world.launch(&["idle"])).await.unwrap();
    assert_eq!(running.status().await.unwrap().agent, running.record().agent);
    running.stop(quickly()).await.unwrap();
}

/// The last digits of a file's mode.
fn mode(path: PathBuf) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test looks for what must not be there")]
async fn a_spool_is_for_its_owner_alone_and_keeps_no_secret_of_the_environment() {
    let world = World::new();
    let mut launch = world.launch(&["idle"]);
    launch.env = vec![("KEY".to_owned(), "secret-of-the-agent".to_owned())];
    let running = world.start_launch("a", &launch).await;
    running.input(1, b"hello\n").await.unwrap();
    let folder = running.spool().path();
    assert_eq!(mode(folder.to_owned()), 0o700);
    for name in ["log.jsonl", "log.stderr", "shim.json", "shim.sock", "input.seq"] {
        assert_eq!(mode(folder.join(name)), 0o600, "{name}");
    }
    let environment = std::fs::read(format!("/proc/{}/environ", running.record().shim.pid)).unwrap();
    assert_eq!(environment, b"");
    assert!(!std::fs::read_to_string(folder.join("shim.json")).unwrap().contains("secret-of-the-agent"));
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "facts about a process are no files of a user")]
async fn an_agent_starts_with_no_signal_ignored_or_blocked() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    world.next(&mut world.tail(&running, Stream::Output, 0)).await.unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.record().agent.pid)).unwrap();
    let mask = |name: &str| {
        let hex = status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
        u64::from_str_radix(hex, 16).unwrap()
    };
    // The C library keeps signals 32 and 33 to itself.
    let own = 1 << 31 | 1 << 32;
    assert_eq!(mask("SigBlk:") & !own, 0);
    // The agent of this test is a Rust program, which ignores SIGPIPE by itself.
    assert_eq!(mask("SigIgn:") & !own, 1 << 12);
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn a_shim_that_has_ended_is_collected() {
    let world = World::new();
    let running = world.start("a", &["exit", "0"]).await;
    running.ended().await.unwrap();
    let collected = async {
        while Identity::of(running.record().shim.pid).is_ok_and(|found| found == running.record().shim) {
            // tidy: sleep because the runtime collects it without a word.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    world.clock.timeout(PATIENCE, collected).await.expect("it stays as a zombie");
}
