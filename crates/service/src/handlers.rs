//! The handlers, by noun. Each is a few lines: read, decide through a pure crate, commit.

mod agents;
mod catalogue;
mod missions;
mod own;
mod project_removal;
mod projects;
mod stating;
mod status;
mod tasks;
mod tools;

/// Rows in a list for which no limit was asked.
const LIST_MAX: usize = 1000;

/// Returns how many rows a list may have.
fn limit(asked: Option<u32>) -> usize {
    asked.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIST_MAX).min(LIST_MAX)
}
