//! Runs one check: the one place where this crate starts a process.
//!
//! A check is a line for the shell, run in the scratch worktree with exactly the environment it is given. It leads a
//! process group, which is ended as a whole when the check has ended, when its time is over, and when nobody waits for
//! it any more: nothing it started works on in the tree of the next check. What has left the group is known by a mark
//! in its environment and ended too, where the system shows that.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::Clock;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::Child;
use types::{CheckOutcome, CheckRun};

use crate::tail::Tail;
use crate::{marked, orphan};

/// How long the output of a check that has ended is still read: something that left its group may keep it open.
const DRAIN: Duration = Duration::from_millis(500);

/// Where and how checks run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) directory: PathBuf,
    pub(crate) variables: Arc<BTreeMap<OsString, OsString>>,
    pub(crate) limit: Duration,
    /// Kept open by a check as long as it lives, and so locked.
    pub(crate) lock: Arc<File>,
    /// Where it is written down which process leads the check.
    pub(crate) leader: PathBuf,
    pub(crate) clock: Clock,
}

impl Runner {
    /// Runs a check to its end, or until its time is over.
    pub(crate) async fn run(&self, command: &str) -> CheckRun {
        let begun = self.clock.monotonic();
        let (outcome, output_tail) = match self.play(command).await {
            Ok(played) => played,
            Err(error) => (CheckOutcome::NotStarted { why: error.to_string() }, String::new()),
        };
        let took = self.clock.monotonic().saturating_sub(begun).as_millis();
        let duration_ms = u64::try_from(took).unwrap_or(u64::MAX);
        CheckRun { command: command.to_owned(), outcome, output_tail, duration_ms }
    }

    async fn play(&self, command: &str) -> io::Result<(CheckOutcome, String)> {
        let (reader, writer) = io::pipe()?;
        let output = tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into())?;
        let marker = marked::mark();
        let mut child = self.start(command, writer, &marker)?;
        // Declared after the child, so that a drop kills the group while the leader's number is still its own.
        let group = Group::of(&child, marker.clone());
        orphan::remember(&self.leader, group.leader, &marker);
        let mut tail = Tail::default();
        let over = {
            let mut reading = std::pin::pin!(tail.read(output));
            let mut ended = std::pin::pin!(self.ended(&group));
            let (over, silent) = tokio::select! {
                over = &mut ended => (over, false),
                () = &mut reading => (ended.await, true),
            };
            if !silent {
                let _ = self.clock.timeout(DRAIN, reading).await;
            }
            over
        };
        let status = child.wait().await?;
        group.waited_for();
        orphan::forget(&self.leader);
        let outcome = if over { CheckOutcome::TimedOut } else { outcome_of(status) };
        Ok((outcome, tail.text()))
    }

    /// Waits for the leader or for the end of its time, then ends the group; whether its time was over.
    async fn ended(&self, group: &Group) -> bool {
        let leader = group.leader;
        let exited = runtime::blocking(move || {
            // The leader is left to be waited for: until then nobody else can get its number, which is the group's.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Some(Err(rustix::io::Errno::INTR)) = leader.map(|pid| waitid(WaitId::Pid(pid), options)) {}
        });
        let over = self.clock.timeout(self.limit, exited).await.is_err();
        group.end();
        let marker = group.marker.clone();
        runtime::blocking(move || marked::end(&marker)).await;
        over
    }

    #[expect(clippy::disallowed_methods, reason = "checks are started here and nowhere else")]
    fn start(&self, command: &str, output: io::PipeWriter, marker: &str) -> io::Result<Child> {
        let found = runtime::find_program("sh", self.variables.get(OsStr::new("PATH")).map(OsString::as_os_str));
        let mut shell = tokio::process::Command::new(found.unwrap_or_else(|| PathBuf::from("sh")));
        shell.args(["-c", command]).current_dir(&self.directory).process_group(0).kill_on_drop(true);
        shell.env_clear().envs(self.variables.iter()).env(marked::VARIABLE, marker);
        shell.stdin(File::try_clone(&self.lock)?).stdout(output.try_clone()?).stderr(output);
        shell.spawn()
    }
}

fn outcome_of(status: std::process::ExitStatus) -> CheckOutcome {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => CheckOutcome::Passed,
        (Some(code), _) => CheckOutcome::Failed { code },
        (None, signal) => CheckOutcome::Failed { code: 128 + signal.unwrap_or(0) },
    }
}

/// Ends a check and everything it started, also when it is dropped before its leader has been waited for.
struct Group {
    leader: Option<Pid>,
    marker: String,
}

impl Group {
    fn of(child: &Child, marker: String) -> Self {
        Self { leader: child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)), marker }
    }

    fn end(&self) {
        if let Some(pid) = self.leader {
            // Gone already is as good.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Says that the leader has been waited for: from now on its number may be somebody else's.
    fn waited_for(mut self) {
        self.leader = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.leader.is_some() {
            self.end();
            marked::end(&self.marker);
        }
    }
}
