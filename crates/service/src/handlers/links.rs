//! What a mission may wait for and be made for: missions that exist, and never itself, however many others lie between.

use std::collections::HashMap;

use api::{Code, Error};
use missions::Edit;
use store::Transaction;
use tokens::Member;
use tokio::sync::MutexGuard;
use types::{Mission, MissionId};

use super::mission_commands::existing;
use crate::{Result, Service};

/// Missions looked at when a link is changed; far more than any sensible chain has.
const CHAIN_MAX: usize = 10_000;

impl Service {
    /// Waits for the turn of an edit that ties missions to each other; others need none.
    ///
    /// Links that are harmless one by one may close a circle together, and a commit has no room to check every mission
    /// on the way round. One process has the database, so it is enough that its calls take turns.
    pub(super) async fn turn(&self, edit: &Edit) -> Option<MutexGuard<'_, ()>> {
        let ties = edit.depends_on.is_some() || edit.parent.is_some();
        if ties { Some(self.linking.lock().await) } else { None }
    }

    /// Checks the links that an edit would give a mission.
    ///
    /// One that the mission has already was checked when it was made, and may be gone since: a row that was read can be
    /// sent back.
    pub(super) async fn links(&self, tx: &Transaction, member: &Member, mission: &Mission, edit: &Edit) -> Result<()> {
        let dependencies = edit.depends_on.iter().flatten().filter(|other| !mission.depends_on.contains(other));
        let parent = edit.parent.iter().filter(|other| mission.parent.as_ref() != Some(other));
        for other in dependencies.chain(parent.clone()) {
            existing(tx, member, other).await?;
        }
        if let Some(depends_on) = &edit.depends_on {
            self.no_circle(&mission.id, depends_on, |mission| mission.depends_on).await?;
        }
        for parent in parent {
            self.no_circle(&mission.id, std::slice::from_ref(parent), |mission| Vec::from_iter(mission.parent)).await?;
        }
        Ok(())
    }

    /// Reads along the new links and refuses a circle.
    async fn no_circle(
        &self,
        mission: &MissionId,
        links: &[MissionId],
        follow: impl Fn(Mission) -> Vec<MissionId>,
    ) -> Result<()> {
        let mut known: HashMap<MissionId, Vec<MissionId>> = HashMap::new();
        let mut open: Vec<MissionId> = links.to_vec();
        while let Some(next) = open.pop() {
            if known.len() < CHAIN_MAX && !known.contains_key(&next) {
                let found = self.store.get::<Mission>(&next).await?.map(&follow).unwrap_or_default();
                open.extend(found.iter().cloned());
                known.insert(next, found);
            }
        }
        missions::cycle(mission, links, |id| known.get(id).map(Vec::as_slice)).map_err(|cycle| {
            Error::new(Code::DEPENDENCY_CYCLE, cycle.to_string()).hint("Leave out one of the links.").into()
        })
    }
}
