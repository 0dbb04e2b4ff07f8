//! The places that are taken, and who lends its own.
//!
//! An agent that asks after the missions it handed on waits for them. In a full fleet they would wait for its place,
//! and neither would ever continue. So one of them at a time may run beside the agent that waits for it, as if in the
//! same slot: it does not count until the lender is gone, and from then on it has the lender's slot.

use std::collections::{BTreeMap, BTreeSet};

use types::MissionId;

use crate::manager::SessionManager;
use crate::slots::Seat;

/// The places that are taken.
#[derive(Debug, Default)]
pub(crate) struct Places {
    taken: Vec<Place>,
    /// For which missions the agent of another waits.
    awaited: BTreeMap<MissionId, BTreeSet<MissionId>>,
}

#[derive(Debug)]
struct Place {
    seat: Seat,
    /// The mission whose agent lends it.
    lent_by: Option<MissionId>,
}

/// Who runs on a place that is lent, and who could.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loans {
    /// Missions whose agents run so.
    pub given: BTreeSet<MissionId>,
    /// Missions that may be started so.
    pub open: BTreeSet<MissionId>,
}

impl SessionManager {
    /// Notes for which missions the agent of another waits: one of them at a time may run on that one's place.
    pub fn lend(&self, lender: &MissionId, awaited: BTreeSet<MissionId>) {
        self.0.slots.lend(lender, awaited);
    }

    /// Returns who runs on a place that is lent, and who could.
    #[must_use]
    pub fn loans(&self) -> Loans {
        self.0.slots.loans()
    }
}

impl Places {
    /// Returns the sessions that count: with a slot of their own.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Seat> {
        self.taken.iter().filter(|place| place.lent_by.is_none()).map(|place| &place.seat)
    }

    /// Returns how many run, on whatever place.
    pub(crate) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Takes a place of its own.
    pub(crate) fn enter(&mut self, seat: Seat) {
        self.taken.push(Place { seat, lent_by: None });
    }

    /// Takes a lent slot; returns whether there is one.
    pub(crate) fn borrow(&mut self, seat: &Seat) -> bool {
        let lender = seat.mission().and_then(|mission| self.lender(mission)).cloned();
        let found = lender.is_some();
        if found {
            self.taken.push(Place { seat: seat.clone(), lent_by: lender });
        }
        found
    }

    /// Releases a slot; the session it was lent to takes it over.
    pub(crate) fn leave(&mut self, seat: &Seat) {
        let Some(at) = self.taken.iter().position(|place| place.seat == *seat) else { return };
        let left = self.taken.swap_remove(at);
        let Some(mission) = seat.mission() else { return };
        self.awaited.remove(mission);
        for place in self.taken.iter_mut().filter(|place| place.lent_by.as_ref() == Some(mission)) {
            place.lent_by.clone_from(&left.lent_by);
        }
    }

    /// Notes which missions a session with a slot waits for; sessions without a slot have none to lend.
    pub(crate) fn lend(&mut self, lender: &MissionId, awaited: BTreeSet<MissionId>) {
        if !awaited.is_empty() && self.taken.iter().any(|place| place.seat.mission() == Some(lender)) {
            self.awaited.insert(lender.clone(), awaited);
        } else {
            self.awaited.remove(lender);
        }
    }

    pub(crate) fn loans(&self) -> Loans {
        let lent = self.taken.iter().filter(|place| place.lent_by.is_some());
        let open = self.awaited.iter().filter(|(lender, _)| self.is_free(lender));
        Loans {
            given: lent.filter_map(|place| place.seat.mission().cloned()).collect(),
            open: open.flat_map(|(_, awaited)| awaited).cloned().collect(),
        }
    }

    /// Finds a session that waits for a mission and does not lend its slot yet.
    fn lender(&self, mission: &MissionId) -> Option<&MissionId> {
        let waits =
            |(lender, awaited): &(&MissionId, &BTreeSet<MissionId>)| awaited.contains(mission) && self.is_free(lender);
        self.awaited.iter().find(waits).map(|(lender, _)| lender)
    }

    fn is_free(&self, lender: &MissionId) -> bool {
        self.taken.iter().all(|place| place.lent_by.as_ref() != Some(lender))
    }
}
