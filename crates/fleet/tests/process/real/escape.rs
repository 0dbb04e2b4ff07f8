//! The escape suite by real agents: each runs one program that tries every attack, as a command of its own, in the worktree
//! of a real session that holds its real token. With the sandbox off every attack must succeed, in the default sandbox none.
//!
//! The attacks are those of a plain process (`crates/sandbox/tests/escape`), and some for which it takes a session. The
//! docs list them all (`docs/reference/attacks.md`).

#[path = "../../../../sandbox/tests/escape/table.rs"]
mod table;
#[path = "../../../../sandbox/tests/escape/target.rs"]
mod target;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use api::devfleet::CreateMission;
use api::fleet::{ApprovalStatus, GetApproval};
use serde_json::json;
use testkit::Cli;
use testkit::model::{Act, Answer, Script, Turn, When};
use types::{ApprovalId, Network};

use super::matrix::{Capability, Cell};
use super::scene::{Scene, Wish, write};
use super::with_each_agent;
use crate::FLEET;
use crate::approvals::asked;
use crate::sessions::{git, make_repository, script};
use table::{By, Excess, OBEYED, Places, SECRETS, Stopped, Who};
use target::Target;

with_each_agent!(no_attack_gets_out_of_the_sandbox);

/// What the agent needs, also in the sandbox: were it refused, so would be what is beyond.
const NEEDED: [(&str, &str); 3] = [
    ("read its own mission", "'{program}' mission show {mission}"),
    ("write to its worktree", "echo x > written"),
    ("commit", "git add written && git commit --quiet --message written"),
];

async fn no_attack_gets_out_of_the_sandbox(cli: Cli) -> Vec<(Capability, Cell)> {
    let free = tried(cli, "off").await;
    let failed: Vec<_> = free.names.iter().filter(|name| !free.done.contains(*name)).collect();
    assert!(failed.is_empty(), "these do not succeed without a sandbox: {failed:#?}\n{}", free.told);
    assert_eq!(free.approval, ApprovalStatus::Allowed, "nothing answered: {}", free.told);

    let held = tried(cli, "required").await;
    let needed: BTreeSet<String> = NEEDED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(held.done, needed, "{}", held.told);
    assert_eq!(held.approval, ApprovalStatus::Waiting, "{}", held.told);
    assert!(held.names.len() > 60 + needed.len(), "{} were tried", held.names.len());
    vec![(Capability::Escape, Cell::Yes), (Capability::Approvals, Cell::Yes)]
}

/// What came of a run.
struct Outcome {
    names: BTreeSet<String>,
    done: BTreeSet<String>,
    /// The status of an approval that was waiting when it began.
    approval: ApprovalStatus,
    told: String,
}

async fn tried(cli: Cli, sandbox: &str) -> Outcome {
    let limits = [("FLEET_SANDBOX", sandbox), ("FLEET_SANDBOX_OPEN_FILES", "512")];
    // Where Fleet's sandbox is off, Codex would use its own, and the attacks would show nothing.
    let free = cli == Cli::Codex && sandbox == "off";
    let wish = Wish { settings: &limits, free, ..Wish::default() };
    let scene = Scene::with(cli, Script::new(), wish).await;
    let user = scene.work.repository.parent().unwrap().to_owned();
    let house = House::around(&scene, cli, &user);
    let foreign = scene.work.project_at(&house.repository("foreign"), json!({})).await;
    let empty = scene.work.project_at(&house.repository("empty"), json!({})).await;
    let mission = scene.work.mission_in(&foreign, &script(&[r#"{ do = "finish", text = "over" }"#])).await;
    let session = scene.work.dispatch(&mission, json!({ "in_place": true })).await.unwrap();
    scene.work.server().session_ended(&session).await;
    let foreign = scene.work.mission_in(&foreign, "Be left alone.").await;
    let other = scene.work.mission_in(&scene.work.project, "Be left alone.").await;
    let input = json!({
        "project_id": scene.work.project, "title": "Work", "detailed_prompt": "Try everything.", "mission_type": "implement",
    });
    let own = scene.work.call::<CreateMission>(input).await.unwrap().id;
    let approval = house.approval(&scene).await;

    let words = [
        ("program", FLEET.to_owned()),
        ("owner", user.join("fleet").display().to_string()),
        ("home", user.display().to_string()),
        ("mission", own.to_string()),
        ("foreign", foreign.to_string()),
        ("session", session.to_string()),
        ("other", other.to_string()),
        ("project", scene.work.project.to_string()),
        ("empty", empty.to_string()),
        ("approval", approval.to_string()),
    ];
    let words: String = words.iter().map(|(name, text)| format!(" {name}='{text}'")).collect();
    // One command without substitutions, which one of the agents refuses.
    let command = format!("sh ./try.sh{words}");
    let when = || When::said("Try everything.");
    let tries = Answer::new().text("I try.").act_as("c_try", Act::shell(&command));
    scene.model.then(Turn::from(tries).when(when()));
    scene.model.then(Turn::from(Answer::new().text("That was all.")).when(when()));
    // With other presets an agent may have a sandbox of its own where Fleet's is off.
    let session = scene.work.dispatch(&own, json!({ "agent": cli.name(), "tool_preset": "full" })).await.unwrap();
    scene.work.server().session_ended(&session).await;
    let approval = scene.work.call::<GetApproval>(json!({ "approval": approval })).await.unwrap().status;
    let requests = scene.model.requests();
    let results = requests.iter().flat_map(|request| request.results());
    let told = results.filter(|(id, _)| id.contains("c_try")).map(|(_, text)| text.clone()).next_back();
    let told = told.unwrap_or_else(|| panic!("nothing was tried: {requests:#?}"));
    // One of the agents has a word of its own before the first line.
    let is_done =
        |name: &&String| told.lines().any(|line| line.trim().trim_start_matches("Output: ") == format!("{name}: done"));
    let names = house.names.clone();
    let was_tried = |name: &String| told.contains(&format!("{name}: "));
    assert!(names.iter().all(was_tried), "not everything was tried with {}: {told}", cli.name());
    let done = names.iter().filter(is_done).cloned().collect();
    Outcome { done, names, approval, told }
}

/// The command of the agent: it says where its own git directory is, and what its session is called.
const TRY: &str =
    r#"exec ./probe suite attacks.json own="$(git rev-parse --absolute-git-dir)" name="$(basename "$PWD")" "$@""#;

/// What there is to be stolen and to be broken, and a process of the same user.
struct House {
    user: PathBuf,
    victim: Child,
    names: BTreeSet<String>,
    left: [String; 2],
}

impl House {
    fn around(scene: &Scene, cli: Cli, user: &Path) -> Self {
        let repository = &scene.work.repository;
        std::fs::copy(probe(), repository.join("probe")).unwrap();
        write(&repository.join("try.sh"), TRY);
        make_repository(&user.join("planted"));
        let name = user.file_name().unwrap().to_string_lossy().into_owned();
        let left = [format!("/dev/shm/fleet-{name}"), format!("/tmp/fleet-{name}")];
        let at = |path: &str| place(path, user);
        for path in SECRETS.iter().chain(&OBEYED) {
            let path = PathBuf::from(at(path));
            if path.is_absolute() && !path.exists() && !path.to_string_lossy().contains(['{', '*']) {
                write(&path, if path.extension().is_some_and(|kind| kind == "json") { "{}" } else { "# text\n" });
            }
        }
        left.iter().for_each(|path| write(Path::new(path), "text"));
        let (victim, target) = meet_victim(user);
        let excess =
            Excess { threads: "6000", open_files: "600", file_mib: "11264", memory_mib: None, together_mib: "" };
        let places = Places { at: &at, target: &target, shm: &left[0], tmp: &left[1], excess };
        let is_root = rustix::process::geteuid().is_root();
        let needed = NEEDED.map(|(name, what)| (name.to_owned(), vec!["sh".to_owned(), what.to_owned()]));
        // Whatever layer stops it: the default sandbox has all.
        let stopped = |row: &table::Row| row.stopped != Stopped::ByCgroup && row.changes.is_none();
        let rows = table::rows(&places).into_iter().filter(stopped).filter(|row| match (row.by, row.who) {
            (By::Process, _) => false,
            (By::Both | By::Agents, Who::Anybody) => {
                row.network == Network::Open && !table::is_own(cli.name(), &row.name)
            }
            (By::Both | By::Agents, Who::Root) => is_root,
            (By::Both | By::Agents, Who::User) => false,
        });
        let rows: Vec<(String, Vec<String>)> = rows.map(|row| (row.name, row.args)).chain(needed).collect();
        write(&repository.join("attacks.json"), &serde_json::to_string(&rows).unwrap());
        git(repository, &["add", "probe", "try.sh", "attacks.json"]);
        git(repository, &["commit", "--quiet", "--message=attacks"]);
        let names = rows.into_iter().map(|(name, _)| name).collect();
        Self { user: user.to_owned(), victim, names, left }
    }

    /// A call of another agent of the project that a person is asked about.
    async fn approval(&self, scene: &Scene) -> ApprovalId {
        scene.rule("ask", "touch asked*").await;
        let when = || When::said("Ask before.");
        let asks = Answer::new().text("I ask.").act_as("c_asked", Act::shell("touch asked.txt"));
        scene.model.then(Turn::from(asks).when(when()));
        scene.model.then(Turn::from(Answer::new().text("That was all.")).when(when()));
        let (_, session) = scene.run("Ask before.", json!({})).await;
        asked(scene.work.server(), &session).await.id
    }

    /// Another repository of the user. Without one of its own a project would be worked on in the one around it.
    fn repository(&self, name: &str) -> PathBuf {
        let folder = self.user.join(name);
        make_repository(&folder);
        folder
    }
}

/// Where something of the table is in the home of a user with a real server.
fn place(path: &str, user: &Path) -> String {
    let below = |name: &str| user.join(name).display().to_string();
    match path.split_once('/') {
        Some(("home", rest)) => below(rest),
        Some(("repo", rest)) => below(&format!("repository/{}", rest.replace("worktrees/one", "worktrees/{name}"))),
        Some(("fleet", rest)) => match rest.strip_prefix("private/one/") {
            Some(own) => format!("{{own}}/{own}"),
            None => below(&format!("fleet/{rest}")),
        },
        Some(("spool", rest)) => below(&format!("fleet/tasks/{{mission}}/{{name}}/1/{rest}")),
        Some(("session", rest)) => below(&format!("fleet/tasks/{{mission}}/{{name}}/{rest}")),
        Some(("data", "fleet.db")) => below("fleet/fleet.db"),
        // A worktree is four folders below the home.
        Some(("work", rest)) => match rest.strip_prefix("../home/") {
            Some(home) => format!("../../../../{home}"),
            None => rest.to_owned(),
        },
        Some(_) | None => below(path),
    }
}

/// The program that tries, which the sandbox's own tests use.
fn probe() -> PathBuf {
    let probe = Path::new(FLEET).with_file_name("sandbox-probe");
    assert!(probe.is_file(), "run `cargo build -p fleet-sandbox --bins` first: there is no {}", probe.display());
    probe
}

#[expect(clippy::disallowed_methods, reason = "the test starts a process outside of any sandbox")]
fn meet_victim(user: &Path) -> (Child, Target) {
    let folder = user.join("victim");
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(probe());
    command.arg("victim").arg(folder).env("SECRET", "of the environment");
    let mut victim = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(victim.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let target = Target::parse(&line).unwrap_or_else(|| panic!("{line}"));
    (victim, target)
}

impl Drop for House {
    #[expect(clippy::disallowed_methods, reason = "a test removes its own files")]
    fn drop(&mut self) {
        drop(self.victim.stdin.take());
        let _ = self.victim.wait();
        self.left.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
}
