use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Access, Account, CallEnd, Event, Meter, Outcome, RateLimited, Tokens, judge_by};

const FILE: &str = r#"
argv = ["scribe", "run", ["--model", "{model}"], "{access}", "--dir={cwd}", "--in", "{prompt_file}"]
resume = ["scribe", "resume", "{session}", "{prompt}"]
format = "json"
stop = "INT"
context_limit = 64_000
model = "small"
pass = ["SCRIBE_KEY"]
exit_codes = { 7 = "rate_limit" }
needs = { home = [".scribe"] }
login = { env = ["SCRIBE_KEY"], files = [".scribe/auth"] }

[access]
read_only = ["--read-only", "--strict"]

[env]
SCRIBE_COLOUR = "never"

[[events]]
kind = "started"
when = { "/ev" = "hello" }
session = "/thread"

[[events]]
kind = "text"
when = { "/ev" = "say" }
each = "/parts"
where = { "/type" = "text" }
text = "/text"

[[events]]
kind = "tool_call"
when = { "/ev" = ["call", "nested"] }
id = "/id"
tool = "/name"
input = "/with"

[[events]]
kind = "tool_result"
when = { "/ev" = "called" }
id = "/id"
text = "/out"
failed = "/error"
denied = "/refused"

[[events]]
kind = "usage"
when = { "/usage" = { present = true } }
input_tokens = "/usage/in"
output_tokens = "/usage/out"

[[events]]
kind = "retrying"
when = { "/note" = { contains = "slow" } }
attempt = "/n"
status = "/status"

[[events]]
kind = "result"
when = { "/ev" = "bye" }
text = "/last"
failed = "/error"
status = "/status"

[[events]]
kind = "result"
when = { "/ev" = "quota" }
class = "quota"
resets_at = "/until"
"#;

fn custom(text: &str) -> Custom {
    Custom::new("scribe", Arc::new(Definition::parse(text).unwrap()), &Setup::default())
}

fn brief() -> Brief {
    Brief {
        prompt: "write\nit".to_owned(),
        cwd: "/srv/tree".into(),
        private_dir: Some("/srv/run".into()),
        ..Brief::default()
    }
}

fn read(lines: &[Value]) -> (Vec<Event>, Account) {
    let (mut reader, mut account) = (custom(FILE).reader(), Account::new(Meter::new()));
    let events: Vec<_> = lines.iter().flat_map(|line| reader.feed(line.to_string().as_bytes())).collect();
    events.iter().for_each(|event| account.read(event));
    (events, account)
}

#[test]
fn a_command_line_is_filled_and_groups_without_a_value_are_left_out() {
    let launch = custom(FILE).launch(&brief()).unwrap();
    let expected = ["scribe", "run", "--model", "small", "--dir=/srv/tree", "--in", "/srv/run/prompt.txt"];
    assert_eq!(launch.argv, expected);
    assert_eq!(launch.files[0].text, "write\nit");
    assert_eq!((launch.stdin, launch.stop, launch.opening.len()), (StdinProtocol::Closed, Signal::Int, 0));
    assert!(launch.pass.contains(&"SCRIBE_KEY".to_owned()) && launch.pass.contains(&"HOME".to_owned()));
    assert_eq!(launch.env["SCRIBE_COLOUR"], "never");
    assert_eq!(custom(FILE).needs(), Needs::of(&[".scribe"], &[]));
    let reads = custom(FILE).launch(&Brief { access: Access::ReadOnly, model: Some("big".to_owned()), ..brief() });
    assert_eq!(reads.unwrap().argv[2..6], ["--model", "big", "--read-only", "--strict"]);
    let resume = Brief { conversation: Conversation::Resume { session: "t1".to_owned() }, ..brief() };
    assert_eq!(custom(FILE).launch(&resume).unwrap().argv, ["scribe", "resume", "t1", "write\nit"]);
}

#[test]
fn a_prompt_that_stands_nowhere_else_is_read_from_standard_input() {
    let launch = custom("argv = [\"cat\", \"{\\\"a\\\":1}\"]").launch(&brief()).unwrap();
    assert_eq!((launch.stdin, launch.opening), (StdinProtocol::Text, vec!["write\nit".to_owned()]));
    assert_eq!(launch.argv[1], "{\"a\":1}", "a brace that holds no word is only a brace");
}

#[test]
fn a_system_prompt_stands_before_the_prompt_unless_it_has_a_place() {
    let brief = Brief { system_prompt: Some("You are ann.".to_owned()), ..brief() };
    assert_eq!(custom("argv = [\"x\"]").launch(&brief).unwrap().opening, ["You are ann.\n\nwrite\nit"]);
    let placed = custom("argv = [\"x\", \"--system\", \"{system_prompt}\"]").launch(&brief).unwrap();
    assert_eq!((placed.argv[2].as_str(), placed.opening[0].as_str()), ("You are ann.", "write\nit"));
}

#[test]
fn settings_beat_the_file() {
    let env = BTreeMap::from([("SCRIBE_COLOUR".to_owned(), "always".to_owned())]);
    let setup =
        Setup { binary: Some("/opt/scribe".to_owned()), model: Some("big".to_owned()), env, ..Setup::default() };
    let custom = Custom::new("scribe", Arc::new(Definition::parse(FILE).unwrap()), &setup);
    let launch = custom.launch(&brief()).unwrap();
    assert_eq!((launch.argv[0].as_str(), launch.argv[3].as_str()), ("/opt/scribe", "big"));
    assert_eq!(launch.env["SCRIBE_COLOUR"], "always");
    assert_eq!(custom.discovery().unwrap().binary, "/opt/scribe");
}

#[test]
fn lines_mean_what_the_rules_say_and_others_are_kept() {
    let (events, account) = read(&[
        json!({"ev": "hello", "thread": "t1"}),
        json!({"ev": "say", "parts": [{"type": "text", "text": "one"}, {"type": "x"}, {"type": "text", "text": "two"}]}),
        json!({"ev": "call", "id": 7, "name": "sh", "with": {"c": "ls"}, "usage": {"in": 10, "out": 2}}),
        json!({"ev": "called", "id": 7, "out": "a", "refused": true}),
        json!({"ev": "call", "name": "no id"}),
        json!({"note": "slow down", "n": 2, "status": 429}),
        json!({"ev": "bye", "last": "done"}),
    ]);
    assert!(matches!(&events[1], Event::Text { text, .. } if text == "one"));
    assert!(matches!(&events[2], Event::Text { text, .. } if text == "two"));
    assert!(matches!(&events[3], Event::ToolCall { id, name, .. } if id == "7" && name == "sh"));
    assert!(matches!(&events[4], Event::Usage(usage) if usage.tokens.input == 10 && usage.context == Some(10)));
    assert!(matches!(&events[5], Event::ToolResult { end: CallEnd::Denied, .. }));
    assert!(matches!(&events[6], Event::Raw { .. }), "a field that is needed is not there");
    let retrying = RateLimited::Retrying {
        attempt: 2,
        attempts_max: 0,
        delay_ms: 0,
        status: Some(429),
        class: FailureClass::RateLimit,
    };
    assert_eq!(events[7], Event::RateLimited(retrying));
    let spent = account.meter.spent();
    assert_eq!((spent.tokens, spent.unpriced), (Tokens { input: 10, output: 2, ..Tokens::default() }, 12));
    assert_eq!(account.session.as_deref(), Some("t1"));
}

#[test]
fn a_result_decides_where_the_file_has_one_and_else_the_exit_code() {
    let code = |code| Exit::Code { code };
    let outcome = |lines: &[Value], exit| judge_by(&custom(FILE), &read(lines).1, exit, None, "");
    let failed = |outcome: Outcome| if let Outcome::Failed { class, .. } = outcome { Some(class) } else { None };
    assert_eq!(failed(outcome(&[json!({"ev": "bye"})], code(0))), None);
    assert_eq!(failed(outcome(&[json!({"ev": "hello"})], code(0))), Some(FailureClass::Crash), "no result, no success");
    assert_eq!(failed(outcome(&[json!({"ev": "bye", "error": "x"})], code(0))), Some(FailureClass::Crash));
    let refused = json!({"ev": "bye", "error": true, "status": 401});
    assert_eq!(failed(outcome(&[refused], code(0))), Some(FailureClass::Auth));
    assert_eq!(failed(outcome(&[], code(7))), Some(FailureClass::RateLimit));
    for until in [json!(1_794_790_000), json!("2026-11-16T00:46:40Z")] {
        let quota = outcome(&[json!({"ev": "quota", "until": until})], code(0));
        let resets_at = Some("2026-11-16T00:46:40Z".parse().unwrap());
        assert_eq!(failed(quota), Some(FailureClass::Quota { resets_at }));
    }
    let plain = custom("argv = [\"x\"]");
    let said = |exit| judge_by(&plain, &Account::new(Meter::new()), exit, None, "");
    assert!(matches!(said(code(0)), Outcome::Succeeded { .. }));
    assert_eq!(failed(said(code(3))), Some(FailureClass::Crash));
    assert_eq!(failed(said(Exit::Signal { signal: 9 })), Some(FailureClass::Crash));
}

#[test]
fn a_wrong_file_is_refused_at_its_place_with_what_is_allowed() {
    for (text, line, part) in [
        ("model = 'x'", 1, "argv"),
        ("argv = []", 1, "the first is the program"),
        ("argv = ['{prompt}']", 1, "the first is the program"),
        ("argv = ['x', '{promt}']", 1, "{prompt}, {prompt_file}"),
        ("argv = ['x', '{session}']", 1, "`resume` and `fork`"),
        ("argv = ['x', 'a{access}']", 1, "an argument of its own"),
        ("argv = ['x']\nargs = []", 2, "expected one of `argv`"),
        ("argv = ['x']\nstop = 'KILL'", 2, "TERM"),
        ("argv = ['x']\nformat = 'xml'", 2, "`text`"),
        ("argv = ['x']\n\n[[events]]\nkind = 'text'\ntext = '/a'", 3, "format = \"json\""),
        ("argv = ['x']\nformat = 'json'\n[[events]]\nkind = 'text'", 3, "needs `text`"),
        ("argv = ['x']\nformat = 'json'\n[[events]]\nkind = 'text'\ntext = 'a'", 5, "begin with `/`"),
        (
            "argv = ['x']\nformat = 'json'\n[[events]]\nkind = 'text'\ntext = '/a'\ntool = '/b'",
            3,
            "has no `tool`; it takes text",
        ),
        ("argv = ['x']\nformat = 'json'\n[[events]]\nkind = 'result'\nclass = 'bad'", 3, "rate_limit, quota"),
        ("argv = ['x']\nformat = 'json'\n[[events]]\nkind = 'song'", 4, "tool_call"),
        ("argv = ['x']\nexit_codes = { a = 'auth' }", 2, "exit codes"),
        ("argv = ['x'", 1, ""),
    ] {
        let error = Definition::parse(text).map(|_| ()).unwrap_err();
        let at = text.get(..error.at).unwrap().matches('\n').count() + 1;
        assert_eq!(at, line, "{text}: {error}");
        assert!(error.reason.contains(part), "{text}: {error}");
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let plain = custom("argv = [\"x\"]");
    let server = McpServer {
        name: "web".to_owned(),
        transport: McpTransport::Http { url: "http://127.0.0.1".to_owned(), headers: BTreeMap::new() },
    };
    for brief in [
        Brief { prompt: String::new(), ..brief() },
        Brief { mcp: vec![server.clone()], ..brief() },
        Brief { conversation: Conversation::Resume { session: "x".to_owned() }, ..brief() },
        Brief { conversation: Conversation::Fork { session: "x".to_owned() }, ..brief() },
        Brief { limits: Limits { dollars_max: Some(1.0), ..Default::default() }, ..brief() },
    ] {
        assert!(matches!(plain.launch(&brief), Err(LaunchError::Incapable { .. })), "{brief:?}");
    }
    let served = custom("argv = [\"x\", [\"--mcp\", \"{mcp_file}\"]]");
    assert_eq!(served.capabilities().mcp, McpForm::Argument);
    assert_eq!(served.launch(&brief()).unwrap().argv, ["x"]);
    let launch = served.launch(&Brief { mcp: vec![server], ..brief() }).unwrap();
    assert!(launch.files.iter().any(|file| file.path.ends_with("mcp.json") && file.text.contains("127.0.0.1")));
}

proptest! {
    #[test]
    fn any_text_is_read_as_a_file_or_refused(text in ".{0,80}", key in "(argv|format|events|when|\\[\\[events\\]\\]|[a-z]{3})") {
        let _ = Definition::parse(&format!("argv = ['x']\n{key} = {text}"));
    }

    #[test]
    fn any_argument_is_filled_or_refused_and_nothing_of_it_is_lost(argument in "[a-z{} ]{0,20}") {
        let text = format!("argv = ['x', '{argument}']");
        if let Ok(definition) = Definition::parse(&text) {
            let custom = Custom::new("x", Arc::new(definition), &Setup::default());
            if let Ok(launch) = custom.launch(&brief())
                && !argument.contains("{prompt}") && !argument.contains("{cwd}")
                && !argument.contains("{access}")
            {
                prop_assert_eq!(&launch.argv[1], &argument);
            }
        }
    }
}
