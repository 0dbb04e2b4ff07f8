//! Teams, tasks, workers, policies and lineages, under the paths of claude-fleet.

/// Hands these rows to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! claude_fleet_rows {
    ([$($visit:tt)*] [$($arguments:tt)*]) => {
        $($visit)*! { [$($arguments)*] Drop
            api::claude_fleet::GetHealth => "health" Get "/health" -> api::claude_fleet::Health, Public on [Nothing] {
                cli: Some("health"),
            };
            api::claude_fleet::GetMetrics => "metrics" Get "/metrics/json" -> api::claude_fleet::Metrics, Read on [Fleet] {
                cli: Some("metrics"),
            };
            api::claude_fleet::GetDebug => "debug" Get "/debug" -> api::claude_fleet::Debug, Lead on [Fleet] {
                cli: Some("debug"),
            };
            api::claude_fleet::Authenticate => "auth" Post "/auth" -> api::claude_fleet::Authenticated, Public on [Nothing] {
                effect: api::Effect::Change,
                cli: Some("auth <handle> <teamName> [agentType]"),
                example: r#"{"handle":"scout-1","teamName":"default","agentType":"worker"}"#,
            };
            api::claude_fleet::ListTeamAgents => "team_agents" Get "/teams/{teamName}/agents" -> api::Listing<api::claude_fleet::AgentView>, Read on [Team("teamName")] {
                cli: Some("teams <teamName>"),
                example: r#"{"teamName":"default"}"#,
            };
            api::claude_fleet::ListTeamTasks => "task_list" Get "/teams/{teamName}/tasks" -> api::Listing<api::claude_fleet::TaskView>, Read on [Team("teamName")] paged {
                cli: Some("tasks <teamName>"),
                example: r#"{"teamName":"default","filter":"all","limit":50}"#,
            } tool "team_tasks" Agent =>> api::claude_fleet::TeamTasks {
                fields: "filter",
                description: Some("List the tasks of your team"),
                example: Some(r#"{"filter":"mine"}"#),
            };
            api::claude_fleet::CreateTask => "task_create" Post "/tasks" -> api::claude_fleet::TaskView, Work on [Team("teamName"), Link("blockedBy")] {
                effect: api::Effect::Create,
                actor_field: Some("fromUid"),
                example: r#"{"fromUid":"2c26b46b68ffc68ff99b453c","toHandle":"scout-1","teamName":"default","subject":"Find the slow query"}"#,
            };
            api::claude_fleet::GetTask => "task_get" Get "/tasks/{taskId}" -> api::claude_fleet::TaskView, Read on [Mission("taskId")] {
                cli: Some("task <taskId>"),
                example: r#"{"taskId":"m-x7k2m"}"#,
            };
            api::claude_fleet::UpdateTask => "task_update" Patch "/tasks/{taskId}" -> api::claude_fleet::TaskView, Work on [Mission("taskId")] {
                effect: api::Effect::Work,
                cli: Some("task-update <taskId> <status>"),
                example: r#"{"taskId":"m-x7k2m","status":"resolved"}"#,
            };

            api::claude_fleet::CreateWorkflow => "workflow_create" Post "/workflows" -> api::claude_fleet::WorkflowView, Lead on [Fleet] {
                effect: api::Effect::Create,
                status: 201,
                example: r#"{"name":"add-cart","description":"Adds a cart","definition":{"steps":[{"key":"make","type":"spawn","config":{"task":"Add a cart"}}]},"isTemplate":false}"#,
            };
            api::claude_fleet::ListWorkflows => "workflow_list" Get "/workflows" -> api::Listing<api::claude_fleet::WorkflowView>, Read on [Seen] paged {
                cli: Some("workflow list"),
                example: r#"{"isTemplate":false,"limit":20}"#,
            };
            api::claude_fleet::GetWorkflow => "workflow_get" Get "/workflows/{id}" -> api::claude_fleet::WorkflowView, Read on [Workflow("id")] {
                cli: Some("workflow show <id>"),
                example: r#"{"id":"f-x7k2m"}"#,
            };
            api::claude_fleet::UpdateWorkflow => "workflow_update" Patch "/workflows/{id}" -> api::claude_fleet::WorkflowView, Lead on [Workflow("id")] {
                example: r#"{"id":"f-x7k2m","description":"Adds a cart and reviews it"}"#,
            };
            api::claude_fleet::StartWorkflow => "workflow_start" Post "/workflows/{id}/start" -> api::claude_fleet::ExecutionView, Lead on [Workflow("id"), Into("project")] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("workflow start <id>"),
                example: r#"{"id":"f-x7k2m","inputs":{"task":"Add a cart"},"project":"p-x7k2m"}"#,
            };
            api::claude_fleet::ListExecutions => "execution_list" Get "/executions" -> api::Listing<api::claude_fleet::ExecutionView>, Read on [Seen] paged {
                cli: Some("workflow executions"),
                example: r#"{"status":"running","limit":20}"#,
            };
            api::claude_fleet::GetExecution => "execution_get" Get "/executions/{id}" -> api::claude_fleet::ExecutionView, Read on [Execution("id")] {
                cli: Some("workflow status <id>"),
                example: r#"{"id":"e-x7k2m"}"#,
            };
            api::claude_fleet::PauseExecution => "execution_pause" Post "/executions/{id}/pause" -> api::claude_fleet::Changed<types::ExecutionId>, Lead on [Execution("id")] {
                cli: Some("workflow pause <id>"),
                example: r#"{"id":"e-x7k2m"}"#,
            };
            api::claude_fleet::ResumeExecution => "execution_resume" Post "/executions/{id}/resume" -> api::claude_fleet::Changed<types::ExecutionId>, Lead on [Execution("id")] {
                cli: Some("workflow resume <id>"),
                example: r#"{"id":"e-x7k2m"}"#,
            };
            api::claude_fleet::CancelExecution => "execution_cancel" Post "/executions/{id}/cancel" -> api::claude_fleet::Changed<types::ExecutionId>, Lead on [Execution("id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("workflow cancel <id>"),
                example: r#"{"id":"e-x7k2m"}"#,
            };
            api::claude_fleet::ListExecutionSteps => "execution_steps" Get "/executions/{id}/steps" -> api::Listing<api::claude_fleet::StepView>, Read on [Execution("id")] {
                cli: Some("workflow steps <id>"),
                example: r#"{"id":"e-x7k2m"}"#,
            };
            api::claude_fleet::ListExecutionEvents => "execution_events" Get "/executions/{id}/events" -> api::Listing<api::claude_fleet::ExecutionEvent>, Read on [Execution("id")] {
                cli: Some("workflow events <id>"),
                example: r#"{"id":"e-x7k2m","limit":20}"#,
            };
            api::claude_fleet::RetryStep => "step_retry" Post "/steps/{id}/retry" -> api::claude_fleet::Changed<types::StepRef>, Lead on [Execution("id")] {
                cli: Some("workflow retry <id>"),
                example: r#"{"id":"e-x7k2m.make"}"#,
            };
            api::claude_fleet::CompleteStep => "step_complete" Post "/steps/{id}/complete" -> api::claude_fleet::Changed<types::StepRef>, Work on [Execution("id")] {
                cli: Some("workflow complete <id>"),
                example: r#"{"id":"e-x7k2m.decide","output":{"accepted":true}}"#,
            };
            api::claude_fleet::DeleteWorkflow => "workflow_delete" Delete "/workflows/{id}" -> api::claude_fleet::Changed<types::WorkflowId>, Lead on [Workflow("id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("workflow delete <id>"),
                example: r#"{"id":"f-x7k2m"}"#,
            };

            api::claude_fleet::SpawnWorker => "worker_spawn" Post "/orchestrate/spawn" -> api::claude_fleet::SpawnedWorker, Lead on [Team("teamName")] {
                effect: api::Effect::Create,
                cli: Some("spawn <handle> [initialPrompt]"),
                example: r#"{"handle":"scout-1","initialPrompt":"Find the slow query.","workingDir":"/srv/shop"}"#,
            } tool "team_spawn" Orchestrator {
                fields: "handle prompt=initialPrompt workingDir agent coder executor model",
                description: Some("Start a worker in your team\n\nIt works in a worktree of its own and stays until it is dismissed."),
            };
            api::claude_fleet::ListWorkers => "worker_list" Get "/orchestrate/workers" -> api::Listing<api::claude_fleet::WorkerView>, Read on [Seen] {
                cli: Some("workers"),
            } tool "team_workers" Agent => api::claude_fleet::TeamWorkers {};
            api::claude_fleet::SendToWorker => "worker_send" Post "/orchestrate/send/{handle}" -> api::claude_fleet::SentToWorker, Work on [Worker("handle")] {
                effect: api::Effect::Message,
                cli: Some("send <handle> <message>"),
                example: r#"{"handle":"scout-1","message":"Look at the index too."}"#,
            } tool "team_send" Agent {} tool "send_message" Agent {
                description: Some("Send a message to a worker of your team; the same as `team_send`"),
            };
            api::claude_fleet::GetWorkerOutput => "worker_output" Get "/orchestrate/output/{handle}" -> api::claude_fleet::WorkerOutput, Read on [Worker("handle")] {
                cli: Some("output <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::DismissWorker => "worker_dismiss" Post "/orchestrate/dismiss/{handle}" -> api::claude_fleet::WorkerDone, Lead on [Worker("handle")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("dismiss <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            } tool "team_dismiss" Orchestrator {};
            api::claude_fleet::RegisterWorker => "worker_register" Post "/orchestrate/workers/register" -> api::claude_fleet::SpawnedWorker, Lead on [Team("teamName")] {
                effect: api::Effect::Create,
                example: r#"{"handle":"scout-1","workingDir":"/srv/shop"}"#,
            };
            api::claude_fleet::ReportWorkerOutput => "worker_report" Post "/orchestrate/workers/{handle}/output" -> api::claude_fleet::ReportedOutput, Work on [Worker("handle")] {
                effect: api::Effect::Work,
                example: r#"{"handle":"scout-1","event":{"type":"assistant"},"events":[{"type":"result"}]}"#,
            };
            api::claude_fleet::GetWorktree => "worker_worktree_status" Get "/orchestrate/worktree/{handle}/status" -> api::claude_fleet::WorktreeView, Read on [Worker("handle")] {
                cli: Some("worktree-status <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            };
            api::claude_fleet::CommitWorktree => "worker_worktree_commit" Post "/orchestrate/worktree/{handle}/commit" -> api::claude_fleet::CommittedWorktree, Work on [Worker("handle")] {
                effect: api::Effect::Work,
                cli: Some("worktree-commit <handle> <message>"),
                example: r#"{"handle":"scout-1","message":"Add an index"}"#,
            } tool "worktree_commit" Agent {
                fields: "message handle",
            };
            api::claude_fleet::PushWorktree => "worker_worktree_push" Post "/orchestrate/worktree/{handle}/push" -> api::claude_fleet::WorkerDone, Merge on [Worker("handle")] {
                cli: Some("worktree-push <handle>"),
                example: r#"{"handle":"scout-1"}"#,
            } tool "worktree_push" Agent {};
            api::claude_fleet::OpenPullRequest => "worker_worktree_pr" Post "/orchestrate/worktree/{handle}/pr" -> api::claude_fleet::OpenedPullRequest, Merge on [Worker("handle")] {
                cli: Some("worktree-pr <handle> <title> <body>"),
                example: r#"{"handle":"scout-1","title":"Add an index","body":"The query is fast now.","base":"main"}"#,
            } tool "worktree_pr" Agent {
                fields: "title body base handle",
            };
            api::claude_fleet::CreatePolicy => "policy_create" Post "/policies" -> api::claude_fleet::PolicyView, Lead on [Team("teamName"), Project("projectId")] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("policy create <name> <decision>"),
                example: r#"{"name":"No force pushes","decision":"block","tool":"Bash","command":"regex:push .*--force","reason":"Ask a lead to rewrite history."}"#,
            };
            api::claude_fleet::ListPolicies => "policy_list" Get "/policies" -> api::Listing<api::claude_fleet::PolicyView>, Read on [Seen] paged {
                cli: Some("policy list"),
            };
            api::claude_fleet::ListViolations => "policy_violations" Get "/policies/violations" -> api::Listing<api::claude_fleet::ViolationView>, Lead on [Seen] paged {
                cli: Some("policy violations"),
                example: r#"{"sessionId":"s-x7k2m"}"#,
            };
            api::claude_fleet::GetPolicyStats => "policy_stats" Get "/policies/stats" -> api::claude_fleet::PolicyStats, Read on [Seen] {
                cli: Some("policy stats"),
            };
            api::claude_fleet::EvaluatePolicy => "policy_evaluate" Post "/policies/evaluate" -> api::claude_fleet::PolicyVerdict, Work on [Project("projectId")] {
                effect: api::Effect::Read,
                cli: Some("policy evaluate <tool>"),
                example: r#"{"tool":"Bash","command":"git push --force","preset":"implement"}"#,
            };
            api::claude_fleet::GetPolicy => "policy_get" Get "/policies/{id}" -> api::claude_fleet::PolicyView, Read on [Policy("id")] {
                cli: Some("policy show <id>"),
                example: r#"{"id":"g-x7k2m"}"#,
            };
            api::claude_fleet::UpdatePolicy => "policy_update" Patch "/policies/{id}" -> api::claude_fleet::PolicyView, Lead on [Policy("id")] {
                cli: Some("policy update <id>"),
                example: r#"{"id":"g-x7k2m","enabled":false}"#,
            };
            api::claude_fleet::DeletePolicy => "policy_delete" Delete "/policies/{id}" -> api::claude_fleet::PolicyDeleted, Lead on [Policy("id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("policy delete <id>"),
                example: r#"{"id":"g-x7k2m"}"#,
            };
            api::claude_fleet::CreateSession => "lineage_create" Post "/sessions" -> api::claude_fleet::SessionNode, Lead on [Team("teamName")] {
                effect: api::Effect::Create,
                example: r#"{"handle":"scout-1","prompt":"Find the slow query."}"#,
            };
            api::claude_fleet::GetSessionNode => "lineage_session" Get "/sessions/{id}" -> api::claude_fleet::SessionNode, Read on [Session("id")] {
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::ListWorkerSessions => "lineage_worker" Get "/sessions/worker/{handle}" -> api::Listing<api::claude_fleet::SessionNode>, Read on [Seen] paged {
                cli: Some("session worker <handle>"),
                example: r#"{"handle":"scout-1","limit":20}"#,
            };
            api::claude_fleet::TrimSession => "lineage_trim" Post "/sessions/{id}/trim" -> api::claude_fleet::SessionNode, Lead on [Session("id")] {
                effect: api::Effect::Create,
                cli: Some("session trim <id> [prompt]"),
                example: r#"{"id":"s-x7k2m","keepChars":8000}"#,
            };
            api::claude_fleet::ContinueSession => "lineage_continue" Post "/sessions/{id}/continue" -> api::claude_fleet::SessionNode, Lead on [Session("id")] {
                effect: api::Effect::Create,
                cli: Some("session continue <id> [prompt]"),
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::ForkSession => "lineage_fork" Post "/sessions/{id}/fork" -> api::claude_fleet::SessionNode, Lead on [Session("id")] {
                effect: api::Effect::Create,
                cli: Some("session fork <id> <prompt>"),
                example: r#"{"id":"s-x7k2m","prompt":"Try it the other way."}"#,
            };
            api::claude_fleet::GetLineage => "lineage" Get "/sessions/{id}/lineage" -> api::claude_fleet::LineageView, Read on [Session("id")] {
                cli: Some("session lineage <id>"),
                example: r#"{"id":"s-x7k2m"}"#,
            };
            api::claude_fleet::SearchSessions => "lineage_search" Post "/sessions/search" -> api::claude_fleet::FoundSessions, Read on [Seen] {
                cli: Some("session search <query>"),
                example: r#"{"query":"slow query","limit":5}"#,
            } tool "search_sessions" Agent {};
            api::claude_fleet::GetTeamStatus => "team_overview" -> api::claude_fleet::TeamStatus, Read on [Seen] {} tool "team_status" Agent {};
        }
    };
}
