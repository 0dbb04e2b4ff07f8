use fleet_workspaces::{End, Error, Naming, RecipeRules};
use sandbox::{CommandSandboxes, Support};
use types::{Place, Wanted};

use crate::picture::users_own;
use crate::sandbox::{Sandbox, folder, put, read};

#[tokio::test]
async fn setup_runs_in_the_worktree_with_a_small_environment() {
    let sandbox =
        Sandbox::with_recipe("setup = ['env > env.log', 'pwd > pwd.log']\nenv = { MODE = 'x y' }\nport = 'P'");
    let made = sandbox.prepare("env").await;
    let env = read(&made.path, "env.log");
    assert_eq!(read(&made.path, "pwd.log").trim(), made.path);
    assert!(env.contains("MODE=x y\n") && env.contains("PATH=") && env.contains("HOME="), "{env}");
    assert!(env.contains(&format!("P={}\n", made.env["P"])), "{env}");
    assert!(!env.contains("SECRET"), "{env}");
}

#[tokio::test]
async fn what_is_named_is_copied_or_linked_and_what_is_missing_is_skipped() {
    let sandbox = Sandbox::with_recipe("copy = ['.env', 'conf', 'missing']\nlink = ['node_modules']");
    let repo = sandbox.repo();
    put(&repo, ".env", b"KEY=1");
    put(&repo, "conf/deep/local", b"local");
    put(&repo, "node_modules/m/index.js", b"js");
    let before = users_own(&sandbox);
    let made = sandbox.prepare("bring").await;
    assert_eq!(read(&made.path, ".env"), "KEY=1");
    assert_eq!(read(&made.path, "conf/deep/local"), "local");
    assert_eq!(std::fs::read_link(folder(&made).join("node_modules")).unwrap(), repo.join("node_modules"));
    put(&folder(&made), ".env", b"KEY=2");
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn nothing_leads_out_of_the_repository_and_no_tracked_file_is_overwritten() {
    let sandbox = Sandbox::with_recipe("copy = ['out', 'a.txt', 'src', 'exit/x']\nlink = ['out2']");
    let repo = sandbox.repo();
    put(&sandbox.path("home"), "secret", b"secret");
    std::fs::create_dir(sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("home/secret"), repo.join("out")).unwrap();
    std::os::unix::fs::symlink("../home", repo.join("out2")).unwrap();
    // A tracked link in the worktree that leads out; the user's own checkout has a directory there.
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), repo.join("exit")).unwrap();
    sandbox.run(&repo, &["add", "exit"]);
    sandbox.run(&repo, &["commit", "-qm", "exit"]);
    std::fs::remove_file(repo.join("exit")).unwrap();
    put(&repo, "exit/x", b"x");
    put(&repo, "a.txt", b"changed by the user");
    let made = sandbox.prepare("out").await;
    assert!(!folder(&made).join("out").exists() && !folder(&made).join("out2").exists());
    assert_eq!(read(&made.path, "a.txt"), "one\ntwo\nthree\n");
    assert_eq!(std::fs::read_dir(sandbox.path("elsewhere")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_setup_that_fails_leaves_nothing_and_says_why() {
    let sandbox = Sandbox::with_recipe("setup = ['true', 'seq 1 50; echo broken >&2; exit 7', 'touch never']");
    let before = users_own(&sandbox);
    let error = sandbox.try_prepare("fails").await.unwrap_err();
    let Error::Setup { ran, .. } = &error else { panic!("{error}") };
    assert_eq!(ran.end, End::Code(7));
    assert_eq!(ran.tail.lines().count(), 20);
    assert!(ran.tail.ends_with("50\nbroken"), "{}", ran.tail);
    assert!(error.to_string().contains("exit code 7") && error.to_string().contains("fleet.toml"), "{error}");
    assert_eq!((sandbox.branches(), sandbox.registered()), (vec![], vec![]));
    let left: Vec<_> = std::fs::read_dir(sandbox.trees()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".sessions"]);
    assert_eq!(std::fs::read_dir(sandbox.trees().join(".sessions")).unwrap().count(), 0);
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn a_setup_that_hangs_is_ended_with_everything_it_started() {
    let sandbox = Sandbox::with_recipe("setup = ['sleep 300 & echo $! > ../pid; wait']\ntimeout_secs = 1");
    let error = sandbox.try_prepare("hangs").await.unwrap_err();
    assert!(matches!(&error, Error::Setup { ran, .. } if matches!(ran.end, End::TimedOut { .. })), "{error}");
    let pid = read(sandbox.trees(), "pid");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn what_a_setup_leaves_running_is_in_nobodys_way() {
    let sandbox = Sandbox::with_recipe("setup = ['setsid sleep 60 & echo $! > pid.log']");
    let made = sandbox.prepare("server").await;
    assert_eq!(sandbox.prepare("server").await, made);
    let pid: i32 = read(&made.path, "pid.log").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_recipe_that_cannot_be_read_is_told_by_name_and_leaves_nothing() {
    let sandbox = Sandbox::with_recipe("setpu = ['x']");
    let error = sandbox.try_prepare("typo").await.unwrap_err();
    assert!(error.to_string().contains("setpu"), "{error}");
    assert_eq!((sandbox.branches(), sandbox.registered()), (vec![], vec![]));
}

#[tokio::test]
async fn the_recipe_is_the_target_branchs_whatever_the_work_starts_from() {
    let sandbox = Sandbox::with_recipe("env = { FROM = 'main' }");
    let repo = sandbox.repo();
    // An agent commits a recipe of its own and has work started from there.
    let agents = sandbox.prepare("agent").await;
    put(&folder(&agents), "fleet.toml", b"[workspace]\nenv = { FROM = 'agent' }\nsetup = ['touch ran.log']\n");
    sandbox.commit(&folder(&agents), "mine");
    let theirs = sandbox.text(&folder(&agents), &["rev-parse", "HEAD"]);
    let branch = agents.worktree.as_ref().unwrap().branch.clone();
    let workspaces = sandbox.workspaces();
    let folder_of = |path: &std::path::Path| path.to_string_lossy().into_owned();
    for (name, place) in [
        ("base", Place::Worktree { folder: folder_of(&repo), base: Some(theirs) }),
        ("inherit", Place::Inherit { folder: folder_of(&repo), branch: branch.clone() }),
        ("its-folder", Place::Worktree { folder: agents.path.clone(), base: None }),
    ] {
        let made = workspaces.prepare(&Naming::of(name), &place).await.unwrap();
        assert_eq!(made.env["FROM"], "main", "{name}");
        assert!(!folder(&made).join("ran.log").exists(), "{name} ran what an agent wrote");
    }
    // It counts where it was landed, which is what the branch of the rules says.
    let recipe = RecipeRules { branch: Some(branch), ..RecipeRules::default() };
    let landed = workspaces.prepare(&Naming { recipe, ..Naming::of("landed") }, &sandbox.place()).await.unwrap();
    assert_eq!((landed.env["FROM"].as_str(), folder(&landed).join("ran.log").exists()), ("agent", true));
}

#[tokio::test]
async fn the_recipe_is_that_of_the_commit_not_of_the_users_checkout() {
    let sandbox = Sandbox::with_recipe("env = { FROM = 'commit' }");
    put(&sandbox.repo(), "fleet.toml", b"[workspace]\nenv = { FROM = 'checkout' }\n");
    assert_eq!(sandbox.prepare("commit").await.env["FROM"], "commit");
}

#[tokio::test]
async fn where_no_sandbox_can_be_made_a_recipe_runs_or_is_refused_as_the_rules_say() {
    let sandbox = Sandbox::with_recipe("setup = ['touch ran.log']");
    let mut options = sandbox.options();
    let support = Support::none("this kernel has no Landlock");
    options.sandboxes = Some(CommandSandboxes::supported_by("/nowhere".into(), vec![], support));
    let workspaces = sandbox.workspaces_with(options);
    let mut required = RecipeRules::default();
    required.sandbox.wish.level = Wanted::Required;
    let naming = |name: &str, recipe: &RecipeRules| Naming { recipe: recipe.clone(), ..Naming::of(name) };
    let error = workspaces.prepare(&naming("refused", &required), &sandbox.place()).await.unwrap_err();
    assert!(matches!(error, Error::Sandbox { .. }) && error.to_string().contains("no Landlock"), "{error}");
    assert_eq!((sandbox.branches(), sandbox.registered()), (vec![], vec![]));
    let made = workspaces.prepare(&naming("made", &RecipeRules::default()), &sandbox.place()).await.unwrap();
    assert!(folder(&made).join("ran.log").exists());
}
