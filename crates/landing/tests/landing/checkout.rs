//! The user's own checkout: moved forward with what the user has changed elsewhere, left alone where that is in the way,
//! never misleading.

use std::path::PathBuf;

use fleet_landing::{Error, Ground, Outcome};

use crate::sandbox::{Sandbox, landed, put};

fn dirty(sandbox: &Sandbox, files: &[&str]) -> Outcome {
    Outcome::CheckoutDirty { checkout: sandbox.repo(), files: files.iter().map(PathBuf::from).collect() }
}

#[tokio::test]
async fn changes_to_a_file_that_would_move_hold_the_landing_before_any_check_runs_until_they_are_gone() {
    let sandbox = Sandbox::new();
    let changes = [("new.txt", "new\n"), ("a.txt", "theirs\n")];
    let (candidate, lander) = (sandbox.branch("b", "main", &changes), sandbox.lander());
    let ran = sandbox.path("ran");
    let ground = sandbox.ground(&[&format!("touch {}", ran.display())]);
    put(&sandbox.repo(), "a.txt", "mine\n");
    let (before, state) = (sandbox.main(), sandbox.state());
    assert_eq!(lander.attempt(&ground, &candidate).await.unwrap(), dirty(&sandbox, &["a.txt"]));
    sandbox.run(&sandbox.repo(), &["add", "a.txt"]);
    assert_eq!(lander.attempt(&ground, &candidate).await.unwrap(), dirty(&sandbox, &["a.txt"]));
    sandbox.run(&sandbox.repo(), &["reset", "-q"]);
    assert_eq!((sandbox.main(), sandbox.state(), ran.exists()), (before, state, false));
    sandbox.run(&sandbox.repo(), &["stash", "-q"]);
    landed(lander.attempt(&ground, &candidate).await.unwrap());
    sandbox.assert_clean();
}

#[tokio::test]
async fn changes_to_other_files_are_kept_while_the_checkout_goes_forward() {
    let sandbox = Sandbox::new();
    let first = sandbox.branch("first", "main", &[("staged.txt", "1\n"), ("both.txt", "1\n"), ("gone.txt", "1\n")]);
    let lander = sandbox.lander();
    landed(lander.attempt(&sandbox.ground(&["true"]), &first).await.unwrap());
    let candidate = sandbox.branch("b", "main", &[("a.txt", "theirs\n"), ("new.txt", "new\n")]);
    let repo = sandbox.repo();
    put(&repo, "staged.txt", "mine\n");
    put(&repo, "both.txt", "staged\n");
    put(&repo, "added.txt", "mine\n");
    sandbox.run(&repo, &["add", "staged.txt", "both.txt", "added.txt"]);
    put(&repo, "both.txt", "and more\n");
    std::fs::remove_file(repo.join("gone.txt")).unwrap();
    put(&repo, "notes", "mine\n");
    let before = sandbox.run(&repo, &["status", "--porcelain"]);
    let told = landed(lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    assert_eq!(told.checkout, Some(repo.clone()));
    assert_eq!(sandbox.run(&repo, &["status", "--porcelain"]), before, "the user's changes, and nothing else");
    assert_eq!(sandbox.run(&repo, &["rev-parse", "HEAD"]), told.commit.to_string());
    let read = |path: &str| std::fs::read_to_string(repo.join(path)).unwrap();
    assert_eq!((read("a.txt").as_str(), read("new.txt").as_str()), ("theirs\n", "new\n"));
    assert_eq!((read("staged.txt").as_str(), read("both.txt").as_str()), ("mine\n", "and more\n"));
    assert_eq!(sandbox.run(&repo, &["show", ":both.txt"]), "staged");
}

#[tokio::test]
async fn only_the_candidate_that_changes_what_the_user_has_changed_waits() {
    let sandbox = Sandbox::new();
    let (free, held) =
        (sandbox.branch("free", "main", &[("f", "f\n")]), sandbox.branch("held", "main", &[("a.txt", "b\n")]));
    let free_too = sandbox.branch("too", "main", &[("t", "t\n")]);
    put(&sandbox.repo(), "a.txt", "mine\n");
    let runs = sandbox.path("runs");
    let ground = sandbox.ground(&[&format!("echo run >> {}", runs.display())]);
    let mut told = std::collections::BTreeMap::new();
    let tell =
        |candidate: &fleet_landing::Candidate, outcome: Outcome| drop(told.insert(candidate.branch.clone(), outcome));
    sandbox.lander().batch(&ground, &[free, held, free_too], tell).await.unwrap();
    assert_eq!(told["held"], dirty(&sandbox, &["a.txt"]));
    assert!(matches!((&told["free"], &told["too"]), (Outcome::Landed(_), Outcome::Landed(_))), "{told:?}");
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), "run\n", "those that can land are checked together");
    assert_eq!(sandbox.run(&sandbox.repo(), &["status", "--porcelain"]), "M a.txt");
}

#[tokio::test]
async fn a_file_that_is_changed_staged_or_put_in_the_way_while_checks_run_is_never_overwritten() {
    let ways = [
        ("a.txt", "echo mine > a.txt"),
        ("a.txt", "echo mine > a.txt; git add a.txt"),
        ("new.txt", "echo mine > new.txt"),
    ];
    for (file, change) in ways {
        let sandbox = Sandbox::new();
        let candidate = sandbox.branch("b", "main", &[("a.txt", "theirs\n"), ("new.txt", "new\n")]);
        let (before, lander) = (sandbox.main(), sandbox.lander());
        let check = format!("cd {} && {change}", sandbox.repo().display());
        let told = lander.attempt(&sandbox.ground(&[&check]), &candidate).await.unwrap();
        assert_eq!(told, dirty(&sandbox, &[file]), "{change}");
        assert_eq!(sandbox.main(), before, "a branch never moves under a checkout that stays behind");
        assert_eq!(std::fs::read_to_string(sandbox.repo().join(file)).unwrap(), "mine\n");
    }
}

#[tokio::test]
async fn a_checkout_that_is_changed_while_checks_run_holds_the_landing_and_they_need_not_run_again() {
    let sandbox = Sandbox::new();
    let (candidate, lander) = (sandbox.branch("b", "main", &[("a.txt", "b\n")]), sandbox.lander());
    let (mine, runs) = (sandbox.repo().join("a.txt"), sandbox.path("runs"));
    let check = format!("echo run >> {}; echo mine > {}", runs.display(), mine.display());
    let before = sandbox.main();
    let ground = sandbox.ground(&[&check]);
    assert_eq!(lander.attempt(&ground, &candidate).await.unwrap(), dirty(&sandbox, &["a.txt"]));
    assert_eq!((sandbox.main(), std::fs::read_to_string(&mine).unwrap().as_str()), (before, "mine\n"));
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "a.txt"]);
    landed(lander.attempt(&ground, &candidate).await.unwrap());
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), "run\n");
    sandbox.assert_clean();
}

#[tokio::test]
async fn files_that_git_does_not_know_stay_and_hold_the_landing_only_where_new_ones_come() {
    let sandbox = Sandbox::new();
    let lander = sandbox.lander();
    let env = sandbox.path("work").join(".env");
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n"), ("dir/x", "x\n"), ("target", "a file\n")]);
    sandbox.run(&sandbox.path("work"), &["checkout", "-q", "b"]);
    std::fs::write(env, "theirs\n").unwrap();
    sandbox.run(&sandbox.path("work"), &["add", "-f", ".env"]);
    sandbox.commit(&sandbox.path("work"), "env");
    sandbox.run(&sandbox.path("work"), &["checkout", "-q", "--detach"]);
    let mine = [("new.txt", "mine\n"), (".env", "secret\n"), ("dir", "mine\n"), ("target/cache", "mine\n")];
    for (path, text) in mine {
        put(&sandbox.repo(), path, text);
    }
    put(&sandbox.repo(), "notes", "mine\n");
    let (before, state) = (sandbox.main(), sandbox.state());
    let told = lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
    assert_eq!(told, dirty(&sandbox, &[".env", "dir", "new.txt", "target/cache"]));
    assert_eq!((sandbox.main(), sandbox.state()), (before, state));
    for (path, text) in mine {
        assert_eq!(std::fs::read_to_string(sandbox.repo().join(path)).unwrap(), text);
        std::fs::remove_file(sandbox.repo().join(path)).unwrap();
    }
    std::fs::remove_dir(sandbox.repo().join("target")).unwrap();
    landed(lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    assert_eq!(sandbox.run(&sandbox.repo(), &["status", "--porcelain"]), "?? notes");
}

#[tokio::test]
async fn a_file_that_was_only_touched_is_no_change() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("a.txt", "b\n")]);
    let file = std::fs::File::options().write(true).open(sandbox.repo().join("a.txt")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    landed(sandbox.lander().attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    sandbox.assert_clean();
}

#[tokio::test]
async fn an_unfinished_merge_holds_the_landing() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    sandbox.branch("mine", "main", &[]);
    sandbox.run(&sandbox.repo(), &["merge", "-q", "--no-ff", "--no-commit", "mine"]);
    let told = sandbox.lander().attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
    assert_eq!(told, dirty(&sandbox, &["MERGE_HEAD"]));
}

#[tokio::test]
async fn with_head_detached_or_on_another_branch_the_target_moves_and_the_checkout_does_not() {
    let sandbox = Sandbox::new();
    let lander = sandbox.lander();
    let ground = Ground { target: Some("main".to_owned()), ..sandbox.ground(&["true"]) };
    for (name, checkout) in [("b", vec!["checkout", "-q", "--detach"]), ("c", vec!["checkout", "-q", "-b", "mine"])] {
        let candidate = sandbox.branch(name, "main", &[(name, "new\n"), ("a.txt", name)]);
        sandbox.run(&sandbox.repo(), &checkout);
        put(&sandbox.repo(), "a.txt", "changed\n");
        let (before, state) = (sandbox.main(), sandbox.state());
        let told = landed(lander.attempt(&ground, &candidate).await.unwrap());
        assert_eq!((told.checkout, told.from.as_str()), (None, before.as_str()));
        assert_eq!((sandbox.main(), sandbox.state()), (told.commit.to_string(), state));
        sandbox.run(&sandbox.repo(), &["checkout", "-q", "."]);
    }
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "--detach"]);
    let candidate = sandbox.branch("d", "main", &[("d", "new\n")]);
    let error = lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap_err();
    assert!(matches!(error, Error::NoTarget { .. }) && error.to_string().contains("name the target branch"), "{error}");
}

#[tokio::test]
async fn a_worktree_of_the_users_that_is_on_the_target_goes_forward_in_the_place_of_the_main_one() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "-b", "mine"]);
    let second = sandbox.path("second");
    sandbox.run(&sandbox.repo(), &["worktree", "add", "-q", second.to_str().unwrap(), "main"]);
    let ground = Ground { target: Some("main".to_owned()), ..sandbox.ground(&["true"]) };
    let told = landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    assert_eq!(told.checkout, Some(second.clone()));
    assert_eq!(
        (sandbox.run(&second, &["status", "--porcelain"]), second.join("new.txt").exists()),
        (String::new(), true)
    );
    assert!(!sandbox.repo().join("new.txt").exists());
}

#[tokio::test]
async fn a_bare_repository_lands_too() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let bare = sandbox.path("bare.git");
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let ground = Ground { folder: bare.clone(), ..sandbox.ground(&["test -f new.txt"]) };
    let told = landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    assert_eq!((told.checkout, sandbox.run(&bare, &["rev-parse", "main"])), (None, told.commit.to_string()));
}

#[tokio::test]
async fn a_lock_of_the_users_is_waited_for_then_told_and_nothing_moves() {
    let sandbox = Sandbox::new();
    let (candidate, lander) = (sandbox.branch("b", "main", &[("new.txt", "new\n")]), sandbox.lander());
    for lock in ["index.lock", "refs/heads/main.lock"] {
        let path = sandbox.repo().join(".git").join(lock);
        std::fs::write(&path, "").unwrap();
        let (before, state) = (sandbox.main(), sandbox.state());
        let told = lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
        assert!(matches!(&told, Outcome::Locked { said } if said.contains(lock)), "{told:?}");
        assert_eq!((sandbox.main(), sandbox.state()), (before, state));
        std::fs::remove_file(path).unwrap();
    }
    landed(lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    sandbox.assert_clean();
}
