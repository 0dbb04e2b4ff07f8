//! `fleet logs` and `fleet attach`: people who watch an agent and speak to it, on a pipe and at a terminal.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use config::Environment;
use rustix::process::{Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::FLEET;
use crate::sessions::{Work, launch, pid_of, script};

/// Lines that the chatty agent says.
const LINES: usize = 150;

/// What a person types.
pub(crate) fn fleet(work: &Work, words: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the test stands where a shell would")]
    let mut command = Command::new(FLEET);
    let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
    let home = work.server().home().to_owned();
    command.env_clear().env("PATH", path).env("HOME", home.parent().unwrap()).env("FLEET_HOME", home).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

pub(crate) async fn output(mut command: Command) -> (Option<i32>, String, String) {
    let output = command.output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_follows_through_a_kill_of_the_server_reads_every_line_once() {
    let mut work = Work::begin(launch()).await;
    let flood = format!(r#"{{ do = "flood", lines = {LINES}, every_ms = 10 }}"#);
    let (mission, session) = work.run(&script(&[&flood, r#"{ do = "finish", text = "That was all." }"#])).await;
    let mut child = fleet(&work, &["logs", mission.as_str(), "-f"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut followed = Vec::new();
    while followed.len() < LINES / 10 {
        followed.push(lines.next_line().await.unwrap().expect("it ended"));
    }
    work.restart().await;
    while let Some(line) = lines.next_line().await.unwrap() {
        followed.push(line);
    }
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
    let numbers: Vec<usize> =
        followed.iter().filter_map(|line| line.strip_prefix("flood ")?.split(' ').next()?.parse().ok()).collect();
    assert_eq!(numbers, (1..=LINES).collect::<Vec<_>>());

    let (exit, whole, _) = output(fleet(&work, &["logs", session.as_str()])).await;
    assert_eq!((exit, whole), (Some(0), followed.iter().map(|line| format!("{line}\n")).collect()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_fails_ends_the_log_with_one_and_one_that_runs_is_shown_as_far_as_it_is() {
    let work = Work::begin(launch()).await;
    let said = r#"{ do = "say", text = "I begin." }"#;
    let failing = r#"{ do = "fail", class = { name = "budget" }, text = "too dear" }"#;
    let (mission, _) = work.run(&script(&[said, failing])).await;
    let (exit, shown, _) = output(fleet(&work, &["logs", mission.as_str(), "-f"])).await;
    assert_eq!(exit, Some(1), "{shown}");
    assert!(shown.contains("── failed (budget)"), "{shown}");

    let (mission, session) = work.run(&script(&[said, r#"{ do = "listen" }"#])).await;
    until_shown(&work, session.as_str(), "I begin.").await;
    let (exit, shown, remark) = output(fleet(&work, &["logs", mission.as_str()])).await;
    assert_eq!((exit, shown.as_str()), (Some(0), "I begin.\n"));
    assert!(remark.contains(&format!("fleet logs {session} -f --after 1-")), "{remark}");
}

/// Follows a session until it has said something.
async fn until_shown(work: &Work, session: &str, words: &str) {
    let mut child = fleet(work, &["logs", session, "-f"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while !lines.next_line().await.unwrap().expect("it ended").contains(words) {}
    child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_are_piped_in_reach_the_agent_in_order_and_it_goes_on() {
    let work = Work::begin(launch()).await;
    let steps = [r#"{ do = "listen" }"#; 3];
    let (_, session) = work.run(&script(&steps)).await;
    let mut child = fleet(&work, &["attach", session.as_str()]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"first\n\nsecond, without an end").await.unwrap();
    drop(input);
    let output = child.wait_with_output().await.unwrap();
    let remarks = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{remarks}");
    assert!(remarks.contains("continues"), "{remarks}");
    let messages = work.call::<api::devfleet::ListSessionMessages>(json!({ "session": session })).await.unwrap();
    let texts: Vec<_> = messages.items.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["first", "second, without an end"]);

    // The third word is what the agent waits for, and then it is done.
    let third = json!({ "session": session, "text": "third" });
    work.call::<api::devfleet::SendSessionMessage>(third).await.unwrap();
    let (exit, shown, _) = self::output(fleet(&work, &["logs", session.as_str(), "-f"])).await;
    assert_eq!(exit, Some(0), "{shown}");
    let heard: Vec<_> = shown.lines().filter_map(|line| line.strip_prefix("heard: ")).collect();
    assert_eq!(heard, ["first", "second, without an end", "third"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_interrupts_detaches_and_the_agent_goes_on() {
    let work = Work::begin(launch()).await;
    let (_, session) = work.run(&script(&[r#"{ do = "say", text = "I am here." }"#, r#"{ do = "listen" }"#])).await;
    let mut child = fleet(&work, &["attach", session.as_str()]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("I am here."));
    kill_process(pid_of(child.id().unwrap()), Signal::INT).unwrap();
    let output = child.wait_with_output().await.unwrap();
    let remarks = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{remarks}");
    assert!(remarks.contains(&format!("`fleet attach {session}` comes back")), "{remarks}");
    let detail = work.call::<api::devfleet::GetSession>(json!({ "session": session })).await.unwrap();
    assert_eq!(detail.session.status, api::devfleet::SessionStatus::Running);
}

/// A terminal with a person at it.
struct Person {
    master: tokio::fs::File,
    slave: OwnedFd,
    seen: String,
}

impl Person {
    fn sit_down() -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = File::options().read(true).write(true).open(Path::new(&name)).unwrap();
        Self { master: tokio::fs::File::from_std(File::from(master)), slave: slave.into(), seen: String::new() }
    }

    fn start(&self, mut command: Command) -> Child {
        let end = || Stdio::from(self.slave.try_clone().unwrap());
        command.env("COLUMNS", "80").env("TERM", "dumb").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    async fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).await.unwrap();
        self.master.flush().await.unwrap();
    }

    /// Reads on until something new is on the screen, and forgets what came before it.
    async fn sees(&mut self, words: &str) {
        let mut buffer = [0; 4096];
        loop {
            if let Some(at) = self.seen.find(words) {
                self.seen.drain(..at + words.len());
                return;
            }
            let read = tokio::time::timeout(testkit::PATIENCE, self.master.read(&mut buffer)).await;
            let length = read.unwrap_or_else(|_| panic!("never seen: {words:?} in {:?}", self.seen)).unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }

    fn echoes(&self) -> bool {
        tcgetattr(&self.slave).unwrap().local_modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_types_while_the_agent_speaks_and_leaves_it_at_work() {
    let work = Work::begin(launch()).await;
    let steps = [
        r#"{ do = "listen" }"#,
        r#"{ do = "say", text = "I say something in between." }"#,
        r#"{ do = "listen" }"#,
        r#"{ do = "hang" }"#,
    ];
    let (_, session) = work.run(&script(&steps)).await;
    let mut person = Person::sit_down();
    let mut child = person.start(fleet(&work, &["attach", session.as_str()]));
    person.sees("Attached to worker-").await;
    person.types("hel").await;
    person.sees("> hel").await;
    // Another client sends a message to the agent, and it answers while the line is half typed.
    let word = json!({ "session": session, "text": "go" });
    work.call::<api::devfleet::SendSessionMessage>(word).await.unwrap();
    person.sees("I say something in between.").await;
    person.sees("> hel").await;
    person.types("p\x7flo\r").await;
    person.sees("heard: hello").await;
    person.sees("acknowledged: \"hello\"").await;
    assert!(!person.echoes());
    person.types("\x04").await;
    person.sees("Detached; worker-").await;
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
    assert!(person.echoes(), "the terminal was not given back");
    let detail = work.call::<api::devfleet::GetSession>(json!({ "session": session })).await.unwrap();
    assert_eq!(detail.session.status, api::devfleet::SessionStatus::Running);
}
