//! Every state, every step, every role: what follows, and what never does.

use proptest::prelude::*;

use super::*;
use crate::samples::{actor, any_actor, any_mission, any_move, at, draft, handle, held_by, id, moves, states};

/// Who acts, as far as that matters for a held mission. It is held by `ann`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Holder,
    Lead,
    Stranger,
}

const WHO: [Who; 3] = [Who::Holder, Who::Lead, Who::Stranger];

/// What follows from each step, in the order of [`moves`]: the next state, `-` for nothing, `refused` for held.
fn expected(from: StateName, who: Who) -> [&'static str; 7] {
    match (from, who) {
        (StateName::Draft, _) => ["-", "ready", "held", "parked", "done", "failed", "cancelled"],
        (StateName::Ready, _) => ["draft", "-", "held", "parked", "done", "failed", "cancelled"],
        (StateName::Held, Who::Stranger) => ["refused"; 7],
        (StateName::Held, Who::Holder | Who::Lead) => ["draft", "ready", "-", "parked", "done", "failed", "cancelled"],
        (StateName::Landing, _) => ["refused"; 7],
        (StateName::Parked, Who::Holder) => ["draft", "ready", "held", "-", "done", "failed", "cancelled"],
        // It names the caller that reported it last.
        (StateName::Parked, Who::Lead | Who::Stranger) => {
            ["draft", "ready", "held", "parked", "done", "failed", "cancelled"]
        }
        (StateName::Done, _) => ["draft", "ready", "held", "parked", "-", "failed", "cancelled"],
        (StateName::Failed, _) => ["draft", "ready", "held", "parked", "done", "-", "cancelled"],
        (StateName::Cancelled, _) => ["draft", "ready", "held", "parked", "done", "failed", "-"],
    }
}

/// All actors of a kind, in every role.
fn people(who: Who) -> Vec<Actor> {
    let everybody = Role::ALL.into_iter();
    match who {
        Who::Holder => everybody.map(|role| actor("ann", role)).collect(),
        Who::Lead => everybody.filter(|role| role.leads()).map(|role| actor("bob", role)).collect(),
        Who::Stranger => everybody.filter(|role| !role.leads()).map(|role| actor("bob", role)).collect(),
    }
}

fn word(outcome: &Result<Option<Moved>, Refusal>) -> &'static str {
    match outcome {
        Ok(Some(moved)) => moved.to.as_str(),
        Ok(None) => "-",
        Err(Refusal::Held { .. } | Refusal::InSession { .. } | Refusal::Landing { .. }) => "refused",
        Err(Refusal::Unresolved { .. }) => "unresolved",
        Err(Refusal::Unproven { .. }) => "unproven",
    }
}

#[test]
fn every_state_and_step_and_role_has_the_outcome_of_the_table() {
    for state in states() {
        let mission = Mission { state, holders: 1, ..draft() };
        let from = mission.state.name();
        for (who, actor) in WHO.into_iter().flat_map(|who| people(who).into_iter().map(move |actor| (who, actor))) {
            for (step, expected) in moves().into_iter().zip(expected(from, who)) {
                let case = format!("{step:?} of a {} mission by {actor:?}", from.as_str());
                let outcome = advance(&mission, step.clone(), &actor, Vec::new(), at(5));
                assert_eq!(word(&outcome), expected, "{case}");
                let blocked = advance(&mission, step, &actor, vec![id(2)], at(5));
                assert_eq!(word(&blocked), if expected == "done" { "unresolved" } else { expected }, "{case}");
            }
        }
    }
}

#[test]
fn those_who_lead_are_the_owner_the_lead_and_the_coordinator() {
    let leading: Vec<_> = Role::ALL.into_iter().filter(|role| role.leads()).collect();
    assert_eq!(leading, [Role::Owner, Role::TeamLead, Role::Coordinator]);
}

#[test]
fn a_worker_claims_for_itself_and_a_lead_for_whom_the_mission_was_given_to() {
    let given = Mission { assignee: Some(handle("cid")), ..draft() };
    let cases = [
        (&given, actor("bob", Role::Worker), "bob"),
        (&given, actor("bob", Role::TeamLead), "cid"),
        (&draft(), actor("bob", Role::TeamLead), "bob"),
    ];
    for (mission, actor, holder) in cases {
        let moved = advance(mission, Move::Claim, &actor, Vec::new(), at(0)).unwrap().unwrap();
        assert_eq!(moved.mission.state, held_by(holder, 1), "{actor:?}");
    }
}

#[test]
fn an_agent_of_a_session_finishes_a_task_that_it_claimed_and_nothing_else() {
    let finish = |mission: &Mission, is_agent| {
        let actor = Actor { is_agent, ..actor("ann", Role::Worker) };
        word(&advance(mission, Move::Finish, &actor, Vec::new(), at(5)))
    };
    let task = Mission { project: None, ..draft() };
    let claimed = Mission { state: held_by("ann", 1), ..task.clone() };
    let of_project = Mission { project: Some("p-aaaaa".parse().unwrap()), ..claimed.clone() };
    assert_eq!(
        [finish(&claimed, true), finish(&task, true), finish(&of_project, true)],
        ["done", "unproven", "unproven"]
    );
    assert_eq!([finish(&claimed, false), finish(&task, false), finish(&of_project, false)], ["done"; 3]);
}

#[test]
fn a_refusal_names_the_mission_and_what_is_in_the_way() {
    let held = Mission { state: held_by("ann", 1), ..draft() };
    let refused = advance(&held, Move::Fail, &actor("bob", Role::Worker), Vec::new(), at(0)).unwrap_err();
    assert_eq!(refused.to_string(), format!("mission `{}` is held by `ann`", id(1)));
    let refused = advance(&draft(), Move::Finish, &actor("bob", Role::Worker), vec![id(2)], at(0)).unwrap_err();
    assert_eq!(refused, Refusal::Unresolved { mission: id(1), blockers: vec![id(2)] });
}

proptest! {
    #[test]
    fn a_stranger_never_moves_a_held_mission(
        mission in any_mission(),
        generation in 1..9u64,
        step in any_move(),
        role in prop::sample::select(vec![Role::Worker, Role::Monitor, Role::Notifier, Role::Merger]),
    ) {
        let mission = Mission { state: held_by("ann", generation), ..mission };
        let refused = advance(&mission, step, &actor("bob", role), Vec::new(), at(500));
        prop_assert_eq!(refused, Err(Refusal::Held { mission: mission.id, holder: handle("ann") }));
    }

    #[test]
    fn a_step_taken_twice_is_taken_once(mission in any_mission(), step in any_move(), actor in any_actor()) {
        let taken = advance(&mission, step.clone(), &actor, Vec::new(), at(500)).ok().flatten();
        prop_assume!(taken.is_some());
        let again = advance(&taken.unwrap().mission, step, &actor, vec![id(2)], at(600));
        prop_assert_eq!(again, Ok(None));
    }

    #[test]
    fn a_claim_gives_a_generation_that_no_earlier_holder_had(
        mission in any_mission(),
        steps in prop::collection::vec((any_move(), any_actor()), 1..60),
    ) {
        let mut mission = mission;
        let mut newest = mission.holders;
        for (step, actor) in steps {
            let Ok(Some(moved)) = advance(&mission, step, &actor, Vec::new(), at(500)) else { continue };
            if let MissionState::Held { generation, .. } = moved.mission.state {
                prop_assert!(generation > newest);
                newest = generation;
            }
            prop_assert!(moved.mission.holders >= newest);
            newest = moved.mission.holders;
            mission = moved.mission;
        }
    }

    #[test]
    fn nothing_is_finished_before_what_it_depends_on(
        mission in any_mission(),
        actor in any_actor(),
        blockers in prop::collection::vec((2..9usize).prop_map(id), 1..4),
    ) {
        prop_assume!(mission.state.name() != StateName::Done);
        prop_assert!(advance(&mission, Move::Finish, &actor, blockers, at(500)).is_err());
    }

    #[test]
    fn a_step_changes_the_state_the_time_and_the_count_of_holders_alone(
        mission in any_mission(),
        step in any_move(),
        actor in any_actor(),
    ) {
        if let Ok(Some(moved)) = advance(&mission, step, &actor, Vec::new(), at(500)) {
            prop_assert_eq!((moved.from, moved.to), (mission.state.name(), moved.mission.state.name()));
            prop_assert!(moved.from != moved.to || moved.from == StateName::Parked);
            prop_assert_eq!(moved.mission.updated_at, at(500));
            let Mission { state, holders, updated_at, .. } = mission.clone();
            prop_assert_eq!(Mission { state, holders, updated_at, ..moved.mission }, mission);
        }
    }
}
