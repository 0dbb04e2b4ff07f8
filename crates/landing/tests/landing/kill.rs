//! A kill at any moment, played or real: the next landing finishes or takes back what was begun, and nothing looks like the user's.

use std::os::unix::process::CommandExt as _;

use fleet_landing::{Candidate, Outcome};

use crate::sandbox::{Sandbox, batch, is_running, landed, put, script};

/// A repository in which the move of `main` to `green` was written down, and its lander was killed then.
fn begun(sandbox: &Sandbox) -> (String, String) {
    put(&sandbox.repo(), "gone.txt", "gone\n");
    put(&sandbox.repo(), "kept.txt", "kept\n");
    sandbox.commit(&sandbox.repo(), "more");
    sandbox.branch("green", "main", &[("a.txt", "green\n"), ("kept.txt", "green\n"), ("dir/new.txt", "green\n")]);
    let work = sandbox.path("work");
    sandbox.run(&work, &["checkout", "-q", "green"]);
    std::fs::remove_file(work.join("gone.txt")).unwrap();
    sandbox.commit(&work, "one file less");
    sandbox.run(&work, &["checkout", "-q", "--detach"]);
    let (from, to) = (sandbox.main(), sandbox.run(&work, &["rev-parse", "green"]));
    let repo = sandbox.repo();
    let text = format!(r#"{{"target":"main","from":"{from}","to":"{to}","checkout":"{}"}}"#, repo.display());
    std::fs::write(sandbox.scratch().join("moving.json"), text).unwrap();
    (from, to)
}

/// Lands something first, so that there is a scratch folder.
async fn used() -> Sandbox {
    let sandbox = Sandbox::new();
    landed(
        sandbox
            .lander()
            .attempt(&sandbox.ground(&["true"]), &sandbox.branch("z", "main", &[("z", "z\n")]))
            .await
            .unwrap(),
    );
    sandbox
}

async fn next(sandbox: &Sandbox) -> Outcome {
    let candidate = sandbox.branch("next", "main", &[("next.txt", "next\n")]);
    let outcome = sandbox.lander().attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
    assert!(!sandbox.scratch().join("moving.json").exists());
    outcome
}

#[tokio::test]
async fn a_kill_between_checkout_and_branch_is_finished_by_the_next_landing() {
    let sandbox = used().await;
    let (from, to) = begun(&sandbox);
    sandbox.run(&sandbox.repo(), &["read-tree", "-m", "-u", &from, &to]);
    assert_ne!(sandbox.run(&sandbox.repo(), &["status", "--porcelain"]), "");
    landed(next(&sandbox).await);
    assert!(sandbox.try_run(&sandbox.repo(), &["merge-base", "--is-ancestor", &to, "main"]).status.success());
    assert_eq!(sandbox.landed("a.txt").unwrap(), "green\n");
    sandbox.assert_clean();
}

#[tokio::test]
async fn what_the_user_did_after_such_a_kill_is_kept_apart_from_it() {
    let sandbox = used().await;
    let (from, to) = begun(&sandbox);
    sandbox.run(&sandbox.repo(), &["read-tree", "-m", "-u", &from, &to]);
    put(&sandbox.repo(), "mine.txt", "mine\n");
    put(&sandbox.repo(), "a.txt", "mine\n");
    sandbox.run(&sandbox.repo(), &["add", "mine.txt"]);
    let told = landed(next(&sandbox).await);
    assert_eq!((told.from.to_string(), told.commit.to_string()), (to, sandbox.main()));
    // The landing touches neither, so both are kept.
    assert_eq!(sandbox.run(&sandbox.repo(), &["status", "--porcelain"]), "M a.txt\nA  mine.txt");
}

#[tokio::test]
async fn a_kill_amid_the_files_of_a_checkout_is_taken_back_by_the_next_landing() {
    let sandbox = used().await;
    let (_, to) = begun(&sandbox);
    // git writes the index last; these are the files it had come to.
    put(&sandbox.repo(), "a.txt", "green\n");
    put(&sandbox.repo(), "dir/new.txt", "green\n");
    std::fs::remove_file(sandbox.repo().join("gone.txt")).unwrap();
    landed(next(&sandbox).await);
    assert!(!sandbox.try_run(&sandbox.repo(), &["merge-base", "--is-ancestor", &to, "main"]).status.success());
    assert_eq!(std::fs::read_to_string(sandbox.repo().join("gone.txt")).unwrap(), "gone\n");
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_kill_before_anything_moved_and_one_after_everything_did_cost_nothing() {
    let sandbox = used().await;
    begun(&sandbox);
    landed(next(&sandbox).await);
    sandbox.assert_clean();
    let sandbox = used().await;
    let (_, last) = begun(&sandbox);
    sandbox.run(&sandbox.repo(), &["merge", "-q", "--ff-only", &last]);
    landed(next(&sandbox).await);
    sandbox.assert_clean();
}

#[tokio::test]
async fn dropped_while_a_check_runs_it_ends_the_check_and_can_be_tried_again() {
    let sandbox = Sandbox::new();
    let (candidate, lander) = (sandbox.branch("b", "main", &[("new.txt", "new\n")]), sandbox.lander());
    let (pid, state) = (sandbox.path("pid"), sandbox.state());
    let hang = format!(
        "echo junk > junk; echo broken > a.txt; sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait",
        pid.display()
    );
    let ground = sandbox.ground(&[&hang]);
    let started = async {
        while !pid.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        told = lander.attempt(&ground, &candidate) => panic!("it hangs: {told:?}"),
        () = started => {}
    }
    let pid = std::fs::read_to_string(pid).unwrap();
    while is_running(&pid) {
        tokio::task::yield_now().await;
    }
    assert_eq!(sandbox.state(), state);
    let ground = sandbox.ground(&["test -z \"$(git status --porcelain --ignored)\""]);
    landed(lander.attempt(&ground, &candidate).await.unwrap());
    sandbox.assert_clean();
}

#[tokio::test]
async fn dropped_while_the_target_moves_it_moves_to_the_end_and_the_next_one_waits_for_it() {
    let sandbox = Sandbox::new();
    let queue = ["b", "c"].map(|name| sandbox.branch(name, "main", &[(name, "new\n")]));
    let (held, go, program) = (sandbox.path("held"), sandbox.path("go"), sandbox.path("git"));
    let text = format!(
        "#!/bin/sh\ncase \"$1\" in read-tree) touch {}; while ! test -e {}; do sleep 0.01; done;; esac\nexec git \"$@\"\n",
        held.display(),
        go.display()
    );
    script(&program, &text);
    let (lander, ground) = (sandbox.lander_with(sandbox.git_at(&program)), sandbox.ground(&["true"]));
    let reached = async {
        while !held.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        told = lander.attempt(&ground, &queue[0]) => panic!("it is held: {told:?}"),
        () = reached => {}
    }
    // A user who commits now is told to wait.
    let refused = sandbox.try_run(&sandbox.repo(), &["commit", "-q", "--allow-empty", "-m", "mine"]);
    assert!(!refused.status.success());
    std::fs::write(&go, "").unwrap();
    let told = batch(&lander, &ground, &queue).await;
    assert!(matches!(told[0], Outcome::Contained { .. }), "{told:?}");
    landed(told[1].clone());
    sandbox.assert_clean();
}

#[tokio::test]
async fn whatever_state_the_scratch_was_left_in_the_next_landing_makes_it_good() {
    let sandbox = used().await;
    let tree = sandbox.lane().join("tree");
    let git_dir = sandbox.run(&tree, &["rev-parse", "--absolute-git-dir"]);
    let leave: [&dyn Fn(); 5] = [
        &|| {
            put(&tree, "junk/deep", "x\n");
            put(&tree, "a.txt", "x\n");
            std::fs::write(format!("{git_dir}/index.lock"), "").unwrap();
        },
        &|| std::fs::write(format!("{git_dir}/index"), "broken").unwrap(),
        &|| std::fs::remove_dir_all(&tree).unwrap(),
        &|| std::fs::remove_file(tree.join(".git")).unwrap(),
        &|| std::fs::remove_dir_all(&git_dir).unwrap(),
    ];
    for (number, leave) in leave.iter().enumerate() {
        leave();
        let candidate = sandbox.branch(&format!("b{number}"), "main", &[("n.txt", &format!("{number}\n"))]);
        let ground = sandbox.ground(&["test -z \"$(git status --porcelain)\""]);
        landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    }
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_check_that_outlived_its_server_is_ended_before_the_next_one_runs() {
    let sandbox = used().await;
    let lock = std::fs::File::options().write(true).open(sandbox.scratch().join("lock")).unwrap();
    lock.lock().unwrap();
    // The lock is the child's alone once the command that holds our copy is gone.
    let mut orphan = std::process::Command::new("sleep").arg("1000").process_group(0).stdin(lock).spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", orphan.id())).unwrap();
    let began = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let text = format!(r#"{{"pid":{},"began":{began}}}"#, orphan.id());
    std::fs::write(sandbox.lane().join("check"), text).unwrap();
    landed(next(&sandbox).await);
    assert!(!orphan.wait().unwrap().success());
}

/// Started by the test below in a process of its own, which is killed meanwhile; by itself it comes to its end.
#[tokio::test]
async fn a_victim_that_nobody_kills_lands_its_branch() {
    let sandbox = std::env::var_os("VICTIM_FOLDER").map_or_else(Sandbox::new, |folder| Sandbox::at(folder.into()));
    let (name, git) = match std::env::var("VICTIM_BRANCH") {
        Ok(name) => (name, sandbox.git_at(&sandbox.path("git"))),
        Err(_) => (sandbox.branch("b", "main", &[("b", "x\n")]).branch, sandbox.git()),
    };
    let candidate = Candidate { id: name.clone(), branch: name, title: String::new() };
    let lander = sandbox.lander_with(git);
    landed(lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
}

#[tokio::test]
async fn a_real_kill_before_any_process_of_git_leaves_nothing_that_the_next_landing_does_not_settle() {
    let sandbox = used().await;
    // Counts its calls, and at one of them kills the lander; then it continues as git, or ends too.
    script(
        &sandbox.path("git"),
        "#!/bin/sh\ncd_=$(dirname \"$0\"); echo >> $cd_/calls\n\
         if test $(wc -l < $cd_/calls) = $(cat $cd_/at); then kill -9 $PPID; test -e $cd_/on || exit 1; fi\n\
         exec git \"$@\"\n",
    );
    let mut survived = 0;
    for number in 1_u32..60 {
        let (goes_on, at) = (number % 2 == 0, number.div_ceil(2));
        let name = format!("b{number}");
        sandbox.branch(&name, "main", &[(&name, "x\n"), ("a.txt", &format!("{number}\n"))]);
        std::fs::write(sandbox.path("at"), at.to_string()).unwrap();
        std::fs::write(sandbox.path("calls"), "").unwrap();
        if goes_on {
            std::fs::write(sandbox.path("on"), "").unwrap()
        } else {
            let _ = std::fs::remove_file(sandbox.path("on"));
        }
        let mut victim = std::process::Command::new(std::env::current_exe().unwrap());
        victim
            .args(["--exact", "kill::a_victim_that_nobody_kills_lands_its_branch"])
            .env("VICTIM_FOLDER", sandbox.path(""));
        let ended = victim.env("VICTIM_BRANCH", &name).output().unwrap();
        survived += usize::from(ended.status.success());
        let candidate = Candidate { id: name.clone(), branch: name.clone(), title: String::new() };
        let next = sandbox.branch(&format!("n{number}"), "main", &[(&format!("n{number}"), "x\n")]);
        let told = batch(&sandbox.lander(), &sandbox.ground(&["true"]), &[next, candidate]).await;
        landed(told[0].clone());
        assert!(matches!(told[1], Outcome::Landed(_) | Outcome::Contained { .. }), "{number}: {told:?}");
        sandbox.assert_clean();
        assert_eq!(std::fs::read_to_string(sandbox.repo().join("a.txt")).unwrap(), format!("{number}\n"));
        if survived == 2 {
            return;
        }
    }
    panic!("it was killed at every call up to the last and never came to its end");
}
