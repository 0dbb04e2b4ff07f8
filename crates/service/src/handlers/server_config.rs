//! What the configuration of an MCP server may be: checked here, so that an agent that gets it can use it.

use std::collections::BTreeMap;

use api::devfleet::{HIDDEN, ServerConfig, ServerType};
use api::{Code, Error};
use types::ServerReach;

use crate::Result;

/// Names of servers that Fleet itself attaches, or whose tools others take for Fleet's.
const RESERVED: [&str; 5] = ["fleet", "devfleet", "devfleet-context", "devfleet-tools", "context-mode"];

/// Refuses a name that cannot stand in the names of tools, or that is Fleet's own.
pub(super) fn name_refused(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if name.is_empty() || !name.bytes().all(plain) || name.contains("__") || name.starts_with(['-', '_']) {
        let message = format!("server_name: `{name}` is not 1 to 50 letters, digits, `_` and `-`");
        return Err(invalid(message, "It begins with a letter or a digit, and has no `__`.").into());
    }
    if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(invalid(format!("server_name: `{name}` is a name of Fleet's own"), "Choose another.").into());
    }
    Ok(())
}

/// Returns the type of a server.
pub(super) fn type_of(reach: &ServerReach) -> ServerType {
    match reach {
        ServerReach::Stdio { .. } => ServerType::Stdio,
        ServerReach::Sse { .. } => ServerType::Sse,
        ServerReach::Http { .. } => ServerType::Http,
    }
}

/// Reads a configuration; values that are hidden are those of the one before.
pub(super) fn reach(kind: ServerType, config: ServerConfig, before: Option<&ServerReach>) -> Result<ServerReach> {
    let ServerConfig { command, args, env, cwd, url, headers } = config;
    let args = args.unwrap_or_default();
    match kind {
        ServerType::Stdio => {
            if url.is_some() || !headers.is_empty() {
                return Err(invalid("config: a `stdio` server has no `url` and no `headers`", STDIO).into());
            }
            let command = command.filter(|command| !command.trim().is_empty());
            let command = command.ok_or_else(|| invalid("config.command: which program is it?", STDIO))?;
            if command.starts_with('-') || command.contains(char::is_control) {
                return Err(invalid("config.command: takes the name or the path of a program", STDIO).into());
            }
            if args.iter().any(|argument| argument.contains('\0')) {
                return Err(invalid("config.args: takes texts without a NUL", STDIO).into());
            }
            let env = uncovered("env", env, before.map(values))?;
            if let Some(name) = env.iter().find(|(name, value)| !is_variable(name) || value.contains('\0')) {
                return Err(invalid(format!("config.env: `{}` is not a variable name", name.0), STDIO).into());
            }
            if cwd.as_ref().is_some_and(|folder| folder.contains(char::is_control)) {
                return Err(invalid("config.cwd: takes the path of a folder", STDIO).into());
            }
            Ok(ServerReach::Stdio { command, args, env, cwd })
        }
        ServerType::Sse | ServerType::Http => {
            if command.is_some() || !args.is_empty() || !env.is_empty() || cwd.is_some() {
                let message = "config: only a `stdio` server has `command`, `args`, `env` and `cwd`";
                return Err(invalid(message, HTTP).into());
            }
            let url = address(url)?;
            let headers = uncovered("headers", headers, before.map(values))?;
            if let Some((name, _)) = headers.iter().find(|(name, value)| !is_header(name, value)) {
                return Err(invalid(format!("config.headers: `{name}` is not a header name"), HTTP).into());
            }
            Ok(match kind {
                ServerType::Sse => ServerReach::Sse { url, headers },
                ServerType::Stdio | ServerType::Http => ServerReach::Http { url, headers },
            })
        }
    }
}

const STDIO: &str = r#"Such as `{"command": "npx", "args": ["-y", "some-server"], "env": {"API_KEY": "…"}}`."#;

const HTTP: &str = r#"Such as `{"url": "https://tools.example/mcp", "headers": {"Authorization": "Bearer …"}}`."#;

fn values(reach: &ServerReach) -> &BTreeMap<String, String> {
    match reach {
        ServerReach::Stdio { env, .. } => env,
        ServerReach::Sse { headers, .. } | ServerReach::Http { headers, .. } => headers,
    }
}

/// Puts stored values in the place of hidden ones, so that what was shown can be sent back.
fn uncovered(
    field: &str,
    given: BTreeMap<String, String>,
    before: Option<&BTreeMap<String, String>>,
) -> Result<BTreeMap<String, String>> {
    let one = |(name, value): (String, String)| {
        if value != HIDDEN {
            return Ok((name, value));
        }
        match before.and_then(|before| before.get(&name)) {
            Some(stored) => Ok((name, stored.clone())),
            None => {
                let message = format!("config.{field}: `{name}` has no stored value that `{HIDDEN}` could stand for");
                Err(invalid(message, "Give its value.").into())
            }
        }
    };
    given.into_iter().map(one).collect()
}

fn address(url: Option<String>) -> Result<String> {
    let url = url.ok_or_else(|| invalid("config.url: where is it?", HTTP))?;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match host {
        Some(host) if host.contains('@') => {
            Err(invalid("config.url: contains a user name, which every reader would see", "Use `headers`.").into())
        }
        Some(host) if !host.is_empty() && !url.contains(|letter: char| letter.is_control() || letter == ' ') => Ok(url),
        Some(_) | None => {
            Err(invalid("config.url: takes an address that begins with http:// or https://", HTTP).into())
        }
    }
}

fn is_variable(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_header(name: &str, value: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token) && !value.contains(char::is_control)
}

fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Code::FIELDS_INVALID, message).hint(hint)
}

#[cfg(test)]
#[path = "server_config_tests.rs"]
mod tests;
