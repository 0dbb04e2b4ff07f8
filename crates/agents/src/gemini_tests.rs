use std::collections::BTreeMap;

use types::Limits;

use super::*;
use crate::{Access, ApprovalChannel, Conversation, McpServer, McpTransport, Permissions, Trust};

const SESSION: &str = "d980bb8c-a731-44d0-9e81-f7d7615da45d";

fn brief() -> Brief {
    Brief {
        prompt: "--help, \"quoted\"\nand more".to_owned(),
        cwd: "/srv/tree".into(),
        private_dir: Some("/srv/run".into()),
        ..Brief::default()
    }
}

fn launch(brief: &Brief) -> Launch {
    Gemini::default().launch(brief).unwrap()
}

fn servers() -> Vec<McpServer> {
    let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer t0k".to_owned())]);
    let web = McpTransport::Http { url: "http://127.0.0.1:4700/mcp".to_owned(), headers };
    vec![McpServer { name: "web".to_owned(), transport: web }]
}

fn text<'a>(launch: &'a Launch, name: &str) -> &'a str {
    launch.files.iter().find(|file| file.path.ends_with(name)).map_or("", |file| &file.text)
}

#[test]
fn every_run_reads_its_prompt_and_has_settings_that_beat_all_others() {
    insta::assert_json_snapshot!(launch(&Brief { mcp: servers(), ..brief() }));
}

#[test]
fn the_argv_of_briefs() {
    let limits = Limits { turns_max: Some(40), ..Limits::default() };
    let cases = [
        ("new", Brief { conversation: Conversation::New { session: Some(SESSION.to_owned()) }, ..brief() }),
        ("resume", Brief { conversation: Conversation::Resume { session: SESSION.to_owned() }, ..brief() }),
        ("model", Brief { model: Some("gemini-3.8-flash".to_owned()), limits, ..brief() }),
        ("trusted", Brief { trust: Trust::Project, ..brief() }),
        ("plan", Brief { permissions: Permissions::Plan, ..brief() }),
        ("full access", Brief { access: Access::Full, ..brief() }),
    ];
    let lines: Vec<_> =
        cases.iter().map(|(name, brief)| format!("{name}: {}", launch(brief).argv.join(" | "))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_secret_or_long_is_in_no_argument() {
    let launch = launch(&Brief { mcp: servers(), system_prompt: Some("You are ann.".to_owned()), ..brief() });
    assert!(launch.argv.iter().all(|argument| !argument.contains("t0k") && !argument.contains("and more")));
    assert!(text(&launch, "gemini-settings.json").contains("Bearer t0k"));
    assert_eq!(launch.opening, ["You are ann.\n\n--help, \"quoted\"\nand more"]);
}

#[test]
fn only_full_access_switches_its_checks_off() {
    for access in [Access::ReadOnly, Access::Workspace, Access::Full] {
        let argv = launch(&Brief { access, ..brief() }).argv;
        assert_eq!(argv.iter().any(|argument| argument == "yolo"), access == Access::Full);
    }
    for argument in ["--yolo", "-y", "--approval-mode=yolo", "--admin-policy"] {
        let setup = Setup { args: vec![argument.to_owned()], ..Setup::default() };
        let expected = LaunchError::Bypass { agent: "gemini".to_owned(), argument: argument.to_owned() };
        assert_eq!(Gemini::new(setup).launch(&brief()), Err(expected));
    }
}

#[test]
fn allowed_tools_become_rules_and_whoever_only_reads_gets_none_that_write() {
    let tools = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let allowed_tools = tools(&["Read", "Write", "Bash(git diff *)", "WebFetch", "mcp__fleet__x"]);
    let brief = Brief { allowed_tools, denied_tools: tools(&["WebSearch"]), ..brief() };
    insta::assert_snapshot!(text(&launch(&brief), "gemini-rules.toml"));
    let reads = launch(&Brief { access: Access::ReadOnly, ..brief });
    let rules: toml::Table = text(&reads, "gemini-rules.toml").parse().unwrap();
    let names: Vec<_> =
        rules["rule"].as_array().unwrap().iter().map(|rule| rule["toolName"].as_str().unwrap()).collect();
    assert_eq!(names, ["web_fetch", "google_web_search"]);
}

#[test]
fn a_program_that_judges_sees_every_tool_of_whoever_writes() {
    let gate = ApprovalChannel::Program { argv: vec!["/opt/fleet".to_owned(), "__gate".to_owned()] };
    let launched = launch(&Brief { gate: gate.clone(), ..brief() });
    let settings: Value = serde_json::from_str(text(&launched, "gemini-settings.json")).unwrap();
    assert_eq!(settings["hooks"]["BeforeTool"][0]["hooks"][0]["command"], "'/opt/fleet' '__gate'");
    assert!(text(&launched, "gemini-rules.toml").contains("run_shell_command"));
    let allowed_tools = vec!["Bash".to_owned(), "Bash(git diff *)".to_owned(), "Write".to_owned()];
    let reads = launch(&Brief { gate, access: Access::ReadOnly, allowed_tools, ..brief() });
    let rules: toml::Table = text(&reads, "gemini-rules.toml").parse().unwrap();
    let rules = rules["rule"].as_array().unwrap();
    assert_eq!((rules.len(), rules[0]["commandPrefix"].as_str()), (1, Some("git diff")));
}

#[test]
fn without_servers_none_of_the_users_is_let_in() {
    let settings: Value = serde_json::from_str(text(&launch(&brief()), "gemini-settings.json")).unwrap();
    assert_eq!(settings["mcp"]["allowed"], serde_json::json!(["fleet-allows-none"]));
}

#[test]
fn what_it_cannot_do_is_refused() {
    let dollars = Limits { dollars_max: Some(1.0), ..Limits::default() };
    for brief in [
        Brief { prompt: String::new(), ..brief() },
        Brief { conversation: Conversation::Fork { session: SESSION.to_owned() }, ..brief() },
        Brief { limits: dollars, ..brief() },
        Brief { allowed_tools: vec!["Bash(\n)".to_owned()], ..brief() },
    ] {
        assert!(Gemini::default().launch(&brief).is_err(), "{brief:?}");
    }
}

#[test]
fn a_daily_quota_is_new_in_the_morning() {
    let at = |now: &str| Gemini::default().resets_at("your daily quota", now.parse().unwrap()).map(|at| at.to_string());
    assert_eq!(at("2026-11-16T07:59:59Z").as_deref(), Some("2026-11-16T08:00:00Z"));
    assert_eq!(at("2026-11-16T08:00:00Z").as_deref(), Some("2026-11-17T08:00:00Z"));
}
