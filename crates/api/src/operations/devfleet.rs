//! Projects, missions, sessions and landings, under the paths of DevFleet.

/// Puts these rows behind those before them, and goes on with the next file.
#[doc(hidden)]
#[macro_export]
macro_rules! devfleet_rows {
    ($visit:ident [$($rows:tt)*]) => {
        $crate::claude_fleet_rows! { $visit [
            $($rows)*
            api::devfleet::ListProjects => "project_list" Get "/api/projects" -> api::Listing<api::devfleet::ProjectCard>, Read paged {
                cli: Some("project list"),
            };
            api::devfleet::CreateProject => "project_create" Post "/api/projects" -> api::devfleet::ProjectRow, Work {
                status: 201,
                cli: Some("project create <name> <path>"),
                example: r#"{"name":"shop","path":"/srv/shop","state":"active"}"#,
            };
            api::devfleet::GetProject => "project_get" Get "/api/projects/{project}" -> api::devfleet::ProjectDetail, Read {
                cli: Some("project show <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::UpdateProject => "project_update" Put "/api/projects/{project}" -> api::devfleet::ProjectRow, Work {
                cli: Some("project update <project>"),
                example: r#"{"project":"p-x7k2m","description":"The web shop"}"#,
            };
            api::devfleet::DeleteProject => "project_delete" Delete "/api/projects/{project}" -> api::devfleet::Deleted, Lead {
                destructive: true,
                cli: Some("project delete <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::ListMissions => "mission_list" Get "/api/missions" -> api::Listing<api::devfleet::MissionRow>, Read paged {
                cli: Some("mission list"),
                example: r#"{"project_id":"p-x7k2m","status":"draft"}"#,
            };
            api::devfleet::CreateMission => "mission_create" Post "/api/missions" -> api::devfleet::MissionRow, Work {
                status: 201,
                cli: Some("mission create <project_id> <title> <detailed_prompt>"),
                example: r#"{"project_id":"p-x7k2m","title":"Add a cart","detailed_prompt":"Add a cart to the shop.","priority":2,"mission_type":"implement","auto_dispatch":false,"max_retries":3,"auto_retry":true}"#,
            };
            api::devfleet::GetMission => "mission_get" Get "/api/missions/{mission}" -> api::devfleet::MissionDetail, Read {
                cli: Some("mission show <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ExplainMission => "mission_why" Get "/api/missions/{mission}/why" -> api::devfleet::Explained, Read {
                cli: Some("why <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::UpdateMission => "mission_update" Put "/api/missions/{mission}" -> api::devfleet::MissionRow, Work {
                cli: Some("mission update <mission>"),
                example: r#"{"mission":"m-x7k2m","priority":5}"#,
            };
            api::devfleet::DeleteMission => "mission_delete" Delete "/api/missions/{mission}" -> api::devfleet::Deleted, Work {
                destructive: true,
                cli: Some("mission delete <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListChildren => "mission_children" Get "/api/missions/{mission}/children" -> api::Listing<api::devfleet::MissionRow>, Read {
                cli: Some("mission children <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListMissionEvents => "mission_events" Get "/api/missions/{mission}/events" -> api::Listing<api::devfleet::MissionEventRow>, Read {
                cli: Some("mission events <mission>"),
                example: r#"{"mission":"m-x7k2m","limit":20}"#,
            };
            api::devfleet::DispatchMission => "mission_dispatch" Post "/api/missions/{mission}/dispatch" -> api::devfleet::Dispatched, Work {
                cli: Some("dispatch <mission>"),
                example: r#"{"mission":"m-x7k2m","agent":"claude","max_turns":40}"#,
            };
            api::devfleet::ResumeMission => "mission_resume" Post "/api/missions/{mission}/resume" -> api::devfleet::Resumed, Work {
                cli: Some("resume <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::GetMissionReport => "mission_report" Get "/api/missions/{mission}/report" -> api::devfleet::MissionReport, Read {
                example: r#"{"mission":"m-x7k2m","log_tail_bytes":4096}"#,
            };
            api::devfleet::GenerateNext => "mission_generate_next" Post "/api/missions/{mission}/generate-next" -> api::devfleet::MissionRow, Work {
                cli: Some("mission next <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::RecoverMission => "mission_recover" Post "/api/missions/{mission}/recover" -> api::devfleet::Recovered, Lead {
                cli: Some("mission recover <mission>"),
                example: r#"{"mission":"m-x7k2m"}"#,
            };
            api::devfleet::ListReports => "report_list" Get "/api/reports" -> api::Listing<api::devfleet::ReportRow>, Read paged {
                cli: Some("reports list"),
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetReport => "report_get" Get "/api/reports/{report}" -> api::devfleet::ReportRow, Read {
                cli: Some("reports show <report>"),
                example: r#"{"report":"r-x7k2m"}"#,
            };
            api::devfleet::ListSessions => "session_list" Get "/api/sessions" -> api::Listing<api::devfleet::SessionRow>, Read paged {
                cli: Some("sessions list"),
                example: r#"{"mission_id":"m-x7k2m","status":"running"}"#,
            };
            api::devfleet::GetSession => "session_get" Get "/api/sessions/{session}" -> api::devfleet::SessionDetail, Read {
                cli: Some("sessions show <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::CancelSession => "session_cancel" Post "/api/sessions/{session}/cancel" -> api::devfleet::Deleted, Work {
                destructive: true,
                cli: Some("sessions cancel <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::SendSessionMessage => "session_message" Post "/api/sessions/{session}/messages" -> api::devfleet::SentMessage, Work {
                status: 201,
                cli: Some("sessions message <session> <text>"),
                example: r#"{"session":"s-x7k2m","text":"Look at the tests first."}"#,
            };
            api::devfleet::ListSessionMessages => "session_messages" Get "/api/sessions/{session}/messages" -> api::Listing<api::devfleet::MessageRow>, Read {
                cli: Some("sessions messages <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::devfleet::ListLandings => "landing_list" Get "/api/landings" -> api::Listing<api::devfleet::LandingView>, Read paged {
                cli: Some("land status"),
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::RetryLanding => "landing_retry" Post "/api/landings/{landing}/retry" -> api::devfleet::LandingView, Lead {
                cli: Some("land retry <landing>"),
                example: r#"{"landing":"d-x7k2m"}"#,
            };
            api::devfleet::DropLanding => "landing_drop" Post "/api/landings/{landing}/drop" -> api::devfleet::LandingView, Lead {
                cli: Some("land drop <landing>"),
                example: r#"{"landing":"d-x7k2m"}"#,
            };
            api::devfleet::ListMcpServers => "mcp_server_list" Get "/api/projects/{project}/mcp-servers" -> api::Listing<api::devfleet::McpServerRow>, Read {
                cli: Some("mcp-servers list <project>"),
                example: r#"{"project":"p-x7k2m"}"#,
            };
            api::devfleet::AddMcpServer => "mcp_server_add" Post "/api/projects/{project}/mcp-servers" -> api::devfleet::McpServerRow, Lead {
                status: 201,
                cli: Some("mcp-servers add <project> <server_name>"),
                example: r#"{"project":"p-x7k2m","server_name":"docs","server_type":"stdio","config":{"command":"npx","args":["-y","docs-server"]},"enabled":true}"#,
            };
            api::devfleet::UpdateMcpServer => "mcp_server_update" Put "/api/mcp-servers/{server}" -> api::devfleet::McpServerRow, Lead {
                cli: Some("mcp-servers update <server>"),
                example: r#"{"server":"x-x7k2m","enabled":false}"#,
            };
            api::devfleet::EnableMcpServer => "mcp_server_enable" Post "/api/mcp-servers/{server}/enable" -> api::devfleet::McpServerRow, Lead {
                cli: Some("mcp-servers enable <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::DisableMcpServer => "mcp_server_disable" Post "/api/mcp-servers/{server}/disable" -> api::devfleet::McpServerRow, Lead {
                cli: Some("mcp-servers disable <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::RemoveMcpServer => "mcp_server_remove" Delete "/api/mcp-servers/{server}" -> api::devfleet::Deleted, Lead {
                destructive: true,
                cli: Some("mcp-servers remove <server>"),
                example: r#"{"server":"x-x7k2m"}"#,
            };
            api::devfleet::ListModels => "config_models" Get "/api/config/models" -> api::Listing<String>, Read {};
            api::devfleet::ListToolPresets => "config_tool_presets" Get "/api/config/tool-presets" -> api::devfleet::ToolPresets, Read {};
            api::devfleet::ListMissionTypes => "config_mission_types" Get "/api/config/mission-types" -> api::Listing<String>, Read {};
            api::devfleet::GetEngine => "config_engine" Get "/api/config/engine" -> api::devfleet::EngineInfo, Read {};
            api::devfleet::GetSystemStatus => "system_status" Get "/api/system/status" -> api::devfleet::SystemStatus, Read {};
            api::devfleet::GetDashboardStats => "dashboard_stats" Get "/api/dashboard/stats" -> api::devfleet::DashboardStats, Read {
                cli: Some("dashboard"),
            };
            api::devfleet::GetFeatures => "system_features" Get "/api/system/features" -> api::devfleet::Features, Read {};
        ] }
    };
}
