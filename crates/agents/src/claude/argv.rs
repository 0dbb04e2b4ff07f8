//! The command line and the environment of Claude Code.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use types::Limits;

use super::say;
use crate::launch::{COMMON, extra, passable, plain, shell_line};
use crate::{
    ApprovalChannel, Brief, Conversation, Launch, LaunchError, McpServer, McpTransport, Permissions, PrivateFile,
    Setup, Signal, StdinProtocol, Trust,
};

/// The program, unless the settings name another.
pub(super) const BINARY: &str = "claude";

/// Both directions as JSON lines; without `--verbose` it refuses to stream. Calls that need a yes are asked about in
/// the stream.
const TWO_WAY: [&str; 9] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
    "--permission-mode",
];

/// The agent must not change under us, and by itself it retries for minutes without end: Fleet has its own patience.
const ENV: [(&str, &str); 2] = [("CLAUDE_CODE_MAX_RETRIES", "3"), ("DISABLE_AUTOUPDATER", "1")];

/// What it needs of the environment beside what every agent does: who pays, and where its own things are.
const PASS: [&str; 12] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "TMPDIR",
    "TZ",
];

/// Parts of arguments that switch permission checks off, or the hooks that Fleet may rely on.
const BYPASS: [&str; 3] = ["dangerously", "bypassPermissions", "--bare"];

/// The same, with options that would replace the permission hook: of two `--settings` only one counts.
const UNHOOK: [&str; 5] = ["dangerously", "bypassPermissions", "--bare", "--settings", "--setting-sources"];

/// Timeout of the permission hook; it answers in milliseconds, but machines are slow now and then.
const GATE_SECS_MAX: u32 = 300;

pub(super) fn launch(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(TWO_WAY.map(str::to_owned));
    argv.push(mode(brief.permissions).to_owned());
    if brief.trust == Trust::User {
        argv.extend(["--setting-sources".to_owned(), "user".to_owned()]);
    }
    if let Some(model) = setup.model(brief.model.as_deref()) {
        argv.extend(["--model".to_owned(), plain("model", &model)?]);
    }
    argv.extend(conversation(&brief.conversation)?);
    argv.extend(limits(setup.limits(brief.limits)));
    let (arguments, prompt_file) = system_prompt(brief);
    argv.extend(arguments);
    argv.extend(tools("--allowedTools", &brief.allowed_tools)?);
    argv.extend(tools("--disallowedTools", &brief.denied_tools)?);
    let (arguments, mcp_file) = mcp(brief);
    argv.extend(arguments);
    let (arguments, settings_file) = gate(brief);
    argv.extend(arguments);
    let refused: &[&str] = match &brief.gate {
        ApprovalChannel::Off => &BYPASS,
        ApprovalChannel::Program { .. } => &UNHOOK,
    };
    argv.extend(extra("claude", setup, brief, refused)?);
    Ok(Launch {
        argv: passable(argv)?,
        cwd: brief.cwd.clone(),
        env: env(setup, brief),
        pass: setup.pass(&[&COMMON[..], &PASS[..]].concat()),
        files: prompt_file.into_iter().chain(mcp_file).chain(settings_file).collect(),
        stdin: StdinProtocol::JsonLines,
        pty: setup.pty,
        // Without a prompt it waits for messages.
        opening: [Some(say::initialize()), (!brief.prompt.is_empty()).then(|| prompt(brief))]
            .into_iter()
            .flatten()
            .collect(),
        stop: Signal::Term,
    })
}

fn mode(permissions: Permissions) -> &'static str {
    match permissions {
        Permissions::Ask => "default",
        Permissions::Edits => "acceptEdits",
        Permissions::Plan => "plan",
        Permissions::Refuse => "dontAsk",
    }
}

fn conversation(conversation: &Conversation) -> Result<Vec<String>, LaunchError> {
    let id = |session: &str| plain("session id", session);
    Ok(match conversation {
        Conversation::New { session: None } => vec![],
        Conversation::New { session: Some(session) } => vec!["--session-id".to_owned(), id(session)?],
        Conversation::Resume { session } => vec!["--resume".to_owned(), id(session)?],
        Conversation::Fork { session } => vec!["--resume".to_owned(), id(session)?, "--fork-session".to_owned()],
    })
}

fn limits(limits: Limits) -> Vec<String> {
    let turns = limits.turns_max.map(|turns| ["--max-turns".to_owned(), turns.to_string()]);
    let dollars = limits.dollars_max.map(|dollars| ["--max-budget-usd".to_owned(), dollars.to_string()]);
    turns.into_iter().chain(dollars).flatten().collect()
}

/// A resumed conversation keeps the text it was begun with, unless it is told not to.
fn system_prompt(brief: &Brief) -> (Vec<String>, Option<PrivateFile>) {
    let Some(text) = &brief.system_prompt else { return (Vec::new(), None) };
    let file = private(brief, "system-prompt.md", text);
    let mut arguments = match &file {
        Some(file) => vec!["--append-system-prompt-file".to_owned(), file.path.display().to_string()],
        None => vec!["--append-system-prompt".to_owned(), text.clone()],
    };
    match brief.conversation {
        Conversation::New { .. } => {}
        Conversation::Resume { .. } | Conversation::Fork { .. } => {
            arguments.extend(["--system-prompt-snapshot".to_owned(), "off".to_owned()]);
        }
    }
    (arguments, file)
}

/// One argument for all: the option would take whatever follows it for tools too.
fn tools(option: &str, tools: &[String]) -> Result<Vec<String>, LaunchError> {
    if tools.is_empty() {
        return Ok(Vec::new());
    }
    let tools = tools.iter().map(|tool| plain("tool", tool)).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![option.to_owned(), tools.join(",")])
}

/// The last option is one without values: the one before it takes as many as follow.
fn mcp(brief: &Brief) -> (Vec<String>, Option<PrivateFile>) {
    let strict = "--strict-mcp-config".to_owned();
    if brief.mcp.is_empty() {
        return (vec![strict], None);
    }
    let servers: serde_json::Map<String, Value> = brief.mcp.iter().map(server).collect();
    let text = json!({ "mcpServers": servers }).to_string();
    let file = private(brief, "mcp.json", &text);
    let argument = file.as_ref().map_or(text, |file| file.path.display().to_string());
    (vec!["--mcp-config".to_owned(), argument, strict], file)
}

/// Long text, or text that must not show in process lists, goes to a file if there is a folder for it.
fn private(brief: &Brief, name: &str, text: &str) -> Option<PrivateFile> {
    let folder = brief.private_dir.as_ref()?;
    Some(PrivateFile { path: folder.join(name), text: text.to_owned() })
}

/// `alwaysLoad`: otherwise the tools of a server are not in the prompt until the model searches for them.
fn server(server: &McpServer) -> (String, Value) {
    let value = match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            json!({"type": "stdio", "command": command, "args": args, "env": env, "alwaysLoad": true})
        }
        McpTransport::Sse { url, headers } => {
            json!({"type": "sse", "url": url, "headers": headers, "alwaysLoad": true})
        }
        McpTransport::Http { url, headers } => {
            json!({"type": "http", "url": url, "headers": headers, "alwaysLoad": true})
        }
    };
    (server.name.clone(), value)
}

/// A hook for every call, of subagents and servers too. Without `onFailure` a program that is missing, breaks or takes
/// too long would let the call through. A person's own settings may switch hooks off, and these come last.
fn gate(brief: &Brief) -> (Vec<String>, Option<PrivateFile>) {
    let ApprovalChannel::Program { argv } = &brief.gate else { return (Vec::new(), None) };
    let hook = json!({
        "type": "command", "command": shell_line(argv), "timeout": GATE_SECS_MAX, "onFailure": "block",
    });
    let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [hook]}]});
    let text = json!({"disableAllHooks": false, "hooks": hooks}).to_string();
    let file = private(brief, "settings.json", &text);
    let argument = file.as_ref().map_or(text, |file| file.path.display().to_string());
    (vec!["--settings".to_owned(), argument], file)
}

/// What others set beats what is ours.
fn env(setup: &Setup, brief: &Brief) -> BTreeMap<String, String> {
    let ours = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ours.into_iter().chain(setup.env(brief)).collect()
}

fn prompt(brief: &Brief) -> String {
    say::message(&brief.prompt, brief.prompt_id.as_deref()).to_string()
}
