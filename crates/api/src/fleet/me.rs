//! Who the caller is.

use api_macros::{input, output};
use types::{Handle, MissionId, ProjectId, Role, SessionId, TeamName};

/// Show who you are and what you may call
#[input(Default)]
pub struct ShowCaller {}

/// Who a caller is, by its token
#[output]
pub struct CallerInfo {
    /// Your handle
    pub handle: Handle,
    /// Your team
    pub team: TeamName,
    /// Your role
    pub role: Role,
    /// The session that you work in, if Fleet started you
    pub session_id: Option<SessionId>,
    /// The mission that you work on
    pub mission_id: Option<MissionId>,
    /// Its project
    pub project_id: Option<ProjectId>,
    /// The operations that you may call, on what is yours
    pub may: Vec<String>,
    /// The version of the server
    pub version: String,
}
