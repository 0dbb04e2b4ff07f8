//! What an agent is told whose work could not land.

use types::{Landing, Obstacle};

/// Says what is in the way, with the evidence, and what to do about it.
pub(super) fn told(landing: &Landing, obstacle: &Obstacle) -> String {
    let target = landing.rules.target.as_deref().unwrap_or("HEAD");
    let what = match obstacle {
        Obstacle::Conflict { files } => format!(
            "Your branch conflicts with `{target}` in:\n\n{}\n\nMerge `{target}` into your branch, settle the conflicts \
             so that both sides' intent is kept, and commit.",
            files.iter().map(|file| format!("- {file}")).collect::<Vec<_>>().join("\n")
        ),
        Obstacle::Red { check } => format!(
            "This check {} on your branch merged with `{target}`:\n\n    {}\n\nThe end of its output:\n\n{}\n\nMerge \
             `{target}` into your branch, mend what is red, and commit.",
            check.outcome,
            check.command,
            check.output_tail.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
        ),
        Obstacle::Failed { why } => why.clone(),
    };
    format!("Your work could not land. {what} Do not push.")
}
