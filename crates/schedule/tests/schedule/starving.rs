//! No mission waits for ever: inputs over time, with more work coming in all the while.

use fleet_schedule::{Busy, Candidate, Fairness, Inputs, decide};
use proptest::collection::vec;
use proptest::prelude::*;
use types::{MissionId, Start};

use crate::floors::{any_candidate, any_floor, at, busy, candidate, mission, open_floor, project};

/// A minute of the tests' time.
const ROUND_SECS: i64 = 60;

const FAIRNESS: Fairness = Fairness { step_secs: 60, priority_max: 5, patience_secs: 300 };

/// Rounds until no newcomer goes before one that came first, whatever their priorities.
const OVERTAKEN_ROUNDS: usize = 10;

/// Rounds until a waiting mission has waited for too long.
const PATIENCE_ROUNDS: usize = 5;

/// A mission and for how many rounds it runs.
type Work = (Candidate, usize);

/// Inputs over time.
struct World {
    floor: Inputs,
    /// Until which round each agent runs, in the order of the inputs.
    ends: Vec<usize>,
    lasts: Vec<(MissionId, usize)>,
    round: usize,
}

impl World {
    fn new(floor: Inputs) -> Self {
        Self { floor, ends: Vec::new(), lasts: Vec::new(), round: 0 }
    }

    fn arrive(&mut self, (work, rounds): Work) {
        let since = at(self.round as i64 * ROUND_SECS);
        self.lasts.push((work.mission.clone(), rounds));
        self.floor.ready.push(Candidate { since, ..work });
    }

    /// Ends what ends, then starts what the plan says; returns that.
    fn step(&mut self) -> Vec<MissionId> {
        self.floor.now = at(self.round as i64 * ROUND_SECS);
        let running: Vec<(Busy, usize)> = self.floor.busy.drain(..).zip(self.ends.drain(..)).collect();
        for (agent, end) in running.into_iter().filter(|(_, end)| *end > self.round) {
            self.floor.busy.push(agent);
            self.ends.push(end);
        }
        let plan = decide(&self.floor);
        for id in &plan.start {
            let position = self.floor.ready.iter().position(|candidate| candidate.mission == *id).unwrap();
            self.floor.busy.push(busy(self.floor.ready.swap_remove(position)));
            let (_, rounds) = self.lasts.iter().find(|(mission, _)| mission == id).unwrap();
            self.ends.push(self.round + rounds);
        }
        self.round += 1;
        plan.start
    }
}

/// Work of any kind that could start if there were slots.
fn any_work() -> impl Strategy<Value = Work> {
    let free = |work| Candidate { start: Start::WhenReady, not_before: None, dependencies: Vec::new(), ..work };
    (any_candidate().prop_map(free), 1..4usize)
}

/// Inputs with at least one slot of each kind.
fn any_small_floor() -> impl Strategy<Value = Inputs> {
    any_floor().prop_map(|floor| {
        let mut open = open_floor(floor.slots.fleet.clamp(1, 4), Vec::new());
        open.slots.projects = floor.slots.projects.into_iter().map(|(id, most)| (id, most.clamp(1, 2))).collect();
        open.slots.agents = floor.slots.agents.into_iter().map(|(id, most)| (id, most.clamp(1, 2))).collect();
        Inputs { fairness: FAIRNESS, ..open }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whoever_may_start_at_all_starts_however_much_comes_in(
        floor in any_small_floor(),
        stream in vec(vec(any_work(), 0..3), 1..8),
        (told, rounds) in any_work(),
        comes in 0..10usize,
    ) {
        let mut world = World::new(floor);
        let told = Candidate { mission: mission(0), priority: i32::MIN, ..told };
        // Each mission before it waits at most for its project and then for its agent.
        let ahead = (comes + 1 + OVERTAKEN_ROUNDS) * 2;
        let patience = comes + OVERTAKEN_ROUNDS + 2 * PATIENCE_ROUNDS;
        let latest = patience + (ahead + 1) * 2 * 4;
        let mut number = 0;
        let started = (0..=latest).any(|round| {
            if round == comes {
                world.arrive((told.clone(), rounds));
            }
            for (work, rounds) in &stream[round % stream.len()] {
                number += 1;
                world.arrive((Candidate { mission: mission(number), ..work.clone() }, *rounds));
            }
            world.step().contains(&told.mission)
        });
        prop_assert!(started, "not within {} rounds", latest);
    }
}

/// A project's one slot becomes free in even rounds, an agent's one slot in odd ones, and there is always a mission to
/// take it. Returns whether the mission that needs both ever starts.
fn starts_between_two_streams(patience_secs: u32) -> bool {
    let mut floor = open_floor(9, Vec::new());
    floor.fairness = Fairness { patience_secs, ..FAIRNESS };
    floor.slots.projects.insert(project(0), 1);
    floor.slots.agents.insert("a0".to_owned(), 1);
    let mut world = World::new(floor);
    let on_project = |number| Candidate { project: Some(project(0)), agent: "a1".to_owned(), ..candidate(number) };
    let on_agent = |number| Candidate { project: Some(project(1)), ..candidate(number) };
    let both = Candidate { project: Some(project(0)), ..candidate(0) };
    (0..200).any(|round| {
        let number = round + 1;
        world.arrive((if round % 2 == 0 { on_project(number) } else { on_agent(number) }, 2));
        if round == 1 {
            world.arrive((both.clone(), 1));
        }
        world.step().contains(&both.mission)
    })
}

#[test]
fn a_mission_starts_although_its_project_and_its_agent_are_never_free_at_the_same_moment() {
    assert!(starts_between_two_streams(FAIRNESS.patience_secs));
    // This is what a kept slot is for.
    assert!(!starts_between_two_streams(u32::MAX));
}
