//! Budgets while agents spend: how far they are passed, who is stopped, who continues.

use fleet_schedule::{Budget, Scope, Spender, overdrawn, time_up_at};
use proptest::collection::vec;
use proptest::prelude::*;
use types::{Limits, Spent};

use crate::floors::{at, mission, project};

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Runs,
    Stopped,
}

/// Sessions that spend tokens and turns, under a budget of the fleet and one of a project.
#[derive(Debug)]
struct World {
    budgets: Vec<Budget>,
    sessions: Vec<Stands>,
}

/// The even ones belong to the project with a budget.
fn project_of(session: usize) -> usize {
    session % 2
}

impl World {
    fn new(sessions: usize, fleet: u64, own: u64) -> Self {
        let budget = |scope, ceiling| Budget { scope, ceiling, spent: Spent::default(), resets_at: Some(at(100)) };
        let tokens = Limits { tokens_max: Some(fleet), ..Limits::default() };
        let turns = Limits { turns_max: Some(u32::try_from(own).unwrap()), ..Limits::default() };
        let budgets = vec![budget(Scope::Fleet, tokens), budget(Scope::Project(project(0)), turns)];
        Self { budgets, sessions: vec![Stands::Runs; sessions] }
    }

    fn is_over(&self, session: usize) -> bool {
        let (mission, project) = (mission(session), project(project_of(session)));
        overdrawn(Spender { mission: Some(&mission), project: Some(&project) }, &self.budgets, at(0)).is_some()
    }

    /// A session takes a turn, and looks then; returns whether it could.
    fn turn(&mut self, session: usize, tokens: u64) -> bool {
        if self.sessions[session] == Stands::Stopped {
            return false;
        }
        let spent = Spent { tokens, turns: 1, ..Spent::default() };
        self.budgets[0].spent = self.budgets[0].spent.plus(spent);
        if project_of(session) == 0 {
            self.budgets[1].spent = self.budgets[1].spent.plus(spent);
        }
        if self.is_over(session) {
            self.sessions[session] = Stands::Stopped;
        }
        true
    }
}

proptest! {
    #[test]
    fn no_more_is_spent_than_may_be_and_one_turn_of_each_that_runs(
        (fleet, own, sessions) in (1..200u64, 1..12u64, 1..8usize),
        turns in vec((0..8usize, 1..20u64), 0..120),
    ) {
        let mut world = World::new(sessions, fleet, own);
        for (session, tokens) in turns {
            let session = session % sessions;
            let was_over = world.is_over(session);
            let taken = world.turn(session, tokens);
            // Who began under the ceiling may end over it, once; who is over it begins no other.
            prop_assert!(!(taken && was_over) || world.sessions[session] == Stands::Stopped);
            prop_assert_eq!(world.sessions[session] == Stands::Stopped, !taken || world.is_over(session));
        }
        let (sessions, longest) = (sessions as u64, 19);
        prop_assert!(world.budgets[0].spent.tokens < fleet + sessions * longest);
        prop_assert!(world.budgets[1].spent.turns < own + sessions);
    }

    #[test]
    fn nobody_is_stopped_under_a_ceiling_and_everybody_goes_on_at_the_reset(
        (spent, ceiling) in (0..50u64, 0..50u64), of_project in any::<bool>(),
    ) {
        let scope = if of_project { Scope::Project(project(0)) } else { Scope::Fleet };
        let ceiling_of = Limits { tokens_max: Some(ceiling), ..Limits::default() };
        let tokens = Spent { tokens: spent, ..Spent::default() };
        let budgets = [Budget { scope, ceiling: ceiling_of, spent: tokens, resets_at: Some(at(100)) }];
        let (mission, own, other) = (mission(0), project(0), project(1));
        let mine = Spender { mission: Some(&mission), project: Some(&own) };
        let foreign = Spender { mission: None, project: Some(&other) };
        prop_assert_eq!(overdrawn(mine, &budgets, at(0)).is_some(), spent >= ceiling);
        prop_assert_eq!(overdrawn(foreign, &budgets, at(0)).is_some(), !of_project && spent >= ceiling);
        let over = overdrawn(mine, &budgets, at(0));
        let wakes = over.as_ref().and_then(|over| over.resets_at);
        prop_assert_eq!(wakes, (spent >= ceiling && ceiling > 0).then(|| at(100)), "a ceiling of nothing is not opened");
        prop_assert_eq!(overdrawn(mine, &budgets, at(100)).is_some(), ceiling == 0);
    }

    #[test]
    fn time_is_up_when_all_together_have_run_so_long_and_not_before(
        (left, under, foreign) in (1..1000u64, 0..5usize, 0..3usize),
    ) {
        let ceiling = Limits { secs_max: Some(left + 7), ..Limits::default() };
        let spent = Spent { secs: 7, ..Spent::default() };
        let budgets = [Budget { scope: Scope::Project(project(0)), ceiling, spent, resets_at: None }];
        let (own, other) = (project(0), project(1));
        let mut running = vec![Spender { mission: None, project: Some(&own) }; under];
        running.extend(vec![Spender { mission: None, project: Some(&other) }; foreign]);
        match time_up_at(&running, &budgets, at(0)) {
            None => prop_assert_eq!(under, 0),
            Some(due) => {
                let secs = u64::try_from(due.as_second() - at(0).as_second()).unwrap();
                prop_assert!(secs * under as u64 >= left, "it is looked at too early for nothing");
                prop_assert!((secs - 1) * (under as u64) < left, "it is looked at too late");
            }
        }
    }
}
