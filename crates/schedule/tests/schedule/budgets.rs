//! What is left of budgets.

use fleet_schedule::{Budget, Scope, Spender, allowance};
use proptest::prelude::*;
use types::{Cost, Limits, MissionId, ProjectId, Spent};

use crate::floors::{any_floor, at, candidate, decided_by, mission, project};

fn who<'a>(mission: &'a MissionId, project: Option<&'a ProjectId>) -> Spender<'a> {
    Spender { mission: Some(mission), project }
}

fn daily(scope: Scope, ceiling: Limits, spent: Spent) -> Budget {
    Budget { scope, ceiling, spent, resets_at: Some(at(100)) }
}

#[test]
fn a_mission_gets_the_least_that_its_limits_and_the_budgets_over_it_leave() {
    let own = Limits { dollars_max: Some(2.0), turns_max: Some(50), ..Limits::default() };
    let spent = Spent { cost: Cost::from(4.5), tokens: 700, unpriced: 0, turns: 10, secs: 60 };
    let ceiling = Limits { dollars_max: Some(5.0), tokens_max: Some(1000), secs_max: Some(30), turns_max: Some(99) };
    let budgets = [
        daily(Scope::Fleet, ceiling, spent),
        daily(Scope::Project(project(7)), Limits { tokens_max: Some(1), ..Limits::default() }, spent),
        daily(Scope::Mission(mission(7)), Limits { tokens_max: Some(1), ..Limits::default() }, spent),
    ];
    let left = |now| allowance(own, who(&mission(0), Some(&project(0))), &budgets, at(now));
    let expected = Limits { dollars_max: Some(0.5), tokens_max: Some(300), secs_max: Some(0), turns_max: Some(50) };
    assert_eq!(left(0), expected);
    let anew = Limits { dollars_max: Some(2.0), tokens_max: Some(1000), secs_max: Some(30), turns_max: Some(50) };
    assert_eq!(left(100), anew, "what was spent yesterday counts no more");
}

proptest! {
    #[test]
    fn a_mission_has_nothing_to_spend_exactly_if_a_budget_over_it_is_used_up(floor in any_floor()) {
        for waits in &floor.ready {
            let Limits { turns_max, dollars_max, tokens_max, secs_max } =
                allowance(Limits::default(), who(&waits.mission, waits.project.as_ref()), &floor.budgets, floor.now);
            let nothing = turns_max == Some(0) || dollars_max == Some(0.0) || tokens_max == Some(0) || secs_max == Some(0);
            // The same budgets over a mission with nothing else in its way.
            let free = fleet_schedule::Candidate {
                mission: waits.mission.clone(), project: waits.project.clone(), ..candidate(0)
            };
            prop_assert_eq!(decided_by(&floor.budgets, free), !nothing);
        }
    }

    #[test]
    fn whoever_spends_just_what_is_left_has_used_it_up(
        most in 0.0..20.0_f64,
        spent in 0_u64..20_000_000_000,
    ) {
        let spent = Spent { cost: Cost::from_nanodollars(spent), ..Spent::default() };
        let ceiling = Limits { dollars_max: Some(most), ..Limits::default() };
        let left = daily(Scope::Fleet, ceiling, spent).left(at(0));
        let rest = Spent { cost: Cost::from(left.dollars_max.unwrap()), ..Spent::default() };
        prop_assert_eq!(spent.cost.nanodollars() + rest.cost.nanodollars(),
            spent.cost.nanodollars().max(Cost::from(most).nanodollars()));
        prop_assert!(daily(Scope::Fleet, left, rest).used_up(at(0)).is_some(), "{left:?} {rest:?}");
    }
}
