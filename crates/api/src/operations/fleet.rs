//! Fleet's own operations.

/// Puts these rows behind those before them, and hands all of them to the one who visits them.
#[doc(hidden)]
#[macro_export]
macro_rules! fleet_rows {
    ($visit:ident [$($rows:tt)*]) => {
        $visit! {
            $($rows)*
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
