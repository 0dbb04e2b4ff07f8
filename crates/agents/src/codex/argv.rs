//! The command line and the environment of `codex exec`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::mcp;
use crate::launch::{COMMON, extra, passable, plain, shell_line, tmp};
use crate::{
    Access, ApprovalChannel, Brief, Conversation, Launch, LaunchError, PrivateFile, Setup, Signal, StdinProtocol, Trust,
};

/// The program, unless the settings name another.
pub(super) const BINARY: &str = "codex";

/// What every run has. Without the last three it asks servers of its maker, and waits for them at its end. Fleet knows
/// what is a repository and what is not.
const ALWAYS: [&str; 9] = [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "-c",
    "analytics.enabled=false",
    "--disable",
    "plugins",
    "--disable",
    "apps",
];

/// Where it says until when an account is used up it means the time of the machine; Fleet reads it as this.
pub(super) const ENV: [(&str, &str); 1] = [("TZ", "UTC")];

/// What it needs of the environment beside what all do: where its own files are, and who pays.
pub(super) const PASS: [&str; 4] = ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"];

/// Parts of arguments that switch its sandbox, its approvals or the trust in hooks off.
pub(super) const BYPASS: [&str; 5] = ["dangerously", "danger-full-access", "--yolo", "--full-auto", "approval_policy"];

/// How long the program that judges a call may wait for a person: a week. After that the call would run.
const GATE_SECS_MAX: u32 = 7 * 86_400;

/// The longest text for the model that is passed as an argument; a longer one precedes the prompt.
const INSTRUCTIONS_MAX: usize = 64 * 1024;

pub(super) fn launch(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    if brief.prompt.is_empty() {
        return Err(LaunchError::Incapable { agent: "codex".to_owned(), what: "wait to be told what to do" });
    }
    setup.check_budget("codex", brief)?;
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(ALWAYS.map(str::to_owned));
    argv.extend(["-s".to_owned(), sandbox(brief).to_owned()]);
    if brief.access == Access::Workspace {
        argv.extend(brief.writable.iter().flat_map(|dir| ["--add-dir".to_owned(), dir.display().to_string()]));
    }
    if brief.trust == Trust::User {
        argv.extend(["-c".to_owned(), untrusted(brief)]);
    }
    if let Some(model) = setup.model(brief.model.as_deref()) {
        argv.extend(["-m".to_owned(), plain("model", &model)?]);
    }
    let (instructions, prompt) = texts(brief);
    argv.extend(instructions.into_iter().flat_map(|text| ["-c".to_owned(), text]));
    let servers = mcp::servers(brief)?;
    argv.extend(servers.values.into_iter().flat_map(|value| ["-c".to_owned(), value]));
    argv.extend(gate(&brief.gate));
    argv.extend(extra("codex", setup, brief, &BYPASS)?);
    argv.extend(conversation(&brief.conversation)?);
    argv.push("-".to_owned());
    let (tmp, keep) = tmp(setup, brief);
    let ours = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(Launch {
        argv: passable(argv)?,
        cwd: brief.cwd.clone(),
        env: ours.into_iter().chain(tmp).chain(servers.env).chain(setup.env(brief)).collect::<BTreeMap<_, _>>(),
        pass: setup.pass(&[&COMMON[..], &PASS[..]].concat()),
        files: keep.into_iter().collect::<Vec<PrivateFile>>(),
        stdin: StdinProtocol::Text,
        pty: setup.pty,
        opening: vec![prompt],
        stop: Signal::Int,
    })
}

/// Always said: what it assumes otherwise changes after its first run in a folder.
fn sandbox(brief: &Brief) -> &'static str {
    if brief.walled {
        // Its own sandbox would fail at every command: mounts cannot be nested. Fleet's sandbox is stricter.
        return "danger-full-access";
    }
    match brief.access {
        Access::ReadOnly => "read-only",
        Access::Workspace => "workspace-write",
        Access::Full => "danger-full-access",
    }
}

/// A folder that it does not trust has no settings, hooks or rules of its own.
pub(super) fn untrusted(brief: &Brief) -> String {
    format!("projects={{{}={{trust_level=\"untrusted\"}}}}", text(&brief.cwd.display().to_string()))
}

/// The system prompt as a setting, and what goes in on standard input.
fn texts(brief: &Brief) -> (Option<String>, String) {
    match &brief.system_prompt {
        Some(system) if system.len() <= INSTRUCTIONS_MAX => {
            (Some(format!("developer_instructions={}", text(system))), brief.prompt.clone())
        }
        Some(system) => (None, format!("{system}\n\n{}", brief.prompt)),
        None => (None, brief.prompt.clone()),
    }
}

/// In an untrusted folder no other hooks run, so the flag enables only this one.
fn gate(gate: &ApprovalChannel) -> Vec<String> {
    let ApprovalChannel::Program { argv } = gate else { return Vec::new() };
    let hook = format!("{{type=\"command\",command={},timeout={GATE_SECS_MAX}}}", text(&shell_line(argv)));
    let value = format!("hooks.PreToolUse=[{{matcher=\"*\",hooks=[{hook}]}}]");
    vec!["--dangerously-bypass-hook-trust".to_owned(), "-c".to_owned(), value]
}

fn conversation(conversation: &Conversation) -> Result<Vec<String>, LaunchError> {
    let id = |session: &str| plain("session id", session);
    Ok(match conversation {
        // The id of a conversation cannot be chosen.
        Conversation::New { .. } => vec![],
        Conversation::Resume { session } => vec!["resume".to_owned(), id(session)?],
        Conversation::Fork { session } => vec!["fork".to_owned(), id(session)?],
    })
}

/// A text as a value of its settings, which are TOML: JSON escapes what TOML wants escaped, but for one character.
pub(super) fn text(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
