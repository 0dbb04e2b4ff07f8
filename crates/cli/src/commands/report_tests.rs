use serde_json::{Value, json};

use super::*;

fn shown(report: &Value) -> String {
    let mission = json!({
        "mission_id": "m-x7k2m", "title": "Add a cart", "status": "completed", "model": "opus",
        "created_at": "2026-01-02 03:04:05", "updated_at": "2026-01-02 03:04:05", "session": null, "report": report,
    });
    page(&serde_json::from_value(mission).unwrap(), Style::Plain)
}

fn report() -> Value {
    json!({
        "id": "r-x7k2m", "session_id": "s-x7k2m", "mission_id": "m-x7k2m", "files_changed": "- src/cart.rs",
        "what_done": "Added a cart.\nIt holds tea.", "what_open": "", "what_tested": "cargo test", "what_untested": "",
        "next_steps": "", "errors_encountered": "", "preview_url": "", "created_at": "2026-01-02 03:04:05",
        "source": "submitted", "verdict": "not_done", "reasons": ["the check `cargo test` failed with exit code 101"],
        "evidence": {
            "commits": [{ "hash": "0123456789abcdef", "subject": "Add a cart" }], "more_commits": 0,
            "files": [{ "path": "src/main.rs", "change": "modified", "renamed_from": null, "added": 3, "removed": 1 }],
            "more_files": 30,
            "checks": [{ "command": "cargo test", "passed": false, "outcome": "failed with code 101",
                "output_tail": "running\n1 failed", "duration_ms": 900, "sandbox": "held: writes to its workspace" }],
            "uncommitted_kept": true, "total_cost_usd": 0.25, "total_tokens": 1200, "turns": 5, "duration_ms": 61_500,
        },
        "discrepancies": ["the report names src/cart.rs, which did not change"],
        "mission_title": "Add a cart", "project_name": "shop",
    })
}

#[test]
fn words_come_first_then_what_fleet_saw_then_where_they_differ() {
    let text = shown(&report());
    let parts = [
        "The agent reports:",
        "Added a cart.",
        "It holds tea.",
        "Fleet saw:",
        "0123456789 Add a cart",
        "31 files",
        "Fleet committed it.",
        "red `cargo test` failed with code 101 (900 ms, sandbox held: writes to its workspace)",
        "1 failed",
        "$0.25, 1.2k tokens, 5 turns, 1 min",
        "Where the two differ:",
        "Fleet does not count it as done:",
        "exit code 101",
    ];
    let mut at = 0;
    for part in parts {
        let found = text[at..].find(part).unwrap_or_else(|| panic!("`{part}` is not where it should be:\n{text}"));
        at += found + part.len();
    }
}

#[test]
fn nothing_of_an_agents_words_reaches_the_terminal_as_a_command() {
    let mut evil = report();
    evil["what_done"] = json!("red\u{1b}[31m\rover");
    evil["evidence"]["commits"][0]["subject"] = json!("\u{1b}]0;title\u{7}");
    assert!(!shown(&evil).contains(['\u{1b}', '\r', '\u{7}']), "{:?}", shown(&evil));
}

#[test]
fn work_that_is_landing_is_not_said_to_be_done() {
    let mut done = report();
    done["verdict"] = json!("done");
    let landing = json!({
        "id": "d-x7k2m", "status": "waiting", "title": "Add a cart", "mission_id": "m-x7k2m", "session_id": "s-x7k2m",
        "project_id": null, "branch": "fleet/cart", "target_branch": "main", "commit": null,
        "why": "red on `main` itself", "checks": [], "published": null, "pr_url": null, "returns": 0,
        "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z",
    });
    let mission = |landing: &Value, status: &str| {
        json!({
            "mission_id": "m-x7k2m", "title": "Add a cart", "status": status, "model": "opus",
            "created_at": "2026-01-02 03:04:05", "updated_at": "2026-01-02 03:04:05", "session": null, "report": done,
            "landing": landing,
        })
    };
    let shown = |mission: Value| page(&serde_json::from_value(mission).unwrap(), Style::Plain);
    let text = shown(mission(&landing, "running"));
    assert!(text.contains("not done until it has landed (waiting): red on `main` itself"), "{text}");
    assert!(!text.contains("Fleet counts it as done"), "{text}");
    let mut landed = landing;
    landed["status"] = json!("landed");
    assert!(shown(mission(&landed, "completed")).contains("Fleet counts it as done."));
    assert!(shown(mission(&Value::Null, "completed")).contains("Fleet counts it as done."));
}

#[test]
fn a_mission_without_a_report_says_so() {
    assert!(shown(&Value::Null).contains("Nothing was reported yet."));
}
