//! The machine against model queues, in which the test knows what is red and what conflicts.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// What is wrong with a queue.
#[derive(Debug, Clone, Default)]
struct Model {
    count: usize,
    /// Candidates that are red by themselves.
    red: BTreeSet<usize>,
    /// Pairs that are red together.
    pairs: BTreeSet<(usize, usize)>,
    /// Pairs that cannot be merged.
    conflicts: BTreeSet<(usize, usize)>,
    /// Trials after which another process has moved the target, by their number.
    races: BTreeSet<usize>,
}

impl Model {
    fn is_red(&self, tree: &[usize]) -> bool {
        let holds = |candidate: &usize| tree.contains(candidate);
        self.red.iter().any(holds) || self.pairs.iter().any(|(a, b)| holds(a) && holds(b))
    }

    fn conflicts(&self, tree: &[usize], candidate: usize) -> bool {
        self.conflicts.iter().any(|(a, b)| *b == candidate && tree.contains(a) || *a == candidate && tree.contains(b))
    }

    /// What one after the other, each checked alone on what has landed, would give.
    fn one_by_one(&self) -> Vec<Verdict<(), ()>> {
        let mut landed: Vec<usize> = vec![];
        let verdict = |candidate| {
            let tree = [&landed[..], &[candidate]].concat();
            match () {
                () if self.conflicts(&landed, candidate) => Verdict::Out(()),
                () if self.is_red(&tree) => Verdict::Red(()),
                () => {
                    landed = tree;
                    Verdict::Landed
                }
            }
        };
        (0..self.count).map(verdict).collect()
    }
}

/// What came of a queue: verdicts by candidate, what landed in its order, the trees that were green, the runs.
#[derive(Debug, Default)]
struct Played {
    verdicts: Vec<Option<Verdict<Vec<usize>, ()>>>,
    landed: Vec<usize>,
    green: Vec<Vec<usize>>,
    runs: usize,
}

/// Drives the machine as the lander does.
fn play(model: &Model) -> Played {
    let mut machine = Bisect::<Vec<usize>, ()>::new(model.count);
    let mut played = Played { verdicts: vec![None; model.count], ..Played::default() };
    while let Some(trial) = machine.trial() {
        let mut tree = played.landed.clone();
        let stuck = trial.iter().position(|candidate| {
            let stuck = model.conflicts(&tree, *candidate);
            tree.push(*candidate);
            stuck
        });
        match stuck {
            Some(place) if model.conflicts(&played.landed, trial[place]) => machine.out(place, ()),
            Some(place) => machine.cut(place),
            None => {
                played.runs += 1;
                match model.is_red(&tree) {
                    _ if model.races.contains(&played.runs) => machine.moved(),
                    true => machine.red(tree),
                    false => {
                        machine.green();
                        played.green.push(tree.clone());
                        played.landed = tree;
                    }
                }
            }
        }
        while let Some((candidate, verdict)) = machine.settled() {
            assert!(played.verdicts[candidate].replace(verdict).is_none(), "{candidate} was settled twice");
        }
    }
    while let Some((candidate, verdict)) = machine.settled() {
        assert!(played.verdicts[candidate].replace(verdict).is_none(), "{candidate} was settled twice");
    }
    played
}

fn models(conflicts: usize, races: usize) -> impl Strategy<Value = Model> {
    (1usize..40).prop_flat_map(move |count| {
        let pair = move || (0..count, 0..count).prop_map(|(a, b)| (a.min(b), a.max(b)));
        let pairs = move |most| {
            let set = prop::collection::btree_set(pair(), 0..=most);
            set.prop_map(|set: BTreeSet<(usize, usize)>| set.into_iter().filter(|(a, b)| a != b).collect())
        };
        let red = prop::collection::btree_set(0..count, 0..=count.min(6));
        let races = prop::collection::btree_set(1usize..20, 0..=races);
        (red, pairs(3), pairs(conflicts), races).prop_map(move |(red, pairs, conflicts, races)| Model {
            count,
            red,
            pairs,
            conflicts,
            races,
        })
    })
}

proptest! {
    #[test]
    fn every_candidate_gets_the_verdict_it_would_get_alone_in_its_turn(model in models(4, 3)) {
        let played = play(&model);
        for (candidate, expected) in model.one_by_one().into_iter().enumerate() {
            let given = match played.verdicts[candidate].clone() {
                Some(Verdict::Landed) => Some(Verdict::Landed),
                Some(Verdict::Red(_)) => Some(Verdict::Red(())),
                Some(Verdict::Out(())) => Some(Verdict::Out(())),
                None => None,
            };
            prop_assert_eq!(given, Some(expected), "{}", candidate);
        }
    }

    #[test]
    fn nothing_lands_but_trees_that_were_green_and_the_order_is_the_queues(model in models(4, 3)) {
        let played = play(&model);
        prop_assert!(played.landed.is_sorted());
        prop_assert!(played.landed.is_empty() || played.green.last() == Some(&played.landed));
        prop_assert!(played.green.iter().all(|tree| !model.is_red(tree)));
        let landed = |candidate: &usize| played.verdicts[*candidate] == Some(Verdict::Landed);
        prop_assert_eq!((0..model.count).filter(landed).collect::<Vec<_>>(), played.landed.clone());
    }

    #[test]
    fn the_evidence_of_a_red_one_is_a_tree_that_holds_it_and_was_red(model in models(4, 3)) {
        let played = play(&model);
        for (candidate, verdict) in played.verdicts.iter().enumerate() {
            if let Some(Verdict::Red(tree)) = verdict {
                prop_assert!(tree.contains(&candidate) && model.is_red(tree));
                // It is to blame: without it, what landed of that tree was green.
                let others: Vec<usize> = tree.iter().copied().filter(|other| other != &candidate).collect();
                prop_assert!(others.iter().all(|other| played.landed.contains(other)), "{:?}", tree);
            }
        }
    }

    #[test]
    fn the_number_of_runs_grows_with_the_red_ones_and_only_slowly_with_the_queue(model in models(0, 0)) {
        let played = play(&model);
        let red = played.verdicts.iter().filter(|verdict| matches!(verdict, Some(Verdict::Red(_)))).count();
        let halvings = model.count.next_power_of_two().ilog2() as usize;
        let bound = (1 + 2 * red * halvings.max(1)).min(2 * model.count);
        prop_assert!(played.runs <= bound, "{} runs, {} red of {}", played.runs, red, model.count);
    }
}

#[test]
fn a_green_queue_takes_one_run_and_a_single_candidate_is_the_plain_case() {
    assert_eq!(play(&Model { count: 50, ..Model::default() }).runs, 1);
    assert_eq!(play(&Model { count: 0, ..Model::default() }).runs, 0);
    let alone = play(&Model { count: 1, red: [0].into(), ..Model::default() });
    assert_eq!((alone.runs, alone.verdicts), (1, vec![Some(Verdict::Red(vec![0]))]));
}

#[test]
fn of_a_pair_that_is_red_together_the_first_lands_and_the_second_is_red_without_another_run() {
    let played = play(&Model { count: 2, pairs: [(0, 1)].into(), ..Model::default() });
    assert_eq!(played.verdicts, [Some(Verdict::Landed), Some(Verdict::Red(vec![0, 1]))]);
    assert_eq!(played.runs, 2);
}

#[test]
fn what_is_stopped_is_told_to_all_that_are_left() {
    let mut machine = Bisect::<(), &str>::new(4);
    assert_eq!(machine.trial().unwrap().len(), 4);
    machine.red(());
    assert_eq!(machine.trial().unwrap(), [0, 1]);
    machine.green();
    assert_eq!(machine.trial().unwrap(), [2]);
    machine.stop(&"later");
    assert_eq!(machine.trial(), None);
    let told: Vec<_> = std::iter::from_fn(|| machine.settled()).collect();
    let landed = |candidate| (candidate, Verdict::Landed);
    assert_eq!(told[..2], [landed(0), landed(1)]);
    assert_eq!(told[2..], [(2, Verdict::Out("later")), (3, Verdict::Out("later"))]);
}
