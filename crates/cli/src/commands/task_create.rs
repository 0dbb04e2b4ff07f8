//! `fleet task-create`: a task from the account of the token.

use api::claude_fleet::CreateTask;
use config::ClientEnv;
use serde_json::{Map, json};
use types::{Handle, TeamName};

use crate::account::Account;
use crate::call::Call;
use crate::context::Context;
use crate::failure::Failure;
use crate::operations::unlisted;

/// Assign a task to an agent of a team
///
/// The sender is the account of the token: the owner by default.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Assignee
    to: Handle,
    /// One line
    subject: String,
    /// What to do, in full (`-` reads standard input)
    description: Option<String>,
    /// The team of both [default: CLAUDE_FLEET_TEAM, or the token's]
    #[arg(long)]
    team: Option<TeamName>,
    /// Task that must be resolved first (can be repeated)
    #[arg(long, value_name = "TASK")]
    blocked_by: Vec<String>,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let account = match context.options.given_token(context.environment) {
        Some(token) => Account::of_token(&token)?,
        None => Account::owner(),
    };
    let team = team(args.team, context, account.team_name)?;
    let mut fields = Map::from_iter([
        ("fromUid".to_owned(), json!(account.uid)),
        ("toHandle".to_owned(), json!(args.to)),
        ("teamName".to_owned(), json!(team)),
        ("subject".to_owned(), json!(args.subject)),
    ]);
    if let Some(description) = args.description {
        fields.insert("description".to_owned(), json!(description));
    }
    if !args.blocked_by.is_empty() {
        fields.insert("blockedBy".to_owned(), json!(args.blocked_by));
    }
    Call { entry: unlisted::<CreateTask>(), fields, yes: false }.run(context).await
}

fn team(named: Option<TeamName>, context: &Context<'_>, own: TeamName) -> Result<TeamName, Failure> {
    match (named, ClientEnv::of(context.environment).team) {
        (Some(team), _) => Ok(team),
        (None, Some(team)) => team.parse().map_err(|error| {
            Failure::new(api::Kind::Invalid, format!("cannot use `{team}` of CLAUDE_FLEET_TEAM as a team: {error}"))
        }),
        (None, None) => Ok(own),
    }
}
