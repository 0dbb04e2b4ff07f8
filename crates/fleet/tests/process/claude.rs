//! The real Claude Code as an agent of the real server, against a model that the test scripts.

use std::path::{Path, PathBuf};

use api::AgentName;
use api::devfleet::{
    CreateMission, CreateProject, DeliveryStatus, DispatchMission, GetMission, GetSession, ListSessionMessages,
    MissionStatus, ReportSource, SendSessionMessage, SessionStatus, StartOptions,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::model::{Answer, Hold, ModelServer, Request, Script, Turn, Usage, When};
use testkit::{Launch, Server};
use tokens::Member;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use types::{MissionId, SessionId};

use crate::FLEET;

/// A repository, a model, and a server whose claude talks to that model alone.
pub(crate) struct Scene {
    folder: TempDir,
    pub(crate) model: ModelServer,
}

impl Scene {
    pub(crate) async fn new(script: Script) -> (Self, Server) {
        Self::with(script, &[]).await
    }

    /// Begins with a server that has these variables, too.
    pub(crate) async fn with(script: Script, env: &[(&str, &str)]) -> (Self, Server) {
        let scene = Self { folder: tempfile::tempdir().unwrap(), model: ModelServer::start(script).await };
        scene.git(&["init", "--quiet", "--initial-branch=main", "."]);
        scene.git(&["config", "user.name", "Test"]);
        scene.git(&["config", "user.email", "test@example.invalid"]);
        scene.git(&["commit", "--quiet", "--allow-empty", "--message=begin"]);
        let launch = env.iter().fold(scene.launch(), |launch, (name, value)| launch.env(name, value));
        let server = launch.up().await;
        (scene, server)
    }

    pub(crate) fn repository(&self) -> PathBuf {
        let path = self.folder.path().join("repository");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn launch(&self) -> Launch {
        let home = self.folder.path().join("home");
        let fleet = self.folder.path().join("fleet");
        std::fs::create_dir_all(&fleet).unwrap();
        let binary = toml::Value::from(testkit::claude::binary().display().to_string());
        write(&fleet.join("runtime.toml"), &format!("[agents.claude]\nbinary = {binary}\n"));
        let environment = testkit::claude::environment(&home, self.model.url());
        // What agents may push to; the sandbox would keep them from it.
        let environment = environment.into_iter().chain([("FLEET_SANDBOX_WRITE".to_owned(), remote(&self.folder))]);
        environment.fold(Launch::at(FLEET, fleet), |launch, (name, value)| launch.env(&name, value))
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        #[expect(clippy::disallowed_methods, reason = "the test looks at the repository as its user would")]
        let output = std::process::Command::new("git").current_dir(self.repository()).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn remote(&self) -> String {
        remote(&self.folder)
    }

    pub(crate) fn model(&self) -> &ModelServer {
        &self.model
    }

    /// States a mission and gives it to claude.
    pub(crate) async fn dispatch(&self, server: &Server, prompt: &str) -> (MissionId, SessionId) {
        self.dispatch_as(server, prompt, None).await
    }

    /// States a mission and gives it to claude with the tools of a preset.
    pub(crate) async fn dispatch_as(
        &self,
        server: &Server,
        prompt: &str,
        preset: Option<&str>,
    ) -> (MissionId, SessionId) {
        let owner = server.owner();
        let project: CreateProject =
            serde_json::from_value(json!({"name": "scene", "path": self.repository()})).unwrap();
        let project = owner.call(project).await.unwrap().output;
        let mission: CreateMission = serde_json::from_value(
            json!({"project_id": project.id, "title": "Greet", "detailed_prompt": prompt, "max_retries": 1}),
        )
        .unwrap();
        let mission = owner.call(mission).await.unwrap().output.id;
        let agent = Some("claude".to_owned());
        let tool_preset = preset.map(str::to_owned);
        let dispatch = DispatchMission {
            mission: mission.clone(),
            options: StartOptions { agent: AgentName::of(agent), tool_preset, ..StartOptions::default() },
        };
        let session = owner.call(dispatch).await.unwrap().output;
        (mission, session.session_id.unwrap())
    }
}

/// The path of a repository that others can push to.
fn remote(folder: &TempDir) -> String {
    folder.path().join("remote.git").display().to_string()
}

#[expect(clippy::disallowed_methods, reason = "the test prepares the home as its user would")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the test reads what the shim wrote")]
fn agent_pid(server: &Server, mission: &MissionId, session: &SessionId) -> u64 {
    let spool = server.home().join("tasks").join(mission.as_str()).join(session.as_str()).join("1/shim.json");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(spool).unwrap()).unwrap();
    record["agent"]["pid"].as_u64().unwrap()
}

/// Begins to read a session's stream.
async fn stream(server: &Server, session: &SessionId) -> BufReader<TcpStream> {
    let address = server.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let token = server.token(&Member::owner());
    let request = format!(
        "GET /api/sessions/{session}/stream HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    BufReader::new(stream)
}

/// Reads a session's stream to a frame, or to its end, and returns its frames.
async fn frames_until(server: &Server, session: &SessionId, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut lines = stream(server, session).await.lines();
    let mut frames: Vec<Value> = Vec::new();
    let read = async {
        while !frames.last().is_some_and(&is_last)
            && let Some(line) = lines.next_line().await.unwrap()
        {
            frames.extend(line.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap()));
        }
    };
    tokio::time::timeout(testkit::PATIENCE, read).await.expect("no end comes");
    frames
}

/// Reads a session's stream to its end, and returns its frames.
pub(crate) async fn frames(server: &Server, session: &SessionId) -> Vec<Value> {
    frames_until(server, session, |_| false).await
}

pub(crate) fn write_a_greeting() -> Turn {
    Turn::made(|request| {
        let path = format!("{}/hello.txt", request.folder().unwrap());
        Answer::new()
            .text("I write a greeting.")
            .call_as("toolu_write", "Write", json!({"file_path": path, "content": "hello\n"}))
            .usage(Usage { input: 100, output: 10, ..Usage::default() })
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claude_goes_on_when_the_server_is_killed_and_its_work_words_and_messages_are_whole() {
    let hold = Hold::new();
    let commit = json!({"command": "git add --all && git commit --quiet --message 'Add a greeting'"});
    let script = Script::new()
        .then(write_a_greeting())
        .then(Answer::new().text("I commit it.").call_as("toolu_commit", "Bash", commit).held(&hold))
        .then(Answer::new().text("It is done, and it is blue."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch(&server, "Write a greeting and commit it.").await;
    hold.reached().await;
    let pid = agent_pid(&server, &mission, &session);

    let say = SendSessionMessage { session: session.clone(), text: "Let it be blue.".to_owned() };
    server.owner().call(say).await.unwrap();
    let server = server.restart().await;
    assert_eq!(agent_pid(&server, &mission, &session), pid, "another process was started");
    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output;
    assert_eq!(seen.session.status, SessionStatus::Running);

    hold.release();
    let frames = frames(&server, &session).await;
    let words: Vec<&str> = frames.iter().filter_map(|frame| frame["text"].as_str()).collect();
    for part in ["I write a greeting.", "[Write]", "I commit it.", "$ git add", "It is done, and it is blue."] {
        assert_eq!(words.iter().filter(|words| words.contains(part)).count(), 1, "{part}: {words:#?}");
    }
    let last = frames.last().unwrap();
    assert_eq!((last["type"].as_str(), last["status"].as_str()), (Some("done"), Some("completed")), "{last}");

    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output.session;
    assert_eq!((seen.retry_count, seen.exit_code), (0, Some(0)));
    let branch = seen.branch.unwrap();
    assert_eq!(scene.git(&["log", "--format=%s", &branch]), "Add a greeting\nbegin\n");
    assert_eq!(scene.git(&["show", &format!("{branch}:hello.txt")]), "hello\n");
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "the user's checkout was touched");
    let told = server.owner().call(ListSessionMessages { session }).await.unwrap().output;
    assert_eq!(told.items.iter().map(|letter| letter.delivery).collect::<Vec<_>>(), [DeliveryStatus::Acknowledged]);
    let last = scene.model.requests().pop().unwrap();
    assert_eq!(last.texts().iter().filter(|text| text.contains("Let it be blue.")).count(), 1, "{:#?}", last.texts());
    scene.model.assert_done();
    let mission = server.owner().call(GetMission { mission }).await.unwrap().output;
    assert_eq!(mission.mission.status, MissionStatus::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claude_reports_with_fleets_own_tool_and_needs_no_leave_for_it() {
    let report = json!({
        "files_changed": "hello.txt", "what_done": "Greeted.", "what_open": "", "what_tested": "", "what_untested": "",
        "next_steps": "", "errors_encountered": "",
    });
    let script = Script::new()
        .then(write_a_greeting())
        .then(Answer::new().text("I report.").call_as("toolu_report", "mcp__fleet__submit_report", report))
        .then(Answer::new().text("That is all."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch(&server, "Write a greeting.").await;
    frames(&server, &session).await;
    let last = scene.model.requests().pop().unwrap();
    let results = last.results();
    assert!(results.get("toolu_report").is_some_and(|said| said.contains("Your report is kept")), "{results:#?}");
    let mission = server.owner().call(GetMission { mission }).await.unwrap().output;
    let report = mission.latest_report.unwrap();
    assert_eq!((report.source, report.texts.what_done.as_str()), (ReportSource::Submitted, "Greeted."));
    assert!(report.evidence.uncommitted_kept, "it did not commit: {report:#?}");
    assert_eq!(mission.mission.status, MissionStatus::Completed);
}

/// A turn of the agent that has the mission, or of another that it sent.
fn turn(of_main: bool, turn: impl Into<Turn>) -> Turn {
    let is_main = |request: &Request| request.texts().iter().any(|text| text.contains("Have a greeting written."));
    turn.into().when(When::holds_if(move |request| is_main(request) == of_main))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_claude_sent_to_work_beside_it_is_waited_for() {
    let hold = Hold::new();
    let task = json!({"description": "Greet", "prompt": "Write it.", "subagent_type": "general-purpose"});
    let commit = json!({"command": "git add --all && git commit --quiet --message 'Add a greeting'"});
    let script = Script::new()
        .then(turn(true, Answer::new().call("Agent", task)))
        .then(turn(false, write_a_greeting()))
        .then(turn(false, Answer::new().text("It is there.").call("Bash", commit).held(&hold)))
        .then(turn(false, Answer::new().text("I have done it.")))
        .then(turn(true, Answer::new().text("I wait for it.")))
        .then(turn(true, Answer::new().text("I am here.")).when(When::said("Are you there?")))
        .then(turn(true, Answer::new().text("It was done.")).always());
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch(&server, "Have a greeting written.").await;
    hold.reached().await;
    frames_until(&server, &session, |frame| frame["type"] == "usage").await;

    // Its turn is over and the other one is not through: it can still be talked to.
    let say = SendSessionMessage { session: session.clone(), text: "Are you there?".to_owned() };
    server.owner().call(say).await.unwrap();
    let said =
        |words: &'static str| move |frame: &Value| frame["text"].as_str().is_some_and(|text| text.contains(words));
    assert!(frames_until(&server, &session, said("I am here.")).await.iter().any(said("I am here.")));
    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output;
    assert_eq!(seen.session.status, SessionStatus::Running);

    hold.release();
    let frames = frames(&server, &session).await;
    assert!(frames.iter().any(said("It was done.")), "{frames:#?}");
    let seen = server.owner().call(GetSession { session }).await.unwrap().output.session;
    assert_eq!(scene.git(&["log", "--format=%s", &seen.branch.unwrap()]), "Add a greeting\nbegin\n");
    let mission = server.owner().call(GetMission { mission }).await.unwrap().output;
    assert_eq!(mission.mission.status, MissionStatus::Completed);
}
