//! Workers and workflows: codefleet's tools, which have no paths.

/// Hands these rows to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! codefleet_rows {
    ([$($visit:tt)*] [$($arguments:tt)*]) => {
        $($visit)*! { [$($arguments)*] Refuse
            api::codefleet::CheckHealth => "worker_health" -> api::codefleet::HealthReport, Read on [Nothing] {
            } tool "healthcheck" Workers {};
            api::codefleet::GetExecutorGuide => "worker_guide" -> api::codefleet::ExecutorNotes, Read on [Nothing] {
            } tool "executor_guide" Workers {};
            api::codefleet::CreateWorker => "worker_create" -> api::codefleet::WorkerPayload, Work on [Mission("parent_worker_id")] {
                effect: api::Effect::Work,
                example: r#"{"repo_path":"/srv/shop","task_name":"add-cart","prompt":"Add a cart to the shop.","base_ref":"HEAD"}"#,
            } tool "create_worker" Workers {};
            api::codefleet::GetWorkerStatus => "worker_status" -> api::codefleet::WorkerPayload, Read on [Mission("worker_id")] {
                example: r#"{"worker_id":"m-x7k2m"}"#,
            } tool "get_worker_status" Workers {};
            api::codefleet::ListWorkers => "worker_payloads" -> api::codefleet::WorkerPayloads, Read on [Seen] {
                example: r#"{"statuses":["running","pending"],"limit":25}"#,
            } tool "list_workers" Workers {};
            api::codefleet::CollectWorkerResult => "worker_collect" -> api::codefleet::CollectedWorker, Read on [Mission("worker_id")] {
                example: r#"{"worker_id":"m-x7k2m","include_logs":false,"log_tail_lines":80}"#,
            } tool "collect_worker_result" Workers {};
            api::codefleet::CancelWorker => "worker_cancel" -> api::codefleet::WorkerPayload, Work on [Mission("worker_id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                example: r#"{"worker_id":"m-x7k2m"}"#,
            } tool "cancel_worker" Workers {};
            api::codefleet::CleanUpWorker => "worker_cleanup" -> api::codefleet::CleanedWorker, Work on [Mission("worker_id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                example: r#"{"worker_id":"m-x7k2m","remove_branch":true,"remove_worktree_dir":true}"#,
            } tool "cleanup_worker" Workers {};
            api::codefleet::CreateStagedWorkflow => "staged_create" -> api::codefleet::WorkflowPayload, Lead on [Fleet] {
                effect: api::Effect::Create,
                example: r#"{"name":"write-review","repo_path":"/srv/shop","task_prompt":"Add a cart","stages":[{"name":"write","executor":"codex","prompt_template":"{task_prompt}","worktree_strategy":"new","depends_on":[]}],"base_ref":"HEAD"}"#,
            } tool "create_workflow" Workers {};
            api::codefleet::GetWorkflowStatus => "staged_status" -> api::codefleet::WorkflowPayload, Read on [Execution("workflow_id")] {
                example: r#"{"workflow_id":"e-x7k2m"}"#,
            } tool "get_workflow_status" Workers {};
            api::codefleet::ListStagedWorkflows => "staged_list" -> api::codefleet::WorkflowPayloads, Read on [Seen] {
                example: r#"{"statuses":["running"],"limit":25}"#,
            } tool "list_workflows" Workers {};
            api::codefleet::CancelStagedWorkflow => "staged_cancel" -> api::codefleet::WorkflowPayload, Lead on [Execution("workflow_id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                example: r#"{"workflow_id":"e-x7k2m"}"#,
            } tool "cancel_workflow" Workers {};
            api::codefleet::CollectWorkflowResult => "staged_collect" -> api::codefleet::CollectedWorkflow, Read on [Execution("workflow_id")] {
                example: r#"{"workflow_id":"e-x7k2m","include_all_stages":true,"include_logs":false}"#,
            } tool "collect_workflow_result" Workers {};
            api::codefleet::CleanUpWorkflow => "staged_cleanup" -> api::codefleet::CleanedWorkflow, Lead on [Execution("workflow_id")] {
                effect: api::Effect::Remove,
                confirm: true,
                detached: true,
                example: r#"{"workflow_id":"e-x7k2m"}"#,
            } tool "cleanup_workflow" Workers {};
        }
    };
}
