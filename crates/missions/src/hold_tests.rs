use proptest::prelude::*;
use types::{Role, SessionId, StateName};

use super::*;
use crate::samples::{actor, any_mission, at, draft, handle, id};

fn session(code: &str) -> SessionId {
    SessionId::from_code(code).unwrap()
}

fn parked() -> Release {
    let class = FailureClass::Quota { resets_at: Some(at(9)) };
    Release::Parked { why: ParkReason::Account { class, text: "the quota is used up".to_owned() }, until: Some(at(9)) }
}

fn any_release() -> impl Strategy<Value = Release> {
    prop_oneof![
        Just(Release::Done { commits: Some(2) }),
        Just(Release::Failed { class: FailureClass::Crash }),
        Just(parked()),
        Just(Release::NotDone { reasons: vec![Reason::NoCommit { kept: false }] }),
        Just(Release::Dropped),
    ]
}

#[test]
fn a_mission_that_waits_for_another_is_not_taken() {
    let refused = take(&draft(), &session("aaaaa"), &handle("ann"), vec![id(2)], at(1));
    assert_eq!(refused, Err(Refusal::Unresolved { mission: draft().id, blockers: vec![id(2)] }));
}

proptest! {
    #[test]
    fn a_mission_has_one_holder_at_a_time(mission in any_mission()) {
        match take(&mission, &session("aaaaa"), &handle("ann"), Vec::new(), at(1)) {
            Ok(taken) => {
                prop_assert_ne!(mission.state.name(), StateName::Held);
                prop_assert_eq!(taken.mission.holders, mission.holders + 1);
                let again = take(&taken.mission, &session("bbbbb"), &handle("bob"), Vec::new(), at(2));
                prop_assert!(again.is_err());
            }
            Err(_) => prop_assert_eq!(mission.state.name(), StateName::Held),
        }
    }

    #[test]
    fn only_the_holder_of_the_newest_generation_has_a_say(mission in any_mission(), how in any_release(), off in 1_u64..5) {
        prop_assume!(mission.state.name() != StateName::Held);
        let taken = take(&mission, &session("aaaaa"), &handle("ann"), Vec::new(), at(1)).unwrap().mission;
        let generation = taken.holders;
        prop_assert!(release(&taken, &session("bbbbb"), generation, how.clone(), at(2)).is_none());
        prop_assert!(release(&taken, &session("aaaaa"), generation + off, how.clone(), at(2)).is_none());
        let let_go = release(&taken, &session("aaaaa"), generation, how.clone(), at(2)).unwrap().mission;
        prop_assert_ne!(let_go.state.name(), StateName::Held);
        prop_assert!(release(&let_go, &session("aaaaa"), generation, how, at(3)).is_none());
    }
}

proptest! {
    #[test]
    fn work_is_put_on_its_way_again_only_while_nobody_else_has_a_say(mission in any_mission()) {
        let landing = LandingId::from_code("aaaaa").unwrap();
        match recover(&mission, &landing, &session("aaaaa"), at(1)) {
            Some(moved) => {
                let lay = [StateName::Draft, StateName::Failed, StateName::Parked, StateName::Done];
                let lay = lay.contains(&mission.state.name());
                prop_assert!(lay, "{:?}", mission.state);
                prop_assert!(recover(&moved.mission, &landing, &session("aaaaa"), at(2)).is_none());
            }
            None => {
                let lies = [StateName::Draft, StateName::Failed, StateName::Done].contains(&mission.state.name());
                prop_assert!(!lies, "{:?}", mission.state);
            }
        }
    }
}

#[test]
fn finished_work_is_put_on_its_way_until_it_has_landed() {
    let landing = LandingId::from_code("aaaaa").unwrap();
    let done = |proof| Mission { state: MissionState::Done { at: at(0), proof }, ..draft() };
    let on_its_branch = done(Proof::Session { session: session("aaaaa"), commits: Some(2) });
    assert!(recover(&on_its_branch, &landing, &session("aaaaa"), at(1)).is_some());
    let landed = done(Proof::Landed { landing: landing.clone(), commit: "c0ffee".to_owned(), checks: 1 });
    assert_eq!(recover(&landed, &landing, &session("aaaaa"), at(1)), None);
}

#[test]
fn what_a_session_holds_is_moved_by_its_end_and_by_nobody_who_says_so() {
    let taken = take(&draft(), &session("aaaaa"), &handle("ann"), Vec::new(), at(1)).unwrap().mission;
    for step in crate::samples::moves() {
        for (who, role) in Role::ALL.into_iter().flat_map(|role| [("ann", role), ("bob", role)]) {
            let outcome = crate::advance(&taken, step.clone(), &actor(who, role), Vec::new(), at(2));
            // To claim what one holds, or leads, changes nothing.
            let stands = step == crate::Move::Claim && (who == "ann" || role.leads());
            let expected = if stands { outcome == Ok(None) } else { matches!(outcome, Err(Refusal::InSession { .. })) };
            assert!(expected, "{step:?} by {who} as {role:?}");
        }
    }
}

#[test]
fn whoever_moves_a_parked_mission_ends_the_generation_of_the_session_that_waits_with_it() {
    let taken = take(&draft(), &session("aaaaa"), &handle("ann"), Vec::new(), at(1)).unwrap().mission;
    let parked = release(&taken, &session("aaaaa"), taken.holders, parked(), at(2)).unwrap().mission;
    for step in crate::samples::moves() {
        let moved = crate::advance(&parked, step.clone(), &actor("bob", Role::Owner), Vec::new(), at(3)).unwrap();
        assert!(moved.is_some_and(|moved| moved.mission.holders > parked.holders), "{step:?}");
    }
}

#[test]
fn a_mission_that_a_person_parks_twice_is_parked_once() {
    let park = crate::Move::Park;
    let parked = crate::advance(&draft(), park.clone(), &actor("bob", Role::Owner), Vec::new(), at(1)).unwrap();
    let again = crate::advance(&parked.unwrap().mission, park, &actor("bob", Role::Owner), Vec::new(), at(2));
    assert_eq!(again, Ok(None));
}
