//! Commands against a server that answers what it is told.

use api::Code;
use insta::assert_snapshot;

use crate::stub::{Ran, Stub, answer, run};

fn mission(id: &str) -> String {
    format!(r#"{{"id":"{id}","title":"Add a cart","status":"draft","state":"draft","tags":"[]","priority":2}}"#)
}

const NOT_FOUND: &str = r#"{"detail":"Mission not found","code":"MISSION_NOT_FOUND"}"#;

#[tokio::test]
async fn a_list_is_shown_as_a_table_and_how_to_go_on_beside_it() {
    let body = format!("[{},{}]", mission("m-x7k2m"), mission("m-p4qrs"));
    let stub = Stub::start(vec![answer(200, &body).header("Fleet-Next", "m-p4qrs")]);
    let ran = run(&stub, "fleet mission list --status draft").await;
    assert_eq!(stub.requests(), ["GET /api/missions?status=draft"]);
    assert_snapshot!(ran, @r"
    exit 0
    --- out
    ID       TITLE       STATE
    m-x7k2m  Add a cart  draft
    m-p4qrs  Add a cart  draft
    --- err
    There is more: add `--after m-p4qrs`.
    ");
}

#[tokio::test]
async fn json_is_printed_as_it_came() {
    let stub = Stub::start(vec![answer(200, "[]"), answer(200, r#"{"b":1,"a":[]}"#)]);
    assert_eq!(run(&stub, "fleet project list --json").await, Ran::new(0, "[]\n", ""));
    assert_eq!(run(&stub, "fleet --json project show p-x7k2m").await, Ran::new(0, "{\"b\":1,\"a\":[]}\n", ""));
}

#[tokio::test]
async fn an_empty_list_is_said_and_prints_nothing() {
    let stub = Stub::start(vec![answer(200, "[]")]);
    assert_eq!(run(&stub, "fleet mission list").await, Ran::new(0, "", "No missions.\n"));
}

#[tokio::test]
async fn a_warning_of_the_server_is_passed_on() {
    let stub = Stub::start(vec![answer(200, "[]").header("Fleet-Warning", "field `x` is not known and was dropped")]);
    let ran = run(&stub, "fleet project list").await;
    assert_eq!(ran.err, "warning: field `x` is not known and was dropped\nNo projects.\n");
}

#[tokio::test]
async fn a_refusal_is_shown_with_its_code_and_ends_with_its_kind() {
    let body = r#"{"error":"Forbidden","code":"ROLE_REFUSED","hint":"Ask a lead."}"#;
    let stub = Stub::start(vec![answer(403, body)]);
    assert_snapshot!(run(&stub, "fleet debug").await, @r"
    exit 4
    --- out
    --- err
    error: Forbidden
      hint: Ask a lead.
      code: ROLE_REFUSED (fleet explain ROLE_REFUSED)
    ");
}

#[tokio::test]
async fn an_id_that_was_cut_short_is_completed_after_the_refusal() {
    let found = r#"{"id":"m-x7k2m","kind":"mission","title":"Add a cart"}"#;
    let stub = Stub::start(vec![answer(404, NOT_FOUND), answer(200, found), answer(200, &mission("m-x7k2m"))]);
    let ran = run(&stub, "fleet mission show m-x7").await;
    assert_eq!(stub.requests(), ["GET /api/missions/m-x7", "GET /ids/m-x7?folder=HERE", "GET /api/missions/m-x7k2m"]);
    assert_eq!((ran.exit, ran.err.as_str()), (0, ""));
}

#[tokio::test]
async fn an_id_that_nothing_has_is_refused_as_the_server_said_it_and_named() {
    let none = r#"{"error":"nothing has an id that begins with `m-zz`","code":"ID_NOT_FOUND"}"#;
    let stub = Stub::start(vec![answer(404, NOT_FOUND), answer(404, none)]);
    let ran = run(&stub, "fleet mission show m-zz").await;
    assert_eq!((ran.exit, stub.requests().len()), (5, 2));
    assert!(ran.err.starts_with("error: Mission not found: m-zz\n"), "{ran}");
}

#[tokio::test]
async fn an_id_that_fits_several_is_refused_as_such() {
    let several = r#"{"error":"`m-x` fits 2 ids: m-x7k2m, m-xyzab","code":"ID_AMBIGUOUS"}"#;
    let stub = Stub::start(vec![answer(404, NOT_FOUND), answer(400, several)]);
    let ran = run(&stub, "fleet mission show m-x").await;
    assert_eq!(ran.exit, api::Error::new(Code::ID_AMBIGUOUS, "").kind().exit_code());
    assert!(ran.err.starts_with("error: `m-x` fits 2 ids"), "{ran}");
}

#[tokio::test]
async fn nothing_is_removed_when_nobody_can_be_asked() {
    let found = r#"{"id":"m-x7k2m","kind":"mission","title":"Add a cart"}"#;
    let stub = Stub::start(vec![answer(200, found)]);
    let ran = run(&stub, "fleet mission delete m-x7").await;
    assert_eq!(stub.requests(), ["GET /ids/m-x7?folder=HERE"]);
    assert_snapshot!(ran, @r"
    exit 2
    --- out
    --- err
    error: cannot ask for confirmation: no terminal
      hint: Add `--yes` to go ahead without being asked.
    ");
}

#[tokio::test]
async fn what_may_be_removed_is_removed_unasked() {
    let stub = Stub::start(vec![answer(200, r#"{"ok":true}"#)]);
    assert_eq!(run(&stub, "fleet mission delete m-x7k2m --yes").await, Ran::new(0, "", "Done.\n"));
    assert_eq!(stub.requests(), ["DELETE /api/missions/m-x7k2m"]);
}

#[tokio::test]
async fn a_task_is_sent_by_whoever_the_token_speaks_for() {
    let stub = Stub::start(vec![answer(200, r#"{"id":"m-x7k2m"}"#)]);
    let ran = run(&stub, "fleet task-create scout Dig --team red").await;
    let owner = tokens::Member::owner().uid();
    let sent = format!(r#"POST /tasks {{"fromUid":"{owner}","toHandle":"scout","teamName":"red","subject":"Dig"}}"#);
    assert_eq!((stub.requests(), ran.exit), (vec![sent], 0));
}

#[tokio::test]
async fn the_path_of_a_project_is_sent_as_an_absolute_one() {
    let stub = Stub::start(vec![answer(201, r#"{"id":"p-x7k2m"}"#)]);
    run(&stub, "fleet project create shop src").await;
    let path = std::env::current_dir().unwrap().join("src").display().to_string();
    assert_eq!(stub.requests(), [format!(r#"POST /api/projects {{"name":"shop","path":"{path}"}}"#)]);
}

#[tokio::test]
async fn a_worker_is_started_in_the_folder_of_the_caller_unless_another_is_named() {
    let here = std::env::current_dir().unwrap();
    for (more, folder) in
        [("", here.clone()), (" --working-dir src", here.join("src")), (" --working-dir /srv", "/srv".into())]
    {
        let stub = Stub::start(vec![answer(201, r#"{"handle":"scout"}"#)]);
        run(&stub, &format!("fleet spawn scout{more}")).await;
        let sent = stub.requests().join("");
        assert!(sent.contains(&format!(r#""workingDir":"{}""#, folder.display())), "{sent}");
    }
}

#[tokio::test]
async fn a_request_is_traced_when_that_is_wished() {
    let stub = Stub::start(vec![answer(200, r#"{"id":"m-x7k2m","status":"open"}"#)]);
    let ran = run(&stub, "fleet task-update m-x7k2m open --verbose").await;
    let lines: Vec<_> = ran.err.lines().collect();
    assert!(lines[0].starts_with("> PATCH http://127.0.0.1:") && lines[0].ends_with("/tasks/m-x7k2m"), "{ran}");
    assert!(lines[1] == r#"> {"status":"open"}"# && lines[2].starts_with("< 200 in "), "{ran}");
}

#[tokio::test]
async fn a_login_link_is_printed_whole() {
    let stub = Stub::start(vec![answer(200, r#"{"path":"/login?code=abc","expiresAt":"2026-01-02T03:04:05Z"}"#)]);
    let ran = run(&stub, "fleet login --link").await;
    assert_eq!((ran.out, ran.exit), (format!("{}/login?code=abc\n", stub.url()), 0));
}

#[tokio::test]
async fn an_agents_token_is_asked_of_the_server() {
    let body =
        r#"{"uid":"2c26b46b68ffc68ff99b453c","handle":"scout","teamName":"red","agentType":"merger","token":"t.o.k"}"#;
    let stub = Stub::start(vec![answer(200, body)]);
    let ran = run(&stub, "fleet token --as scout --team red --role merger").await;
    assert_eq!(ran, Ran::new(0, "t.o.k\n", ""));
    let sent = r#"POST /auth {"handle":"scout","teamName":"red","agentType":"merger"}"#;
    assert_eq!(stub.requests(), [sent]);
}

#[tokio::test]
async fn settings_are_changed_and_shown() {
    let stub = Stub::start(Vec::new());
    let ran = run(&stub, "fleet config set max_workers=3 log_level=debug").await;
    assert_eq!(ran, Ran::new(0, "", "Set max_workers = 3.\nSet log_level = debug.\n"));
    assert_eq!(run(&stub, "fleet config show --raw").await.out, "max_workers = 3\nlog_level = \"debug\"\n");
    let shown = run(&stub, "fleet config show").await.out;
    let line = shown.lines().find(|line| line.starts_with("max_workers")).unwrap();
    let cells: Vec<_> = line.split_whitespace().collect();
    assert_eq!(cells.join(" "), "max_workers 3 runtime.toml, line 1, column 15");
    let ran = run(&stub, "fleet config set agents.sim.env.KEY=s3cret agents.sim.pty=true jwt_secret=s3cret").await;
    let said = "Set agents.sim.env.KEY; its value is not shown.\nSet agents.sim.pty = true.\n\
                Set jwt_secret; its value is not shown.\n";
    assert!(ran.err.starts_with(said), "{ran}");
    for shown in ["show", "show --json", "show --raw"] {
        let shown = run(&stub, &format!("fleet config {shown}")).await;
        assert!(!shown.to_string().contains("s3cret") && shown.out.contains("KEY"), "{shown}");
    }
    let ran = run(&stub, "fleet config set prot=1").await;
    assert_eq!(ran, Ran::new(2, "", "error: cannot find setting `prot`; did you mean `port`?\n"));
}

#[tokio::test]
async fn a_home_is_made_once() {
    let stub = Stub::start(Vec::new());
    let first = run(&stub, "fleet init").await;
    assert_eq!((first.out.matches("made   ").count(), first.exit), (2, 0), "{first}");
    let second = run(&stub, "fleet init").await;
    assert_eq!(second.out.matches("present").count(), 3, "{second}");
}

#[tokio::test]
async fn a_code_is_explained_in_any_case() {
    let stub = Stub::start(Vec::new());
    assert_eq!(run(&stub, "fleet explain mission_held").await.out, Code::MISSION_HELD.page());
    let all = run(&stub, "fleet explain").await.out;
    assert_eq!(all.lines().count(), Code::ALL.len());
}

#[tokio::test]
async fn every_shell_gets_its_completions() {
    let stub = Stub::start(Vec::new());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&stub, &format!("fleet completions {shell}")).await;
        assert!(ran.exit == 0 && ran.out.contains("mission") && ran.out.contains("auto-dispatch"), "{shell}");
    }
}
