use std::os::unix::fs::{PermissionsExt, symlink};

use agents::CallEnd;

use super::*;

const WRITE: &str = r#"{ do = "write", path = "src/deep/a.txt", text = "hello\n" }"#;
const COMMIT: &str = r#"{ do = "commit", message = "add a" }"#;

/// What the tools answered, and how.
fn answers(events: &[Event]) -> Vec<(String, CallEnd)> {
    let answer =
        |event: &Event| if let Event::ToolResult { text, end, .. } = event { Some((text.clone(), *end)) } else { None };
    events.iter().filter_map(answer).collect()
}

#[test]
fn what_is_written_and_committed_is_in_the_repository() {
    let world = World::repository();
    let mut agent = world.play(&[WRITE, COMMIT]);
    assert_eq!(last_words(&agent.rest()), ("done".to_owned(), true));
    assert_eq!(agent.code(), Some(0));
    assert_eq!(world.git(&["show", "HEAD:src/deep/a.txt"]), "hello");
    assert_eq!(world.git(&["log", "--format=%s by %an <%ae>"]), "add a by sim <sim@fleet.invalid>");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_prompt_without_a_script_leaves_honest_work() {
    let world = World::repository();
    let mut agent = world.start("Write a poem", false);
    assert_eq!(last_words(&agent.rest()), ("Wrote and committed write-a-poem.md.".to_owned(), true));
    assert_eq!(world.git(&["show", "HEAD:write-a-poem.md"]), "Write a poem");
}

#[test]
fn who_has_a_name_commits_under_it() {
    let world = World::repository();
    world.git(&["config", "user.name", "Ada"]);
    world.git(&["config", "user.email", "ada@example.org"]);
    world.play(&[WRITE, COMMIT]).rest();
    assert_eq!(world.git(&["log", "--format=%an <%ae>, %cn <%ce>"]), "Ada <ada@example.org>, Ada <ada@example.org>");
}

#[test]
fn a_commit_of_nothing_is_told_and_is_no_failure() {
    let world = World::repository();
    let mut agent = world.play(&[WRITE, COMMIT, WRITE, COMMIT]);
    let events = agent.rest();
    let answered: Vec<_> = answers(&events).into_iter().map(|(text, _)| text).collect();
    assert_eq!(answered, ["written", "committed", "written", "nothing to commit"]);
    assert_eq!(agent.code(), Some(0));
}

#[test]
fn a_commit_that_a_hook_refuses_fails_the_turn_with_the_words_of_the_hook() {
    let world = World::repository();
    let hook = world.path(".git/hooks/pre-commit");
    write(&hook, "#!/bin/sh\necho 'not on my watch' >&2\nexit 3\n");
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    let mut agent = world.play(&[WRITE, COMMIT, r#"{ do = "say", text = "never" }"#]);
    let events = agent.rest();
    let (text, end) = answers(&events).pop().unwrap();
    assert!(text.starts_with("git commit failed") && text.contains("not on my watch"), "{text}");
    assert_eq!(end, CallEnd::Failed);
    assert_eq!(last_words(&events), (text, false));
    assert_eq!(agent.code(), Some(1));
}

#[test]
fn a_commit_outside_of_a_repository_fails_the_turn() {
    let world = World::new();
    let mut agent = world.play(&[WRITE, COMMIT]);
    let (words, well) = last_words(&agent.rest());
    assert!(words.starts_with("git add failed") && !well, "{words}");
    assert_eq!(agent.code(), Some(1));
}

#[test]
fn nothing_is_written_through_a_link() {
    let (world, elsewhere) = (World::new(), tempfile::tempdir().unwrap());
    let victim = elsewhere.path().join("a.txt");
    write(&victim, "untouched");
    symlink(elsewhere.path(), world.path("folder")).unwrap();
    symlink(&victim, world.path("file")).unwrap();
    for path in ["folder/a.txt", "folder/new/b.txt", "file"] {
        let mut agent = world.play(&[&format!("{{ do = \"write\", path = \"{path}\", text = \"touched\" }}")]);
        let (words, well) = last_words(&agent.rest());
        assert!(words.contains(path) && words.contains("link") && !well, "{words}");
    }
    assert_eq!(read(&victim).unwrap(), "untouched");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

/// Reads a process's group and session as the kernel writes them. A session whose leader lives outside this PID
/// namespace (a container started without one) is written as 0, which is not a `Pid`.
fn group_and_session(pid: Pid) -> (u32, u32) {
    let stat = read(Path::new(&format!("/proc/{}/stat", pid.as_raw_nonzero()))).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    (fields[2].parse().unwrap(), fields[3].parse().unwrap())
}

#[test]
fn what_is_left_behind_lives_in_a_session_of_its_own() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "fork_off", secs = 600 }"#, r#"{ do = "listen" }"#]);
    let mut told = None;
    while told.is_none() {
        told = answers(&[agent.next().unwrap()]).pop();
    }
    let (text, _) = told.unwrap();
    let pid: i32 = text.strip_prefix("left behind as process ").unwrap().parse().unwrap();
    let left = Pid::from_raw(pid).unwrap();
    let (left_group, left_session) = group_and_session(left);
    let (own_group, own_session) = group_and_session(Pid::from_child(&agent.child));
    assert_ne!(left_group, own_group);
    assert_ne!(left_session, own_session);
    assert_eq!(agent.code(), Some(0));
    // Only this test ends it; its output shows that it is the one.
    let words = read(Path::new(&format!("/proc/{pid}/cmdline"))).unwrap();
    assert!(words.ends_with("sim-agent\0left-behind\x00600\0"), "{words:?}");
    kill_process(left, Signal::KILL).unwrap();
}
