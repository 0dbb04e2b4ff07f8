//! An agent is held by the kernel: what it reaches, what it does not, and what is said of it.
//!
//! If the kernel cannot enforce a sandbox, the session says so, and with `required` no agent starts.

use std::net::TcpListener;
use std::path::Path;

use api::devfleet::{CreateMission, SessionDetail, SessionStatus};
use serde_json::{Value, json};
use types::{SaidBy, SessionId};

use crate::landing::{put, rule};
use crate::sessions::{Work, git, launch, script};

/// The machine of the test, with a secret of its user.
pub(crate) async fn begin(more: &[(&str, &str)]) -> Work {
    let launch = more.iter().fold(launch(), |launch, (name, value)| launch.env(name, value));
    let home = launch.home().parent().unwrap().to_owned();
    for file in [".ssh/id_rsa", ".aws/credentials", ".editorconfig", "notes"] {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    }
    Work::begin(launch).await
}

/// A step that tries something.
pub(crate) fn tries(deed: &str, on: impl AsRef<Path>) -> String {
    format!("{{ do = \"try\", deed = \"{deed}\", on = {:?} }}", on.as_ref().display().to_string())
}

/// What came of each try, in order: whether it was let through.
pub(crate) fn tried(shown: &SessionDetail) -> Vec<bool> {
    let lines = shown.session.output_log.lines().map(str::trim);
    let answers = lines.filter_map(|line| {
        let done = line.ends_with("done");
        (done || line.contains("refused: ")).then_some(done)
    });
    answers.collect()
}

impl Work {
    async fn ended(&self, session: &SessionId) -> SessionDetail {
        let over =
            |shown: &SessionDetail| matches!(shown.session.status, SessionStatus::Completed | SessionStatus::Failed);
        self.server().session_until(session, over).await
    }

    /// Plays steps as a mission of a kind, and returns the session when it is over.
    pub(crate) async fn play(&self, kind: &str, steps: &[String]) -> SessionDetail {
        let last = r#"{ do = "finish", text = "over" }"#;
        let steps: Vec<&str> = steps.iter().map(String::as_str).chain([last]).collect();
        let (_, session) = self.run_as(kind, &script(&steps)).await;
        self.ended(&session).await
    }

    /// As there, with something said about the sandbox of the mission.
    pub(crate) async fn play_said(&self, said: Value, steps: &[String]) -> SessionDetail {
        let last = r#"{ do = "finish", text = "over" }"#;
        let steps: Vec<&str> = steps.iter().map(String::as_str).chain([last]).collect();
        let mut input = json!({ "project_id": self.project, "title": "Work", "detailed_prompt": script(&steps) });
        input.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        let mission = self.call::<CreateMission>(input).await.unwrap().id;
        let session = self.dispatch(&mission, json!({})).await.unwrap();
        self.ended(&session).await
    }

    fn home(&self) -> &Path {
        self.repository.parent().unwrap()
    }
}

/// Whether the kernel held it, as the session says; a test on a machine that cannot has nothing else to see.
pub(crate) fn is_held(shown: &SessionDetail) -> bool {
    let said = shown.session.sandbox.as_deref().expect("nothing is said of the sandbox");
    assert!(said.starts_with("held: ") || said.starts_with("missing: "), "{said}");
    said.starts_with("held: ")
}

#[tokio::test]
async fn an_agent_commits_in_its_worktree_and_reaches_nothing_beside_it() {
    let work = begin(&[]).await;
    let other = work.mission("```sim\nstep = [{ do = \"hang\" }]\n```").await;
    let other = work.dispatch(&other, json!({})).await.unwrap();
    let other = work.server().session_until(&other, |shown| shown.session.work_dir.is_some()).await;
    let neighbour = Path::new(other.session.work_dir.as_deref().unwrap()).to_owned();
    let (home, fleet) = (work.home().to_owned(), work.home().join("fleet"));
    let shown = work
        .play(
            "implement",
            &[
                r#"{ do = "write", path = "made.txt", text = "made" }"#.to_owned(),
                r#"{ do = "commit", message = "make it" }"#.to_owned(),
                tries("write", "made-too.txt"),
                tries("read", home.join(".editorconfig")),
                tries("read", work.repository.join(".git/config")),
                tries("read", home.join(".ssh/id_rsa")),
                tries("read", home.join(".aws/credentials")),
                tries("read", home.join("notes")),
                tries("write", home.join("new")),
                tries("write", work.repository.join("new")),
                tries("read", neighbour.join(".git")),
                tries("write", neighbour.join("new")),
                tries("read", fleet.join("token")),
                tries("read", fleet.join("server.json")),
                tries("write", fleet.join("new")),
            ],
        )
        .await;
    let held = is_held(&shown);
    let expected = |at: usize| at < 3 || !held;
    let tried = tried(&shown);
    assert_eq!(tried.len(), 13, "{}", shown.session.output_log);
    for (at, done) in tried.iter().enumerate().filter(|(at, _)| held || *at < 3) {
        assert_eq!(*done, expected(at), "try {at}: {}", shown.session.output_log);
    }
    let branch = shown.session.branch.unwrap();
    assert!(git(&work.repository, &["log", "--format=%s", &branch]).contains("make it"));
}

#[tokio::test]
async fn an_agent_that_may_only_read_cannot_write_nor_connect_to_whatever_it_likes() {
    let work = begin(&[]).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let steps = [
        tries("read", work.repository.join(".git/config")),
        tries("write", ".codefleet/result-of-a-reader"),
        tries("write", "new"),
        tries("write", work.repository.join(".git/objects/new")),
        tries("connect", &address),
    ];
    let shown = work.play("review", &steps).await;
    if is_held(&shown) {
        let connects = shown.session.sandbox.as_ref().is_some_and(|said| said.contains("without"));
        assert_eq!(tried(&shown), [true, true, false, false, connects], "{}", shown.session.output_log);
    }
}

#[tokio::test]
async fn ports_are_held_back_where_the_settings_list_some() {
    let [listed, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [listed, other] = [&listed, &other].map(|listener| listener.local_addr().unwrap());
    let work = begin(&[("FLEET_SANDBOX_TCP_PORTS", &listed.port().to_string())]).await;
    let steps = [tries("connect", listed.to_string()), tries("connect", other.to_string())];
    let shown = work.play("implement", &steps).await;
    if is_held(&shown) {
        let connects = shown.session.sandbox.as_ref().is_some_and(|said| said.contains("without"));
        assert_eq!(tried(&shown), [true, connects], "{}", shown.session.output_log);
    }
}

#[tokio::test]
async fn off_is_off_and_said_and_required_holds_or_refuses() {
    let work = begin(&[("FLEET_SANDBOX", "off")]).await;
    let shown = work.play("implement", &[tries("read", work.home().join(".ssh/id_rsa"))]).await;
    assert_eq!(shown.session.sandbox.as_deref(), Some("off: the settings say so"));
    assert_eq!(tried(&shown), [true]);

    // What no machine can: full sandboxing with a network of its own is refused where a part of it is missing.
    let work = begin(&[("FLEET_SANDBOX", "required"), ("FLEET_SANDBOX_NETWORK", "none")]).await;
    let shown = work.play("implement", &[tries("read", work.home().join(".ssh/id_rsa"))]).await;
    match shown.session.sandbox.as_deref() {
        Some(said) => {
            assert!(said.starts_with("held: ") && said.contains("no network"), "{said}");
            assert_eq!(tried(&shown), [false]);
        }
        None => assert!(shown.session.last_error.contains("the sandbox is required"), "{shown:#?}"),
    }
}

#[tokio::test]
async fn what_held_an_agent_is_known_after_the_server_was_killed() {
    let mut work = begin(&[]).await;
    let (_, session) = work.run(&script(&[r#"{ do = "listen" }"#])).await;
    let before = work.server().session_until(&session, |shown| shown.session.sandbox.is_some()).await;
    work.restart().await;
    let after = work.server().session_until(&session, |_| true).await;
    assert_eq!(after.session.sandbox, before.session.sandbox);
}

#[tokio::test]
async fn a_project_and_a_mission_have_their_say_and_the_repository_only_narrows() {
    let work = begin(&[]).await;
    let secret = || [tries("read", work.home().join(".ssh/id_rsa"))];
    rule(&work, json!({ "sandbox": "off" })).await;
    let off = work.play_said(json!({}), &secret()).await;
    assert_eq!(off.session.sandbox.as_deref(), Some("off: the project says so"));
    assert_eq!((off.session.sandbox_source, tried(&off)), (Some(SaidBy::Project), vec![true]));

    let held = work.play_said(json!({ "sandbox": "auto" }), &secret()).await;
    assert_eq!(held.session.sandbox_source, Some(SaidBy::Mission));
    assert_eq!(tried(&held), [!is_held(&held)]);

    let cache = work.home().join("cache");
    std::fs::create_dir_all(&cache).unwrap();
    let write = || [tries("write", cache.join("new"))];
    let more = work.play_said(json!({ "sandbox": "auto", "sandbox_write": [cache] }), &write()).await;
    assert_eq!(tried(&more), [true]);
    let without = work.play_said(json!({ "sandbox": "auto" }), &write()).await;
    assert_eq!(tried(&without), [!is_held(&without)]);

    // Only the file on the target branch counts, and only where it narrows.
    put(&work.repository.join("fleet.toml"), "[sandbox]\nlevel = 'auto'\nnetwork = 'open'\n");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connects = || [tries("connect", listener.local_addr().unwrap().to_string())];
    let loose = work.play_said(json!({ "sandbox_network": "none", "sandbox": "auto" }), &connects()).await;
    assert_eq!(loose.session.sandbox_network_source, Some(SaidBy::Mission));
    for (file, source, held) in [
        ("[sandbox]\nlevel = 'auto'\nnetwork = 'open'\n", SaidBy::Mission, None),
        ("[sandbox]\nnetwork = 'none'\n", SaidBy::File, Some(false)),
    ] {
        put(&work.repository.join("fleet.toml"), file);
        git(&work.repository, &["add", "fleet.toml"]);
        git(&work.repository, &["commit", "--quiet", "--message=narrow"]);
        let shown = work.play_said(json!({ "sandbox": "auto", "sandbox_network": "auto" }), &connects()).await;
        assert_eq!(shown.session.sandbox_network_source, Some(source), "{shown:#?}");
        if let Some(connects) = held.filter(|_| is_held(&shown)) {
            assert_eq!(tried(&shown), [connects], "{}", shown.session.output_log);
        }
    }
    put(&work.repository.join("fleet.toml"), "[sandbox]\nwrite = ['/']\n");
    git(&work.repository, &["commit", "--quiet", "--all", "--message=widen"]);
    let refused = work.play_said(json!({}), &secret()).await;
    assert_eq!(refused.session.status, SessionStatus::Failed);
    assert!(refused.session.last_error.contains("[sandbox]"), "{refused:#?}");
}
