//! `fleet token`: a token for the owner, signed here, or for an agent, signed by the server.

use api::claude_fleet::Authenticate;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use config::Overrides;
use serde_json::json;
use types::{Handle, Role, TeamName};

use crate::connection::owner_token;
use crate::context::Context;
use crate::failure::Failure;

/// Print a token for the owner, or for an agent
///
/// The owner's token is signed with the local key and needs no server. The server signs an agent's token.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The agent; default: the owner
    #[arg(long = "as", value_name = "HANDLE")]
    handle: Option<Handle>,
    /// The agent's team [default: default]
    #[arg(long, requires = "handle")]
    team: Option<TeamName>,
    /// Role of the agent [default: worker]
    #[arg(long, requires = "handle", value_parser = roles())]
    role: Option<Role>,
    /// Lifetime of the owner's token, such as 30m, 24h or 7d [default: the setting jwt_expires_in]
    #[arg(long, conflicts_with = "handle", value_name = "TIME")]
    expires: Option<String>,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let token = match args.handle {
        Some(handle) => {
            let team_name = args.team.unwrap_or_else(TeamName::default_team);
            let agent_type = args.role.unwrap_or(Role::Worker);
            context.connect().await?.call(Authenticate { handle, team_name, agent_type }).await?.output.token
        }
        None => owners(args.expires, context)?,
    };
    if context.options.json {
        context.terminal.print_json(&json!({ "token": token }))?;
    } else {
        context.terminal.print(&format!("{token}\n"))?;
    }
    Ok(0)
}

fn owners(expires: Option<String>, context: &Context<'_>) -> Result<String, Failure> {
    let mut flags = Overrides::new();
    if let Some(expires) = expires {
        flags.insert("jwt_expires_in", expires)?;
    }
    let settings = config::load(&context.home()?, context.environment, &flags)?.settings;
    owner_token(context.environment, context.clock, settings.jwt_expires_in)
}

fn roles() -> impl clap::builder::TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.map(Role::as_str)).try_map(|word| word.parse::<Role>())
}
