//! What is promised of landings: nothing lands red, nothing that was taken out, nothing twice, and what is called landed
//! has.

use types::{CheckRun, Landing, LandingId, LandingState, LandingStateName, Mission, MissionState, StateName};

use super::{Auditor, Books};
use crate::field::{Checks, Commit};

impl Auditor {
    pub(super) fn landing(&self, before: Option<&Landing>, after: &Landing) {
        let (id, from, to) = (&after.id, before.map(|before| before.state.name()), after.state.name());
        self.trace.note(&format!("landing {id} of {}: {from:?} -> {to:?}", after.mission));
        if from == Some(LandingStateName::Landed) && from != Some(to) {
            self.trace.broken(&format!("landing {id} landed and is called {to:?}"));
        }
        let on_target = || self.field.tip(&after.session).is_some_and(|tip| self.field.has(tip));
        if to == LandingStateName::Landed && !on_target() {
            self.trace.broken(&format!("landing {id} is called landed and is not on the target branch"));
        }
        if to == LandingStateName::Landed && self.field.commits(&after.session) == 0 {
            self.trace.broken(&format!("landing {id} is called landed and its session made no commit"));
        }
    }

    /// No caller here asks agents to work on what is in the queue: they take back only what was sent back.
    pub(super) fn taken_back(&self, books: &Books, before: Option<&Mission>, after: &Mission) {
        let Some(MissionState::Landing { landing, .. }) = before.map(|before| &before.state) else { return };
        let state = books.landings.get(landing).map(|landing| landing.state.name());
        if after.state.name() == StateName::Held && state != Some(LandingStateName::Returned) {
            self.trace.broken(&format!("mission {} goes back to its agent and its landing is {state:?}", after.id));
        }
    }

    /// Takes in that the target branch moved with these.
    pub(crate) fn landed(&self, to: Commit, together: &[String]) {
        self.trace.note(&format!("the target branch moves to {to} with {together:?}"));
        if self.field.check(to) != Checks::Green {
            self.trace.broken(&format!("the target branch is red since {together:?}"));
        }
        let mut books = self.books();
        for id in together.iter().filter_map(|id| id.parse::<LandingId>().ok()) {
            let state = books.landings.get(&id).map(|landing| landing.state.name());
            if state != Some(LandingStateName::Cleared) {
                self.trace.broken(&format!("landing {id} lands though it is {state:?}"));
            }
            let moves = books.moves.entry(id.clone()).or_default();
            *moves += 1;
            if *moves > 1 {
                self.trace.broken(&format!("landing {id} landed twice"));
            }
        }
    }

    pub(super) fn rest_of_landings(&self, books: &Books) {
        for landing in books.landings.values() {
            let (id, state) = (&landing.id, landing.state.name());
            if books.is_under_way(landing) {
                self.trace.broken(&format!("landing {id} never ends: {:?}", landing.state));
            }
            if !books.moves.contains_key(id) {
                continue;
            }
            if let LandingState::Landed { checks, .. } = &landing.state {
                if checks.is_empty() || !checks.iter().all(CheckRun::is_green) {
                    self.trace.broken(&format!("landing {id} landed without evidence"));
                }
            } else {
                self.trace.broken(&format!("landing {id} is on the target branch and is called {state:?}"));
            }
        }
        for mission in books.missions.values() {
            let MissionState::Landing { landing, .. } = &mission.state else { continue };
            let state = books.landings.get(landing).map(|landing| landing.state.name());
            if state != Some(LandingStateName::Review) {
                self.trace.broken(&format!("mission {} lands for ever by {landing}, which is {state:?}", mission.id));
            }
        }
    }
}

impl Books {
    /// Returns whether a landing goes on by itself.
    pub(super) fn is_under_way(&self, landing: &Landing) -> bool {
        let on_its_way = || {
            let mission = self.missions.get(&landing.mission).map(|mission| &mission.state);
            matches!(mission, Some(MissionState::Landing { landing: way, .. }) if *way == landing.id)
        };
        match landing.state.name() {
            LandingStateName::Queued | LandingStateName::Waiting | LandingStateName::Cleared => true,
            LandingStateName::Returned => on_its_way(),
            LandingStateName::Review
            | LandingStateName::Stuck
            | LandingStateName::Landed
            | LandingStateName::Dropped => false,
        }
    }
}
