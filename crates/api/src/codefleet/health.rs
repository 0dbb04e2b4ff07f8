//! Whether Fleet, its agents and git are there.

use std::collections::BTreeMap;

use api_macros::{input, output};

use super::words::AuthStatus;

/// Show whether Fleet, the agent CLIs and git are there
#[input(Default)]
pub struct CheckHealth {}

/// What was found
#[output]
pub struct HealthReport {
    /// Whether git and one of the agents are there
    pub ok: bool,
    /// Always `fleet`
    pub app: String,
    /// Its version
    pub version: String,
    /// The database's file
    pub db_path: String,
    /// Where records, outputs and worktrees are
    pub base_dir: Option<String>,
    /// Whether Codex is there
    pub codex_found: bool,
    /// Its program
    pub codex_path: Option<String>,
    /// What it says of its version
    pub codex_version: Option<String>,
    /// Whether it is logged in
    pub codex_auth_status: AuthStatus,
    /// Whether Gemini CLI is there
    pub gemini_found: bool,
    /// Its program
    pub gemini_path: Option<String>,
    /// What it says of its version
    pub gemini_version: Option<String>,
    /// Whether it is logged in
    pub gemini_auth_status: AuthStatus,
    /// Whether Claude Code is there
    pub claude_found: bool,
    /// Its program
    pub claude_path: Option<String>,
    /// What it says of its version
    pub claude_version: Option<String>,
    /// Whether it is logged in
    pub claude_auth_status: AuthStatus,
    /// How that was found out
    pub auth_check_mode: String,
    /// What the status of Claude Code means
    pub claude_auth_note: String,
    /// Whether git is there
    pub git_found: bool,
    /// Its program
    pub git_path: Option<String>,
    /// The model of Codex, if none is named; unset leaves it to the agent
    pub default_model: Option<String>,
    /// The model of Gemini CLI, if none is named
    pub default_gemini_model: Option<String>,
    /// The model of Claude Code, if none is named
    pub default_claude_model: Option<String>,
    /// The executor, if none is named
    pub default_executor: String,
    /// How many workers may stand above one another above a worker
    pub max_spawn_depth: u32,
    /// Seconds of silence after which a worker counts as degraded
    pub heartbeat_interval: u32,
    /// The models that the settings name, by executor; an executor takes every model that its program takes
    pub supported_models: BTreeMap<String, Vec<String>>,
}
