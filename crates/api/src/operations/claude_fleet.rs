//! Teams, tasks, workers, policies and lineages, under the paths of claude-fleet.

/// Puts these rows behind those before them, and goes on with the next file.
#[doc(hidden)]
#[macro_export]
macro_rules! claude_fleet_rows {
    ($visit:ident [$($rows:tt)*]) => {
        $crate::tool_rows! { $visit [
            $($rows)*
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
        ] }
    };
}
