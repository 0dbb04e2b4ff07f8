//! The commands that are not made from an operation: those written by hand, and those handed back to the binary.

use std::path::PathBuf;

use clap::Subcommand;

use crate::commands::{
    attach, completions, config, diff, explain, init, login, logs, open, report, retry, run, task_create, token,
    workflow,
};
use crate::context::Context;
use crate::demo::DemoArgs;
use crate::doctor;
use crate::failure::Failure;
use crate::up::UpArgs;

/// A command that only the binary can do.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Handed {
    #[command(display_order = 1)]
    Up(UpArgs),
    #[command(display_order = 0)]
    Demo(DemoArgs),
    /// Serve MCP on standard input and output
    #[command(display_order = 904, visible_alias = "mcp-server")]
    Mcp,
    /// Write the generated files of this repository into a folder
    #[command(name = "__gen", hide = true)]
    Generate {
        /// The folder
        folder: PathBuf,
    },
}

/// A command that is more than one call of an operation.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Own {
    #[command(display_order = 2)]
    Init(init::Args),
    #[command(display_order = 3)]
    Doctor(doctor::Args),
    #[command(display_order = 4)]
    Run(run::Args),
    #[command(display_order = 100)]
    Logs(logs::Args),
    #[command(display_order = 101)]
    Attach(attach::Args),
    #[command(display_order = 102)]
    Report(report::Args),
    #[command(display_order = 103)]
    Diff(diff::Args),
    #[command(display_order = 104)]
    Open(open::Args),
    #[command(display_order = 105)]
    Retry(retry::Args),
    #[command(display_order = 106, visible_alias = "workflows", arg_required_else_help = true)]
    Workflow(workflow::Args),
    #[command(name = "task-create", display_order = 210)]
    TaskCreate(task_create::Args),
    #[command(display_order = 900)]
    Config(config::Args),
    #[command(display_order = 901)]
    Token(token::Args),
    #[command(display_order = 902)]
    Login(login::Args),
    #[command(display_order = 903)]
    Explain(explain::Args),
    #[command(display_order = 905)]
    Completions(completions::Args),
}

impl Own {
    /// Does it.
    pub(crate) async fn run(self, context: &mut Context<'_>) -> Result<u8, Failure> {
        match self {
            Self::Init(args) => init::run(&args, context),
            Self::Doctor(args) => doctor::run(&args, context).await,
            Self::Run(args) => run::run(args, context).await,
            Self::Logs(args) => logs::run(args, context).await,
            Self::Attach(args) => attach::run(args, context).await,
            Self::Report(args) => report::run(args, context).await,
            Self::Diff(args) => diff::run(args, context).await,
            Self::Open(args) => open::run(args, context).await,
            Self::Retry(args) => retry::run(args, context).await,
            Self::Workflow(args) => workflow::run(args, context).await,
            Self::TaskCreate(args) => task_create::run(args, context).await,
            Self::Config(args) => config::run(&args, context),
            Self::Token(args) => token::run(args, context).await,
            Self::Login(args) => login::run(&args, context).await,
            Self::Explain(args) => explain::run(&args, context),
            Self::Completions(args) => completions::run(&args, context),
        }
    }
}
