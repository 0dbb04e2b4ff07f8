//! The permission hook, as an agent runs it: with no environment, no home and no server.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use permission_hook::{Agent, Hook};
use policy::{Judged, SessionPermissions, Verdict};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::FLEET;

/// A session's private folder.
fn session() -> (TempDir, Hook) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let gate = Hook { agent: Agent::Claude, fence: at(policy::PERMISSIONS_FILE), journal: at(policy::JOURNAL_FILE) };
    let fence = SessionPermissions { tools: policy::preset("review"), ..SessionPermissions::open("/repo".into()) };
    fence.save(&gate.fence).unwrap();
    (folder, gate)
}

fn run(gate: &Hook, question: &[u8]) -> Output {
    let argv = gate.argv(FLEET);
    #[expect(clippy::disallowed_methods, reason = "the test stands where the agent would")]
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).env_clear().current_dir("/");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(question).unwrap();
    child.wait_with_output().unwrap()
}

fn bash(command: &str) -> Vec<u8> {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}).to_string().into()
}

fn decided(output: &Output) -> Value {
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["hookSpecificOutput"]["permissionDecision"].clone()
}

#[test]
fn it_answers_with_nothing_around_it_and_writes_every_answer_down() {
    let (folder, gate) = session();
    let (yes, no) = (run(&gate, &bash("git diff HEAD")), run(&gate, &bash("git push")));
    assert_eq!((yes.status.code(), decided(&yes)), (Some(0), json!("allow")));
    assert_eq!((no.status.code(), decided(&no)), (Some(0), json!("deny")));
    let lines = Judged::read(&gate.journal, 0).unwrap().judged;
    assert_eq!(lines.len(), 2);
    assert!(matches!(lines[1].verdict, Verdict::Block { .. }));
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [policy::JOURNAL_FILE, policy::PERMISSIONS_FILE]);
}

#[test]
fn whatever_is_broken_it_ends_with_the_code_that_means_no() {
    let (_folder, gate) = session();
    let refused = |gate: &Hook, question: &[u8]| {
        let output = run(gate, question);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("Fleet refused this call: "), "{output:?}");
    };
    for odd in [&b""[..], b"{", b"[1]", b"\xff\xfe", &[b'['; 100_000]] {
        refused(&gate, odd);
    }
    let nowhere = || PathBuf::from("/nowhere/at/all");
    refused(&Hook { fence: nowhere(), ..gate.clone() }, &bash("git diff"));
    refused(&Hook { journal: nowhere(), ..gate.clone() }, &bash("git diff"));
    refused(&Hook { fence: Path::new("/").to_owned(), ..gate }, &bash("git diff"));
}
