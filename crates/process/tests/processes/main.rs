//! Commands as real processes: what is kept of them, how they end, and that nothing of them stays.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test speaks by panicking")]
#![expect(clippy::disallowed_methods, reason = "the lock is a file of the test")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fleet_process::{Command, End, Finished, Input, Keep, Mark};
use runtime::Clock;
use rustix::fs::{FlockOperation, flock};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

fn shell(script: &str) -> Command {
    Command::new("/bin/sh", "/", LONG).args(["-c", script]).variables([("PATH", "/usr/bin:/bin")])
}

async fn finish(command: Command) -> Finished {
    command.start().unwrap().finish(&Clock::system()).await.unwrap()
}

/// A lock that every process of a command holds as long as it lives.
struct Lives(tempfile::TempDir);

impl Lives {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("lock")
    }

    /// Lets a command hold the lock: as standard input, and as descriptor 9 for what it starts in the background.
    fn held_by(&self, script: &str, limit: Duration) -> Command {
        let file = File::create(self.path()).unwrap();
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        let script = format!("exec 9<&0; {script}");
        Command { input: Input::KeptOpen(Arc::new(file)), limit, ..shell(&script) }
    }

    /// Waits until no process has the lock.
    async fn are_over(&self) {
        let wait = |path: &Path| flock(File::open(path).unwrap(), FlockOperation::LockExclusive).unwrap();
        let path = self.path();
        let over = runtime::blocking(move || wait(&path));
        Clock::system().timeout(Duration::from_secs(30), over).await.expect("a process outlived its command");
    }

    fn is_held(&self) -> bool {
        flock(File::open(self.path()).unwrap(), FlockOperation::NonBlockingLockExclusive).is_err()
    }
}

#[tokio::test]
async fn a_command_sees_only_what_it_is_given_and_says_how_it_ended() {
    let said = finish(Command { input: Input::Bytes(b"in".to_vec()), ..shell("cat; echo \"-$HOME-$PATH\"") }).await;
    assert_eq!((said.end, said.stdout.as_slice()), (End::Code(0), &b"in--/usr/bin:/bin\n"[..]));
    assert_eq!(finish(shell("exit 3")).await.end, End::Code(3));
    assert_eq!(finish(shell("kill -TERM $$")).await.end, End::Signal(15));
    assert!(Command::new("/nowhere/at-all", "/", LONG).start().is_err());
}

#[tokio::test]
async fn of_a_flood_as_much_is_kept_as_was_asked_for() {
    let flood = |keep| Command { stdout: keep, ..shell("yes | head -c 5000000; echo end") };
    let last = finish(flood(Keep::Last(100))).await.stdout;
    assert_eq!((last.len(), last.ends_with(b"y\nend\n")), (100, true));
    let first = finish(flood(Keep::First(100))).await.stdout;
    assert_eq!((first.len(), first.starts_with(b"y\ny\n")), (100, true));
    assert_eq!(finish(flood(Keep::All)).await.stdout.len(), 5_000_004);
}

#[tokio::test]
async fn joined_error_output_is_in_the_order_in_which_it_was_written() {
    let joined = Command { stderr: Keep::Joined, ..shell("echo a; echo b >&2; echo c") };
    assert_eq!(finish(joined).await.stdout, b"a\nb\nc\n");
}

#[tokio::test]
async fn a_command_that_runs_too_long_is_ended_with_its_whole_group() {
    let lives = Lives::new();
    let ended = finish(lives.held_by("echo begun; sleep 300 & sleep 300", SHORT)).await;
    assert_eq!((ended.end, ended.stdout.as_slice()), (End::TimedOut, &b"begun\n"[..]));
    lives.are_over().await;
}

#[tokio::test]
async fn a_command_that_is_given_up_leaves_nothing_behind() {
    let lives = Lives::new();
    let running = lives.held_by("sleep 300 & sleep 300", LONG).start().unwrap();
    let clock = Clock::system();
    assert!(clock.timeout(SHORT, running.finish(&clock)).await.is_err());
    lives.are_over().await;
    drop(lives.held_by("sleep 300 & sleep 300", LONG).start().unwrap());
    lives.are_over().await;
}

#[tokio::test]
async fn what_left_the_group_of_a_marked_command_is_ended_too() {
    let lives = Lives::new();
    let fork = "setsid sh -c 'sleep 300 & echo begun' & wait";
    for script in [fork.to_owned(), format!("{fork}; sleep 300")] {
        let marked = Command { mark: Some(Mark::new("FLEET_TEST")), ..lives.held_by(&script, SHORT) };
        finish(marked).await;
        lives.are_over().await;
    }
}

#[tokio::test]
async fn a_helper_that_keeps_the_pipes_open_does_not_hold_up_a_command_that_has_ended() {
    let lives = Lives::new();
    let ended = finish(lives.held_by("setsid sleep 300 & echo $!", LONG)).await;
    assert_eq!(ended.end, End::Code(0));
    assert!(lives.is_held(), "without a mark, what left the group lives on");
    let helper = String::from_utf8(ended.stdout).unwrap().trim().parse().ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(helper.unwrap(), rustix::process::Signal::KILL).unwrap();
    lives.are_over().await;
}
