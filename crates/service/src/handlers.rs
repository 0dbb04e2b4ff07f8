//! The handlers, by noun. Each is a few lines: read, decide through a pure crate, commit.

mod accounts;
mod agent_choice;
mod agents;
mod approvals;
mod budgets;
mod caller_view;
mod catalogue;
mod context;
mod diffs;
mod dispatch;
mod dispatch_queue;
mod executions;
mod inbox;
mod landings;
mod lineage;
mod links;
mod login_links;
mod mcp_servers;
mod me;
mod members;
mod messages;
mod mission_commands;
mod mission_removal;
mod missions;
pub(crate) mod not_found;
mod policies;
mod privilege_limits;
mod progress;
mod project_removal;
mod projects;
mod questions;
mod recovery;
mod report_submission;
mod reports;
mod repositories;
mod resolve;
mod retention;
mod sandbox_limits;
mod schedules;
mod search;
mod server_config;
mod sessions;
mod staged_workflows;
mod standing;
mod start_request;
mod status;
mod sub_mission_status;
mod sub_missions;
mod tasks;
pub(crate) mod team_records;
mod team_workspaces;
mod tried_calls;
mod trust;
mod violations;
mod worker_end;
mod worker_health;
mod worker_missions;
mod worker_payloads;
mod worker_start;
mod workers;
mod workflows;
mod workspaces;
mod worktree;

use api::Listing;
pub(crate) use mission_commands::refused as mission_refused;
use store::{Page, Query, Record};
use tokens::Member;

use crate::{Belongs, Result, Service};

/// Rows in a list for which no limit was asked.
const LIST_MAX: usize = 1000;

/// Returns how many rows a list may have.
fn limit(asked: Option<u32>) -> usize {
    asked.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIST_MAX).min(LIST_MAX)
}

/// Shows a page of records as the page of a listing.
fn listing<R, V>(page: Page<R>, view: impl FnMut(R) -> V) -> Listing<V> {
    Listing { items: page.records.into_iter().map(view).collect(), next: page.next }
}

impl Service {
    /// Reads a record that the member may see; every other is refused in the words of one that does not exist.
    async fn read_seen<R: Record + Belongs>(
        &self,
        member: &Member,
        id: &R::Id,
        not_found: impl FnOnce() -> api::Error,
    ) -> Result<R> {
        let who = self.viewer(member);
        let record = self.store.get::<R>(id).await?.filter(|record| who.sees(record));
        record.ok_or_else(|| not_found().into())
    }

    /// Lists one page of the records that the member may see and wants, however many others lie between.
    async fn page_of<R: Record + Belongs>(
        &self,
        member: &Member,
        query: Query,
        page: api::Page,
        wanted: impl Fn(&R) -> bool,
    ) -> Result<Page<R>> {
        let (who, query) = (self.viewer(member), Query { after: page.after, limit: limit(page.limit), ..query });
        self.filtered(query, |record| who.sees(record) && wanted(record)).await
    }

    /// Lists the first records that are wanted, as many as one list may have, however many others lie between.
    async fn first<R: Record>(&self, query: Query, wanted: impl Fn(&R) -> bool) -> Result<Vec<R>> {
        Ok(self.filtered(Query { limit: LIST_MAX, ..query }, wanted).await?.records)
    }

    /// Lists one page of the records that are wanted, however many others lie between.
    async fn filtered<R: Record>(&self, mut query: Query, wanted: impl Fn(&R) -> bool) -> Result<Page<R>> {
        let (limit, mut records) = (query.limit, Vec::new());
        loop {
            let mut page = self.store.list::<R>(query.clone()).await?;
            let mut fitting = page.records.iter().enumerate().filter(|(_, record)| wanted(record));
            // Where the page holds more than there is room for, it is read again up to there, to learn where that is.
            if let Some((end, _)) = fitting.nth(limit - records.len()) {
                page = self.store.list::<R>(Query { limit: end, ..query.clone() }).await?;
            }
            records.extend(page.records.into_iter().filter(&wanted));
            if page.next.is_none() || records.len() >= limit {
                return Ok(Page { records, next: page.next });
            }
            query.after = page.next;
        }
    }
}
