//! What a repository has run for it, checks and recipes, reaches no more than an agent does: each attack succeeds where
//! the sandbox is off and fails where it is on.

use std::ffi::OsString;
use std::path::Path;

use api::devfleet::{LandingView, SessionDetail, SessionStatus};
use sandbox::{CommandSandboxes, Support};
use serde_json::json;
use types::Wanted;

use crate::FLEET;
use crate::landing::{lands, put, rule, until, writes};
use crate::sandbox::{begin, is_held, tried, tries};
use crate::sessions::{GATES, Work, git, script};

/// What hostile code tries, each with a name; the working directory is its worktree.
fn attacks(work: &Work) -> Vec<(&'static str, String)> {
    let home = work.repository.parent().unwrap();
    let (fleet, repository) = (home.join("fleet"), &work.repository);
    let reads = |path: &Path| format!("cat '{}' > /dev/null", path.display());
    let writes = |path: &Path| format!("echo x >> '{}'", path.display());
    vec![
        ("read a key", reads(&home.join(".ssh/id_rsa"))),
        ("read credentials", reads(&home.join(".aws/credentials"))),
        ("read another file of the user", reads(&home.join("notes"))),
        ("read the token of the owner", reads(&fleet.join("token"))),
        ("read where the server is", reads(&fleet.join("server.json"))),
        ("write to the home of Fleet", writes(&fleet.join("planted"))),
        ("write beside the repository", writes(&home.join("planted"))),
        ("write to the checkout", writes(&repository.join("planted"))),
        ("leave a hook", writes(&repository.join(".git/hooks/planted"))),
        ("leave a setting", writes(&repository.join(".git/planted"))),
        ("move a branch", writes(&repository.join(".git/refs/heads/planted"))),
        ("write to its git directory", "echo x > \"$(git rev-parse --git-dir)/planted\"".to_owned()),
        ("see the server", format!("test -e /proc/{}/status", work.server().pid())),
        (
            "leave a file in /tmp",
            format!("echo x > /tmp/planted-{0}; test -e /proc/{0}/root/tmp/planted-{0}", work.server().pid()),
        ),
    ]
}

/// A line for the shell that tries everything and says what came of it.
fn trying(attacks: &[(&str, String)]) -> String {
    let one = |(name, attack): &(&str, String)| {
        format!("if ( {attack} ) 2> /dev/null; then echo '{name}: done'; else echo '{name}: refused'; fi")
    };
    attacks.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn said(attacks: &[(&str, String)], output: &str, word: &str) -> Vec<String> {
    let is = |name: &str| output.lines().any(|line| line == format!("{name}: {word}"));
    attacks.iter().filter(|(name, _)| !is(name)).map(|(name, _)| (*name).to_owned()).collect()
}

/// The one check of a landing, and whether the kernel held it; a machine that cannot has nothing else to show.
fn held(landing: &LandingView) -> bool {
    let said = landing.checks[0].sandbox.as_deref().expect("nothing is said of the sandbox");
    assert!(said.starts_with("held: ") || said.starts_with("missing: "), "{said}");
    said.starts_with("held: ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_reaches_its_worktree_and_nothing_of_the_user_or_of_fleet() {
    let work = begin(&[]).await;
    let attacks = attacks(&work);
    // What agents write is run by the check: here, a script of theirs.
    rule(&work, json!({ "checks": ["sh ./test.sh"], "sandbox": "off" })).await;
    let (mission, _) = work.run(&writes(&[("test.sh", &trying(&attacks))])).await;
    let landed = lands(&work, &mission).await;
    let nothing: Vec<String> = Vec::new();
    assert_eq!(said(&attacks, &landed.checks[0].output_tail, "done"), nothing, "{landed:#?}");
    assert_eq!(landed.checks[0].sandbox.as_deref(), Some("off: the project says so"));

    rule(&work, json!({ "sandbox": "inherit" })).await;
    let works = "git status --short && git log -1 --format=%s && mktemp > /dev/null && echo built > out";
    let script = format!("{}\n{works} && echo 'it works: done'", trying(&attacks));
    git(&work.repository, &["clean", "--quiet", "--force"]);
    let (mission, _) = work.run(&writes(&[("test.sh", &script)])).await;
    let landed = lands(&work, &mission).await;
    if held(&landed) {
        assert_eq!(said(&attacks, &landed.checks[0].output_tail, "refused"), nothing, "{landed:#?}");
        assert!(landed.checks[0].output_tail.contains("it works: done"), "{landed:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_is_held_by_landlock_alone_where_there_are_no_namespaces() {
    let work = begin(&[]).await;
    let path = "/usr/bin:/bin".to_owned();
    let support =
        Support { namespaces: Err("the test says so".to_owned()), bubblewrap: None, ..Support::of_machine(&path) };
    if support.files.is_err() {
        return;
    }
    let home = work.repository.parent().unwrap();
    // Without namespaces it sees which processes there are, and there is no `/tmp` of its own to write to.
    let attacks: Vec<_> = attacks(&work).into_iter().filter(|(name, _)| *name != "see the server").collect();
    git(&work.repository, &["checkout", "--quiet", "-b", "work"]);
    put(&work.repository.join("test.sh"), &trying(&attacks));
    git(&work.repository, &["add", "test.sh"]);
    git(&work.repository, &["commit", "--quiet", "--message", "work"]);
    git(&work.repository, &["checkout", "--quiet", "main"]);
    let variables = [("PATH", OsString::from(path)), ("HOME", home.into())];
    let clock = runtime::Clock::system();
    let options = landing::Options {
        root: home.join("fleet/landing-too"),
        variables: variables.clone().map(|(name, value)| (name.into(), value)).into(),
        sandboxes: Some(CommandSandboxes::supported_by(FLEET.into(), vec![home.join("fleet")], support)),
    };
    let git = ::git::Git::new(::git::Environment::from_variables(variables), clock.clone());
    let lander = landing::Lander::new(git, clock.clone(), runtime::Tree::new(clock), options);
    let mut ground = landing::Ground {
        folder: work.repository.clone(),
        target: None,
        // Green on the target, which has no script: the work is to blame.
        checks: vec!["test ! -e test.sh || { sh ./test.sh; exit 1; }".to_owned()],
        check_timeout: testkit::PATIENCE,
        sandbox: landing::CommandRules::default(),
    };
    let candidate = landing::Candidate { id: "one".to_owned(), branch: "work".to_owned(), title: "Work".to_owned() };
    for (level, word) in [(Wanted::Auto, "refused"), (Wanted::Off, "done")] {
        ground.sandbox.wish.level = level;
        let landing::Outcome::Red(red) = lander.attempt(&ground, &candidate).await.unwrap() else {
            panic!("it is red")
        };
        let output = &red.checks[0].output_tail;
        assert_eq!(said(&attacks, output, word), Vec::<String>::new(), "{level:?}: {output}");
    }
}

/// Commits a recipe whose setup and teardown run a script that is beside it, as an agent may have written it.
fn with_recipe(work: &Work, script: &str) {
    put(&work.repository.join("setup.sh"), script);
    let recipe = "[workspace]\nsetup = ['sh ./setup.sh > setup.log 2>&1']\nteardown = ['sh ./setup.sh > ../teardown.log 2>&1 || true', 'sh ./setup.sh > teardown.log 2>&1']\nport = true\n";
    put(&work.repository.join("fleet.toml"), recipe);
    git(&work.repository, &["add", "setup.sh", "fleet.toml"]);
    git(&work.repository, &["commit", "--quiet", "--message", "recipe"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recipe_reaches_its_worktree_and_nothing_of_the_user_or_of_fleet() {
    let work = begin(&[]).await;
    let attacks = attacks(&work);
    let works = "echo \"port $PORT\" && git log -1 --format=%s && mktemp > /dev/null && echo 'it works: done'";
    with_recipe(&work, &format!("{}\n{works}", trying(&attacks)));
    let nothing: Vec<String> = Vec::new();
    for (level, word) in [("off", "done"), ("inherit", "refused")] {
        rule(&work, json!({ "sandbox": level })).await;
        let shown = work.play("implement", &[r#"{ do = "read", path = "setup.log" }"#.to_owned()]).await;
        let log = setup_log(&shown);
        let held = shown.session.sandbox.as_deref().is_some_and(|said| said.starts_with("held: "));
        if level == "off" || held {
            assert_eq!(said(&attacks, &log, word), nothing, "{level}: {log}");
        }
        assert!(log.contains("it works: done"), "{level}: {log}");
        git(&work.repository, &["clean", "--quiet", "--force"]);
    }
}

/// What the setup of a session's workspace said.
#[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
fn setup_log(shown: &SessionDetail) -> String {
    let folder = shown.session.work_dir.as_deref().unwrap_or_else(|| panic!("{shown:#?}"));
    std::fs::read_to_string(Path::new(folder).join("setup.log")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recipe_that_an_agent_commits_is_not_followed_before_it_has_landed() {
    let work = begin(&[]).await;
    rule(&work, json!({ "land": "never", "sandbox": "off" })).await;
    let planted = work.repository.with_file_name("planted");
    let recipe = format!("[workspace]\nsetup = ['touch {}']\n", planted.display());
    let (mission, session) = work.run(&writes(&[("fleet.toml", &recipe)])).await;
    let shown = work.server().session_until(&session, |shown| shown.session.status == SessionStatus::Completed).await;
    let branch = shown.session.branch.unwrap();
    let next = work.mission(&script(&[r#"{ do = "finish", text = "over" }"#])).await;
    let next = work.dispatch(&next, json!({ "base": branch })).await.unwrap();
    work.server().session_until(&next, |shown| shown.session.status == SessionStatus::Completed).await;
    assert!(!planted.exists(), "the recipe of {mission:?} ran");
    // On the target branch it is the project's.
    git(&work.repository, &["merge", "--quiet", &branch]);
    let (_, landed) = work.run(&script(&[r#"{ do = "finish", text = "over" }"#])).await;
    work.server().session_until(&landed, |shown| shown.session.status == SessionStatus::Completed).await;
    assert!(planted.exists(), "nothing ran at all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checks_that_need_a_sandbox_which_is_not_there_wait_and_say_so() {
    let work = begin(&[]).await;
    rule(&work, json!({ "checks": ["true"], "sandbox": "required" })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let seen = until(&work, &mission, |landing| ["waiting", "landed"].contains(&landing.status.as_str())).await;
    match seen.status.as_str() {
        // Nothing is missing here.
        "landed" => assert!(held(&seen)),
        _ => assert!(seen.why.unwrap().contains("the sandbox is required"), "it does not say why"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn git_follows_nothing_that_a_check_leaves_in_its_worktree() {
    let work = begin(&[]).await;
    let planted = work.repository.with_file_name(GATES).join("planted");
    // The folder is one that checks write to, so that the plan itself is not what stops it.
    let turned = format!(
        "rm .git && git init --quiet . && git config core.fsmonitor 'touch {0}; true' && git config core.hooksPath hooks",
        planted.display()
    );
    let tried = format!(
        "{turned} && git status --short > /dev/null && test -e {0} && rm {0} && echo control",
        planted.display()
    );
    rule(&work, json!({ "checks": [tried] })).await;
    for number in 0..2 {
        let (mission, _) = work.run(&writes(&[("hello.txt", &number.to_string())])).await;
        let landed = lands(&work, &mission).await;
        assert!(landed.checks[0].output_tail.ends_with("control"), "the trap does not work: {landed:#?}");
        assert!(!planted.exists(), "git ran what a check left");
    }
}

#[tokio::test]
async fn a_committed_link_gives_an_agent_that_only_reads_nothing_to_write() {
    let work = begin(&[]).await;
    let outside = work.repository.with_file_name("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, work.repository.join(".codefleet")).unwrap();
    git(&work.repository, &["add", "--force", ".codefleet"]);
    git(&work.repository, &["commit", "--quiet", "--message", "link"]);
    let steps = [tries("write", ".codefleet/planted"), tries("write", outside.join("planted-too"))];
    let shown = work.play("review", &steps).await;
    if is_held(&shown) {
        assert_eq!(tried(&shown), [false, false], "{}", shown.session.output_log);
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }
    // Without a sandbox the link leads out.
    rule(&work, json!({ "sandbox": "off" })).await;
    let shown = work.play("implement", &steps).await;
    assert_eq!(tried(&shown), [true, true], "{}", shown.session.output_log);
}
