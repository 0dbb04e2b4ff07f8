//! The order that the queue keeps is the one that sorting would give, whatever changes.

use proptest::prelude::*;
use types::{Handle, ID_ALPHABET, Proof, TeamName};

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

fn id(number: usize) -> MissionId {
    let letter = ID_ALPHABET.chars().nth(number).unwrap();
    MissionId::from_code(&letter.to_string().repeat(5)).unwrap()
}

/// Something that happens to the line.
#[derive(Debug, Clone)]
enum Step {
    Put { number: usize, since: i64, priority: i32, start: Start, on: Vec<usize> },
    Leave(usize),
    Stands { number: usize, done: bool },
    Weigh(u32),
}

fn any_step() -> impl Strategy<Value = Step> {
    let number = || 0..8usize;
    let start = prop_oneof![4 => Just(Start::WhenReady), 1 => Just(Start::ByHand)];
    let put = (number(), 0..100i64, -3..3i32, start, prop::collection::vec(number(), 0..3))
        .prop_map(|(number, since, priority, start, on)| Step::Put { number, since, priority, start, on });
    prop_oneof![
        5 => put,
        1 => number().prop_map(Step::Leave),
        4 => (number(), any::<bool>()).prop_map(|(number, done)| Step::Stands { number, done }),
        1 => (1..900u32).prop_map(Step::Weigh),
    ]
}

fn mission(number: usize, since: i64, priority: i32, start: Start) -> Mission {
    let mut said = missions::Statement::new(TeamName::default_team(), "A cart".to_owned(), "Add it.".to_owned());
    (said.start, said.priority) = (start, priority);
    let made = missions::create(id(number), said, Handle::owner(), at(since));
    Mission { state: MissionState::Ready { since: at(since) }, ..made }
}

fn state(done: bool) -> MissionState {
    let proof = Proof::Stated { by: Handle::owner() };
    if done { MissionState::Done { at: at(0), proof } } else { MissionState::Draft }
}

fn take(line: &mut Line, step: Step) {
    match step {
        Step::Put { number, since, priority, start, on } => {
            let links = on.into_iter().map(|on| Dependency { on: id(on), stands: Stands::Open }).collect();
            let post = Post { agent: "a".to_owned(), account: "a".to_owned(), budget: None };
            line.put(&mission(number, since, priority, start), post, links);
        }
        Step::Leave(number) => drop(line.leave(&id(number))),
        Step::Stands { number, done } => drop(line.stands(&id(number), Some(&state(done)))),
        Step::Weigh(step_secs) => line.weigh(Fairness { step_secs, ..Fairness::default() }),
    }
}

proptest! {
    #[test]
    fn those_who_could_start_are_in_the_order_of_their_turns_and_nobody_else_is_among_them(
        steps in prop::collection::vec(any_step(), 0..40),
    ) {
        let mut line = Line::default();
        for step in steps {
            take(&mut line, step);
            let mut expected: Vec<Candidate> = line.candidates().into_iter().filter(is_free).collect();
            expected.sort_by_key(|candidate| line.fairness.turn(candidate));
            prop_assert_eq!(line.startable().cloned().collect::<Vec<_>>(), expected);
        }
    }
}
