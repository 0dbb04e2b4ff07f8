//! Fleet's own operations.

/// Hands these rows to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! fleet_rows {
    ([$($visit:tt)*] [$($arguments:tt)*]) => {
        $($visit)*! { [$($arguments)*] Refuse
            api::fleet::CreateLoginLink => "login_link_create" Post "/login-links" -> api::fleet::LoginLink, Owner on [Fleet] {
                effect: api::Effect::Create,
            };
            api::fleet::ListWorkspaces => "workspace_list" Get "/workspaces" -> api::Listing<api::fleet::WorkspaceView>, Lead on [Seen] {
                cli: Some("workspace list"),
            };
            api::fleet::ListSnapshots => "workspace_snapshots" Get "/workspaces/snapshots" -> api::Listing<api::fleet::SnapshotView>, Lead on [Seen] {
                cli: Some("workspace snapshots <folder>"),
                example: r#"{"folder":"/srv/shop"}"#,
            };
            api::fleet::RestoreWorkspace => "workspace_restore" Post "/workspaces/restore" -> api::fleet::Restored, Lead on [Seen] {
                cli: Some("workspace restore <folder> <snapshot>"),
                example: r#"{"folder":"/srv/shop","snapshot":"s-x7k2m"}"#,
            };
            api::fleet::RemoveWorkspace => "workspace_remove" Delete "/workspaces/{session}" -> api::fleet::RemovedWorkspace, Lead on [Session("session")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("workspace remove <session>"),
                example: r#"{"session":"s-x7k2m"}"#,
            };
            api::fleet::PruneWorkspaces => "workspace_prune" Post "/workspaces/prune" -> api::fleet::Pruned, Lead on [Seen] {
                cli: Some("workspace prune"),
                example: r#"{"free_mb":20000,"apply":false}"#,
            };
            api::fleet::ShowRetention => "retention_show" Get "/retention" -> api::Listing<api::fleet::RetentionRow>, Lead on [Fleet] {
                cli: Some("retention show"),
            };
            api::fleet::RunRetention => "retention_run" Post "/retention/run" -> api::Listing<api::fleet::RetentionRow>, Lead on [Fleet] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("retention run"),
            };
            api::fleet::ListParkedAccounts => "account_list" Get "/accounts/parked" -> api::Listing<api::fleet::ParkedAccountView>, Read on [Fleet] {
                cli: Some("account list"),
            };
            api::fleet::ListApprovals => "approval_list" Get "/approvals" -> api::Listing<api::fleet::ApprovalView>, Read on [Seen] paged {
                cli: Some("approval list"),
                example: r#"{"status":"waiting","mission_id":"m-x7k2m"}"#,
            } tool "list_approvals" Orchestrator => api::fleet::ApprovalSummaries {
                fields: "status mission_id session_id limit",
            };
            api::fleet::GetApproval => "approval_get" Get "/approvals/{approval}" -> api::fleet::ApprovalView, Read on [Approval("approval")] {
                cli: Some("approval show <approval>"),
                example: r#"{"approval":"a-x7k2m"}"#,
            };
            api::fleet::AllowApproval => "approval_allow" Post "/approvals/{approval}/allow" -> api::fleet::ApprovalView, Lead on [Approval("approval")] {
                cli: Some("approval allow <approval>"),
                example: r#"{"approval":"a-x7k2m"}"#,
            } tool "allow_approval" Orchestrator {
                fields: "approval_id=approval",
            };
            api::fleet::DenyApproval => "approval_deny" Post "/approvals/{approval}/deny" -> api::fleet::ApprovalView, Lead on [Approval("approval")] {
                cli: Some("approval deny <approval> [why]"),
                example: r#"{"approval":"a-x7k2m","why":"Not before the release."}"#,
            } tool "deny_approval" Orchestrator {
                fields: "approval_id=approval why",
            };
            api::fleet::AskHuman => "question_ask" Post "/questions" -> api::fleet::AskedQuestion, Work on [Session("session_id")] {
                effect: api::Effect::Work,
                example: r#"{"question":"Which port does the server listen on?","choices":["80","8080"]}"#,
            } tool "ask_human" Agent {
                fields: "question choices free_text",
            };
            api::fleet::ListQuestions => "question_list" Get "/questions" -> api::Listing<api::fleet::QuestionView>, Read on [Seen] paged {
                cli: Some("question list"),
                example: r#"{"status":"waiting","mission_id":"m-x7k2m"}"#,
            };
            api::fleet::GetQuestion => "question_get" Get "/questions/{question}" -> api::fleet::QuestionView, Read on [Question("question")] {
                cli: Some("question show <question>"),
                example: r#"{"question":"q-x7k2m"}"#,
            };
            api::fleet::AnswerQuestion => "question_answer" Post "/questions/{question}/answer" -> api::fleet::QuestionView, Lead on [Question("question")] {
                cli: Some("answer <question> <answer>"),
                example: r#"{"question":"q-x7k2m","answer":"8080"}"#,
            };
            api::fleet::WithdrawQuestion => "question_withdraw" Post "/questions/{question}/withdraw" -> api::fleet::QuestionView, Lead on [Question("question")] {
                cli: Some("question withdraw <question> [why]"),
                example: r#"{"question":"q-x7k2m","why":"The port does not matter."}"#,
            };
            api::fleet::ListInbox => "inbox_list" Get "/inbox" -> api::Listing<api::fleet::InboxItem>, Read on [Seen] paged {
                cli: Some("inbox"),
                example: r#"{"limit":20}"#,
            } tool "inbox" Orchestrator => api::fleet::Inbox {};
            api::fleet::RunWorkflow => "execution_create" Post "/executions" -> api::claude_fleet::ExecutionView, Lead on [Fleet, Into("project")] {
                effect: api::Effect::Create,
                status: 201,
                example: r#"{"name":"add-cart","definition":{"steps":[{"key":"make","type":"spawn","config":{"task":"Add a cart"}}]},"inputs":{},"project":"p-x7k2m"}"#,
            };
            api::fleet::ShowCaller => "me" Get "/me" -> api::fleet::CallerInfo, Read on [Nothing] {
                cli: Some("whoami"),
            } tool "whoami" Agent {};
            api::fleet::ListBudgets => "budget_list" Get "/budgets" -> api::Listing<api::fleet::BudgetView>, Read on [Fleet] {
                cli: Some("budget"),
            };
            api::fleet::ListAgents => "agent_list" Get "/agents" -> api::Listing<api::fleet::AgentRow>, Read on [Fleet] {
                cli: Some("agent list"),
            };
            api::fleet::TestAgent => "agent_test" Post "/agents/{agent}/test" -> api::fleet::TestedAgent, Lead on [Fleet] {
                cli: Some("agent test <agent>"),
                example: r#"{"agent":"claude"}"#,
            };
            api::fleet::UnparkAccount => "account_unpark" Post "/accounts/{account}/unpark" -> api::fleet::Unparked, Lead on [Fleet] {
                cli: Some("account unpark <account>"),
                example: r#"{"account":"claude"}"#,
            };
            api::fleet::ResolveId => "id_resolve" Get "/ids/{prefix}" -> api::fleet::Resolved, Read on [Seen] {
                cli: Some("find <prefix>"),
                example: r#"{"prefix":"m-x7"}"#,
            };
            api::Create<types::SavedView> => "view_create" Post "/views" -> types::TeamRecord<types::SavedView>, Lead on [Fleet] {
                effect: api::Effect::Create,
                status: 201,
                cli: Some("view create <name> <page>"),
                example: r#"{"name":"Stuck in shop","page":"landings","query":"status=stuck&project=shop"}"#,
            };
            api::List<types::SavedView> => "view_list" Get "/views" -> api::Listing<types::TeamRecord<types::SavedView>>, Read on [Seen] paged {
                cli: Some("view list"),
            };
            api::Get<types::SavedView> => "view_get" Get "/views/{id}" -> types::TeamRecord<types::SavedView>, Read on [Record("id")] {
                cli: Some("view show <id>"),
                example: r#"{"id":"w-x7k2m"}"#,
            };
            api::Update<types::SavedView> => "view_update" Patch "/views/{id}" -> types::TeamRecord<types::SavedView>, Lead on [Record("id")] {
                cli: Some("view update <id>"),
                example: r#"{"id":"w-x7k2m","query":"status=stuck"}"#,
            };
            api::Delete<types::SavedView> => "view_delete" Delete "/views/{id}" -> types::TeamRecord<types::SavedView>, Lead on [Record("id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                cli: Some("view delete <id>"),
                example: r#"{"id":"w-x7k2m"}"#,
            };
        }
    };
}
