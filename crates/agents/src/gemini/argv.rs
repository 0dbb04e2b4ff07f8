//! The command line, the environment and the settings of `gemini`.

use serde_json::{Map, Value, json};

use super::rules;
use crate::launch::{COMMON, extra, passable, plain, shell_line, tmp};
use crate::{
    Access, ApprovalChannel, Brief, Conversation, Launch, LaunchError, McpServer, McpTransport, Permissions,
    PrivateFile, Setup, Signal, StdinProtocol, Trust,
};

/// The program, unless the settings name another.
pub(super) const BINARY: &str = "gemini";

/// One process: as it comes it starts itself a second time, and no signal reaches that one.
pub(super) const ENV: [(&str, &str); 1] = [("GEMINI_CLI_NO_RELAUNCH", "true")];

/// Where it finds the settings that beat all others.
pub(super) const SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// What it needs of the environment beside what all do: who pays, and where its own files are.
pub(super) const PASS: [&str; 8] = [
    "GEMINI_API_KEY",
    "GEMINI_CLI_HOME",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_VERTEXAI",
];

/// Parts of arguments that switch its checks off, or put others in the place of Fleet's.
pub(super) const BYPASS: [&str; 4] = ["yolo", "--approval-mode", "--admin-policy", "-y"];

/// By itself it retries ten times, for minutes and in silence: Fleet has its own patience.
const ATTEMPTS_MAX: u32 = 3;

/// How long the program that judges a call may wait for a person: a week. After that the call would run.
const GATE_MS_MAX: u32 = 7 * 86_400_000;

pub(super) fn launch(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    if brief.prompt.is_empty() {
        return Err(LaunchError::Incapable { agent: "gemini".to_owned(), what: "wait to be told what to do" });
    }
    setup.check_budget("gemini", brief)?;
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(["-o", "stream-json", "--approval-mode", mode(brief)].map(str::to_owned));
    let trusted = match brief.trust {
        // The folder is trusted, and its settings are ignored: they are read before this.
        Trust::User => {
            argv.push("--skip-trust".to_owned());
            None
        }
        Trust::Project => Some(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())),
    };
    if let Some(model) = setup.model(brief.model.as_deref()) {
        argv.extend(["-m".to_owned(), plain("model", &model)?]);
    }
    argv.extend(conversation(&brief.conversation)?);
    let private = |name: &str, text: String| {
        brief.private_dir.as_ref().map(|folder| PrivateFile { path: folder.join(name), text })
    };
    let rules = private("gemini-rules.toml", rules::of(brief)?).filter(|file| !file.text.is_empty());
    argv.extend(rules.iter().flat_map(|file| ["--policy".to_owned(), file.path.display().to_string()]));
    argv.extend(extra("gemini", setup, brief, &BYPASS)?);
    let settings = private("gemini-settings.json", settings(setup, brief).to_string());
    let told = settings.as_ref().map(|file| (SETTINGS.to_owned(), file.path.display().to_string()));
    let (tmp, keep) = tmp(setup, brief);
    let ours = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(Launch {
        argv: passable(argv)?,
        cwd: brief.cwd.clone(),
        env: ours.into_iter().chain(trusted).chain(told).chain(tmp).chain(setup.env(brief)).collect(),
        pass: setup.pass(&[&COMMON[..], &PASS[..]].concat()),
        files: settings.into_iter().chain(rules).chain(keep).collect(),
        stdin: StdinProtocol::Text,
        pty: setup.pty,
        opening: vec![prompt(brief)],
        stop: Signal::Term,
    })
}

/// Without a person in front of it, its default mode has no writing tools except those that a rule allows.
fn mode(brief: &Brief) -> &'static str {
    match (brief.access, brief.permissions) {
        (Access::Full, _) => "yolo",
        (Access::ReadOnly | Access::Workspace, Permissions::Plan) => "plan",
        (Access::ReadOnly | Access::Workspace, Permissions::Ask | Permissions::Edits | Permissions::Refuse) => {
            "default"
        }
    }
}

fn conversation(conversation: &Conversation) -> Result<Vec<String>, LaunchError> {
    let id = |session: &str| plain("session id", session);
    Ok(match conversation {
        Conversation::New { session: None } => vec![],
        Conversation::New { session: Some(session) } => vec!["--session-id".to_owned(), id(session)?],
        Conversation::Resume { session } => vec!["--resume".to_owned(), id(session)?],
        Conversation::Fork { .. } => {
            return Err(LaunchError::Incapable { agent: "gemini".to_owned(), what: "continue a copy" });
        }
    })
}

/// Its own system prompt can only be replaced, not extended; so the addition precedes the first prompt.
fn prompt(brief: &Brief) -> String {
    match (&brief.system_prompt, &brief.conversation) {
        (Some(system), Conversation::New { .. }) => format!("{system}\n\n{}", brief.prompt),
        (Some(_), Conversation::Resume { .. } | Conversation::Fork { .. }) | (None, _) => brief.prompt.clone(),
    }
}

pub(super) fn settings(setup: &Setup, brief: &Brief) -> Value {
    let servers: Map<String, Value> = brief.mcp.iter().map(server).collect();
    // An empty list would allow all there are.
    let nobody = || vec!["fleet-allows-none"];
    let allowed: Vec<_> = brief.mcp.iter().map(|server| server.name.as_str()).collect();
    let allowed = if allowed.is_empty() { nobody() } else { allowed };
    let mut settings = json!({
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": ATTEMPTS_MAX},
        "privacy": {"usageStatisticsEnabled": false},
        "mcp": {"allowed": allowed},
        "mcpServers": servers,
    });
    if let ApprovalChannel::Program { argv } = &brief.gate {
        let hook = json!({"type": "command", "name": "fleet", "command": shell_line(argv), "timeout": GATE_MS_MAX});
        settings["hooksConfig"] = json!({"enabled": true});
        settings["hooks"] = json!({"BeforeTool": [{"matcher": "*", "hooks": [hook]}]});
    }
    if let Some(turns) = setup.limits(brief.limits).turns_max {
        settings["model"] = json!({"maxSessionTurns": turns});
    }
    settings
}

/// A trusted server needs no confirmation, which nothing could answer: Fleet's permission hook judges its calls.
fn server(server: &McpServer) -> (String, Value) {
    let value = match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            json!({"command": command, "args": args, "env": env, "trust": true})
        }
        McpTransport::Sse { url, headers } => json!({"url": url, "headers": headers, "trust": true}),
        McpTransport::Http { url, headers } => json!({"httpUrl": url, "headers": headers, "trust": true}),
    };
    (server.name.clone(), value)
}
