//! The scripted agent as a real process: what it does, what it hears, how it ends.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod deeds;
mod ending;
mod flood;
mod talking;

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};

use agents::sim::Order;
use agents::{Event, Say};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_scripted-agent-probe");

/// A folder to work in and an empty home.
struct World {
    folder: TempDir,
    home: TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() }
    }

    /// A world whose folder is a repository.
    fn repository() -> Self {
        let world = Self::new();
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a test starts what it looks at, with the tools of the machine")]
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PATH", std::env::var_os("PATH").unwrap()).current_dir(self.folder.path());
        command
    }

    /// Runs git in the folder and returns what it says.
    fn git(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command("git").args(args).output().unwrap();
        assert!(status.success(), "git {args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap().trim().to_owned()
    }

    /// Starts an agent with an order to play the steps, which are written in one line each.
    fn play(&self, steps: &[&str]) -> Agent {
        self.start(&format!("```sim\nstep = [{}]\n```", steps.join(", ")), false)
    }

    fn start(&self, prompt: &str, resumed: bool) -> Agent {
        let (prompt, session, model) = (prompt.to_owned(), "s-1".to_owned(), "sim".to_owned());
        let order = Order { prompt, session, model, resumed, mission: None, reads_only: false };
        let mut agent = self.start_without_order();
        agent.write(&serde_json::to_string(&order).unwrap());
        agent
    }

    fn start_without_order(&self) -> Agent {
        let mut command = self.command(PROBE);
        command.arg(fleet_scripted_agent::WORD).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Agent { input: child.stdin.take(), lines, child }
    }
}

/// An agent that runs; it ends with the test.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Agent {
    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn say(&mut self, say: &Say) {
        self.write(&serde_json::to_string(say).unwrap());
    }

    fn message(&mut self, id: &str) {
        self.say(&Say::Message { id: id.to_owned(), text: format!("text of {id}") });
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Reads the next event; none at the end.
    fn next(&mut self) -> Option<Event> {
        self.lines.next().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
    }

    /// Reads until it says `text`.
    fn until_it_says(&mut self, text: &str) {
        while let Some(event) = self.next() {
            if matches!(&event, Event::Text { text: said, .. } if said == text) {
                return;
            }
        }
        panic!("it never says `{text}`");
    }

    /// Reads the rest.
    fn rest(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Waits for its end; returns how it ended and what it complained of.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.input.take());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap(), errors)
    }

    fn code(self) -> Option<i32> {
        self.end().0.code()
    }
}

/// The last words of a turn that ended, and whether it ended well.
fn last_words(events: &[Event]) -> (String, bool) {
    let Some(Event::Result(result)) = events.last() else { panic!("no result: {events:?}") };
    (result.text.clone(), result.ending == agents::Ending::Completed)
}

#[expect(clippy::disallowed_methods, reason = "the test looks at what was written, and at facts about processes")]
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[expect(clippy::disallowed_methods, reason = "the test makes what stands in the way")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
