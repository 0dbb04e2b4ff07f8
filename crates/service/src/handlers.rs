//! The handlers, by noun. Each is a few lines: read, decide through a pure crate, commit.

mod accounts;
mod agents;
mod approvals;
mod budgets;
mod catalogue;
mod choosing;
mod context;
mod dispatch;
mod following;
mod landing_edit;
mod landings;
mod lineage;
mod links;
mod mcp_servers;
mod messages;
mod mission_removal;
mod missions;
mod outlook;
mod own;
mod policies;
mod presets;
mod project_removal;
mod projects;
mod queueing;
mod recovery;
mod reports;
mod runners;
mod search;
mod server_config;
mod session_tools;
mod sessions;
mod spawning;
mod stating;
mod status;
mod sub_missions;
mod submitting;
mod tasks;
mod tools;
mod tried_calls;
mod violations;
mod walling;
mod widening;
mod worker_tools;
mod workers;
mod workspaces;
mod worktree;

pub(crate) use stating::refused as mission_refused;
use store::{Query, Record};

use crate::{Result, Service};

/// Rows in a list for which no limit was asked.
const LIST_MAX: usize = 1000;

/// Returns how many rows a list may have.
fn limit(asked: Option<u32>) -> usize {
    asked.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIST_MAX).min(LIST_MAX)
}

impl Service {
    /// Lists the first records that are wanted, as many as one list may have, however many others lie between.
    async fn first<R: Record>(&self, mut query: Query, wanted: impl Fn(&R) -> bool) -> Result<Vec<R>> {
        let mut found = Vec::new();
        loop {
            let page = self.store.list::<R>(query.clone()).await?;
            found.extend(page.records.into_iter().filter(&wanted));
            if found.len() >= LIST_MAX || page.next.is_none() {
                found.truncate(LIST_MAX);
                return Ok(found);
            }
            query.after = page.next;
        }
    }
}
