//! Agents as real processes: what is started, what survives, what is ended, and who is left alone.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

mod caps;
mod confined;
mod input;
mod many;
mod recovery;
mod rest;
mod shim_pool;
mod starting;
mod stopping;
mod strangers;
mod terminal;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use fleet_supervisor::{
    Adopted, Identity, Launch, Line, Record, Running, Signal, Spool, Stdin, Stop, Stream, Supervisor, Tail, Watcher,
};
use runtime::{Clock, Tree};
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_supervisor-probe");
/// Far more than anything takes, so that a test that hangs says where.
const PATIENCE: Duration = Duration::from_secs(30);

/// A supervisor with a folder for its spools.
struct World {
    folder: TempDir,
    clock: Clock,
    supervisor: Supervisor,
    watcher: Watcher,
    started: Mutex<Vec<Record>>,
}

/// A test that fails leaves no process behind.
impl Drop for World {
    fn drop(&mut self) {
        for started in self.started.lock().unwrap().drain(..) {
            if started.shim.runs() {
                let _ = rustix::process::kill_process(raw(started.shim), rustix::process::Signal::TERM);
                let _ = rustix::process::kill_process(raw(started.shim), rustix::process::Signal::CONT);
            } else if started.agent.runs() {
                let _ = rustix::process::kill_process_group(raw(started.agent), rustix::process::Signal::KILL);
            }
        }
    }
}

impl World {
    fn new() -> Self {
        let clock = Clock::system();
        let watcher = Watcher::new(&Tree::new(clock.clone())).unwrap();
        let supervisor = Supervisor::with_shim(clock.clone(), PROBE);
        Self { folder: tempfile::tempdir().unwrap(), clock, supervisor, watcher, started: Mutex::default() }
    }

    fn spool(&self, name: &str) -> Spool {
        Spool::at(self.folder.path().join("spools").join(name))
    }

    fn launch(&self, args: &[&str]) -> Launch {
        Launch {
            id: format!("launch of {}", args.join(" ")),
            program: PathBuf::from(PROBE),
            args: args.iter().map(|word| (*word).to_owned()).collect(),
            env: Vec::new(),
            cwd: self.folder.path().to_owned(),
            stdin: Stdin::Piped,
            opening: Vec::new(),
            terminal: None,
            log_max: Launch::LOG_MAX,
            egress: None,
            stop: quickly(),
            sandbox: None,
        }
    }

    async fn start(&self, name: &str, args: &[&str]) -> Running {
        self.start_launch(name, &self.launch(args)).await
    }

    async fn start_launch(&self, name: &str, launch: &Launch) -> Running {
        let running = self.supervisor.start(&self.spool(name), launch).await.unwrap();
        self.started.lock().unwrap().push(running.record().clone());
        running
    }

    async fn adopt(&self, name: &str) -> Adopted {
        self.supervisor.adopt(&self.spool(name)).await
    }

    async fn adopt_running(&self, name: &str) -> Running {
        match self.adopt(name).await {
            Adopted::Running(running) => running,
            other @ (Adopted::Ended(_) | Adopted::Lost { .. }) => panic!("{other:?}"),
        }
    }

    fn tail(&self, running: &Running, stream: Stream, from: u64) -> Tail {
        self.watcher.tail(running.spool(), stream, from).unwrap()
    }

    async fn next(&self, tail: &mut Tail) -> Option<Line> {
        self.clock.timeout(PATIENCE, tail.next()).await.expect("no line comes").unwrap()
    }

    /// Reads a line that says who an agent's process is: a word and a number.
    async fn next_pid(&self, tail: &mut Tail) -> u32 {
        let text = text(&self.next(tail).await.unwrap());
        text.split_once(' ').unwrap().1.parse().unwrap()
    }

    /// Starts an agent that has a child in its group, one in another session, and one without a parent.
    async fn family(&self, name: &str) -> (Vec<Identity>, Running) {
        let running = self.start(name, &["family"]).await;
        let mut tail = self.tail(&running, Stream::Output, 0);
        let mut family = Vec::new();
        for _ in 0..4 {
            family.push(Identity::of(self.next_pid(&mut tail).await).unwrap());
        }
        (family, running)
    }

    /// Reads to the end.
    async fn all(&self, tail: &mut Tail) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.next(tail).await {
            lines.push(text(&line));
        }
        lines
    }
}

/// A process that has nothing to do with any agent, gone when dropped.
struct Bystander(Child);

impl Bystander {
    /// Starts one that has this as the mark of a launch.
    #[expect(clippy::disallowed_methods, reason = "the test needs a bystander")]
    fn new(mark: &str) -> Self {
        let mut command = Command::new(PROBE);
        let command = command.arg("idle").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.env("FLEET_LAUNCH", mark).spawn().unwrap())
    }

    fn runs(&self) -> bool {
        Identity::of(self.0.id()).is_ok_and(Identity::runs)
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn text(line: &Line) -> String {
    String::from_utf8(line.bytes.clone()).unwrap()
}

fn quickly() -> Stop {
    Stop::new(Signal::Terminate, Duration::from_millis(200))
}

fn numbered(count: u32) -> Vec<String> {
    (0..count).map(|number| format!("line {number}")).collect()
}

/// The processes that run in a folder, whatever their parents are.
fn running_in(folder: &std::path::Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let inside = processes.filter(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder));
    inside.map(|process| process.display().to_string()).collect()
}

fn raw(process: Identity) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(process.pid.cast_signed()).unwrap()
}
