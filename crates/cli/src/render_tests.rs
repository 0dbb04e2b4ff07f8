//! Answers as people read them.

use insta::assert_snapshot;
use serde_json::json;

use super::*;

fn missions() -> Value {
    let mission = |id: &str, title: &str, status: &str| {
        json!({
            "id": id, "project_id": "p-x7k2m", "title": title, "detailed_prompt": "x".repeat(400), "status": status,
            "priority": 2, "created_at": "2026-01-02 03:04:05", "tags": "[]", "max_turns": null, "auto_dispatch": 0,
            "mission_number": 7, "project_name": "shop", "model": "claude-opus-4-6", "sessions": [],
        })
    };
    json!([
        mission("m-x7k2m", "Add a cart", "draft"),
        mission("m-p4qrs", "Make the slow query of the orders page fast by an index or otherwise", "running"),
    ])
}

#[test]
fn a_list_is_a_table_with_the_telling_columns_first() {
    assert_snapshot!(value(&missions(), "missions", None).data, @r"
    ID       NUMBER  TITLE                                                                 STATUS   PRIORITY  PROJECT NAME  MODEL            CREATED AT
    m-x7k2m  7       Add a cart                                                            draft    2         shop          claude-opus-4-6  2026-01-02 03:04:05
    m-p4qrs  7       Make the slow query of the orders page fast by an index or otherwise  running  2         shop          claude-opus-4-6  2026-01-02 03:04:05
    ");
}

#[test]
fn a_table_is_cut_to_the_terminal() {
    assert_snapshot!(value(&missions(), "missions", Some(80)).data, @r"
    ID       NUMBER  TITLE                     STATUS   PRIORITY  PROJECT NAME
    m-x7k2m  7       Add a cart                draft    2         shop
    m-p4qrs  7       Make the slow query of …  running  2         shop
    ");
    for width in 40..200 {
        let shown = value(&missions(), "missions", Some(width)).data;
        assert!(shown.lines().all(|line| line.chars().count() <= width), "{width}\n{shown}");
    }
}

#[test]
fn an_empty_list_says_so_in_words() {
    let shown = value(&json!([]), "missions", None);
    assert_eq!(shown, Shown { data: String::new(), remark: Some("No missions.".to_owned()) });
}

#[test]
fn an_object_is_lines_and_what_is_nested_stands_below() {
    let detail = json!({
        "id": "m-x7k2m", "title": "Add a cart", "detailed_prompt": "Add a cart.\nTest it.\n", "auto": true,
        "parent_mission_id": null, "tags": "[]", "blockedBy": ["m-abcde", "m-fghjk"],
        "limits": {"turns": 5, "dollars": null},
        "children": [{"id": "m-p4qrs", "title": "Style it", "status": "draft"}], "sessions": [],
    });
    assert_snapshot!(value(&detail, "", None).data, @r"
    id:         m-x7k2m
    title:      Add a cart
    detailed prompt:
      Add a cart.
      Test it.
    auto:       yes
    blocked by: m-abcde, m-fghjk
    limits:
      turns: 5
    children:
      ID       TITLE     STATUS
      m-p4qrs  Style it  draft
    ");
}

#[test]
fn sentences_are_read_one_below_the_other_and_words_on_one_line() {
    let output = json!({ "handle": "scout", "output": ["I will write it.", "\u{1b}[2J$ git commit", ""] });
    assert_eq!(value(&output, "", None).data, "handle: scout\noutput:\n  I will write it.\n  [2J$ git commit\n  \n");
    let words = json!({ "id": "x", "tags": ["a", "b"], "only": ["one sentence"] });
    assert_eq!(value(&words, "", None).data, "id:   x\ntags: a, b\nonly: one sentence\n");
}

#[test]
fn what_is_no_object_stands_on_its_own_line() {
    assert_eq!(value(&json!(["a", "b"]), "", None).data, "a\nb\n");
    assert_eq!(value(&json!(42), "", None).data, "42\n");
}

#[test]
fn a_bare_ok_is_said_in_words() {
    assert_eq!(value(&json!({"ok": true}), "", None).remark.as_deref(), Some("Done."));
    assert_eq!(value(&json!({"ok": false}), "", None).data, "ok: no\n");
}

#[test]
fn a_strangers_text_cannot_move_the_cursor() {
    let evil = json!([{"id": "m-x7k2m", "title": "a\u{1b}[2Jb\r\nc\u{7}"}]);
    assert!(!value(&evil, "", None).data.contains(['\u{1b}', '\u{7}', '\r']));
    let evil = json!({"title": "a\nb\u{1b}[2J"});
    assert!(!value(&evil, "", None).data.contains('\u{1b}'));
}

#[test]
fn a_session_is_told_by_who_does_what_where_and_for_how_much() {
    let row = json!({
        "id": "s-x7k2m", "mission_id": "m-p4qrs", "status": "running", "started_at": "2026-01-02 03:04:05",
        "ended_at": null, "exit_code": 0, "output_log": "", "model": "opus", "token_usage": "{\"input\":7}",
        "claude_session_id": "0199", "total_cost_usd": 0.25, "total_tokens": 7, "retry_count": 0, "agent": "claude",
        "handle": "worker-x7k2m", "work_dir": "/w/x", "branch": "fleet/add-a-cart", "mission_title": "Add a cart",
        "project_name": "shop",
    });
    insta::assert_snapshot!(value(&json!([row]), "sessions", Some(120)).data, @r"
    ID       HANDLE        STATUS   AGENT   MISSION     BRANCH            COST  STARTED
    s-x7k2m  worker-x7k2m  running  claude  Add a cart  fleet/add-a-cart  0.25  2026-01-02 03:04:05
    ");
}

#[test]
fn a_value_that_was_not_chosen_for_this_one_thing_is_shown_as_a_default() {
    let shown = |source: &str| value(&json!({ "agent": "codex", "agent_source": source }), "", None).data;
    assert_eq!(shown("mission"), "agent: codex\n");
    assert_eq!(shown("config"), "agent: codex (default)\n");
    assert_eq!(shown("project"), "agent: codex (default of the project)\n");
}
