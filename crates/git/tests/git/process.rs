//! The process itself: what it sees, and what happens to one that does not end.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use fleet_git::{Environment, Error, Git};
use runtime::Clock;

use crate::sandbox::Sandbox;

/// A git that does what a script says.
fn scripted(sandbox: &Sandbox, script: &str, clock: Clock) -> Git {
    let program = sandbox.path("git");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let variables = std::env::vars_os().chain([("GIT_DIR".into(), "elsewhere".into())]);
    Git::at(program, Environment::from_variables(variables), clock)
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    // A dead process that was not reaped yet is a Z.
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_git_that_hangs_is_ended_with_its_helpers_when_its_time_is_over() {
    let sandbox = Sandbox::empty();
    let (clock, home) = (Clock::manual(jiff::Timestamp::UNIX_EPOCH), sandbox.path("home"));
    let pids = home.join("pids");
    let script = format!("sleep 1000 & echo $! $$ > {0}.new; mv {0}.new {0}; wait", pids.display());
    let git = scripted(&sandbox, &script, clock.clone());
    let watch = async {
        while !pids.exists() || clock.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(121));
    };
    let (opened, ()) = tokio::join!(git.open(&home), watch);
    assert!(matches!(opened, Err(Error::TimedOut { .. })), "{opened:?}");
    let pids = std::fs::read_to_string(&pids).unwrap();
    for pid in pids.split_whitespace() {
        while is_running(pid) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_helper_that_keeps_the_pipes_open_does_not_hold_up_the_answer() {
    let sandbox = Sandbox::empty();
    let (clock, home) = (Clock::manual(jiff::Timestamp::UNIX_EPOCH), sandbox.path("home"));
    let pid = home.join("pid");
    let script = format!("setsid sleep 1000 & echo $! > {}; echo no >&2; exit 3", pid.display());
    let git = scripted(&sandbox, &script, clock.clone());
    let watch = async {
        // One sleeper is the limit of the process, the second the time for what is left in its pipes.
        while clock.sleepers() < 2 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(3));
    };
    let (opened, ()) = tokio::join!(git.open(&home), watch);
    let Err(Error::Failed(failure)) = opened else { panic!("{opened:?}") };
    assert_eq!((failure.code, failure.stderr.as_str()), (Some(3), "no"));
    let pid = std::fs::read_to_string(&pid).unwrap();
    assert!(is_running(pid.trim()), "what is in a session of its own is none of ours");
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_git_that_is_not_there_is_named() {
    let sandbox = Sandbox::empty();
    let git = Git::at("no-such-git", Environment::from_variables([("PATH", "/bin")]), Clock::system());
    let error = git.open(&sandbox.path("home")).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot start `no-such-git`");
}

#[tokio::test]
async fn git_sees_no_repository_of_the_surroundings() {
    let sandbox = Sandbox::empty();
    let git = scripted(&sandbox, "env >&2; exit 9", Clock::system());
    let Err(Error::Failed(failure)) = git.open(&sandbox.path("home")).await else { panic!("it exits with 9") };
    assert!(failure.stderr.contains("LC_ALL=C") && failure.stderr.contains("GIT_TERMINAL_PROMPT=0"), "{failure}");
    assert!(!failure.stderr.contains("GIT_DIR=") && !failure.stderr.contains("CARGO"), "{failure}");
}
