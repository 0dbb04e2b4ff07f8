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
        }
    };
}
