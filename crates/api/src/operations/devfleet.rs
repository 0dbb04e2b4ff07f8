//! Projects, missions, sessions and landings, under the paths of DevFleet.

/// Hands these rows to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! devfleet_rows {
    ([$($visit:tt)*] [$($arguments:tt)*]) => {
        $($visit)*! { [$($arguments)*] ReadBack
            api::devfleet::ListProjects => "project_list" Get "/api/projects" -> api::Listing<api::devfleet::ProjectCard>, Read on [Seen] paged {
                cli: Some("project list"),
            } tool "list_projects" Orchestrator => api::devfleet::ProjectSummaries {
                fields: "",
                description: Some("List the projects of the fleet, newest first"),
            };
            api::devfleet::CreateProject => "project_create" Post "/api/projects" -> api::devfleet::ProjectRow, Work on [Fleet] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("project create <name> <path>"),
                example: r#"{"name":"shop","path":"/srv/shop","state":"active"}"#,
            } tool "create_project" Orchestrator from api::devfleet::CreateProjectTool => api::devfleet::CreatedProject {
                example: Some(r#"{"name":"shop","description":"The web shop"}"#),
            };
            api::devfleet::GetProject => "project_get" Get "/api/projects/{project}" -> api::devfleet::ProjectDetail, Read on [Project("project")] {
                cli: Some("project show <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::UpdateProject => "project_update" Put "/api/projects/{project}" -> api::devfleet::ProjectRow, Work on [Project("project")] {
                cli: Some("project update <project>"),
                example: r#"{"project":"p-x7k2m","description":"The web shop"}"#,
            };
            api::devfleet::DeleteProject => "project_delete" Delete "/api/projects/{project}" -> api::devfleet::Deleted, Lead on [Project("project")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("project delete <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::TrustProject => "project_trust" Post "/api/projects/{project}/trust" -> api::devfleet::ProjectTrust, Owner on [Project("project")] {
                cli: Some("project trust <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::UntrustProject => "project_untrust" Post "/api/projects/{project}/untrust" -> api::devfleet::ProjectTrust, Owner on [Project("project")] {
                cli: Some("project untrust <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::ListMissions => "mission_list" Get "/api/missions" -> api::Listing<api::devfleet::MissionRow>, Read on [Seen] paged {
                cli: Some("mission list"),
                example: r#"{"project_id":"p-x7k2m","status":"draft","order":"priority","errors":true}"#,
            } tool "list_missions" Orchestrator => api::devfleet::MissionSummaries {
                fields: "project_id! status",
                description: Some("List the missions of a project by number"),
                sets: r#"{"order":"number","errors":true}"#,
            };
            api::devfleet::CreateMission => "mission_create" Post "/api/missions" -> api::devfleet::MissionRow, Work on [Into("project_id"), Parent("parent_mission_id"), Link("depends_on")] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("mission create <project_id> <title> <detailed_prompt>"),
                example: r#"{"project_id":"p-x7k2m","title":"Add a cart","detailed_prompt":"Add a cart to the shop.","priority":2,"mission_type":"implement","auto_dispatch":false,"max_retries":3,"auto_retry":true}"#,
            } tool "create_mission" Orchestrator => api::devfleet::CreatedMission {
                fields: "project_id title prompt=detailed_prompt acceptance_criteria depends_on auto_dispatch priority agent coder executor model",
            };
            api::devfleet::GetMission => "mission_get" Get "/api/missions/{mission}" -> api::devfleet::MissionDetail, Read on [Mission("mission")] {
                cli: Some("mission show <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            } tool "get_mission_status" Orchestrator => api::devfleet::MissionStatusReport {
                fields: "mission_id=mission",
                description: Some("Show the state of a mission"),
            };
            api::devfleet::ExplainMission => "mission_why" Get "/api/missions/{mission}/why" -> api::devfleet::Explained, Read on [Mission("mission")] {
                cli: Some("why <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            } tool "why" Orchestrator {
                fields: "mission_id=mission",
            };
            api::devfleet::DiffMission => "mission_diff" Get "/api/missions/{mission}/diff" -> api::devfleet::MissionDiff, Read on [Mission("mission")] {
                example: r#"{"mission":"m-x7k2m","max_bytes":100000}"#,
            } tool "get_diff" Orchestrator {
                fields: "mission_id=mission max_bytes",
                description: Some("Show what the branch of a mission changes: commits, files and the patch"),
            };
            api::devfleet::UpdateMission => "mission_update" Put "/api/missions/{mission}" -> api::devfleet::MissionRow, Work on [Mission("mission"), Parent("parent_mission_id"), Link("depends_on")] {
                cli: Some("mission update <mission>"),
                example: r#"{"mission":"m-x7k2m","priority":5}"#,
            };
            api::devfleet::DeleteMission => "mission_delete" Delete "/api/missions/{mission}" -> api::devfleet::Deleted, Work on [Mission("mission")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("mission delete <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListChildren => "mission_children" Get "/api/missions/{mission}/children" -> api::Listing<api::devfleet::MissionRow>, Read on [Seen] {
                cli: Some("mission children <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListMissionEvents => "mission_events" Get "/api/missions/{mission}/events" -> api::Listing<api::devfleet::MissionEventRow>, Read on [Seen] {
                cli: Some("mission events <mission>"),
                example: r#"{"mission":"m-x7k2m","limit":20}"#,
            };
            api::devfleet::DispatchMission => "mission_dispatch" Post "/api/missions/{mission}/dispatch" -> api::devfleet::Dispatched, Work on [Mission("mission"), Session("inherit")] {
                cli: Some("dispatch <mission>"),
                example: r#"{"mission":"m-x7k2m","agent":"claude","max_turns":40}"#,
            } tool "dispatch_mission" Orchestrator =>> api::devfleet::DispatchedTool {
                fields: "mission_id=mission model max_turns agent coder executor",
            };
            api::devfleet::ResumeMission => "mission_resume" Post "/api/missions/{mission}/resume" -> api::devfleet::Resumed, Work on [Mission("mission"), Session("inherit")] {
                cli: Some("resume <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::CancelMission => "mission_cancel" Post "/api/missions/{mission}/cancel" -> api::devfleet::MissionDetail, Work on [Mission("mission")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("mission cancel <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            } tool "cancel_mission" Orchestrator => api::devfleet::MissionStatusReport {
                fields: "mission_id=mission",
            };
            api::devfleet::WaitForMission => "mission_wait" Get "/api/missions/{mission}/wait" -> api::devfleet::AwaitedMission, Read on [Mission("mission")] {
                example: r#"{"mission":"m-x7k2m","timeout_seconds":600}"#,
            } tool "wait_for_mission" Orchestrator {
                fields: "mission_id=mission timeout_seconds",
            };
            api::devfleet::GetMissionReport => "mission_report" Get "/api/missions/{mission}/report" -> api::devfleet::MissionReport, Read on [Mission("mission")] {
                example: r#"{"mission":"m-x7k2m","log_tail_bytes":4096}"#,
            } tool "get_report" Orchestrator => api::devfleet::ToolReport {
                fields: "mission_id=mission",
                sets: r#"{"log_tail_bytes":0}"#,
                description: Some("Read the last report of a mission, with the commits and checks that Fleet saw"),
            } tool "get_logs" Orchestrator => api::devfleet::MissionLogs {
                fields: "mission_id=mission tail_chars=log_tail_bytes",
                description: Some("Read the end of what the newest session of a mission said and did"),
            };
            api::devfleet::GenerateNext => "mission_generate_next" Post "/api/missions/{mission}/generate-next" -> api::devfleet::MissionRow, Work on [Mission("mission")] {
                effect: api::Effect::Create,
                cli: Some("mission next <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::RecoverMission => "mission_recover" Post "/api/missions/{mission}/recover" -> api::devfleet::Recovered, Lead on [Mission("mission")] {
                cli: Some("mission recover <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListReports => "report_list" Get "/api/reports" -> api::Listing<api::devfleet::ReportRow>, Read on [Seen] paged {
                cli: Some("report list"),
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetReport => "report_get" Get "/api/reports/{report}" -> api::devfleet::ReportRow, Read on [Report("report")] {
                cli: Some("report show <report>"),
                example: r#"{"report":"r-x7k2m"}"#,
            };
            api::devfleet::SubmitReport => "report_submit" Post "/api/reports" -> api::devfleet::SubmittedReport, Work on [Mission("mission_id")] {
                effect: api::Effect::Work,
                example: r#"{"files_changed":"src/cart.rs","what_done":"Added a cart.","what_open":"Taxes.","what_tested":"cargo test","what_untested":"","next_steps":"Add taxes.","errors_encountered":""}"#,
            } tool "submit_report" Agent {};
            api::devfleet::ListSessions => "session_list" Get "/api/sessions" -> api::Listing<api::devfleet::SessionRow>, Read on [Seen] paged {
                cli: Some("session list"),
                example: r#"{"mission_id":"m-x7k2m","status":"running"}"#,
            };
            api::devfleet::GetSession => "session_get" Get "/api/sessions/{session}" -> api::devfleet::SessionDetail, Read on [Session("session")] {
                cli: Some("session show <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::CancelSession => "session_cancel" Post "/api/sessions/{session}/cancel" -> api::devfleet::Deleted, Work on [Session("session")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("session cancel <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::SendSessionMessage => "session_message" Post "/api/sessions/{session}/messages" -> api::devfleet::SentMessage, Work on [Session("session")] {
                effect: api::Effect::Message,
                status: 201,
                cli: Some("session message <session> <text>"),
                example: r#"{"session":"s-x7k2m","text":"Look at the tests first."}"#,
            };
            api::devfleet::ListSessionMessages => "session_messages" Get "/api/sessions/{session}/messages" -> api::Listing<api::devfleet::MessageRow>, Read on [Session("session")] {
                cli: Some("session messages <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::ListLandings => "landing_list" Get "/api/landings" -> api::Listing<api::devfleet::LandingView>, Read on [Seen] paged {
                cli: Some("land status"),
                example: r#"{"mission_id":"m-x7k2m"}"#,
            } tool "list_landings" Orchestrator => api::devfleet::LandingSummaries {
                fields: "mission_id project_id limit",
                description: Some("List finished branches on their way to the target branch, newest first, with their checks"),
            };
            api::devfleet::SetSchedule => "schedule_set" Post "/api/missions/{mission}/schedule" -> api::devfleet::ScheduleSet, Lead on [Mission("mission")] {
                cli: Some("schedule set <mission> <cron>"),
                example: r#"{"mission":"m-x7k2m","cron":"30 2 * * mon-fri","enabled":true,"time_zone":"Europe/Berlin","catch_up":"once","overlap":"skip"}"#,
            };
            api::devfleet::RemoveSchedule => "schedule_remove" Delete "/api/missions/{mission}/schedule" -> api::devfleet::Deleted, Lead on [Mission("mission")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("schedule remove <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListSchedules => "schedule_list" Get "/api/schedules" -> api::Listing<api::devfleet::ScheduleRow>, Read on [Seen] {
                cli: Some("schedule list"),
            };
            api::devfleet::LandMission => "mission_land" Post "/api/missions/{mission}/land" -> api::devfleet::LandingView, Lead on [Mission("mission")] {
                cli: Some("land <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            } tool "land_mission" Orchestrator {
                fields: "mission_id=mission",
            };
            api::devfleet::ApproveLanding => "landing_approve" Post "/api/landings/{landing}/approve" -> api::devfleet::LandingView, Lead on [Landing("landing")] {
                cli: Some("land approve <landing>"),
                example: r#"{"landing":"d-x7k2m"}"#,
            } tool "approve_landing" Orchestrator {
                fields: "landing_id=landing",
            };
            api::devfleet::RetryLanding => "landing_retry" Post "/api/landings/{landing}/retry" -> api::devfleet::LandingView, Lead on [Landing("landing")] {
                cli: Some("land retry <landing>"),
                example: r#"{"landing":"d-x7k2m"}"#,
            } tool "retry_landing" Orchestrator {
                fields: "landing_id=landing",
            };
            api::devfleet::DropLanding => "landing_drop" Post "/api/landings/{landing}/drop" -> api::devfleet::LandingView, Lead on [Landing("landing")] {
                cli: Some("land drop <landing>"),
                example: r#"{"landing":"d-x7k2m"}"#,
            };
            api::devfleet::ListMcpServers => "mcp_server_list" Get "/api/projects/{project}/mcp-servers" -> api::Listing<api::devfleet::McpServerRow>, Read on [Seen] {
                cli: Some("mcp-servers list <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::AddMcpServer => "mcp_server_add" Post "/api/projects/{project}/mcp-servers" -> api::devfleet::McpServerRow, Lead on [Project("project")] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("mcp-servers add <project> <server_name>"),
                example: r#"{"project":"p-x7k2m","server_name":"docs","server_type":"stdio","config":{"command":"npx","args":["-y","docs-server"]},"enabled":true}"#,
            };
            api::devfleet::UpdateMcpServer => "mcp_server_update" Put "/api/mcp-servers/{server}" -> api::devfleet::McpServerRow, Lead on [McpServer("server")] {
                cli: Some("mcp-servers update <server>"),
                example: r#"{"server":"x-x7k2m","enabled":false}"#,
            };
            api::devfleet::EnableMcpServer => "mcp_server_enable" Post "/api/mcp-servers/{server}/enable" -> api::devfleet::McpServerRow, Lead on [McpServer("server")] {
                cli: Some("mcp-servers enable <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::DisableMcpServer => "mcp_server_disable" Post "/api/mcp-servers/{server}/disable" -> api::devfleet::McpServerRow, Lead on [McpServer("server")] {
                cli: Some("mcp-servers disable <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::RemoveMcpServer => "mcp_server_remove" Delete "/api/mcp-servers/{server}" -> api::devfleet::Deleted, Lead on [McpServer("server")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("mcp-servers remove <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::ListModels => "config_models" Get "/api/config/models" -> api::Listing<String>, Read on [Nothing] {};
            api::devfleet::ListToolPresets => "config_tool_presets" Get "/api/config/tool-presets" -> api::devfleet::ToolPresets, Read on [Nothing] {};
            api::devfleet::ListMissionTypes => "config_mission_types" Get "/api/config/mission-types" -> api::Listing<String>, Read on [Nothing] {};
            api::devfleet::GetEngine => "config_engine" Get "/api/config/engine" -> api::devfleet::EngineInfo, Read on [Nothing] {};
            api::devfleet::GetSystemStatus => "system_status" Get "/api/system/status" -> api::devfleet::SystemStatus, Read on [Fleet] {};
            api::devfleet::GetDashboardStats => "dashboard_stats" Get "/api/dashboard/stats" -> api::devfleet::DashboardStats, Read on [Fleet] {
                cli: Some("dashboard"),
            } tool "get_dashboard" Orchestrator => api::devfleet::Dashboard {
                description: Some("Show what the fleet is doing"),
            };
            api::devfleet::GetFeatures => "system_features" Get "/api/system/features" -> api::devfleet::Features, Read on [Nothing] {};
            api::devfleet::ReadReports => "report_read" -> api::Listing<api::devfleet::ReportRow>, Read on [Mission("mission_id")] {
                example: r#"{"mission_id":"m-x7k2m","limit":5}"#,
            } tool "read_past_reports" Agent => api::devfleet::PastReports {
                fields: "mission_id! limit",
            } tool "get_session_history" Agent => api::devfleet::SessionHistory {
                fields: "mission_id",
                description: Some("Read the last five reports of a mission of your project"),
            };
            api::devfleet::GetMissionContext => "mission_context" -> api::devfleet::MissionContext, Read on [Mission("mission_id")] {
                example: r#"{"mission_id":"m-x7k2m"}"#,
            } tool "get_mission_context" Agent {};
            api::devfleet::GetProjectContext => "project_context" -> api::devfleet::ProjectContext, Read on [Mission("mission_id")] {
                example: r#"{"mission_id":"m-x7k2m"}"#,
            } tool "get_project_context" Agent {};
            api::devfleet::GetTeamContext => "team_context" -> api::devfleet::TeamContext, Read on [Mission("mission_id")] {
                example: r#"{"mission_id":"m-x7k2m"}"#,
            } tool "get_team_context" Agent {};
            api::devfleet::CreateSubMission => "sub_mission_create" -> api::devfleet::CreatedSubMission, Work on [Mission("mission_id")] {
                effect: api::Effect::Work,
                example: r#"{"title":"Test the cart","detailed_prompt":"Write tests for src/cart.rs and run them.","mission_type":"test","priority":2,"wait_for_me":true}"#,
            } tool "create_sub_mission" Agent {};
            api::devfleet::RequestReview => "sub_mission_review" -> api::devfleet::RequestedReview, Work on [Mission("mission_id")] {
                effect: api::Effect::Work,
                example: r#"{"description":"Is the total right in every currency?","files_to_review":"src/cart.rs"}"#,
            } tool "request_review" Agent {};
            api::devfleet::GetSubMissionStatus => "sub_mission_status" -> api::devfleet::SubMissions, Read on [Mission("mission_id")] {
                example: r#"{"mission_id":"m-x7k2m"}"#,
            } tool "get_sub_mission_status" Agent {};
            api::devfleet::ListProjectMissions => "project_missions" -> api::devfleet::ProjectMissions, Read on [Mission("mission_id")] {
                example: r#"{"status":"running","mission_id":"m-x7k2m"}"#,
            } tool "list_project_missions" Agent {};
        }
    };
}
