//! What is parsed to what, and how the help reads.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;

fn parsed(line: &str) -> Result<Invocation, Usage> {
    parse(line.split_whitespace())
}

fn called(line: &str) -> (&'static str, Value) {
    match parsed(line) {
        Ok(Invocation::Command(command)) => match command.action {
            Action::Call(call) => (call.entry.spec.name, Value::Object(call.fields)),
            Action::Own(own) => panic!("{line} is {own:?}"),
        },
        Ok(other) => panic!("{line} is {other:?}"),
        Err(usage) => panic!("{usage}"),
    }
}

fn refused(line: &str) -> String {
    parsed(line).expect_err(line).to_string()
}

fn help(line: &str) -> String {
    let text = refused(&format!("{line} --help"));
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn fields_are_taken_by_position_and_by_flag() {
    assert_eq!(called("fleet health"), ("health", json!({})));
    assert_eq!(called("fleet auth scout red"), ("auth", json!({"handle": "scout", "teamName": "red"})));
    let with_type = json!({"handle": "scout", "teamName": "red", "agentType": "team-lead"});
    assert_eq!(called("fleet auth scout red team-lead"), ("auth", with_type));
    let update = json!({"taskId": "m-x7k2m", "status": "in_progress"});
    assert_eq!(called("fleet task-update m-x7k2m in_progress"), ("task_update", update));
    assert_eq!(called("fleet tasks red --limit 5"), ("task_list", json!({"teamName": "red", "limit": 5})));
}

#[test]
fn a_group_is_named_in_the_singular_and_its_plural_does_the_same() {
    for (one, many) in [
        ("session", "sessions"),
        ("policy", "policies"),
        ("approval", "approvals"),
        ("agent", "agents"),
        ("report", "reports"),
    ] {
        let (named, input) = called(&format!("fleet {one} list"));
        assert_eq!(called(&format!("fleet {many} list")), (named, input), "{many}");
        assert!(help(&format!("fleet {one}")).contains(&format!("Usage: fleet {one} ")), "{one}");
    }
}

#[test]
fn a_report_is_shown_by_its_mission_and_reports_are_listed_below_the_same_word() {
    assert_eq!(called("fleet report list"), ("report_list", json!({})));
    assert_eq!(called("fleet report show r-x7k2m"), ("report_get", json!({"report": "r-x7k2m"})));
    assert!(matches!(parsed("fleet report m-x7k2m"), Ok(Invocation::Command(_))));
    assert!(refused("fleet report").contains("MISSION"));
}

#[test]
fn lists_are_repeated_and_switches_can_be_switched_off() {
    let line = "fleet mission create p-x7 Cart Prompt --tags a --tags b --auto-dispatch --auto-retry=false --priority -2 --max-budget-usd 1.5";
    let expected = json!({
        "project_id": "p-x7", "title": "Cart", "detailed_prompt": "Prompt", "priority": -2, "tags": ["a", "b"],
        "max_budget_usd": 1.5, "auto_dispatch": true, "auto_retry": false,
    });
    assert_eq!(called(line), ("mission_create", expected));
}

#[test]
fn one_empty_value_takes_a_list_back() {
    let emptied = json!({"mission": "m-x7k2m", "depends_on": [], "tags": []});
    assert_eq!(called("fleet mission update m-x7k2m --depends-on= --tags="), ("mission_update", emptied));
}

#[test]
fn what_was_left_out_is_not_sent() {
    assert_eq!(called("fleet mission update m-x7k2m"), ("mission_update", json!({"mission": "m-x7k2m"})));
}

#[test]
fn options_of_every_command_may_stand_anywhere() {
    for line in ["fleet --json --url http://h health", "fleet health --url http://h --json"] {
        let Ok(Invocation::Command(command)) = parsed(line) else { panic!("{line}") };
        let expected = Options { url: Some("http://h".to_owned()), json: true, ..Options::default() };
        assert_eq!(command.options, expected);
    }
}

#[test]
fn what_only_the_binary_can_do_is_handed_back_to_it() {
    let Ok(Invocation::Up(args)) = parsed("fleet up -b --port 4000 --json") else { panic!("up") };
    assert_eq!(args, UpArgs { background: true, port: Some(4000), json: true, ..UpArgs::default() });
    assert!(matches!(parsed("fleet mcp"), Ok(Invocation::Mcp(_))));
    assert!(matches!(parsed("fleet mcp-server --token t"), Ok(Invocation::Mcp(Options { token: Some(_), .. }))));
    assert!(matches!(parsed("fleet __gen out"), Ok(Invocation::Generate(folder)) if folder.as_os_str() == "out"));
}

#[test]
fn a_wrong_argument_is_refused_before_anything_is_called() {
    assert_snapshot!(refused("fleet mission list --status runing"), @r"
    error: invalid value 'runing' for '--status <STATUS>'
      [possible values: draft, queued, running, completed, failed, cancelled]

      tip: a similar value exists: 'running'

    For more information, try '--help'.
    ");
    assert_snapshot!(refused("fleet tasks red --limit 0"), @r"
    error: invalid value '0' for '--limit <LIMIT>': takes a number from 1 to 1000

    For more information, try '--help'.
    ");
    assert_snapshot!(refused("fleet misson list"), @r"
    error: unrecognized subcommand 'misson'

      tip: some similar subcommands exist: 'session', 'sessions', 'missions', 'mission'

    Usage: fleet [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(refused("fleet explain MISSION_HELT"), @r"
    error: there is no error code `MISSION_HELT`; did you mean `MISSION_HELD`?

      tip: `fleet explain` lists the codes
    ");
    assert_snapshot!(refused("fleet up --stop --status"), @r"
    error: the argument '--stop' cannot be used with '--status'

    Usage: fleet up --stop

    For more information, try '--help'.
    ");
}

#[test]
fn no_field_hides_an_option_of_every_command() {
    root(&entries()).debug_assert();
    let taken = ["url", "token", "json", "table", "verbose", "help", "version", "yes"];
    for entry in entries() {
        let fields = Field::all(&entry, &entry.input());
        assert!(fields.iter().all(|field| !taken.contains(&field.flag().as_str())), "{}", entry.spec.name);
    }
}

#[test]
fn the_help_of_the_whole() {
    assert_snapshot!(help("fleet"));
}

#[test]
fn the_help_of_a_command_made_from_an_operation() {
    assert_snapshot!(help("fleet mission create"));
}

#[test]
fn the_help_of_a_command_with_choices() {
    assert_snapshot!(help("fleet mission list"));
}

#[test]
fn the_help_of_a_command_that_asks_first() {
    assert_snapshot!(help("fleet project delete"));
}

#[test]
fn the_help_of_a_group() {
    assert_snapshot!(help("fleet mission"));
}

#[test]
fn the_help_of_a_command_written_by_hand() {
    assert_snapshot!(help("fleet task-create"));
}
