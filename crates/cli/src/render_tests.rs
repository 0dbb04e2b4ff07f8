//! Answers as people read them.

use api::fleet::{MissionStanding, SessionStanding};
use insta::assert_snapshot;
use serde_json::json;

use super::*;

fn shown(answer: &Value, operation: &str, width: usize) -> Shown {
    let now = "2026-01-02T05:04:05Z".parse().unwrap();
    value(answer, operation, "missions", View { now, width, wide: false, style: Style::Plain })
}

fn lined(answer: &Value) -> String {
    shown(answer, "", 100).data
}

fn missions() -> Value {
    let mission = |id: &str, title: &str, status: &str| {
        json!({
            "id": id, "project_id": "p-x7k2m", "title": title, "detailed_prompt": "x".repeat(400), "status": status, "state": status,
            "priority": 2, "created_at": "2026-01-02 03:04:05", "tags": "[]", "max_turns": null, "auto_dispatch": 0,
            "mission_number": 7, "project_name": "shop", "agent": "claude", "updated_at": "2026-01-02 05:01:05", "model": "claude-opus-4-6", "sessions": [],
        })
    };
    json!([
        mission("m-x7k2m", "Add a cart", "draft"),
        mission("m-p4qrs", "Make the slow query of the orders page fast by an index or otherwise", "running"),
    ])
}

#[test]
fn a_list_is_a_table_with_the_telling_columns_first() {
    assert_snapshot!(shown(&missions(), "mission_list", 100).data, @r"
    ID       #  TITLE                                                STATE    AGENT   PROJECT  CHANGED
    m-x7k2m  7  Add a cart                                           draft    claude  shop     3 min ago
    m-p4qrs  7  Make the slow query of the orders page fast by an …  running  claude  shop     3 min ago
    ");
}

#[test]
fn a_table_is_cut_to_the_terminal() {
    assert_snapshot!(shown(&missions(), "mission_list", 80).data, @r"
    ID       #  TITLE                            STATE    AGENT   PROJECT  CHANGED
    m-x7k2m  7  Add a cart                       draft    claude  shop     3 min ago
    m-p4qrs  7  Make the slow query of the ord…  running  claude  shop     3 min ago
    ");
    for width in 40..200 {
        let all = shown(&missions(), "mission_list", width).data;
        assert!(all.lines().all(|line| line.chars().count() <= width), "{width}\n{all}");
    }
}

#[test]
fn an_empty_list_says_so_in_words() {
    let all = shown(&json!([]), "mission_list", 100);
    assert_eq!(all, Shown { data: String::new(), remark: Some("No missions.".to_owned()) });
}

#[test]
fn an_object_is_lines_and_what_is_nested_stands_below() {
    let detail = json!({
        "id": "m-x7k2m", "title": "Add a cart", "detailed_prompt": "Add a cart.\nTest it.\n", "auto": true,
        "parent_mission_id": null, "tags": "[]", "blockedBy": ["m-abcde", "m-fghjk"],
        "limits": {"turns": 5, "dollars": null},
        "children": [{"id": "m-p4qrs", "title": "Style it", "status": "draft", "state": "draft"}], "sessions": [],
    });
    assert_snapshot!(lined(&detail), @r"
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
      ID       TITLE     STATE
      m-p4qrs  Style it  draft
    ");
}

#[test]
fn sentences_are_read_one_below_the_other_and_words_on_one_line() {
    let output = json!({ "handle": "scout", "output": ["I will write it.", "\u{1b}[2J$ git commit", ""] });
    assert_eq!(lined(&output), "handle: scout\noutput:\n  I will write it.\n  [2J$ git commit\n  \n");
    let words = json!({ "id": "x", "tags": ["a", "b"], "only": ["one sentence"] });
    assert_eq!(lined(&words), "id:   x\ntags: a, b\nonly: one sentence\n");
}

#[test]
fn what_is_no_object_stands_on_its_own_line() {
    assert_eq!(lined(&json!(["a", "b"])), "a\nb\n");
    assert_eq!(lined(&json!(42)), "42\n");
}

#[test]
fn a_bare_ok_is_said_in_words() {
    assert_eq!(shown(&json!({"ok": true}), "", 100).remark.as_deref(), Some("Done."));
    assert_eq!(lined(&json!({"ok": false})), "ok: no\n");
}

#[test]
fn a_strangers_text_cannot_move_the_cursor() {
    let evil = json!([{"id": "m-x7k2m", "title": "a\u{1b}[2Jb\r\nc\u{7}"}]);
    assert!(!lined(&evil).contains(['\u{1b}', '\u{7}', '\r']));
    let evil = json!({"title": "a\nb\u{1b}[2J"});
    assert!(!lined(&evil).contains('\u{1b}'));
}

#[test]
fn a_session_is_told_by_who_does_what_where_and_for_how_much() {
    let row = json!({
        "id": "s-x7k2m", "mission_id": "m-p4qrs", "status": "running", "state": "running", "started_at": "2026-01-02 03:04:05",
        "ended_at": null, "exit_code": 0, "output_log": "", "model": "opus", "token_usage": "{\"input\":7}",
        "claude_session_id": "0199", "total_cost_usd": 0.25, "total_tokens": 7, "retry_count": 0, "agent": "claude",
        "handle": "worker-x7k2m", "work_dir": "/w/x", "branch": "fleet/add-a-cart", "mission_title": "Add a cart",
        "project_name": "shop",
    });
    insta::assert_snapshot!(shown(&json!([row]), "session_list", 100).data, @r"
    ID       STATE    AGENT   WORKER        MISSION  TITLE       COST   STARTED
    s-x7k2m  running  claude  worker-x7k2m  m-p4qrs  Add a cart  $0.25  2 h ago
    ");
}

#[test]
fn a_value_that_was_not_chosen_for_this_one_thing_is_shown_as_a_default() {
    let told = |source: &str| lined(&json!({ "agent": "codex", "agent_source": source }));
    assert_eq!(told("mission"), "agent: codex\n");
    assert_eq!(told("config"), "agent: codex (default)\n");
    assert_eq!(told("project"), "agent: codex (default of the project)\n");
}

#[test]
fn a_detail_shows_times_in_full_and_amounts_in_one_unit() {
    let session = json!({
        "id": "s-x7k2m", "created_at": "2026-01-02 03:04:05", "createdAt": 1_767_323_045_000_i64, "total_cost_usd": 0.4213,
        "total_tokens": 2712, "check_timeout_secs": 600, "duration_ms": 3712, "bytes": 4_200_000, "auto_dispatch": 0,
        "why": "It is parked until 2026-01-02T05:06:05Z.", "title": "Since 2026-01-02T05:06:05Z", "depends_on": "[\"m-a\",\"m-b\"]",
    });
    assert_snapshot!(lined(&session), @r"
    id:            s-x7k2m
    created:       2 h ago (2026-01-02 03:04:05 UTC)
    created:       2 h ago (2026-01-02 03:04:05 UTC)
    cost:          $0.42
    tokens:        2.7k
    check timeout: 10 min
    duration:      3.7 s
    bytes:         4.2 MB
    auto dispatch: no
    why:           It is parked for another 2 min.
    title:         Since 2026-01-02T05:06:05Z
    depends on:    m-a, m-b
    ");
    let unpriced = json!({ "total_cost_usd": 0.0, "cost_unknown": true });
    assert_eq!(lined(&unpriced), "cost: unknown\n");
}

#[test]
fn a_state_is_in_colour_only_where_there_are_colours() {
    let rows = json!([{ "id": "m-x7k2m", "title": "Add a cart", "state": "done" }]);
    let now = "2026-01-02T05:04:05Z".parse().unwrap();
    let with = |style| value(&rows, "mission_list", "", View { now, width: 80, wide: false, style }).data;
    assert!(!with(Style::Plain).contains('\u{1b}'));
    assert!(with(Style::Coloured).contains("\u{1b}[1;32mdone\u{1b}[0m"));
}

#[test]
fn a_state_that_waits_for_a_person_is_set_off_from_one_that_continues_by_itself() {
    let now = "2026-01-02T05:04:05Z".parse().unwrap();
    let shown = |state: &str| {
        let rows = json!([{ "id": "m-x7k2m", "title": "Add a cart", "state": state }]);
        value(&rows, "mission_list", "", View { now, width: 80, wide: false, style: Style::Coloured }).data
    };
    fn word(state: &impl serde::Serialize) -> String {
        serde_json::to_value(state).unwrap().as_str().unwrap().to_owned()
    }
    for state in
        [word(&MissionStanding::AwaitingApproval), word(&MissionStanding::InReview), word(&SessionStanding::Parked)]
    {
        assert!(shown(&state).contains(&format!("\u{1b}[1;33m{state}\u{1b}[0m")), "{}", shown(&state));
    }
    for state in [word(&MissionStanding::Running), word(&MissionStanding::Ready), word(&SessionStanding::Starting)] {
        assert!(!shown(&state).contains(&format!("m{state}\u{1b}")), "{}", shown(&state));
    }
}
