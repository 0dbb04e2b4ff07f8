//! The options that every command takes.

use clap::Args;

/// The options that every command takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Options {
    /// Server URL; overrides CLAUDE_FLEET_URL and the local server
    #[arg(long, global = true, value_name = "URL")]
    pub url: Option<String>,
    /// Token; overrides FLEET_TOKEN and the local key
    #[arg(long, global = true, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Print tables and lines for people, which is what happens anyway
    #[arg(long, global = true, conflicts_with = "json", hide = true)]
    pub table: bool,
    /// Show every column of a table, as wide as it is
    #[arg(long, global = true)]
    pub wide: bool,
    /// Log each request to standard error
    #[arg(long, global = true)]
    pub verbose: bool,
}
