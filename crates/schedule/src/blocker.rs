//! What keeps a mission from starting however many slots are free.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use types::{MissionId, ParkedAccount, ProjectId, Start, Timestamp};

use crate::budget::{Overdrawn, Scope};
use crate::dependency::hardest;
use crate::{Candidate, Inputs, Parking, Why};

/// Something in a mission's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blocker {
    /// When it ends on its own; none if a person has to act or another mission has to end.
    pub(crate) until: Option<Timestamp>,
    /// What it is.
    pub(crate) why: Why,
}

/// The blockers among the inputs, arranged so that looking one mission up does not go through all of them.
#[derive(Debug)]
pub(crate) struct Blockers<'a> {
    now: Timestamp,
    /// The account that the whole fleet waits for.
    everybody: Option<&'a ParkedAccount>,
    accounts: HashMap<&'a str, &'a ParkedAccount>,
    fleet: Option<Overdrawn>,
    projects: HashMap<&'a ProjectId, Overdrawn>,
    missions: HashMap<&'a MissionId, Overdrawn>,
}

impl<'a> Blockers<'a> {
    pub(crate) fn of(floor: &'a Inputs) -> Self {
        let mut all = Self {
            now: floor.now,
            everybody: None,
            accounts: HashMap::new(),
            fleet: None,
            projects: HashMap::new(),
            missions: HashMap::new(),
        };
        for parked in floor.parked.iter().filter(|parked| parked.until.is_none_or(|until| until > floor.now)) {
            all.park(parked, floor.parking);
        }
        for budget in &floor.budgets {
            match (&budget.scope, budget.overdrawn(floor.now)) {
                (_, None) => {}
                (Scope::Fleet, Some(over)) => longer(&mut all.fleet, over),
                (Scope::Project(project), Some(over)) => longer_of(&mut all.projects, project, over),
                (Scope::Mission(mission), Some(over)) => longer_of(&mut all.missions, mission, over),
            }
        }
        all
    }

    fn park(&mut self, parked: &'a ParkedAccount, parking: Parking) {
        match parking {
            Parking::Off => {}
            Parking::Fleet => self.everybody = self.everybody.into_iter().chain([parked]).max_by_key(longest_parked),
            Parking::Account => {
                let held = self.accounts.entry(&parked.account).or_insert(parked);
                if longest_parked(&parked) > longest_parked(held) {
                    *held = parked;
                }
            }
        }
    }

    /// Returns what is longest in a mission's way: what does not go away by itself before what does.
    pub(crate) fn before(&self, candidate: &Candidate) -> Option<Blocker> {
        let by_hand = match candidate.start {
            Start::ByHand => Some(Blocker { until: None, why: Why::ByHand }),
            Start::WhenReady => None,
        };
        let dependency = hardest(&candidate.dependencies).map(|(dependency, more)| Blocker {
            until: None,
            why: Why::Dependency { dependency: dependency.clone(), more },
        });
        let found = [by_hand, dependency, self.account(candidate), self.budget(candidate), self.back_off(candidate)];
        // The first of equals, as they stand here.
        found.into_iter().flatten().min_by_key(|obstacle| Reverse(last(obstacle.until)))
    }

    fn account(&self, candidate: &Candidate) -> Option<Blocker> {
        let parked = self.everybody.or_else(|| self.accounts.get(&*candidate.account).copied())?;
        Some(Blocker { until: parked.until, why: Why::Account { parked: parked.clone() } })
    }

    fn budget(&self, candidate: &Candidate) -> Option<Blocker> {
        let project = candidate.project.as_ref().and_then(|project| self.projects.get(project));
        let own = candidate.budget.as_ref().and_then(|budget| budget.overdrawn(self.now));
        let over = [own.as_ref(), self.missions.get(&candidate.mission), project, self.fleet.as_ref()];
        let longest = over.into_iter().flatten().max_by_key(|over| over.lasts())?;
        Some(Blocker { until: longest.resets_at, why: longest.clone().into() })
    }

    fn back_off(&self, candidate: &Candidate) -> Option<Blocker> {
        let until = candidate.not_before.filter(|until| *until > self.now)?;
        Some(Blocker { until: Some(until), why: Why::BackOff { until } })
    }
}

/// Keeps the one that lasts longer.
fn longer(held: &mut Option<Overdrawn>, over: Overdrawn) {
    if held.as_ref().is_none_or(|held| over.lasts() > held.lasts()) {
        *held = Some(over);
    }
}

fn longer_of<'a, K: Hash + Eq>(held: &mut HashMap<&'a K, Overdrawn>, whose: &'a K, over: Overdrawn) {
    match held.entry(whose) {
        Entry::Occupied(mut held) if over.lasts() > held.get().lasts() => drop(held.insert(over)),
        Entry::Occupied(_) => {}
        Entry::Vacant(place) => drop(place.insert(over)),
    }
}

/// Greater lasts longer; the rest settles who is named among equals, whatever the order they are listed in.
fn longest_parked<'a>(parked: &&'a ParkedAccount) -> (Timestamp, Reverse<Timestamp>, &'a str, &'a str, &'static str) {
    (last(parked.until), Reverse(parked.since), &parked.account, &parked.text, parked.class.as_str())
}

/// What has no end ends last.
fn last(until: Option<Timestamp>) -> Timestamp {
    until.unwrap_or(Timestamp::MAX)
}
