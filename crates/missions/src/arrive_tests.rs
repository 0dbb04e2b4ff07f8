use proptest::prelude::*;
use types::{LandingRules, LandingState, SessionId, StateName};

use super::*;
use crate::samples::{any_mission, at, draft, handle, landing as on_its_way_as, states};
use crate::{Refusal, take};

fn landing(code: &str) -> Landing {
    let since = at(0);
    Landing {
        id: LandingId::from_code(code).unwrap(),
        team: "alpha".parse().unwrap(),
        project: None,
        folder: "/srv/shop".to_owned(),
        mission: draft().id,
        session: SessionId::from_code("aaaaa").unwrap(),
        branch: "fleet/cart".to_owned(),
        title: "Add a cart".to_owned(),
        rules: LandingRules::default(),
        returns: 0,
        sent_back: Vec::new(),
        state: LandingState::Queued { since },
        publication: None,
        created_at: since,
        updated_at: since,
    }
}

fn any_arrival() -> impl Strategy<Value = Arrival> {
    prop_oneof![
        Just(Arrival::Landed { commit: "c0ffee".to_owned(), checks: 2 }),
        Just(Arrival::Stuck { obstacle: Obstacle::Failed { why: "its branch is gone".to_owned() } }),
        Just(Arrival::Dropped { by: handle("ann") }),
    ]
}

fn on_its_way() -> Mission {
    Mission { state: on_its_way_as("ccccc"), ..draft() }
}

fn why(mission: &Mission) -> String {
    let MissionState::Parked { why, until: None } = &mission.state else { panic!("{:?}", mission.state) };
    why.to_string()
}

#[test]
fn a_landing_that_arrives_is_the_proof_that_its_mission_is_done() {
    let how = Arrival::Landed { commit: "c0ffee".to_owned(), checks: 2 };
    let done = arrive(&on_its_way(), &landing("ccccc"), how, at(5)).unwrap();
    let proof = Proof::Landed { landing: landing("ccccc").id, commit: "c0ffee".to_owned(), checks: 2 };
    assert_eq!(done.mission.state, MissionState::Done { at: at(5), proof });
    assert_eq!((done.from, done.to), (StateName::Landing, StateName::Done));
}

#[test]
fn a_mission_whose_landing_is_taken_out_is_not_done_and_says_why_also_when_it_was_stuck_before() {
    let stuck = Arrival::Stuck { obstacle: Obstacle::Failed { why: "its branch is gone".to_owned() } };
    let aside = arrive(&on_its_way(), &landing("ccccc"), stuck, at(1)).unwrap().mission;
    assert_eq!(why(&aside), "landing `d-ccccc`: its branch is gone");
    let told =
        "landing `d-ccccc`: ann removed it from the queue; branch `fleet/cart` is kept, and nothing of it has landed";
    for before in [on_its_way(), aside] {
        let dropped = arrive(&before, &landing("ccccc"), Arrival::Dropped { by: handle("ann") }, at(2)).unwrap();
        assert_eq!(why(&dropped.mission), told);
    }
}

#[test]
fn what_was_set_aside_sets_out_again_and_what_is_on_its_way_stays() {
    assert_eq!(relaunch(&on_its_way(), &landing("ccccc"), at(3)), Relaunch::OnItsWay);
    let aside =
        arrive(&on_its_way(), &landing("ccccc"), Arrival::Dropped { by: handle("ann") }, at(2)).unwrap().mission;
    let Relaunch::Moved(again) = relaunch(&aside, &landing("ccccc"), at(3)) else { panic!("{aside:?}") };
    let session = landing("ccccc").session;
    assert_eq!(again.mission.state, MissionState::Landing { landing: landing("ccccc").id, session, since: at(3) });
}

#[test]
fn a_mission_that_waits_for_something_else_is_left_alone() {
    for state in states() {
        let mission = Mission { state: state.clone(), ..draft() };
        let expected = if state.name() == StateName::Landing { Relaunch::OnItsWay } else { Relaunch::Elsewhere };
        assert_eq!(relaunch(&mission, &landing("ccccc"), at(3)), expected, "{state:?}");
    }
}

#[test]
fn a_mission_on_its_way_is_taken_by_the_session_whose_work_it_is_and_by_nobody_else() {
    let code = |code: &str| SessionId::from_code(code).unwrap();
    let taken = take(&on_its_way(), &code("aaaaa"), &handle("ann"), Vec::new(), at(1)).unwrap();
    assert_eq!((taken.from, taken.to), (StateName::Landing, StateName::Held));
    let refused = take(&on_its_way(), &code("bbbbb"), &handle("bob"), Vec::new(), at(1));
    let landing = LandingId::from_code("ccccc").unwrap();
    assert_eq!(refused, Err(Refusal::Landing { mission: draft().id, landing }));
}

#[test]
fn a_mission_stands_to_a_landing_as_its_state_says() {
    let own = landing("ccccc");
    let at_work = take(&on_its_way(), &own.session, &handle("ann"), Vec::new(), at(1)).unwrap().mission;
    assert_eq!(standing(Some(&on_its_way()), &own), Standing::OnItsWay);
    assert_eq!(standing(Some(&on_its_way()), &landing("ddddd")), Standing::Elsewhere);
    assert_eq!(standing(Some(&at_work), &own), Standing::AtWork);
    assert_eq!(standing(Some(&draft()), &own), Standing::Elsewhere);
    assert_eq!(standing(None, &own), Standing::Elsewhere);
}

proptest! {
    #[test]
    fn a_landing_has_a_say_only_in_a_mission_that_is_on_its_way_or_set_aside_from_it(
        mission in any_mission(), how in any_arrival(), again in any_arrival(),
    ) {
        let (own, other) = (landing("ccccc"), landing("ddddd"));
        prop_assert!(arrive(&mission, &other, how.clone(), at(1)).is_none());
        let arrived = arrive(&mission, &own, how.clone(), at(1));
        prop_assert_eq!(arrived.is_some(), mission.state.name() == StateName::Landing);
        let Some(arrived) = arrived else { return Ok(()) };
        let over = arrived.mission.state.name() == StateName::Done;
        prop_assert_eq!(over, matches!(how, Arrival::Landed { .. }));
        prop_assert_eq!(arrive(&arrived.mission, &own, again, at(2)).is_none(), over, "what is done is done");
    }
}
