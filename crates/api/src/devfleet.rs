//! DevFleet's REST contract (`/api/…`) and its MCP tools, on Fleet's records.

mod agent_tools;
mod agent_views;
mod budgets;
mod config;
mod evidence_views;
mod landings;
mod mcp_servers;
mod messages;
mod missions;
mod projects;
mod report_views;
mod reports;
mod sandbox;
mod session_tools;
mod session_views;
mod sessions;
mod tools;
mod views;
mod words;

pub use agent_tools::{
    CreateSubMissionTool, GetProjectContextTool, GetSessionHistoryTool, GetSubMissionStatusTool, GetTeamContextTool,
    ListProjectMissionsTool, RequestReviewTool, SubMissionType,
};
pub use agent_views::{
    BriefMission, CreatedSubMission, HistoryEntry, ListedMission, ProjectContext, ProjectMissions, RequestedReview,
    SessionHistory, SubMissionStatus, SubMissions, TeamContext, TeamMate,
};
pub use config::{
    Engine, EngineInfo, Features, GetEngine, GetFeatures, GetSystemStatus, ListMissionTypes, ListModels,
    ListToolPresets, Loop, SystemStatus, ToolPresets,
};
pub use evidence_views::{CommitView, EvidenceView, FileView};
pub use landings::{CheckView, DropLanding, LandingView, ListLandings, RetryLanding};
pub use mcp_servers::{
    AddMcpServer, DisableMcpServer, EnableMcpServer, HIDDEN, ListMcpServers, McpServerRow, RemoveMcpServer,
    ServerConfig, ServerType, UpdateMcpServer,
};
pub use messages::{DeliveryStatus, ListSessionMessages, MessageRow, SendSessionMessage, SentMessage};
pub use missions::{
    CreateMission, DeleteMission, ExplainMission, Explained, GetMission, ListChildren, ListMissionEvents, ListMissions,
    UpdateMission,
};
pub use projects::{CreateProject, DeleteProject, GetProject, ListProjects, UpdateProject};
pub use report_views::{MissionContext, RecentReport, ReportRow, ReportSource, ReportTexts, ReportVerdict};
pub use reports::{
    GenerateNext, GetMissionContextTool, GetMissionReport, GetReport, GetReportTool, ListReports, MissionReport,
    PastReports, ReadPastReportsTool, RecoverMission, Recovered, ReportedSession, SubmitReport, SubmittedReport,
    ToolReport,
};
pub use sandbox::{SandboxEdit, SandboxLevel, SandboxNetwork};
pub use session_tools::{
    AwaitedMission, CancelMissionTool, Dashboard, DashboardStats, DispatchMissionTool, DispatchedTool,
    GetDashboardStats, GetDashboardTool, RecentActivity, RecentSession, RunningAgent, WaitForMissionTool,
};
pub use session_views::{SessionDetail, SessionRow};
pub use sessions::{CancelSession, DispatchMission, Dispatched, GetSession, ListSessions, ResumeMission, Resumed};
pub use tools::{
    CreateMissionTool, CreateProjectTool, CreatedMission, CreatedProject, GetMissionStatusTool, ListMissionsTool,
    ListProjectsTool, MissionStatusReport, MissionSummaries, MissionSummary, ProjectSummaries, ProjectSummary,
    SessionSummary,
};
pub use views::{
    Around, ChildRow, Deleted, MissionDetail, MissionEventRow, MissionRow, ProjectCard, ProjectCounts, ProjectDetail,
    ProjectRow,
};
pub use words::{Land, MissionStatus, SessionStatus, shown_model};
