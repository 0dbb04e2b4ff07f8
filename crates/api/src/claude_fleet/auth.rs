//! Registration of agents, and who is in a team.

use api_macros::{input, output};
use types::{Agent, Handle, Role, TeamName, Uid};

use crate::IsoTime;

/// Register an agent in a team and get its token
///
/// The owner registers anyone, a lead registers members of its own team. Without a token it works only while
/// `open_registration` is on.
#[input(camelCase)]
pub struct Authenticate {
    /// The agent's name in the team
    pub handle: Handle,
    /// The team
    pub team_name: TeamName,
    /// What the agent is in the team; a worker, when unset
    #[serde(default = "worker")]
    pub agent_type: Role,
}

/// A registered agent's token
#[output(camelCase)]
pub struct Authenticated {
    /// Stands for the agent in its team
    pub uid: Uid,
    /// Its name
    pub handle: Handle,
    /// Its team
    pub team_name: TeamName,
    /// What it may do
    pub agent_type: Role,
    /// Sent as `Authorization: Bearer …`
    pub token: String,
}

/// List the agents of a team
#[input(camelCase)]
pub struct ListTeamAgents {
    /// The team
    pub team_name: TeamName,
}

/// A member of a team
#[output(camelCase)]
pub struct AgentView {
    /// Stands for the agent in its team
    pub uid: Uid,
    /// Its name
    pub handle: Handle,
    /// Its team
    pub team_name: TeamName,
    /// What it may do
    pub agent_type: Role,
    /// When it was first registered
    pub created_at: IsoTime,
    /// When it last called
    pub last_seen: IsoTime,
}

impl From<Agent> for AgentView {
    fn from(agent: Agent) -> Self {
        Self {
            uid: agent.uid,
            handle: agent.handle,
            team_name: agent.team,
            agent_type: agent.role,
            created_at: IsoTime(agent.created_at),
            last_seen: IsoTime(agent.seen_at),
        }
    }
}

fn worker() -> Role {
    Role::Worker
}
