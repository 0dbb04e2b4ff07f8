//! The whole interface on a few screens: one row per operation.
//!
//! A row reads `Input => "name" Verb "/path" -> Output, Access { what differs from the defaults };`; `paged` behind
//! the access marks a listing that continues. The `example` is
//! the input as JSON: documentation shows it, and a test reads it and writes it back. Surfaces visit the rows through
//! [`operations!`]: this crate to declare them, `service` to bind each to its handler.

use crate::{Access, Spec, Verb};

/// Hands every row of the table to the macro named.
#[macro_export]
macro_rules! operations {
    ($visit:ident) => {
        $visit! {
            // Projects and missions, as DevFleet has them.
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

            // Teams and tasks, as claude-fleet has them.
            api::claude_fleet::GetHealth => "health" Get "/health" -> api::claude_fleet::Health, Public {
                cli: Some("health"),
            };
            api::claude_fleet::GetMetrics => "metrics" Get "/metrics/json" -> api::claude_fleet::Metrics, Read {
                cli: Some("metrics"),
            };
            api::claude_fleet::GetDebug => "debug" Get "/debug" -> api::claude_fleet::Debug, Lead {
                cli: Some("debug"),
            };
            api::claude_fleet::Authenticate => "auth" Post "/auth" -> api::claude_fleet::Authenticated, Public {
                cli: Some("auth <handle> <teamName> [agentType]"),
                example: r#"{"handle":"scout-1","teamName":"default","agentType":"worker"}"#,
            };
            api::claude_fleet::ListTeamAgents => "team_agents" Get "/teams/{teamName}/agents" -> api::Listing<api::claude_fleet::AgentView>, Read {
                team_field: Some("teamName"),
                cli: Some("teams <teamName>"),
                example: r#"{"teamName":"default"}"#,
            };
            api::claude_fleet::ListTeamTasks => "task_list" Get "/teams/{teamName}/tasks" -> api::Listing<api::claude_fleet::TaskView>, Read paged {
                team_field: Some("teamName"),
                cli: Some("tasks <teamName>"),
                example: r#"{"teamName":"default","limit":50}"#,
            };
            api::claude_fleet::CreateTask => "task_create" Post "/tasks" -> api::claude_fleet::TaskView, Work {
                team_field: Some("teamName"),
                actor_field: Some("fromUid"),
                example: r#"{"fromUid":"2c26b46b68ffc68ff99b453c","toHandle":"scout-1","teamName":"default","subject":"Find the slow query"}"#,
            };
            api::claude_fleet::GetTask => "task_get" Get "/tasks/{taskId}" -> api::claude_fleet::TaskView, Read {
                cli: Some("task <taskId>"),
                example: r#"{"taskId":"m-x7k2m"}"#,
            };
            api::claude_fleet::UpdateTask => "task_update" Patch "/tasks/{taskId}" -> api::claude_fleet::TaskView, Work {
                cli: Some("task-update <taskId> <status>"),
                example: r#"{"taskId":"m-x7k2m","status":"resolved"}"#,
            };

            api::claude_fleet::SpawnWorker => "worker_spawn" Post "/orchestrate/spawn" -> api::claude_fleet::SpawnedWorker, Lead {
                cli: Some("spawn <handle> [initialPrompt]"),
                example: r#"{"handle":"scout-1","initialPrompt":"Find the slow query.","workingDir":"/srv/shop"}"#,
            };
            api::claude_fleet::ListWorkers => "worker_list" Get "/orchestrate/workers" -> api::Listing<api::claude_fleet::WorkerView>, Read {
                cli: Some("workers"),
            };
            api::claude_fleet::SendToWorker => "worker_send" Post "/orchestrate/send/{handle}" -> api::claude_fleet::SentToWorker, Work {
                cli: Some("send <handle> <message>"),
                example: r#"{"handle":"scout-1","message":"Look at the index too."}"#,
            };
            api::claude_fleet::GetWorkerOutput => "worker_output" Get "/orchestrate/output/{handle}" -> api::claude_fleet::WorkerOutput, Read {
                cli: Some("output <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::DismissWorker => "worker_dismiss" Post "/orchestrate/dismiss/{handle}" -> api::claude_fleet::WorkerDone, Lead {
                destructive: true,
                cli: Some("dismiss <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::RegisterWorker => "worker_register" Post "/orchestrate/workers/register" -> api::claude_fleet::SpawnedWorker, Lead {
                example: r#"{"handle":"scout-1","workingDir":"/srv/shop"}"#,
            };
            api::claude_fleet::ReportWorkerOutput => "worker_report" Post "/orchestrate/workers/{handle}/output" -> api::claude_fleet::ReportedOutput, Work {
                example: r#"{"handle":"scout-1","event":{"type":"assistant"},"events":[{"type":"result"}]}"#,
            };
            api::claude_fleet::GetWorktree => "worker_worktree_status" Get "/orchestrate/worktree/{handle}/status" -> api::claude_fleet::WorktreeView, Read {
                cli: Some("worktree-status <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::CommitWorktree => "worker_worktree_commit" Post "/orchestrate/worktree/{handle}/commit" -> api::claude_fleet::CommittedWorktree, Work {
                cli: Some("worktree-commit <handle> <message>"),
                example: r#"{"handle":"scout-1","message":"Add an index"}"#,
            };
            api::claude_fleet::PushWorktree => "worker_worktree_push" Post "/orchestrate/worktree/{handle}/push" -> api::claude_fleet::WorkerDone, Merge {
                cli: Some("worktree-push <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::OpenPullRequest => "worker_worktree_pr" Post "/orchestrate/worktree/{handle}/pr" -> api::claude_fleet::OpenedPullRequest, Merge {
                cli: Some("worktree-pr <handle> <title> <body>"),
                example: r#"{"handle":"scout-1","title":"Add an index","body":"The query is fast now.","base":"main"}"#,
            };
            api::claude_fleet::CreatePolicy => "policy_create" Post "/policies" -> api::claude_fleet::PolicyView, Lead {
                status: 201,
                cli: Some("policies create <name> <decision>"),
                example: r#"{"name":"No force pushes","decision":"block","tool":"Bash","command":"regex:push .*--force","reason":"Ask a lead to rewrite history."}"#,
            };
            api::claude_fleet::ListPolicies => "policy_list" Get "/policies" -> api::Listing<api::claude_fleet::PolicyView>, Read paged {
                cli: Some("policies list"),
            };
            api::claude_fleet::ListViolations => "policy_violations" Get "/policies/violations" -> api::Listing<api::claude_fleet::ViolationView>, Lead paged {
                cli: Some("policies violations"),
                example: r#"{"sessionId":"s-x7k2m"}"#,
            };
            api::claude_fleet::GetPolicyStats => "policy_stats" Get "/policies/stats" -> api::claude_fleet::PolicyStats, Read {
                cli: Some("policies stats"),
            };
            api::claude_fleet::EvaluatePolicy => "policy_evaluate" Post "/policies/evaluate" -> api::claude_fleet::PolicyVerdict, Work {
                cli: Some("policies evaluate <tool>"),
                example: r#"{"tool":"Bash","command":"git push --force","preset":"implement"}"#,
            };
            api::claude_fleet::GetPolicy => "policy_get" Get "/policies/{id}" -> api::claude_fleet::PolicyView, Read {
                cli: Some("policies show <id>"),
                example: r#"{"id":"g-x7k2m"}"#,
            };
            api::claude_fleet::UpdatePolicy => "policy_update" Patch "/policies/{id}" -> api::claude_fleet::PolicyView, Lead {
                cli: Some("policies update <id>"),
                example: r#"{"id":"g-x7k2m","enabled":false}"#,
            };
            api::claude_fleet::DeletePolicy => "policy_delete" Delete "/policies/{id}" -> api::claude_fleet::PolicyDeleted, Lead {
                destructive: true,
                cli: Some("policies delete <id>"),
                example: r#"{"id":"g-x7k2m"}"#,
            };
            api::claude_fleet::CreateSession => "lineage_create" Post "/sessions" -> api::claude_fleet::SessionNode, Lead {
                example: r#"{"handle":"scout-1","prompt":"Find the slow query."}"#,
            };
            api::claude_fleet::GetSessionNode => "lineage_session" Get "/sessions/{id}" -> api::claude_fleet::SessionNode, Read {
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::ListWorkerSessions => "lineage_worker" Get "/sessions/worker/{handle}" -> api::Listing<api::claude_fleet::SessionNode>, Read paged {
                cli: Some("sessions worker <handle>"),
                example: r#"{"handle":"scout-1","limit":20}"#,
            };
            api::claude_fleet::TrimSession => "lineage_trim" Post "/sessions/{id}/trim" -> api::claude_fleet::SessionNode, Lead {
                cli: Some("sessions trim <id> [prompt]"),
                example: r#"{"id":"s-x7k2m","keepChars":8000}"#,
            };
            api::claude_fleet::ContinueSession => "lineage_continue" Post "/sessions/{id}/continue" -> api::claude_fleet::SessionNode, Lead {
                cli: Some("sessions continue <id> [prompt]"),
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::ForkSession => "lineage_fork" Post "/sessions/{id}/fork" -> api::claude_fleet::SessionNode, Lead {
                cli: Some("sessions fork <id> <prompt>"),
                example: r#"{"id":"s-x7k2m","prompt":"Try it the other way."}"#,
            };
            api::claude_fleet::GetLineage => "lineage" Get "/sessions/{id}/lineage" -> api::claude_fleet::LineageView, Read {
                cli: Some("sessions lineage <id>"),
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::SearchSessions => "lineage_search" Post "/sessions/search" -> api::claude_fleet::FoundSessions, Work {
                cli: Some("sessions search <query>"),
                example: r#"{"query":"slow query","limit":5}"#,
            };

            // MCP tools, in the shapes that clients of either system know.
            api::devfleet::ListProjectsTool => "list_projects" Post "/tools/list_projects" -> api::devfleet::ProjectSummaries, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::devfleet::CreateProjectTool => "create_project" Post "/tools/create_project" -> api::devfleet::CreatedProject, Work {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"name":"shop","description":"The web shop"}"#,
            };
            api::devfleet::CreateMissionTool => "create_mission" Post "/tools/create_mission" -> api::devfleet::CreatedMission, Work {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"project_id":"p-x7k2m","title":"Add a cart","prompt":"Add a cart to the shop.","auto_dispatch":true,"priority":2}"#,
            };
            api::devfleet::ListMissionsTool => "list_missions" Post "/tools/list_missions" -> api::devfleet::MissionSummaries, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"project_id":"p-x7k2m","status":"running"}"#,
            };
            api::devfleet::GetMissionStatusTool => "get_mission_status" Post "/tools/get_mission_status" -> api::devfleet::MissionStatusReport, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::DispatchMissionTool => "dispatch_mission" Post "/tools/dispatch_mission" -> api::devfleet::DispatchedTool, Work {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m","max_turns":40}"#,
            };
            api::devfleet::CancelMissionTool => "cancel_mission" Post "/tools/cancel_mission" -> api::devfleet::MissionStatusReport, Work {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                destructive: true,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::WaitForMissionTool => "wait_for_mission" Post "/tools/wait_for_mission" -> api::devfleet::AwaitedMission, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m","timeout_seconds":600}"#,
            };
            api::devfleet::GetReportTool => "get_report" Post "/tools/get_report" -> api::devfleet::ToolReport, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::SubmitReport => "submit_report" Post "/tools/submit_report" -> api::devfleet::SubmittedReport, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"files_changed":"src/cart.rs","what_done":"Added a cart.","what_open":"Taxes.","what_tested":"cargo test","what_untested":"","next_steps":"Add taxes.","errors_encountered":""}"#,
            };
            api::devfleet::ReadPastReportsTool => "read_past_reports" Post "/tools/read_past_reports" -> api::devfleet::PastReports, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m","limit":5}"#,
            };
            api::devfleet::GetMissionContextTool => "get_mission_context" Post "/tools/get_mission_context" -> api::devfleet::MissionContext, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetProjectContextTool => "get_project_context" Post "/tools/get_project_context" -> api::devfleet::ProjectContext, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetSessionHistoryTool => "get_session_history" Post "/tools/get_session_history" -> api::devfleet::SessionHistory, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetTeamContextTool => "get_team_context" Post "/tools/get_team_context" -> api::devfleet::TeamContext, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::CreateSubMissionTool => "create_sub_mission" Post "/tools/create_sub_mission" -> api::devfleet::CreatedSubMission, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"title":"Test the cart","detailed_prompt":"Write tests for src/cart.rs and run them.","mission_type":"test","priority":2,"wait_for_me":true}"#,
            };
            api::devfleet::RequestReviewTool => "request_review" Post "/tools/request_review" -> api::devfleet::RequestedReview, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"description":"Is the total right in every currency?","files_to_review":"src/cart.rs"}"#,
            };
            api::devfleet::GetSubMissionStatusTool => "get_sub_mission_status" Post "/tools/get_sub_mission_status" -> api::devfleet::SubMissions, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::ListProjectMissionsTool => "list_project_missions" Post "/tools/list_project_missions" -> api::devfleet::ProjectMissions, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"status":"running","mission_id":"m-x7k2m"}"#,
            };
            api::devfleet::GetDashboardTool => "get_dashboard" Post "/tools/get_dashboard" -> api::devfleet::Dashboard, Read {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::claude_fleet::TeamStatusTool => "team_status" Post "/tools/team_status" -> api::claude_fleet::TeamStatus, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::claude_fleet::TeamTasksTool => "team_tasks" Post "/tools/team_tasks" -> api::claude_fleet::TeamTasks, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"filter":"mine"}"#,
            };
            api::claude_fleet::TeamSpawnTool => "team_spawn" Post "/tools/team_spawn" -> api::claude_fleet::SpawnedWorker, Lead {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"handle":"scout-1","prompt":"Find the slow query."}"#,
            };
            api::claude_fleet::TeamDismissTool => "team_dismiss" Post "/tools/team_dismiss" -> api::claude_fleet::WorkerDone, Lead {
                tool: Some(api::Audience::Orchestrator),
                unknown_fields: api::UnknownFields::Refuse,
                destructive: true,
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::TeamWorkersTool => "team_workers" Post "/tools/team_workers" -> api::claude_fleet::TeamWorkers, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::claude_fleet::TeamSendTool => "team_send" Post "/tools/team_send" -> api::claude_fleet::SentToWorker, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"handle":"scout-1","message":"Look at the index too."}"#,
            };
            api::claude_fleet::SendMessageTool => "send_message" Post "/tools/send_message" -> api::claude_fleet::SentToWorker, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"handle":"scout-1","message":"Look at the index too."}"#,
            };
            api::claude_fleet::WorktreeCommitTool => "worktree_commit" Post "/tools/worktree_commit" -> api::claude_fleet::CommittedWorktree, Work {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"message":"Add an index"}"#,
            };
            api::claude_fleet::WorktreePushTool => "worktree_push" Post "/tools/worktree_push" -> api::claude_fleet::WorkerDone, Merge {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::claude_fleet::WorktreePrTool => "worktree_pr" Post "/tools/worktree_pr" -> api::claude_fleet::OpenedPullRequest, Merge {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"title":"Add an index","body":"The query is fast now."}"#,
            };
            api::claude_fleet::SearchSessionsTool => "search_sessions" Post "/tools/search_sessions" -> api::claude_fleet::FoundSessions, Read {
                tool: Some(api::Audience::Agent),
                unknown_fields: api::UnknownFields::Refuse,
                example: r#"{"query":"slow query","limit":5}"#,
            };

            // Fleet's own.
            api::fleet::CreateLoginLink => "login_link_create" Post "/login-links" -> api::fleet::LoginLink, Owner {
                unknown_fields: api::UnknownFields::Refuse,
            };
            api::fleet::ListWorkspaces => "workspace_list" Get "/workspaces" -> api::Listing<api::fleet::WorkspaceView>, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("workspace list"),
            };
            api::fleet::ListSnapshots => "workspace_snapshots" Get "/workspaces/snapshots" -> api::Listing<api::fleet::SnapshotView>, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("workspace snapshots <folder>"),
                example: r#"{"folder":"/srv/shop"}"#,
            };
            api::fleet::RestoreWorkspace => "workspace_restore" Post "/workspaces/restore" -> api::fleet::Restored, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("workspace restore <folder> <snapshot>"),
                example: r#"{"folder":"/srv/shop","snapshot":"s-x7k2m"}"#,
            };
            api::fleet::RemoveWorkspace => "workspace_remove" Delete "/workspaces/{session}" -> api::fleet::RemovedWorkspace, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                destructive: true,
                cli: Some("workspace remove <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::fleet::PruneWorkspaces => "workspace_prune" Post "/workspaces/prune" -> api::fleet::Pruned, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("workspace prune"),
                example: r#"{"free_mb":20000,"apply":false}"#,
            };
            api::fleet::ListParkedAccounts => "account_list" Get "/accounts/parked" -> api::Listing<api::fleet::ParkedAccountView>, Read {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("account list"),
            };
            api::fleet::ListApprovals => "approval_list" Get "/approvals" -> api::Listing<api::fleet::ApprovalView>, Read paged {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("approvals list"),
                example: r#"{"status":"waiting","mission_id":"m-x7k2m"}"#,
            };
            api::fleet::GetApproval => "approval_get" Get "/approvals/{approval}" -> api::fleet::ApprovalView, Read {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("approvals show <approval>"),
                example: r#"{"approval":"a-x7k2m"}"#,
            };
            api::fleet::AllowApproval => "approval_allow" Post "/approvals/{approval}/allow" -> api::fleet::ApprovalView, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("approvals allow <approval>"),
                example: r#"{"approval":"a-x7k2m"}"#,
            };
            api::fleet::DenyApproval => "approval_deny" Post "/approvals/{approval}/deny" -> api::fleet::ApprovalView, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("approvals deny <approval> [why]"),
                example: r#"{"approval":"a-x7k2m","why":"Not before the release."}"#,
            };
            api::fleet::ListBudgets => "budget_list" Get "/budgets" -> api::Listing<api::fleet::BudgetView>, Read {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("budget"),
            };
            api::fleet::ListAgents => "agent_list" Get "/agents" -> api::Listing<api::fleet::AgentRow>, Read {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("agents list"),
            };
            api::fleet::TestAgent => "agent_test" Post "/agents/{agent}/test" -> api::fleet::TestedAgent, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("agents test <agent>"),
                example: r#"{"agent":"claude"}"#,
            };
            api::fleet::UnparkAccount => "account_unpark" Post "/accounts/{account}/unpark" -> api::fleet::Unparked, Lead {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("account unpark <account>"),
                example: r#"{"account":"claude"}"#,
            };
            api::fleet::ResolveId => "id_resolve" Get "/ids/{prefix}" -> api::fleet::Resolved, Read {
                unknown_fields: api::UnknownFields::Refuse,
                cli: Some("find <prefix>"),
                example: r#"{"prefix":"m-x7"}"#,
            };
        }
    };
}

macro_rules! declare {
    ($($op:ty => $name:literal $verb:ident $path:literal -> $output:ty, $access:ident $($paged:ident)? { $($field:ident: $value:expr,)* };)*) => {
        $(
            impl api::Operation for $op {
                const SPEC: Spec = Spec { $($field: $value,)* ..Spec::new($name, Verb::$verb, $path, Access::$access) };
                type Output = $output;
                $(fn next(output: &Self::Output) -> Option<&str> {
                    api::$paged(output)
                })?
            }
        )*

        /// Returns every row of the table, without its types.
        #[must_use]
        pub fn specs() -> Vec<Spec> {
            vec![$(<$op as api::Operation>::SPEC,)*]
        }
    };
}

operations!(declare);
