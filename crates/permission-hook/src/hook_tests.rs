use policy::{Access, OnAsk, access};
use proptest::prelude::*;
use serde_json::{Value, json};
use types::Timestamp;

use super::*;

/// A session's two files, and the hook's arguments.
struct Session {
    folder: tempfile::TempDir,
}

impl Session {
    fn with(tools: &[&str]) -> Self {
        let session = Self { folder: tempfile::tempdir().unwrap() };
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        assert_eq!(access(Some(&tools)), Access::ReadOnly);
        let fence =
            SessionPermissions { tools: Some(tools), on_ask: OnAsk::Defer, ..SessionPermissions::open("/repo".into()) };
        fence.save(&session.fence()).unwrap();
        session
    }

    fn fence(&self) -> PathBuf {
        self.folder.path().join(policy::PERMISSIONS_FILE)
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join(policy::JOURNAL_FILE)
    }

    fn change(&self, change: impl FnOnce(&mut SessionPermissions)) {
        let mut fence = SessionPermissions::load(&self.fence()).unwrap();
        change(&mut fence);
        fence.save(&self.fence()).unwrap();
    }

    fn args(&self, agent: Agent) -> Vec<OsString> {
        let gate = Hook { agent, fence: self.fence(), journal: self.journal() };
        gate.argv("fleet").into_iter().skip(2).map(OsString::from).collect()
    }

    fn judge(&self, agent: Agent, question: &Value) -> Result<String, String> {
        let clock = Clock::manual(Timestamp::UNIX_EPOCH);
        judge(&self.args(agent), question.to_string().as_bytes(), &clock)
    }

    fn journalled(&self) -> Vec<Judged> {
        Judged::read(&self.journal(), 0).unwrap().judged
    }
}

fn bash(command: &str) -> Value {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"})
}

fn decided(answer: &str) -> (String, String) {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    let text = |field: &str| output[field].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

#[test]
fn each_agent_is_answered_in_its_own_words() {
    let session = Session::with(&["Read", "Bash(git diff *)"]);
    let (yes, no) = (bash("git diff"), bash("rm a"));
    assert_eq!(decided(&session.judge(Agent::Claude, &yes).unwrap()).0, "allow");
    assert_eq!(session.judge(Agent::Codex, &yes).unwrap(), "");
    for agent in [Agent::Claude, Agent::Codex] {
        let (word, why) = decided(&session.judge(agent, &no).unwrap());
        assert_eq!(word, "deny");
        assert!(why.contains("`rm a`"), "{why}");
    }
    let ask = |command: &str| json!({"tool_name": "run_shell_command", "tool_input": {"command": command}});
    assert_eq!(session.judge(Agent::Gemini, &ask("git diff")).unwrap(), "{}");
    let no: Value = serde_json::from_str(&session.judge(Agent::Gemini, &ask("rm a")).unwrap()).unwrap();
    assert_eq!(no["decision"], "deny");
    let inward = json!({"tool_name": "TodoWrite", "tool_input": {}});
    assert_eq!(session.judge(Agent::Claude, &inward).unwrap(), "");
}

#[test]
fn every_decision_is_in_the_journal_with_what_the_agent_calls_it() {
    let session = Session::with(&["Bash(git diff *)"]);
    session.judge(Agent::Claude, &bash("git diff")).unwrap();
    session.judge(Agent::Claude, &bash("rm a")).unwrap();
    let lines = session.journalled();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].verdict, Verdict::Allow);
    assert!(matches!(lines[1].verdict, Verdict::Block { .. }));
    assert_eq!((lines[1].id.as_deref(), lines[1].call.what().as_str()), (Some("t1"), "rm a"));
    assert_eq!(lines[1].key, lines[1].call.key());
}

#[test]
fn a_call_that_a_person_must_allow_is_put_off_where_that_works_and_refused_elsewhere() {
    let session = Session::with(&["Bash(git diff *)"]);
    let rule = json!({"id": "g-bbbbb", "team": "default", "name": "Ask me", "decision": "ask", "about": {"command": "git *"},
        "enabled": true, "created_by": "ann", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"});
    session.change(|fence| fence.rules = vec![serde_json::from_value(rule).unwrap()]);
    assert_eq!(decided(&session.judge(Agent::Claude, &bash("git diff")).unwrap()).0, "defer");
    let (word, why) = decided(&session.judge(Agent::Codex, &bash("git diff")).unwrap());
    assert_eq!(word, "deny");
    assert!(why.contains("again later"), "{why}");
    session.change(|fence| fence.on_ask = OnAsk::Refuse);
    assert_eq!(decided(&session.judge(Agent::Claude, &bash("git diff")).unwrap()).0, "deny");
    let asked = session.journalled();
    assert!(asked.iter().all(|line| matches!(line.verdict, Verdict::Ask { .. })), "{asked:?}");
    // What was answered in the meantime counts at the next try.
    let answer = policy::Answer { key: asked[0].key.clone(), allow: true, by: "ann".parse().unwrap(), why: None };
    session.change(|fence| fence.answers = vec![answer]);
    assert_eq!(decided(&session.judge(Agent::Claude, &bash("git diff")).unwrap()).0, "allow");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test breaks the files of a session")]
fn what_cannot_be_read_or_written_down_is_refused() {
    let session = Session::with(&["Bash(git diff *)"]);
    let clock = Clock::manual(Timestamp::UNIX_EPOCH);
    let args = session.args(Agent::Claude);
    for odd in ["", "{", "[]", "null", "{\"tool_input\":{}}", "{\"tool_name\":4}", "\u{0}"] {
        assert!(judge(&args, odd.as_bytes(), &clock).is_err(), "{odd}");
    }
    let question = bash("git diff").to_string();
    for odd in [&args[..0], &args[..1], &args[..4], &args[2..]] {
        assert!(judge(odd, question.as_bytes(), &clock).is_err(), "{odd:?}");
    }
    std::fs::create_dir(session.journal()).unwrap();
    let why = judge(&args, question.as_bytes(), &clock).unwrap_err();
    assert!(why.contains("journal"), "{why}");
    std::fs::write(session.fence(), "{}").unwrap();
    assert!(judge(&args, question.as_bytes(), &clock).unwrap_err().contains("permissions"));
    std::fs::remove_file(session.fence()).unwrap();
    assert!(judge(&args, question.as_bytes(), &clock).unwrap_err().contains("permissions"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test breaks the files of a session")]
fn a_call_that_no_fence_was_found_for_is_written_down_as_refused() {
    let session = Session::with(&["Bash(git diff *)"]);
    std::fs::write(session.fence(), "{").unwrap();
    let why = session.judge(Agent::Claude, &bash("git diff")).unwrap_err();
    let lines = session.journalled();
    assert_eq!((lines.len(), lines[0].call.what().as_str()), (1, "git diff"));
    assert_eq!(lines[0].verdict, Verdict::unreadable(why));
}

#[test]
fn gemini_says_whose_tool_it_is() {
    let session = Session::with(&["mcp__my_shop__*"]);
    let asked = json!({"tool_name": "mcp_my_shop_buy", "tool_input": {}, "mcp_context": {"server_name": "my_shop", "tool_name": "buy"}});
    assert_eq!(session.judge(Agent::Gemini, &asked).unwrap(), "{}");
    assert_eq!(session.journalled()[0].call.tool, "mcp__my_shop__buy");
}

proptest! {
    #[test]
    fn any_question_is_answered_or_refused(text in ".{0,80}", tool in "[A-Za-z_]{0,9}", value in ".{0,20}") {
        let session = Session::with(&["Read"]);
        let clock = Clock::manual(Timestamp::UNIX_EPOCH);
        let asked = json!({"tool_name": tool, "tool_input": {"command": value, "file_path": [value]}}).to_string();
        for question in [text, asked] {
            for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
                let _ = judge(&session.args(agent), question.as_bytes(), &clock);
            }
        }
    }
}
