//! A server with a repository and scripted agents in it, for the tests of sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use api::Operation;
use api::devfleet::{CreateMission, CreateProject, DispatchMission, GetMission};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use testkit::{Launch, Server};
use types::{MissionId, ProjectId, SessionId};

use crate::FLEET;

/// A server and what its agents work on. Whatever it started is gone when it is dropped.
pub(crate) struct Work {
    server: Option<Server>,
    pub(crate) project: ProjectId,
    pub(crate) repository: PathBuf,
}

/// A start with little patience, so that tests need little time.
pub(crate) fn launch() -> Launch {
    let launch = Launch::new(FLEET).env("FLEET_STOP_GRACE_SECS", 1).env("DEVFLEET_RETRY_INITIAL_DELAY", 0);
    let gates = launch.home().parent().unwrap().join(GATES);
    std::fs::create_dir_all(&gates).unwrap();
    launch.env("FLEET_SANDBOX_WRITE", gates.display())
}

/// The folder beside the repository by which tests and what runs in a sandbox wait for each other.
pub(crate) const GATES: &str = "gates";

/// A script for the scripted agent, of steps as inline tables.
pub(crate) fn script(steps: &[&str]) -> String {
    format!("```sim\nstep = [\n{}\n]\n```", steps.join(",\n"))
}

/// Makes a repository with one commit.
pub(crate) fn make_repository(path: &Path) {
    std::fs::create_dir(path).unwrap();
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["config", "user.name", "Ann"],
        &["config", "user.email", "ann@example.org"],
        &["commit", "--quiet", "--allow-empty", "--message=begin"],
    ] {
        git(path, arguments);
    }
}

impl Work {
    /// Starts a server beside a repository with one commit.
    pub(crate) async fn begin(launch: Launch) -> Self {
        let repository = launch.home().parent().unwrap().join("repository");
        make_repository(&repository);
        Self::on(launch, repository).await
    }

    /// Starts a server whose project is a folder.
    pub(crate) async fn on(launch: Launch, folder: PathBuf) -> Self {
        let server = launch.up().await;
        let project = json!({ "name": "shop", "path": folder });
        let project = serde_json::from_value::<CreateProject>(project).unwrap();
        let project = server.owner().call(project).await.unwrap().output.id;
        Self { server: Some(server), project, repository: folder }
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Kills the server and starts it again.
    pub(crate) async fn restart(&mut self) {
        self.server = Some(self.server.take().unwrap().restart().await);
    }

    /// Kills the server; what follows from it is for the caller to say.
    pub(crate) async fn kill(&mut self) -> Launch {
        self.server.take().unwrap().kill().await
    }

    /// Asks the server to end, waits for that, and starts it again.
    pub(crate) async fn upgrade(&mut self) {
        let (launch, ended) = self.server.take().unwrap().terminate().await;
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        self.server = Some(launch.up().await);
    }

    pub(crate) async fn up(&mut self, launch: Launch) {
        self.server = Some(launch.up().await);
    }

    /// Calls an operation with what is said as JSON.
    pub(crate) async fn call<O: Operation>(&self, input: Value) -> Result<O::Output, api::Error> {
        let op = serde_json::from_value::<O>(input).unwrap();
        self.server().owner().call(op).await.map(|reply| reply.output)
    }

    /// States a mission of which no commit is due: most scripts make none.
    pub(crate) async fn mission(&self, prompt: &str) -> MissionId {
        // With writing tools: some write, and an explorer's workspace could not be written to.
        self.mission_of("explore", prompt, Some("implement")).await
    }

    async fn mission_of(&self, kind: &str, prompt: &str, tools: Option<&str>) -> MissionId {
        let input = json!({
            "project_id": self.project, "title": "Work", "detailed_prompt": prompt, "mission_type": kind,
            "allowed_tools": tools,
        });
        self.call::<CreateMission>(input).await.unwrap().id
    }

    /// Adds another project, with what is said of it.
    pub(crate) async fn project_at(&self, folder: &Path, more: Value) -> ProjectId {
        let mut input = json!({ "name": "other", "path": folder });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call::<CreateProject>(input).await.unwrap().id
    }

    /// States a mission of another project.
    pub(crate) async fn mission_in(&self, project: &ProjectId, prompt: &str) -> MissionId {
        let input = json!({ "project_id": project, "title": "Work", "detailed_prompt": prompt });
        self.call::<CreateMission>(input).await.unwrap().id
    }

    /// States a mission of a kind and gives it to the scripted agent.
    pub(crate) async fn run_as(&self, kind: &str, prompt: &str) -> (MissionId, SessionId) {
        let mission = self.mission_of(kind, prompt, None).await;
        let session = self.dispatch(&mission, json!({})).await.unwrap();
        (mission, session)
    }

    /// Gives a mission to an agent; `more` adds to what is said.
    pub(crate) async fn dispatch(&self, mission: &MissionId, more: Value) -> Result<SessionId, api::Error> {
        let mut input = json!({ "mission": mission, "agent": "sim" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Ok(self.call::<DispatchMission>(input).await?.session_id.expect("all places are taken"))
    }

    /// States a mission and gives it to the scripted agent.
    pub(crate) async fn run(&self, prompt: &str) -> (MissionId, SessionId) {
        self.run_with(prompt, json!({})).await
    }

    pub(crate) async fn run_with(&self, prompt: &str, more: Value) -> (MissionId, SessionId) {
        let mission = self.mission(prompt).await;
        let session = self.dispatch(&mission, more).await.unwrap();
        (mission, session)
    }

    /// Returns the status of a mission, as the dialect has it.
    pub(crate) async fn status(&self, mission: &MissionId) -> String {
        let found = self.call::<GetMission>(json!({ "mission": mission })).await.unwrap();
        serde_json::to_value(found).unwrap()["status"].as_str().unwrap().to_owned()
    }

    /// Returns the folder of a process of a session.
    pub(crate) fn spool(&self, mission: &MissionId, session: &SessionId, run: u32) -> PathBuf {
        let home = self.repository.parent().unwrap().join("fleet");
        home.join("tasks").join(mission.as_str()).join(session.as_str()).join(run.to_string())
    }

    /// Reads who runs in a spool: the shim, the agent.
    pub(crate) fn pids(&self, mission: &MissionId, session: &SessionId, run: u32) -> (u32, u32) {
        pids(&self.spool(mission, session, run)).unwrap()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // The server first: it would start again what ends. Its home is still needed.
        let home = self.server.as_ref().map(|server| server.launch().clone());
        drop(self.server.take());
        for spool in spools(&self.repository.parent().unwrap().join("fleet/tasks")) {
            if !spool.join("exit.json").exists()
                && let Some((shim, agent)) = pids(&spool)
            {
                // A shim that is asked to end takes its agent along.
                let pid = if is_ours(shim) { shim } else { agent };
                if is_ours(pid) {
                    let _ = kill_process(pid_of(pid), Signal::TERM);
                    // A test may have stopped it.
                    let _ = kill_process(pid_of(pid), Signal::CONT);
                }
            }
        }
        drop(home);
    }
}

fn spools(tasks: &Path) -> impl Iterator<Item = PathBuf> {
    let below = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    below(tasks.to_owned()).flat_map(below).flat_map(below).filter(|spool| spool.join("shim.json").exists())
}

fn pids(spool: &Path) -> Option<(u32, u32)> {
    #[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
    let text = std::fs::read_to_string(spool.join("shim.json")).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    let pid = |who: &str| u32::try_from(record[who]["pid"].as_u64()?).ok();
    Some((pid("shim")?, pid("agent")?))
}

/// Whether a process is one of this program; a number may be another's by now.
fn is_ours(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.starts_with(Path::new(FLEET).parent().unwrap()))
}

pub(crate) fn pid_of(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

pub(crate) fn runs(pid: u32) -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Returns the parent of a process; none has number zero.
pub(crate) fn parent(pid: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    behind_name.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()).unwrap_or_default()
}

/// Finds every process that was started for a session: all of them inherit its variable.
pub(crate) fn processes(session: &SessionId) -> BTreeSet<u32> {
    let variable = format!("FLEET_SESSION_ID={session}");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|pair| pair == variable.as_bytes()) && runs(pid) {
            found.insert(pid);
        }
    }
    found
}

/// Runs git in a folder and returns what it says.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    let output = std::process::Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder.parent().unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The words of the agent in frames of a transcript, line by line.
pub(crate) fn words(frames: &[Value]) -> Vec<String> {
    let texts = frames.iter().filter(|frame| frame["type"] == "text").filter_map(|frame| frame["text"].as_str());
    texts.flat_map(str::lines).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The numbers of the flood in a transcript, in order.
pub(crate) fn flood(frames: &[Value]) -> Vec<u64> {
    words(frames).iter().filter_map(|line| line.strip_prefix("flood ")?.split(' ').next()?.parse().ok()).collect()
}
