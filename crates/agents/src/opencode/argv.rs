//! The command line, the environment and the settings of `opencode run`.

use serde_json::{Map, Value, json};

use crate::launch::{COMMON, extra, passable, plain, tmp};
use crate::{
    Access, Brief, Conversation, Launch, LaunchError, McpServer, McpTransport, Setup, Signal, StdinProtocol, Trust,
};

/// The program, unless the settings name another.
pub(super) const BINARY: &str = "opencode";

/// The agent must not update itself, nor download anything.
pub(super) const ENV: [(&str, &str); 3] = [
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
];

/// What it needs of the environment beside what all do: who pays, and where its own files are.
pub(super) const PASS: [&str; 9] = [
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG",
    "OPENROUTER_API_KEY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Arguments that let everything through, or share the conversation.
pub(super) const BYPASS: [&str; 3] = ["--auto", "--share", "dangerously"];

pub(super) fn launch(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    if brief.prompt.is_empty() {
        return Err(LaunchError::Incapable { agent: "opencode".to_owned(), what: "wait to be told what to do" });
    }
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(["run", "--format", "json", "--thinking"].map(str::to_owned));
    if let Some(model) = setup.model(brief.model.as_deref()) {
        argv.extend(["-m".to_owned(), plain("model", &model)?]);
    }
    argv.extend(conversation(&brief.conversation)?);
    let project = match brief.trust {
        Trust::User => {
            argv.push("--pure".to_owned());
            Some(("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned()))
        }
        Trust::Project => None,
    };
    argv.extend(extra("opencode", setup, brief, &BYPASS)?);
    let (tmp, keep) = tmp(setup, brief);
    let ours = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = ("OPENCODE_CONFIG_CONTENT".to_owned(), settings(brief).to_string());
    Ok(Launch {
        argv: passable(argv)?,
        cwd: brief.cwd.clone(),
        env: ours.into_iter().chain(project).chain([settings]).chain(tmp).chain(setup.env(brief)).collect(),
        pass: setup.pass(&[&COMMON[..], &PASS[..]].concat()),
        files: keep.into_iter().collect(),
        stdin: StdinProtocol::Text,
        pty: setup.pty,
        opening: vec![prompt(brief)],
        stop: Signal::Term,
    })
}

fn conversation(conversation: &Conversation) -> Result<Vec<String>, LaunchError> {
    let id = |session: &str| plain("session id", session);
    Ok(match conversation {
        // The id of a conversation cannot be chosen.
        Conversation::New { .. } => vec![],
        Conversation::Resume { session } => vec!["--session".to_owned(), id(session)?],
        Conversation::Fork { session } => vec!["--session".to_owned(), id(session)?, "--fork".to_owned()],
    })
}

/// It has no option for text after its own system prompt, so that precedes the first prompt.
fn prompt(brief: &Brief) -> String {
    match (&brief.system_prompt, &brief.conversation) {
        (Some(system), Conversation::New { .. }) => format!("{system}\n\n{}", brief.prompt),
        (Some(_), Conversation::Resume { .. } | Conversation::Fork { .. }) | (None, _) => brief.prompt.clone(),
    }
}

fn settings(brief: &Brief) -> Value {
    let servers: Map<String, Value> = brief.mcp.iter().map(server).collect();
    json!({"autoupdate": false, "share": "disabled", "permission": permission(brief), "mcp": servers})
}

/// Its permissions, in its own words; without a person to ask, what is not allowed is denied.
fn permission(brief: &Brief) -> Value {
    let all = brief.allowed_tools.is_empty();
    let named = |names: &[&str]| brief.allowed_tools.iter().any(|tool| names.contains(&tool.as_str()));
    let word = |allowed: bool| if allowed { "allow" } else { "deny" };
    match brief.access {
        Access::ReadOnly => json!({"edit": "deny", "bash": "deny", "external_directory": "deny",
            "webfetch": word(all || named(&["WebFetch"]))}),
        Access::Workspace => json!({
            "edit": word(all || named(&["Write", "Edit", "MultiEdit"])),
            "bash": if all || named(&["Bash"]) { json!("allow") } else { commands(brief) },
            "webfetch": word(all || named(&["WebFetch"])),
            "external_directory": "deny",
        }),
        Access::Full => json!({"edit": "allow", "bash": "allow", "webfetch": "allow", "external_directory": "allow"}),
    }
}

/// `Bash(git diff *)` allows commands of that form; the last that fits decides.
fn commands(brief: &Brief) -> Value {
    let pattern = |tool: &String| Some(tool.strip_prefix("Bash(")?.strip_suffix(')')?.replace(":*", "*"));
    let allowed = brief.allowed_tools.iter().filter_map(pattern).map(|pattern| (pattern, json!("allow")));
    let all = [("*".to_owned(), json!("deny"))];
    Value::Object(all.into_iter().chain(allowed).collect())
}

fn server(server: &McpServer) -> (String, Value) {
    let value = match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            let command: Vec<_> = [command].into_iter().chain(args).collect();
            json!({"type": "local", "command": command, "environment": env, "enabled": true})
        }
        // It tries the newer way and then the older.
        McpTransport::Sse { url, headers } | McpTransport::Http { url, headers } => {
            json!({"type": "remote", "url": url, "headers": headers, "enabled": true})
        }
    };
    (server.name.clone(), value)
}
