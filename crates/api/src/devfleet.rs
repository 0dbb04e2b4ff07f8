//! DevFleet's REST contract (`/api/…`) and its MCP tools, on Fleet's records.

mod agent_views;
mod agent_work;
mod budgets;
mod config;
mod diffs;
mod evidence_views;
mod landing_edit;
mod landings;
mod mcp_servers;
mod messages;
mod missions;
mod progress;
mod projects;
mod report_views;
mod reports;
mod sandbox;
mod schedules;
mod session_views;
mod sessions;
mod tool_views;
mod views;
mod words;

pub use agent_views::{
    BriefMission, CreatedSubMission, HistoryEntry, ListedMission, ProjectContext, ProjectMissions, RequestedReview,
    SessionHistory, SubMissionStatus, SubMissions, TeamContext, TeamMate,
};
pub use agent_work::{
    CreateSubMission, GetProjectContext, GetSubMissionStatus, GetTeamContext, ListProjectMissions, RequestReview,
    SubMissionType,
};
pub use budgets::BudgetEdit;
pub use config::{
    Engine, EngineInfo, Features, GetEngine, GetFeatures, GetSystemStatus, ListMissionTypes, ListModels,
    ListToolPresets, Loop, SystemStatus, ToolPresets,
};
pub use diffs::{DiffMission, MissionDiff};
pub use evidence_views::{CommitView, EvidenceView, FileView};
pub use landing_edit::LandingEdit;
pub use landings::{
    ApproveLanding, CheckView, DropLanding, LandMission, LandingSummaries, LandingView, ListLandings, RetryLanding,
    SentBackView,
};
pub use mcp_servers::{
    AddMcpServer, DisableMcpServer, EnableMcpServer, HIDDEN, ListMcpServers, McpServerRow, RemoveMcpServer,
    ServerConfig, ServerType, UpdateMcpServer,
};
pub use messages::{DeliveryStatus, ListSessionMessages, MessageRow, SendSessionMessage, SentMessage};
pub use missions::{
    CreateMission, DeleteMission, ExplainMission, Explained, GetMission, ListChildren, ListMissionEvents, ListMissions,
    MissionOrder, UpdateMission,
};
pub use progress::{
    AwaitedMission, CancelMission, Dashboard, DashboardStats, DispatchedTool, GetDashboardStats, RecentActivity,
    RecentSession, RunningAgent, WaitForMission,
};
pub use projects::{
    CreateProject, DeleteProject, Directory, GetProject, ListProjects, ProjectTrust, TrustProject, UntrustProject,
    UpdateProject,
};
pub use report_views::{MissionContext, RecentReport, ReportRow, ReportSource, ReportTexts, ReportVerdict};
pub use reports::{
    GenerateNext, GetMissionContext, GetMissionReport, GetReport, ListReports, MissionLogs, MissionReport, PastReports,
    ReadReports, RecoverMission, Recovered, ReportedSession, SubmitReport, SubmittedReport, ToolReport, no_report,
};
pub use sandbox::{SandboxEdit, SandboxLevel, SandboxNetwork};
pub use schedules::{ListSchedules, RemoveSchedule, ScheduleRow, ScheduleSet, SetSchedule};
pub use session_views::{SessionDetail, SessionRow};
pub use sessions::{
    CancelSession, DispatchMission, Dispatched, GetSession, ListSessions, ResumeMission, Resumed, StartOptions,
};
pub use tool_views::{
    CreateProjectTool, CreatedMission, CreatedProject, MissionStatusReport, MissionSummaries, MissionSummary,
    ProjectSummaries, ProjectSummary, SessionSummary,
};
pub use views::{
    Around, ChildRow, Deleted, MissionDetail, MissionEventRow, MissionRow, ProjectCard, ProjectCounts, ProjectDetail,
    ProjectRow,
};
pub use words::{Land, MissionStatus, SessionStatus, shown_model};
