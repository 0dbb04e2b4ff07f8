//! Slots: how many are taken, and which are reserved.

use std::collections::{BTreeSet, HashMap};

use types::{MissionId, ProjectId};

use crate::{Busy, Candidate, Inputs, Place, Slot, Why};

/// The slots of the inputs while they are assigned.
#[derive(Debug)]
pub(crate) struct SlotTable<'a> {
    fleet: FreeSlots<'a>,
    node: FreeSlots<'a>,
    projects: HashMap<&'a ProjectId, FreeSlots<'a>>,
    agents: HashMap<&'a str, FreeSlots<'a>>,
    /// How many slots a project and a kind have that are not named; a room is opened for the first who comes.
    each: (Option<u32>, Option<u32>),
    lent: &'a BTreeSet<MissionId>,
}

/// The slots of one kind.
#[derive(Debug, Default)]
struct FreeSlots<'a> {
    most: u32,
    taken: u32,
    /// Who is kept one that it cannot yet use; only where one is free.
    kept: Option<&'a MissionId>,
    /// How many were told to wait for one.
    waiting: u32,
}

impl<'a> FreeSlots<'a> {
    fn of(most: u32) -> Self {
        Self { most, ..Self::default() }
    }

    fn is_full(&self) -> bool {
        self.taken.saturating_add(u32::from(self.kept.is_some())) >= self.most
    }

    fn take(&mut self) {
        self.taken = self.taken.saturating_add(1);
    }

    /// Counts one more who waits, and says for what.
    fn wait(&mut self, slot: Slot) -> Why {
        let ahead = self.waiting;
        self.waiting = self.waiting.saturating_add(1);
        match self.kept {
            Some(mission) => Why::Kept { slot, mission: mission.clone() },
            None => Why::Full { slot, most: self.most, ahead },
        }
    }
}

impl<'a> SlotTable<'a> {
    pub(crate) fn of(floor: &'a Inputs) -> Self {
        let slots = &floor.slots;
        let mut rooms = Self {
            fleet: FreeSlots::of(slots.fleet),
            node: FreeSlots::of(slots.node),
            projects: slots.projects.iter().map(|(project, most)| (project, FreeSlots::of(*most))).collect(),
            agents: slots.agents.iter().map(|(agent, most)| (&**agent, FreeSlots::of(*most))).collect(),
            each: (slots.each_project, slots.each_agent),
            lent: &floor.lent,
        };
        for Busy { project, agent, place } in &floor.busy {
            rooms.open(project.as_ref(), agent);
            rooms.take(project.as_ref(), agent, *place);
        }
        rooms
    }

    /// Returns whether no mission can start any more.
    pub(crate) fn are_full(&self) -> bool {
        self.lent.is_empty() && self.has_no_slot()
    }

    fn has_no_slot(&self) -> bool {
        self.node.is_full() || self.fleet.is_full()
    }

    /// Returns whether one of the limits of a mission is reached, and it needs no slot since one is lent to it.
    fn borrows(&self, candidate: &Candidate) -> bool {
        let project = candidate.project.as_ref().and_then(|project| self.projects.get(project));
        let own = [project, self.agents.get(&*candidate.agent)];
        let is_full = self.has_no_slot() || own.into_iter().flatten().any(FreeSlots::is_full);
        is_full && self.lent.contains(&candidate.mission)
    }

    /// Takes a slot of every kind for a mission.
    ///
    /// # Errors
    /// Says for which slot it has to wait. The narrowest is named: what frees a wider one alone does not help.
    pub(crate) fn enter(&mut self, candidate: &'a Candidate, overdue: bool) -> Result<(), Box<Why>> {
        self.open(candidate.project.as_ref(), &candidate.agent);
        if self.borrows(candidate) {
            return Ok(());
        }
        let agent = self.agents.get_mut(&*candidate.agent).filter(|room| room.is_full());
        let project = candidate.project.as_ref().and_then(|id| Some((id, self.projects.get_mut(id)?)));
        if let Some((id, room)) = project {
            if room.is_full() {
                return Err(Box::new(room.wait(Slot::Project(id.clone()))));
            }
            // Without this the two slots it needs might never be free at the same moment: whichever is, another
            // takes. One reserved for the first in its project is enough, since slots go to the first in the queue.
            if overdue && agent.as_ref().is_some_and(|room| room.most > 0) {
                room.kept.get_or_insert(&candidate.mission);
            }
        }
        if let Some(room) = agent {
            return Err(Box::new(room.wait(Slot::Agent(candidate.agent.clone()))));
        }
        for (room, slot) in [(&mut self.node, Slot::Node), (&mut self.fleet, Slot::Fleet)] {
            if room.is_full() {
                return Err(Box::new(room.wait(slot)));
            }
        }
        self.take(candidate.project.as_ref(), &candidate.agent, Place::Here);
        Ok(())
    }

    /// Opens the rooms of a project and a kind that have none yet and are to have one.
    fn open(&mut self, project: Option<&'a ProjectId>, agent: &'a str) {
        let (each_project, each_agent) = self.each;
        if let (Some(project), Some(most)) = (project, each_project) {
            self.projects.entry(project).or_insert_with(|| FreeSlots::of(most));
        }
        if let Some(most) = each_agent {
            self.agents.entry(agent).or_insert_with(|| FreeSlots::of(most));
        }
    }

    fn take(&mut self, project: Option<&ProjectId>, agent: &str, place: Place) {
        self.fleet.take();
        match place {
            Place::Here => self.node.take(),
            Place::Elsewhere => {}
        }
        let project = project.and_then(|project| self.projects.get_mut(project));
        for room in project.into_iter().chain(self.agents.get_mut(agent)) {
            room.take();
        }
    }
}
