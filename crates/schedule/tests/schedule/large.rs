//! A long line is decided in one pass.

use fleet_schedule::{Budget, Busy, Candidate, Inputs, Place, Scope, decide};
use types::{FailureClass, Limits, ParkedAccount, Spent};

use crate::floors::{at, candidate, mission, open_floor, project};

const READY: usize = 100_000;
const BUSY: usize = 50_000;
const GROUPS: usize = 1000;

/// Going through any list once per candidate would be billions of steps, which no test survives.
fn large() -> Inputs {
    let ready = (0..READY).map(|number| Candidate {
        project: Some(project(number % GROUPS)),
        agent: format!("a{}", number % 7),
        account: format!("x{}", number % GROUPS),
        priority: (number % 11) as i32,
        since: at(-((number * 7919 % READY) as i64)),
        ..candidate(number)
    });
    let mut floor = open_floor((BUSY + GROUPS) as u32, ready.collect());
    floor.busy = (0..BUSY)
        .map(|number| Busy { project: Some(project(number % GROUPS)), agent: "b".to_owned(), place: Place::Elsewhere })
        .collect();
    floor.slots.projects = (0..GROUPS).map(|number| (project(number), (BUSY / GROUPS + 2) as u32)).collect();
    // Half of the missions have nothing left to spend.
    floor.budgets = (0..READY / 2)
        .map(|number| Budget {
            scope: Scope::Mission(mission(number * 2)),
            ceiling: Limits { tokens_max: Some(1), ..Limits::default() },
            spent: Spent { tokens: 1, ..Spent::default() },
            resets_at: None,
        })
        .collect();
    // No account of theirs, but many to look through.
    floor.parked = (0..GROUPS)
        .map(|number| ParkedAccount {
            account: format!("y{number}"),
            class: FailureClass::Auth,
            text: "no key".to_owned(),
            until: None,
            since: at(0),
        })
        .collect();
    floor
}

#[test]
fn a_hundred_thousand_missions_are_decided_in_one_pass() {
    let plan = decide(&large());
    assert_eq!((plan.start.len(), plan.wait.len()), (GROUPS, READY - GROUPS));
}
