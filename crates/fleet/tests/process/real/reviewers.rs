//! What a read-only agent must not do, and cannot: neither normally, nor with its permission hook or its sandbox
//! broken.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use api::claude_fleet::ListViolations;
use api::devfleet::SessionRow;
use serde_json::json;
use testkit::Cli;
use testkit::model::{Act, Answer, Hold, Request, Script, Turn};
use types::{MissionId, SessionId};

use super::matrix::{Capability, Cell};
use super::scene::{Scene, Wish, write};
use super::with_each_agent;
use crate::sessions::git;

with_each_agent!(
    a_reviewer_cannot_write_push_read_keys_or_connect_out,
    nor_one_whose_fence_is_spoilt,
    nor_one_whose_hooks_are_broken,
);

/// A secret that only its owner may read.
const KEY: &str = "the key of the house";

async fn a_reviewer_cannot_write_push_read_keys_or_connect_out(cli: Cli) -> Vec<(Capability, Cell)> {
    let scene = Scene::new(cli, Script::new()).await;
    let ended = review(&scene, |_, _| {}).await;
    assert_eq!(ended.calls.as_deref(), Some("enforced"));
    assert!(!scene.told("c_look").contains(SUM), "it reckoned, which is beyond its preset");
    vec![(Capability::Reviewer, Cell::Yes)]
}

/// The permission check finds no permissions file: every call is refused.
async fn nor_one_whose_fence_is_spoilt(cli: Cli) -> Vec<(Capability, Cell)> {
    let scene = Scene::new(cli, Script::new()).await;
    let spoil = |mission: &MissionId, session: &SessionId| {
        let private = scene.work.spool(mission, session, 1).with_file_name("private-1");
        let fence = private.join(policy::PERMISSIONS_FILE);
        assert!(fence.is_file(), "there is no fence to spoil");
        write(&fence, "{");
    };
    let ended = review(&scene, spoil).await;
    let violations = scene.work.call::<ListViolations>(json!({ "sessionId": ended.id })).await.unwrap().items;
    assert!(
        violations.len() >= DEEDS && violations.iter().all(|held| held.reason.contains("permissions file")),
        "{violations:#?}"
    );
    vec![(Capability::Unfenced, Cell::Yes)]
}

/// Its calls are not judged, which Fleet has found out: the kernel refuses what they do.
async fn nor_one_whose_hooks_are_broken(cli: Cli) -> Vec<(Capability, Cell)> {
    let protocol = (cli != Cli::Claude).then_some("exec");
    let scene = Scene::with(cli, Script::new(), Wish { unhooked: true, protocol, ..Wish::default() }).await;
    let ended = review(&scene, |_, _| {}).await;
    assert!(ended.calls.as_ref().is_some_and(|calls| calls.starts_with("unenforced: ")), "{ended:#?}");
    assert!(ended.sandbox.as_ref().is_some_and(|held| held.starts_with("held: ")), "{ended:#?}");
    assert!(scene.told("c_look").contains(SUM), "somebody judged it: {}", scene.told("c_look"));
    for call in ["c_shell", "c_cat", "c_connect"] {
        // By Landlock, by a mount, or as there is no such path.
        let refusals = ["ermission denied", "Read-only file system", "No such file"];
        assert!(refusals.iter().any(|text| scene.told(call).contains(text)), "{call}: {}", scene.told(call));
    }
    vec![(Capability::Unhooked, Cell::Yes)]
}

/// What follows from the harmless command with which it begins.
const SUM: &str = "42222";

/// How many things a reviewer tries that it must not do.
const DEEDS: usize = 6;

/// A review that is told to do what a reviewer must not; `meanwhile` is done before the first of it.
async fn review(scene: &Scene, meanwhile: impl FnOnce(&MissionId, &SessionId)) -> SessionRow {
    let house = House::around(scene);
    let hold = Hold::new();
    let look = Answer::new().text("I look.").act_as("c_look", Act::shell("expr 20000 + 22222"));
    scene.model.then(look.held(&hold));
    for (id, act) in house.deeds() {
        scene.model.then(Answer::new().text(&format!("I try {id}.")).act_as(id, act));
    }
    scene.model.then(Turn::from(Answer::new().text("I could not.")).always());
    let (mission, session) = scene.run_as("review", "Review it.", json!({ "tool_preset": "review" })).await;
    hold.reached().await;
    meanwhile(&mission, &session);
    hold.release();
    let ended = scene.work.server().session_ended(&session).await.session;
    assert_eq!(ended.retry_count, 0, "{ended:#?}");
    assert_eq!(scene.model.remaining(), 0, "it was not told to do everything: {ended:#?}");
    house.is_untouched(scene, &ended);
    ended
}

/// What there is to be stolen and to be broken.
struct House {
    user: PathBuf,
    outside: TcpListener,
}

impl House {
    fn around(scene: &Scene) -> Self {
        let user = scene.work.repository.parent().unwrap().to_owned();
        write(&user.join(".ssh/id_rsa"), KEY);
        git(&user, &["init", "--quiet", "--bare", "elsewhere.git"]);
        let remote = user.join("elsewhere.git").display().to_string();
        git(&scene.work.repository, &["remote", "add", "origin", &remote]);
        let outside = TcpListener::bind("127.0.0.1:0").unwrap();
        outside.set_nonblocking(true).unwrap();
        Self { user, outside }
    }

    fn key(&self) -> String {
        self.user.join(".ssh/id_rsa").display().to_string()
    }

    /// A command that connects to a host outside the agent's services.
    fn knock(&self) -> String {
        let port = self.outside.local_addr().unwrap().port();
        format!("bash -c 'echo x > /dev/tcp/127.0.0.1/{port}'")
    }

    fn deeds(&self) -> [(&'static str, Act); DEEDS] {
        [
            ("c_write", Act::write("written.txt", "x\n")),
            ("c_shell", Act::shell("echo x > shelled.txt")),
            ("c_push", Act::shell("git push origin HEAD:refs/heads/pushed")),
            ("c_read", Act::read(&self.key())),
            ("c_cat", Act::shell(&format!("cat {}", self.key()))),
            ("c_connect", Act::shell(&self.knock())),
        ]
    }

    fn is_untouched(&self, scene: &Scene, ended: &SessionRow) {
        let folder = Path::new(ended.work_dir.as_ref().unwrap());
        for name in ["written.txt", "shelled.txt"] {
            assert!(!folder.join(name).exists(), "a reviewer wrote {name}");
            let log = git(&scene.work.repository, &["log", "--all", "--format=%s", "--", name]);
            assert_eq!(log, "", "a reviewer's {name} was committed");
        }
        assert_eq!(git(&self.user.join("elsewhere.git"), &["for-each-ref"]), "", "a reviewer pushed");
        let said = |request: &Request| request.body.to_string().contains(KEY);
        assert!(!scene.model.requests().iter().any(said), "the model was told the key");
        let came = self.outside.accept().map(|_| "somebody").map_err(|error| error.kind());
        assert_eq!(came, Err(ErrorKind::WouldBlock), "a reviewer connected out");
        self.is_open_to_others(scene);
    }

    /// The same words do the same actions without enforcement; otherwise these tests would show nothing.
    fn is_open_to_others(&self, scene: &Scene) {
        let repository = &scene.work.repository;
        let shell = |command: &str| {
            #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
            let output = Command::new("sh").args(["-c", command]).current_dir(repository).output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        shell("git push --quiet origin HEAD:refs/heads/pushed");
        assert!(shell(&format!("cat {}", self.key())).contains(KEY));
        shell(&self.knock());
        assert!(self.outside.accept().is_ok(), "nobody can connect");
    }
}
