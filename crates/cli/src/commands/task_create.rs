//! `fleet task-create`: a task from whoever the token speaks for.

use api::Operation as _;
use api::claude_fleet::CreateTask;
use config::ClientEnv;
use serde_json::Value;
use types::{Handle, MissionId, TeamName};

use crate::account::Account;
use crate::call;
use crate::context::Context;
use crate::failure::Failure;

/// Give a task to an agent of a team
///
/// The sender is whoever the token speaks for: the owner, unless another is given.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Who is to do it
    to: Handle,
    /// One line
    subject: String,
    /// What to do, in full
    description: Option<String>,
    /// The team of both [default: CLAUDE_FLEET_TEAM, or the token's]
    #[arg(long)]
    team: Option<TeamName>,
    /// Task that must be resolved first (can be repeated)
    #[arg(long, value_name = "TASK")]
    blocked_by: Vec<MissionId>,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let account = match context.options.given_token(context.environment) {
        Some(token) => Account::of_token(&token)?,
        None => Account::owner(),
    };
    let task = CreateTask {
        from_uid: account.uid,
        to_handle: args.to,
        team_name: team(args.team, context, account.team_name)?,
        subject: args.subject,
        description: args.description,
        blocked_by: args.blocked_by,
    };
    let client = context.connect()?;
    let fields = match serde_json::to_value(task) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let reply = context.send(&client, &CreateTask::SPEC, fields).await?;
    call::show(context, &reply, "tasks")?;
    Ok(0)
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
