//! A process that prepares or removes a workspace, killed at many moments; the next one must find or finish everything.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use fleet_workspaces::Naming;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, nobody, put, read};

/// What the child does, and where.
const TASK: &str = "WORKSPACES_TEST_TASK";
const FOLDER: &str = "WORKSPACES_TEST_FOLDER";
const SESSION: &str = "WORKSPACES_TEST_SESSION";

/// A setup that fails if it is run a second time in one tree.
const RECIPE: &str = "setup = ['sleep 0.02; test ! -e once.log && echo $PORT > once.log']\nport = true";

#[test]
fn a_child_does_its_task() {
    // Run for itself, and not by the tests below, it has none.
    let (Ok(task), Ok(at)) = (std::env::var(TASK), std::env::var(FOLDER)) else { return };
    let (sandbox, session) = (Sandbox::at(PathBuf::from(at)), std::env::var(SESSION).unwrap());
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let workspaces = pooled(&sandbox);
        println!("begun");
        match task.as_str() {
            "prepare" => drop(workspaces.prepare(&Naming::of(&session), &sandbox.place()).await.unwrap()),
            "refill" => drop(workspaces.refill(&sandbox.repo(), None).await.unwrap()),
            _ => {
                let made = workspaces.prepare(&Naming::of(&session), &sandbox.place()).await.unwrap();
                println!("begun");
                drop(workspaces.remove(&session, &made, nobody).await.unwrap());
            }
        }
    });
}

fn pooled(sandbox: &Sandbox) -> fleet_workspaces::Workspaces {
    let mut options = sandbox.options();
    options.pool_size = 1;
    sandbox.workspaces_with(options)
}

/// Starts the child, waits until it has said `begun` so often, and kills it after a while.
fn killed_after(sandbox: &Sandbox, (task, session): (&str, &str), begins: usize, after: Duration) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::a_child_does_its_task", "--nocapture"]);
    command.env(TASK, task).env(SESSION, session).env(FOLDER, sandbox.path(""));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    for _ in 0..begins {
        assert!(lines.any(|line| line.ends_with("begun")));
    }
    // tidy: sleep because the moment is the point: there is nothing to wait for
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A repository with enough files to be killed in the middle of.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_recipe(RECIPE);
    for number in 0..300 {
        put(&sandbox.repo(), format!("many/{number}"), b"x");
    }
    sandbox.commit(&sandbox.repo(), "many");
    sandbox
}

#[test]
fn a_session_whose_making_was_killed_at_any_moment_gets_one_whole_workspace() {
    let sandbox = sandbox();
    let before = users_own(&sandbox);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0..9 {
        let session = format!("k{round}");
        killed_after(&sandbox, ("prepare", &session), 1, Duration::from_millis(round * 14));
        // The base moves, so that a second branch would show.
        sandbox.run(&sandbox.repo(), &["commit", "-q", "--allow-empty", "-m", "moves"]);
        let workspaces = pooled(&sandbox);
        let made = runtime.block_on(workspaces.prepare(&Naming::of(&session), &sandbox.place())).unwrap();
        assert_eq!(sandbox.branches(), [format!("devfleet/{session}")], "round {round}");
        assert_eq!(sandbox.registered(), std::slice::from_ref(&made.path), "round {round}");
        assert_eq!(read(&made.path, "once.log").trim(), made.env["PORT"], "round {round}");
        assert_eq!(sandbox.text(&folder(&made), &["status", "--porcelain"]), "", "round {round}");
        std::fs::remove_file(folder(&made).join("once.log")).unwrap();
        assert_eq!(Picture::of(&folder(&made)), Picture::of(&sandbox.repo()), "round {round}");
        runtime.block_on(workspaces.remove(&session, &made, nobody)).unwrap();
        sandbox.run(&sandbox.repo(), &["branch", "-D", &format!("devfleet/{session}")]);
    }
    assert_eq!(users_own(&sandbox).0, before.0);
}

#[test]
fn a_session_that_was_killed_while_it_took_a_tree_of_the_pool_gets_one_whole_workspace() {
    let sandbox = sandbox();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0..6 {
        let session = format!("k{round}");
        let workspaces = pooled(&sandbox);
        assert_eq!(runtime.block_on(workspaces.refill(&sandbox.repo(), None)).unwrap(), 1);
        killed_after(&sandbox, ("prepare", &session), 1, Duration::from_millis(round * 5));
        let workspaces = pooled(&sandbox);
        let made = runtime.block_on(workspaces.prepare(&Naming::of(&session), &sandbox.place())).unwrap();
        assert!(made.path.ends_with("pool.1"), "round {round}: {}", made.path);
        assert_eq!(sandbox.branches(), [format!("devfleet/{session}")], "round {round}");
        assert_eq!(read(&made.path, "once.log").trim(), made.env["PORT"], "round {round}");
        assert_eq!(sandbox.text(&folder(&made), &["status", "--porcelain"]), "", "round {round}");
        assert_eq!(sandbox.registered().len(), 1, "round {round}");
        runtime.block_on(workspaces.remove(&session, &made, nobody)).unwrap();
        sandbox.run(&sandbox.repo(), &["branch", "-D", &format!("devfleet/{session}")]);
    }
}

#[test]
fn a_refill_that_was_killed_at_any_moment_hands_out_no_half_made_tree() {
    let sandbox = sandbox();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0..5 {
        let session = format!("k{round}");
        killed_after(&sandbox, ("refill", &session), 1, Duration::from_millis(round * 25));
        let workspaces = pooled(&sandbox);
        assert_eq!(runtime.block_on(workspaces.refill(&sandbox.repo(), None)).unwrap(), 1);
        assert_eq!(sandbox.registered().len(), 1, "round {round}");
        let made = runtime.block_on(workspaces.prepare(&Naming::of(&session), &sandbox.place())).unwrap();
        assert_eq!(sandbox.text(&folder(&made), &["status", "--porcelain"]), "", "round {round}");
        assert_eq!(read(&made.path, "once.log").trim(), made.env["PORT"], "round {round}");
        runtime.block_on(workspaces.remove(&session, &made, nobody)).unwrap();
        sandbox.run(&sandbox.repo(), &["branch", "-D", &format!("devfleet/{session}")]);
    }
}

#[test]
fn a_removal_that_was_killed_at_any_moment_loses_no_byte() {
    let sandbox = sandbox();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0..7 {
        let session = format!("k{round}");
        let workspaces = pooled(&sandbox);
        let made = runtime.block_on(workspaces.prepare(&Naming::of(&session), &sandbox.place())).unwrap();
        put(&folder(&made), "untracked", format!("round {round}").as_bytes());
        put(&folder(&made), "a.txt", b"changed");
        let before = Picture::of(&folder(&made));
        killed_after(&sandbox, ("remove", &session), 2, Duration::from_millis(round * 16));
        let workspaces = pooled(&sandbox);
        let removed = runtime.block_on(workspaces.remove(&session, &made, nobody)).unwrap();
        assert_eq!(sandbox.registered(), Vec::<String>::new(), "round {round}");
        let back = runtime.block_on(workspaces.restore(&sandbox.repo(), &removed.snapshot, None)).unwrap();
        assert_eq!(Picture::of(&back), before, "round {round}");
        runtime.block_on(workspaces.remove(&session, &made_at(&made, back), nobody)).unwrap();
        sandbox.run(&sandbox.repo(), &["branch", "-D", &format!("devfleet/{session}")]);
    }
}

fn made_at(made: &types::Workspace, path: PathBuf) -> types::Workspace {
    types::Workspace { path: path.to_str().unwrap().to_owned(), ..made.clone() }
}
