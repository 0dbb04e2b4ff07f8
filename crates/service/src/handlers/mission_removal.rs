//! Removing a mission together with its reports.
//!
//! One commit takes all of it wherever it has room, which is nearly always. A mission with more reports loses the oldest
//! first, some in each commit, and goes with the last of them: cut off half-way it is still there with its newest
//! reports, and the same call continues where it stopped.

use api::devfleet::{DeleteMission, Deleted};
use store::{Query, Record as _, Transaction, by};
use tokens::Member;
use types::{Event, Mission, MissionId, Report};

use super::mission_commands::{held_mission, not_held};
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

/// Rows that one commit may write, with some to spare for what the store adds.
const ROWS_MAX: usize = 90;

/// Most rows of a report: itself, and a place in each of its lists.
const REPORT_ROWS: usize = 6;

/// Reports that are looked at in one go.
const AT_ONCE: usize = ROWS_MAX / REPORT_ROWS;

/// What a commit took away.
enum Took {
    /// Reports alone; there are more.
    Reports,
    /// The mission, and the last of its reports.
    Everything,
}

impl Handle<DeleteMission> for Service {
    async fn handle(&self, caller: &Caller, op: DeleteMission) -> Result<Deleted> {
        self.delete_mission(caller.member()?, &op.mission).await?;
        Ok(Deleted::OK)
    }
}

impl Service {
    pub(super) async fn delete_mission(&self, member: &Member, id: &MissionId) -> Result<()> {
        let by = self.stamp(member, &self.mission(member, id, NOUN).await?.team);
        loop {
            let took = self.store.transact(&by, |tx| async move { self.take_away(&tx, member, id).await });
            match took.await? {
                Took::Reports => {}
                Took::Everything => break,
            }
        }
        // The mission is gone, whether or not its events can be removed.
        loop {
            match self.store.remove_events(id).await {
                Ok(removed) if removed.more => {}
                Ok(_) => return Ok(()),
                Err(error) => {
                    tracing::warn!(mission = %id, %error, "events of a deleted mission are left");
                    return Ok(());
                }
            }
        }
    }

    async fn take_away(&self, tx: &Transaction, member: &Member, id: &MissionId) -> Result<Took> {
        let held = held_mission(tx, member, id, NOUN).await?;
        not_held(&held.record)?;
        // Read behind the mission: a report comes with a change of it, which this commit would not survive.
        let page = self.store.list::<Report>(Query::earliest(by::report::mission(id), AT_ONCE)).await?;
        let fits = rows(&held.record) + page.records.len() * REPORT_ROWS <= ROWS_MAX;
        for report in &page.records {
            if let Some(report) = tx.get::<Report>(&report.id).await? {
                tx.delete(&report);
            }
        }
        if page.next.is_some() || !fits {
            return Ok(Took::Reports);
        }
        tx.delete(&held);
        tx.append(Event::MissionDeleted { mission: id.clone() });
        Ok(Took::Everything)
    }
}

/// Counts the rows of a mission.
fn rows(mission: &Mission) -> usize {
    mission.indexes().len() + 1
}
