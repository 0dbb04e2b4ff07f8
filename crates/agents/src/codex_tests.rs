use std::collections::BTreeMap;
use std::path::PathBuf;

use types::Limits;

use super::*;
use crate::{Access, ApprovalChannel, Conversation, McpServer, McpTransport, StdinProtocol, Trust};

const THREAD: &str = "01a1e0a7-151a-74c1-9b75-59cb1b5caaa6";

fn brief() -> Brief {
    Brief { prompt: "--help, \"quoted\"\nand more".to_owned(), cwd: "/srv/tree".into(), ..Brief::default() }
}

fn launch(brief: &Brief) -> Launch {
    Codex::default().launch(brief).unwrap()
}

fn gate() -> ApprovalChannel {
    let argv = ["/opt/fleet", "__gate", "--fence", "/srv/o'brien/fence.json"];
    ApprovalChannel::Program { argv: argv.map(str::to_owned).into() }
}

fn servers() -> Vec<McpServer> {
    let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer t0k".to_owned())]);
    let web = McpTransport::Http { url: "http://127.0.0.1:4700/mcp".to_owned(), headers };
    let env = BTreeMap::from([("KEY".to_owned(), "t1k".to_owned())]);
    let own = McpTransport::Stdio { command: "fleet".to_owned(), args: vec!["mcp".to_owned(), "\"".to_owned()], env };
    let server = |name: &str, transport| McpServer { name: name.to_owned(), transport };
    vec![server("fleet", own), server("web", web)]
}

/// The arguments after those that every run has.
fn further(brief: &Brief) -> Vec<String> {
    launch(brief).argv.split_off(10)
}

#[test]
fn every_run_reads_its_prompt_and_writes_json_lines() {
    insta::assert_json_snapshot!(launch(&Brief { private_dir: Some("/srv/run".into()), ..brief() }));
}

#[test]
fn the_argv_of_briefs() {
    let cases = [
        ("resume", Brief { conversation: Conversation::Resume { session: THREAD.to_owned() }, ..brief() }),
        ("fork", Brief { conversation: Conversation::Fork { session: THREAD.to_owned() }, ..brief() }),
        ("model", Brief { model: Some("gpt-5.5".to_owned()), ..brief() }),
        ("system prompt", Brief { system_prompt: Some("You are\n\"ann\".".to_owned()), ..brief() }),
        ("mcp", Brief { mcp: servers(), ..brief() }),
        ("trusted", Brief { trust: Trust::Project, ..brief() }),
        ("reads", Brief { access: Access::ReadOnly, writable: vec!["/srv/repo/.git".into()], ..brief() }),
        ("writes", Brief { writable: vec!["/srv/repo/.git".into(), "/srv/repo/.git/worktrees/t".into()], ..brief() }),
        ("gate", Brief { gate: gate(), ..brief() }),
        ("full access", Brief { access: Access::Full, ..brief() }),
    ];
    let lines: Vec<_> = cases.iter().map(|(name, brief)| format!("{name}: {}", further(brief).join(" | "))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_goes_into_its_settings_is_toml_whatever_is_in_it() {
    let told = "a\u{7f}b \\ \"c\" \u{1f}\nd \u{2028} 'e' = {f}".to_owned();
    let argv = launch(&Brief { system_prompt: Some(told.clone()), mcp: servers(), gate: gate(), ..brief() }).argv;
    let settings: Vec<_> = argv.windows(2).filter(|two| two[0] == "-c").map(|two| two[1].clone()).collect();
    let table: toml::Table = settings.join("\n").parse().unwrap();
    assert_eq!(table["developer_instructions"].as_str(), Some(told.as_str()));
    let hook = &table["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    assert_eq!(hook.as_str(), Some("'/opt/fleet' '__gate' '--fence' '/srv/o'\\''brien/fence.json'"));
    assert_eq!(table["mcp_servers"]["fleet"]["args"][1].as_str(), Some("\""));
}

#[test]
fn what_is_secret_or_long_is_in_no_argument() {
    let launch = launch(&Brief { mcp: servers(), system_prompt: Some("s".repeat(70_000)), ..brief() });
    let argv = launch.argv.join(" ");
    assert!(!argv.contains("t0k") && !argv.contains("t1k") && !argv.contains("and more") && !argv.contains("sss"));
    assert_eq!(launch.env.get("KEY").map(String::as_str), Some("t1k"));
    assert!(launch.env.values().any(|value| value == "Bearer t0k"));
    assert_eq!(launch.stdin, StdinProtocol::Text);
    assert!(launch.opening[0].starts_with("sss") && launch.opening[0].ends_with("and more"));
}

#[test]
fn its_sandbox_is_always_said_and_off_only_where_a_person_gave_full_access() {
    for (access, word) in
        [(Access::ReadOnly, "read-only"), (Access::Workspace, "workspace-write"), (Access::Full, "danger-full-access")]
    {
        let argv = launch(&Brief { access, ..brief() }).argv;
        let at = argv.iter().position(|argument| argument == "-s").unwrap();
        assert_eq!(argv[at + 1], word);
        assert_eq!(argv.iter().any(|argument| argument.contains("danger")), access == Access::Full);
    }
}

#[test]
fn inside_of_a_sandbox_of_fleet_it_puts_up_none_of_its_own() {
    for access in [Access::ReadOnly, Access::Workspace] {
        let argv = launch(&Brief { access, walled: true, ..brief() }).argv;
        let at = argv.iter().position(|argument| argument == "-s").unwrap();
        assert_eq!(argv[at + 1], "danger-full-access");
    }
}

#[test]
fn settings_that_switch_its_checks_off_are_refused() {
    for argument in
        ["--dangerously-bypass-approvals-and-sandbox", "-sdanger-full-access", "--yolo", "approval_policy=never"]
    {
        let setup = Setup { args: vec![argument.to_owned()], ..Setup::default() };
        let expected = LaunchError::Bypass { agent: "codex".to_owned(), argument: argument.to_owned() };
        assert_eq!(Codex::new(setup).launch(&brief()), Err(expected));
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let env = |value: &str| BTreeMap::from([("KEY".to_owned(), value.to_owned())]);
    let server = |name: &str, value: &str| McpServer {
        name: name.to_owned(),
        transport: McpTransport::Stdio { command: "x".to_owned(), args: vec![], env: env(value) },
    };
    for brief in [
        Brief { prompt: String::new(), ..brief() },
        Brief { mcp: vec![server("a", "1"), server("b", "2")], ..brief() },
        Brief { mcp: vec![server("a.b", "1")], ..brief() },
        Brief { conversation: Conversation::Resume { session: "--last".to_owned() }, ..brief() },
    ] {
        assert!(Codex::default().launch(&brief).is_err(), "{brief:?}");
    }
    let same = Brief { mcp: vec![server("a", "1"), server("b", "1")], ..brief() };
    assert!(Codex::default().launch(&same).is_ok());
}

#[test]
fn a_budget_in_dollars_needs_prices() {
    let limits = Limits { dollars_max: Some(2.0), ..Limits::default() };
    let limited = Brief { limits, model: Some("fast".to_owned()), ..brief() };
    assert!(matches!(Codex::default().launch(&limited), Err(LaunchError::Incapable { .. })));
    let price = Price { input: 1.0, output: 10.0, cache_read: Some(0.1), cache_write: None };
    let setup = Setup {
        aliases: BTreeMap::from([("fast".to_owned(), "gpt-5.5".to_owned())]),
        prices: BTreeMap::from([("gpt-5.5".to_owned(), price)]),
        ..Setup::default()
    };
    assert!(Codex::new(setup).launch(&limited).is_ok());
}

#[test]
fn files_of_the_moment_are_private_unless_the_settings_say_where() {
    let brief = Brief { private_dir: Some("/srv/run".into()), ..brief() };
    let launched = launch(&brief);
    assert_eq!(launched.env.get("TMPDIR").map(String::as_str), Some("/srv/run/tmp"));
    assert_eq!(launched.files[0].path, PathBuf::from("/srv/run/tmp/.keep"));
    let setup = Setup { env: BTreeMap::from([("TMPDIR".to_owned(), "/x".to_owned())]), ..Setup::default() };
    let launched = Codex::new(setup).launch(&brief).unwrap();
    assert_eq!((launched.env.get("TMPDIR").map(String::as_str), launched.files.len()), (Some("/x"), 0));
}

#[test]
fn the_end_of_a_used_up_quota_is_read_from_its_words() {
    let now: Timestamp = "2026-11-15T19:20:00Z".parse().unwrap();
    let at = |words: &str| Codex::default().resets_at(words, now).map(|at| at.to_string());
    let words = "You’ve hit your usage limit. Visit x or try again at Nov 16th, 2026 12:46 AM.";
    assert_eq!(at(words).as_deref(), Some("2026-11-16T00:46:00Z"));
    assert_eq!(at("try again at Dec 1st, 2026 12:00 PM.").as_deref(), Some("2026-12-01T12:00:00Z"));
    assert_eq!(at("or try again at 11:05 PM.").as_deref(), Some("2026-11-15T23:05:00Z"));
    assert_eq!(at("or try again at 7:05 PM.").as_deref(), Some("2026-11-15T19:20:00Z"), "that is over");
    for words in ["try again later", "try again at noon", "try again at Foo 1st, 2026 1:00 AM", "try again at 13:", ""]
    {
        assert_eq!(at(words), None, "{words}");
    }
}

#[test]
fn what_it_could_not_begin_with_is_told_by_its_last_words() {
    let word = |errors: &str| Codex::default().last_word(Exit::Code { code: 1 }, errors);
    let failed = |class| Some(Ending::Failed { class });
    assert_eq!(word("Error: no rollout found for thread id x"), failed(FailureClass::NoSession));
    assert_eq!(word("error: unexpected argument '--x' found"), failed(FailureClass::Invalid));
    assert_eq!(word("thread panicked"), None);
}
