//! MCP tools, in the shapes that clients of either system know.

/// Puts these rows behind those before them, and goes on with the next file.
#[doc(hidden)]
#[macro_export]
macro_rules! tool_rows {
    ($visit:ident [$($rows:tt)*]) => {
        $crate::fleet_rows! { $visit [
            $($rows)*
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
        ] }
    };
}
