//! Circles are found wherever they are closed, and nothing else is taken for one.

use proptest::prelude::*;

use super::*;
use crate::samples::id;

/// Which mission waits for which, by number.
type Graph = Vec<Vec<MissionId>>;

fn check(graph: &Graph, mission: usize, depends_on: &[MissionId]) -> Result<(), Cycle> {
    let known = |asked: &MissionId| (0..graph.len()).find(|number| id(*number) == *asked).map(|at| &graph[at][..]);
    cycle(&id(mission), depends_on, known)
}

/// A graph in which a mission waits only for earlier ones.
fn acyclic() -> impl Strategy<Value = Graph> {
    prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..40).prop_map(|rows| {
        let earlier = |(at, row): (usize, Vec<prop::sample::Index>)| {
            row.into_iter().filter(|_| at > 0).map(|index| id(index.index(at))).collect()
        };
        rows.into_iter().enumerate().map(earlier).collect()
    })
}

/// Everything a mission waits for, directly or through others, and the mission itself.
fn waits_for(graph: &Graph, mission: usize) -> Vec<usize> {
    let mut reached = vec![mission];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        let missing = (0..graph.len()).filter(|other| graph[at].contains(&id(*other)) && !reached.contains(other));
        let missing: Vec<_> = missing.collect();
        reached.extend(missing);
        next += 1;
    }
    reached
}

#[test]
fn a_mission_cannot_wait_for_itself() {
    assert_eq!(check(&vec![vec![]], 0, &[id(0)]), Err(Cycle { mission: id(0) }));
}

#[test]
fn a_mission_that_is_not_known_waits_for_nothing() {
    assert_eq!(check(&vec![vec![]], 0, &[id(77)]), Ok(()));
}

#[test]
fn a_long_chain_is_followed_to_its_end() {
    let chain: Graph = (0..500).map(|at: usize| at.checked_sub(1).map(id).into_iter().collect()).collect();
    assert_eq!(check(&chain, 0, &[id(499)]), Err(Cycle { mission: id(0) }));
    assert_eq!(check(&chain, 500, &[id(499)]), Ok(()));
}

#[test]
fn a_circle_among_others_does_not_hold_up_the_walk() {
    let circle = vec![vec![id(1)], vec![id(0)], vec![]];
    assert_eq!(check(&circle, 2, &[id(0)]), Ok(()));
}

proptest! {
    #[test]
    fn a_graph_without_a_circle_is_accepted_row_by_row(graph in acyclic()) {
        for (mission, depends_on) in graph.iter().enumerate() {
            prop_assert_eq!(check(&graph, mission, depends_on), Ok(()));
        }
    }

    #[test]
    fn a_new_edge_is_refused_exactly_when_it_closes_a_circle(
        graph in acyclic(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let (from, to) = (from.index(graph.len()), to.index(graph.len()));
        let mut depends_on = graph[from].clone();
        depends_on.push(id(to));
        let closes = waits_for(&graph, to).contains(&from);
        let refused = Err(Cycle { mission: id(from) });
        prop_assert_eq!(check(&graph, from, &depends_on), if closes { refused } else { Ok(()) });
    }
}
