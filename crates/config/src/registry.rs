//! The table of settings: each is declared here once, and nowhere else.
//!
//! A line gives the doc, the key in `runtime.toml` (and other keys that mean the same, after `|`), the type (and after
//! `as` the one it is read by, where that takes more), the default as text, whether a running server takes a change
//! up, and the environment variables, the first being the primary one and the rest names that the four systems document. [`Settings`], [`SETTINGS`], loading, hot reload and
//! the reference all follow from it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::Setup;
use types::{Cost, HostRule, NetworkWish, Quiet, TimeOfDay, Wanted};

use crate::agent_files::{self, AgentFile};
use crate::agent_tables;
use crate::declare::settings;
use crate::error::Error;
use crate::file::FileValues;
use crate::load::Resolved;
use crate::preset_tables;
use crate::sessions::{AGENT_NAME, Parking, Seconds, branch_pattern_fault, is_agent_name};
use crate::value::{Form, Host, LogLevel, Secret, StorageBackend, Value};

settings! {
    /// Port that the server listens on; 0 lets the system choose one.
    port: u16 = "3847", Restart, ["PORT"];
    /// Address that the server listens on.
    host: Host = "127.0.0.1", Restart, ["HOST"];
    /// SQLite database file; `$FLEET_HOME` at its start is replaced by the home directory.
    db_path: PathBuf = "$FLEET_HOME/data/fleet.db", Restart, ["DB_PATH"];
    /// Storage engine: `sqlite`, or `memory` for trials.
    storage_backend: StorageBackend = "sqlite", Restart, ["STORAGE_BACKEND"];
    /// Log level: error, warn, info, debug or trace.
    log_level: LogLevel = "info", Live, ["LOG_LEVEL"];
    /// How many agents may run at the same time; at least 1.
    max_workers | max_concurrent: u32 = "5", Live, ["MAX_WORKERS", "DEVFLEET_MAX_AGENTS", "FLEET_MAX_CONCURRENT"];
    /// How many agents may run on one project at the same time; 0 for no limit of its own.
    max_workers_per_project: u32 = "0", Live, ["FLEET_MAX_WORKERS_PER_PROJECT"];
    /// How many agents of one kind may run at the same time; 0 for no limit of its own.
    max_workers_per_agent: u32 = "0", Live, ["FLEET_MAX_WORKERS_PER_AGENT"];
    /// Secret that tokens are signed with, in place of the server's own; at least 32 bytes.
    jwt_secret: Option<Secret> = "", Restart, ["JWT_SECRET"];
    /// Lifetime of a token, such as 30m, 24h or 7d; a number alone is seconds.
    jwt_expires_in: Duration = "24h", Live, ["JWT_EXPIRES_IN"];
    /// Origins of other web pages that may call the API, such as `https://tools.example`, or `*` for all.
    cors_origins: Vec<String> = "", Live, ["CORS_ORIGINS"];
    /// Values of the Host header that are accepted besides loopback.
    allowed_hosts: Vec<String> = "", Live, ["FLEET_ALLOWED_HOSTS"];
    /// Whether anyone who can connect may register without the local key; only on a loopback host.
    open_registration: bool = "false", Live, ["FLEET_OPEN_REGISTRATION"];
    /// Requests that one caller may make in a minute; 0 for no limit.
    rate_limit_per_minute: u32 = "600", Live, ["FLEET_RATE_LIMIT"];
    /// Largest request body that is read.
    body_bytes_max: u32 = "1048576", Restart, ["FLEET_BODY_BYTES_MAX"];
    /// Seconds that a shutdown may take before what is left is aborted.
    shutdown_grace_secs: u32 = "10", Live, ["FLEET_SHUTDOWN_GRACE_SECS"];
    /// Agent that works on missions that name none.
    default_agent | coder | agent: String = "claude", Live, ["FLEET_DEFAULT_AGENT", "FLEET_DEFAULT_EXECUTOR"];
    /// Model of the default agent, if none is named; a name that the agent knows.
    model: Option<String> = "", Live, ["FLEET_MODEL"];
    /// Model of Claude Code if none is named.
    claude_model: Option<String> = "", Live, ["FLEET_CLAUDE_DEFAULT_MODEL"];
    /// Model of Codex if none is named.
    codex_model: Option<String> = "", Live, ["FLEET_DEFAULT_MODEL"];
    /// Model of Gemini CLI if none is named.
    gemini_model: Option<String> = "", Live, ["FLEET_GEMINI_DEFAULT_MODEL"];
    /// Folders of projects whose `.fleet/agents` may describe agents: each names a program that is run.
    trusted_projects: Vec<String> = "", Live, ["FLEET_TRUSTED_PROJECTS"];
    /// Directory of the worktrees that sessions work in.
    worktrees_dir: PathBuf = "$FLEET_HOME/worktrees", Restart, ["FLEET_WORKTREES_DIR"];
    /// Directory of new projects for which no path is given.
    projects_dir: PathBuf = "$FLEET_HOME/projects", Restart, ["DEVFLEET_PROJECTS_DIR"];
    /// How the branch of a session is named; of `{session}`, `{short}`, `{task}`, `{agent}`.
    branch_pattern: String = "devfleet/{short}", Live, ["FLEET_BRANCH_PATTERN"];
    /// Worktrees that are made ahead for each repository.
    worktree_pool: u32 = "0", Live, ["FLEET_WORKTREE_POOL"];
    /// Megabytes that are kept free on disk by removing caches of workspaces; 0 removes none.
    free_space_target_mb: u32 = "2048", Live, ["FLEET_FREE_SPACE_TARGET_MB"];
    /// Days for which everything is kept that the agent of an ended session wrote; after that its end. 0 for ever.
    spool_keep_days: u32 = "30", Live, ["FLEET_SPOOL_KEEP_DAYS"];
    /// Megabytes that output of agents may take; above that, the oldest ended sessions keep its end. 0 for no limit.
    spools_mb_max: u32 = "20000", Live, ["FLEET_SPOOLS_MB_MAX"];
    /// Days for which worktrees with work that has not landed are kept; their snapshots stay. 0 for ever.
    worktree_keep_days: u32 = "30", Live, ["FLEET_WORKTREE_KEEP_DAYS"];
    /// Whether the worktree of landed work is kept like any other; otherwise it is removed as soon as it has landed.
    keep_landed_worktrees: bool = "false", Live, ["FLEET_KEEP_LANDED_WORKTREES"];
    /// Days for which the branch and the snapshots of landed work are kept; those of other work stay. 0 for ever.
    landed_branch_keep_days: u32 = "14", Live, ["FLEET_LANDED_BRANCH_KEEP_DAYS"];
    /// Days for which events, messages, approvals, violations and files of ended missions are kept; 0 for ever.
    history_keep_days: u32 = "90", Live, ["FLEET_HISTORY_KEEP_DAYS"];
    /// Days for which ended missions are kept, with their sessions, reports and landings; 0 for ever.
    record_keep_days: u32 = "365", Live, ["FLEET_RECORD_KEEP_DAYS"];
    /// Days for which a client can go on in the change feed from where it was; 0 for ever.
    feed_keep_days: u32 = "7", Live, ["FLEET_FEED_KEEP_DAYS"];
    /// Share of its context at which a session is released, in percent; 0 never releases one.
    context_pressure_threshold_pct: u32 = "90", Live, ["FLEET_CONTEXT_PRESSURE_THRESHOLD_PCT"];
    /// Command of the context mode, an MCP server that a dispatch can ask for; its words are parted by spaces.
    context_mode_cmd: String = "context-mode", Live, ["DEVFLEET_CONTEXT_MODE_CMD"];
    /// Seconds of silence after which a session counts as degraded.
    degraded_after_secs: u32 = "30", Live, ["FLEET_DEGRADED_AFTER_SECS"];
    /// Seconds of silence after which a session is stale and is restarted.
    stale_after_secs: u32 as Seconds = "180", Live, ["FLEET_STALE_AFTER_SECS", "FLEET_STALE_TIMEOUT"];
    /// Seconds that one tool call may take before its session is stale; until then it does not count as silence.
    call_secs_max: u32 = "1800", Live, ["FLEET_CALL_SECS_MAX"];
    /// How many times a stale session is restarted.
    stale_restarts_max: u32 = "2", Live, ["FLEET_STALE_MAX_RESTARTS"];
    /// Seconds that a session may take where its mission sets no limit; 0 for no limit.
    session_timeout_secs: u32 as Seconds = "0", Live, ["FLEET_DEFAULT_TIMEOUT"];
    /// Seconds that one check of what is to land may run, where its project sets no limit; at least 1.
    check_timeout_secs: u32 = "1800", Live, ["FLEET_CHECK_TIMEOUT_SECS"];
    /// Seconds that an agent has to end by itself when it is stopped; 1 to 8.
    stop_grace_secs: u32 = "5", Live, ["FLEET_STOP_GRACE_SECS"];
    /// Whether the kernel keeps agents to their work: auto where it can, off, or required to start none without.
    sandbox: Wanted = "auto", Live, ["FLEET_SANDBOX"];
    /// What agents reach of the network: open, hosts (listed ones), none, or auto, which holds readers to services.
    sandbox_network: NetworkWish = "auto", Live, ["FLEET_SANDBOX_NETWORK"];
    /// TCP ports that agents reach, and no others beside those of their services; nothing sets no limit.
    sandbox_tcp_ports: Vec<u16> = "", Live, ["FLEET_SANDBOX_TCP_PORTS"];
    /// Hosts that agents reach where the network is hosts: names, `*.NAME`, `HOST:PORT`, addresses, `registries`.
    sandbox_hosts: Vec<HostRule> = "registries", Live, ["FLEET_SANDBOX_HOSTS"];
    /// Paths that agents may read beside their workspace and installed programs, such as `~/.npmrc`.
    sandbox_read: Vec<String> = "", Live, ["FLEET_SANDBOX_READ"];
    /// Paths that agents may write beside their workspace, for all that read them; `~` is the user's home.
    sandbox_write: Vec<String> = "", Live, ["FLEET_SANDBOX_WRITE"];
    /// Caches of the user that agents read, and change for themselves alone where there are namespaces.
    sandbox_caches: Vec<String> = "~/.cache/pip,~/.cache/uv,~/.cache/go-build,~/.cache/yarn,~/.cache/deno,~/.cache/node-gyp,~/.cache/pypoetry/cache,~/.cache/ccache,~/.cache/sccache,~/.npm/_cacache,~/.cargo/registry,~/.cargo/git,~/.cargo/.package-cache,~/.gradle/caches,~/.gradle/daemon,~/.gradle/.tmp,~/.m2/repository,~/go/pkg/mod,~/.local/share/pnpm/store", Live, ["FLEET_SANDBOX_CACHES"];
    /// Processes and threads that one session may have at a time; 0 for no limit.
    sandbox_processes: u32 = "4096", Live, ["FLEET_SANDBOX_PROCESSES"];
    /// Files that each process of a session may have open; 0 for no limit.
    sandbox_open_files: u32 = "65536", Live, ["FLEET_SANDBOX_OPEN_FILES"];
    /// MiB of memory that each process of a session may use; 0 for no limit, which sanitizers of compilers need.
    sandbox_memory_mb: u32 = "16384", Live, ["FLEET_SANDBOX_MEMORY_MB"];
    /// MiB that the processes of a session may use together; unset for 3/4 of the machine, 0 for no limit.
    sandbox_session_memory_mb: Option<u32> = "", Live, ["FLEET_SANDBOX_SESSION_MEMORY_MB"];
    /// MiB that each file may have that a session writes; 0 for no limit.
    sandbox_file_mb: u32 = "10240", Live, ["FLEET_SANDBOX_FILE_MB"];
    /// Folders in which repositories must be that agents work in, links followed; nothing allows all.
    allowed_repos: Vec<String> = "", Live, ["FLEET_ALLOWED_REPOS"];
    /// How many missions may stand above a sub-mission or an agent's worker; at most 10, 0 allows none of them.
    max_spawn_depth: u32 = "3", Live, ["FLEET_MAX_SPAWN_DEPTH"];
    /// Folders of repositories whose git settings may name programs to run; `fleet project trust` adds one.
    trusted_repositories: Vec<String> = "", Live, ["FLEET_TRUSTED_REPOSITORIES"];
    /// What waits when an account's quota is used up: account, fleet, or off to fail the session instead.
    parking: Parking = "account", Live, ["FLEET_PARKING"];
    /// Dollars that all agents together may spend, ever; 0 lets none start, nothing sets no limit.
    budget_usd: Option<Cost> = "", Live, ["FLEET_BUDGET_USD"];
    /// Tokens of all kinds that all agents together may use, ever.
    budget_tokens: Option<u64> = "", Live, ["FLEET_BUDGET_TOKENS"];
    /// Turns that all agents together may take, ever.
    budget_turns: Option<u32> = "", Live, ["FLEET_BUDGET_TURNS"];
    /// Minutes that agents may run, ever; each agent's count.
    budget_minutes: Option<u32> = "", Live, ["FLEET_BUDGET_MINUTES"];
    /// When a day of daily budgets begins, in UTC: hours and minutes, and seconds if there are some.
    daily_budget_resets_at: TimeOfDay = "00:00", Live, ["FLEET_DAILY_BUDGET_RESETS_AT"];
    /// Dollars that all agents together may spend on a day; see `daily_budget_resets_at`.
    daily_budget_usd: Option<Cost> = "", Live, ["FLEET_DAILY_BUDGET_USD"];
    /// Tokens of all kinds that all agents together may use on a day.
    daily_budget_tokens: Option<u64> = "", Live, ["FLEET_DAILY_BUDGET_TOKENS"];
    /// Turns that all agents together may take on a day.
    daily_budget_turns: Option<u32> = "", Live, ["FLEET_DAILY_BUDGET_TURNS"];
    /// Minutes that agents may run on a day; each agent's count.
    daily_budget_minutes: Option<u32> = "", Live, ["FLEET_DAILY_BUDGET_MINUTES"];
    /// Secret that callbacks are signed with, in place of the one in `$FLEET_HOME/callback-secret`.
    callback_secret: Option<Secret> = "", Live, ["FLEET_CALLBACK_SECRET"];
    /// Whether callbacks may go to link-local addresses and to the metadata services of clouds.
    callback_link_local: bool = "false", Live, ["FLEET_CALLBACK_LINK_LOCAL"];
    /// Whether what waits for a person is shown on the desktop, by `notify-send`.
    notify_desktop: bool = "false", Live, ["FLEET_NOTIFY_DESKTOP"];
    /// URL that gets a signed POST for what waits for a person.
    notify_webhook: Option<Secret> = "", Live, ["FLEET_NOTIFY_WEBHOOK"];
    /// URL of an incoming webhook of Slack, or of what takes the same, for what waits for a person.
    notify_slack: Option<Secret> = "", Live, ["FLEET_NOTIFY_SLACK"];
    /// Hours without notifications and their time zone, such as `22:00-07:00 Europe/Berlin`; without a zone, UTC.
    notify_quiet: Option<Quiet> = "", Live, ["FLEET_NOTIFY_QUIET"];
    /// What is notified of: `approval`, `question`, `landing`, `mission`, `budget`.
    notify_kinds: Vec<String> = "approval,question,landing,mission,budget", Live, ["FLEET_NOTIFY_KINDS"];
    /// Seconds that the call with which an agent asks a person waits for the answer, at most 55.
    question_wait_secs: u32 as Seconds = "45", Live, ["FLEET_QUESTION_WAIT_SECS"];
    /// How often a session is tried again after a failure that may pass.
    retries_max: u32 = "3", Live, ["DEVFLEET_MAX_RETRIES", "FLEET_RATE_LIMIT_MAX_RETRIES"];
    /// Seconds before the first such retry; each one after it waits longer.
    retry_first_delay_secs: u32 as Seconds = "2", Live, ["DEVFLEET_RETRY_INITIAL_DELAY", "FLEET_RATE_LIMIT_BASE_DELAY"];
    /// Most seconds before such a retry.
    retry_longest_delay_secs: u32 as Seconds = "60", Live, ["DEVFLEET_RETRY_MAX_DELAY", "FLEET_RATE_LIMIT_MAX_DELAY"];
}

/// Whether a running server takes up a changed setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// At once.
    Live,
    /// At its next start.
    Restart,
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The key in `runtime.toml`.
    pub key: &'static str,
    /// Other keys in `runtime.toml` that mean the same.
    pub aliases: &'static [&'static str],
    /// The environment variables that set it, the primary one first.
    pub env: &'static [&'static str],
    /// The default as text; empty for none.
    pub default: &'static str,
    /// What it is for, in one sentence.
    pub doc: &'static str,
    /// Whether a running server takes a change up.
    pub reload: Reload,
    /// How it is written in `runtime.toml`.
    pub form: Form,
    /// Whether its value must not be shown.
    pub secret: bool,
}

impl Setting {
    /// Finds a setting by its key or by another key that means the same.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.names().any(|name| name == key))
    }

    /// Returns the keys in `runtime.toml` that mean this setting, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.key).chain(self.aliases.iter().copied())
    }
}

/// What came of comparing the running settings with those just read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Merged {
    pub(crate) settings: Settings,
    pub(crate) live: Vec<Cow<'static, str>>,
    pub(crate) restart: Vec<&'static str>,
}

impl Settings {
    /// Returns the model that the settings give an agent: that of its table, else of its kind, else of the default agent.
    #[must_use]
    pub fn model_of(&self, agent: &str) -> Option<&str> {
        let of_table = self.agents.get(agent).and_then(|setup| setup.model.as_ref());
        let of_kind = match agent {
            "claude" => self.claude_model.as_ref(),
            "codex" => self.codex_model.as_ref(),
            "gemini" => self.gemini_model.as_ref(),
            _ => None,
        };
        let of_default = self.model.as_ref().filter(|_| agent == self.default_agent);
        of_table.or(of_kind).or(of_default).map(String::as_str)
    }

    /// Returns the models and the short names for one that the settings name for an agent, in order.
    #[must_use]
    pub fn models_of(&self, agent: &str) -> Vec<String> {
        let aliases =
            self.agents.get(agent).into_iter().flat_map(|setup| setup.aliases.keys().chain(setup.aliases.values()));
        let named = self.model_of(agent).map(str::to_owned).into_iter().chain(aliases.cloned());
        let distinct: std::collections::BTreeSet<String> = named.collect();
        distinct.into_iter().collect()
    }

    /// Returns every model and every short name for one that the settings name, in order.
    #[must_use]
    pub fn models(&self) -> std::collections::BTreeSet<String> {
        let kinds = [&self.model, &self.claude_model, &self.codex_model, &self.gemini_model];
        let kinds = kinds.into_iter().flatten();
        let tables = self
            .agents
            .values()
            .flat_map(|setup| setup.model.iter().chain(setup.aliases.keys()).chain(setup.aliases.values()));
        kinds.chain(tables).cloned().collect()
    }

    /// Refuses values that parse but cannot be, alone or together.
    pub(crate) fn check(&self, resolved: &Resolved) -> Result<(), Error> {
        if self.max_workers == 0 {
            return Err(resolved.refusal("max_workers", "takes at least 1"));
        }
        if self.check_timeout_secs == 0 {
            return Err(resolved.refusal("check_timeout_secs", "takes at least 1"));
        }
        if self.max_spawn_depth > 10 {
            return Err(resolved.refusal("max_spawn_depth", "takes at most 10"));
        }
        if self.body_bytes_max < 1024 {
            return Err(resolved.refusal("body_bytes_max", "takes at least 1024"));
        }
        if let Some(origin) = self.cors_origins.iter().find(|origin| !is_origin(origin)) {
            let reason = format!("`{origin}` is not an origin, such as `https://tools.example`, and not `*`");
            return Err(resolved.refusal("cors_origins", &reason));
        }
        if self.open_registration && !self.host.is_loopback() {
            let reason = format!("anyone who reaches host `{}` could register", self.host);
            return Err(Error::Conflict { first: "open_registration", second: "host", reason });
        }
        self.check_sessions(resolved)
    }

    fn check_sessions(&self, resolved: &Resolved) -> Result<(), Error> {
        if !is_agent_name(&self.default_agent) {
            return Err(resolved.refusal("default_agent", AGENT_NAME));
        }
        if let Some(fault) = branch_pattern_fault(&self.branch_pattern) {
            return Err(resolved.refusal("branch_pattern", fault));
        }
        if self.context_pressure_threshold_pct > 100 {
            return Err(resolved.refusal("context_pressure_threshold_pct", "takes at most 100"));
        }
        if !(1..=8).contains(&self.stop_grace_secs) {
            return Err(resolved.refusal("stop_grace_secs", "takes 1 to 8"));
        }
        if self.degraded_after_secs > self.stale_after_secs {
            let (degraded, stale) = (self.degraded_after_secs, self.stale_after_secs);
            let reason = format!("a session would be stale after {stale} s, before it is degraded after {degraded} s");
            return Err(Error::Conflict { first: "degraded_after_secs", second: "stale_after_secs", reason });
        }
        if self.retry_first_delay_secs > self.retry_longest_delay_secs {
            let (delay, longest) = (self.retry_first_delay_secs, self.retry_longest_delay_secs);
            let reason = format!("the first delay of {delay} s is longer than the longest of {longest} s");
            let (first, second) = ("retry_first_delay_secs", "retry_longest_delay_secs");
            return Err(Error::Conflict { first, second, reason });
        }
        Ok(())
    }
}

/// Browsers send an origin as scheme, host and perhaps port; anything longer would never match.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    text == "*" || host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
