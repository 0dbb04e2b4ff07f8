//! What an agent must not do, and does not.

use serde_json::json;
use testkit::Cli;
use testkit::model::{Act, Answer, Request, Script, Turn};

use super::matrix::{Capability, Cell};
use super::scene::{Scene, write};
use crate::sessions::git;

mod a_reviewer_cannot {
    use testkit::Cli;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn claude() {
        crate::real::matrix::hold(Cli::Claude, super::write_push_or_read_keys(Cli::Claude).await);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn codex() {
        crate::real::matrix::hold(Cli::Codex, super::write_push_or_read_keys(Cli::Codex).await);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn gemini() {
        crate::real::matrix::hold(Cli::Gemini, super::write_push_or_read_keys(Cli::Gemini).await);
    }
}

/// What nobody but its owner is to read.
const KEY: &str = "the key of the house";

/// A review, told to do what a reviewer must not.
async fn write_push_or_read_keys(cli: Cli) -> Vec<(Capability, Cell)> {
    review(&Scene::new(cli, Script::new()).await).await;
    vec![(Capability::Preset, Cell::Yes)]
}

async fn review(scene: &Scene) {
    let user = scene.work.repository.parent().unwrap().to_owned();
    write(&user.join(".ssh/id_rsa"), KEY);
    git(&user, &["init", "--quiet", "--bare", "elsewhere.git"]);
    git(&scene.work.repository, &["remote", "add", "origin", "../elsewhere.git"]);
    let key = user.join(".ssh/id_rsa").display().to_string();
    for (id, act) in [
        ("c_write", Act::write("written.txt", "x\n")),
        ("c_shell", Act::shell("echo x > shelled.txt")),
        ("c_push", Act::shell("git push origin HEAD:refs/heads/pushed")),
        ("c_read", Act::read(&key)),
        ("c_cat", Act::shell(&format!("cat {key}"))),
    ] {
        scene.model.then(Answer::new().text(&format!("I try {id}.")).act_as(id, act));
    }
    scene.model.then(Turn::from(Answer::new().text("I could not.")).always());
    let (_, session) = scene.run_as("review", "Review it.", json!({ "tool_preset": "review" })).await;
    let ended = scene.work.server().session_ended(&session).await.session;
    assert!(ended.retry_count == 0, "{ended:#?}");
    let folder = std::path::PathBuf::from(ended.work_dir.as_ref().unwrap());
    for name in ["written.txt", "shelled.txt"] {
        assert!(!folder.join(name).exists(), "a reviewer wrote {name}");
        let log = git(&scene.work.repository, &["log", "--all", "--format=%s", "--", name]);
        assert_eq!(log, "", "a reviewer's {name} was committed");
    }
    assert_eq!(git(&user.join("elsewhere.git"), &["for-each-ref"]), "", "a reviewer pushed");
    let requests = scene.model.requests();
    assert!(requests.len() > 1, "it was told to do nothing: {ended:#?}");
    let said = |request: &Request| request.body.to_string().contains(KEY);
    assert!(!requests.iter().any(said), "the model was told the key");
}
