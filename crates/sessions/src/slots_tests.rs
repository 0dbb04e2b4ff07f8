use futures::FutureExt as _;
use proptest::prelude::*;

use super::*;

fn project(number: u8) -> ProjectId {
    ProjectId::from_code(&format!("aaaa{}", char::from(b'a' + number))).unwrap()
}

fn any_seat() -> impl Strategy<Value = Seat> {
    (prop::option::of(0..3_u8), 0..3_u8)
        .prop_map(|(number, kind)| Seat::new(&format!("kind-{kind}"), number.map(project).as_ref()))
}

fn any_room() -> impl Strategy<Value = Room> {
    let each = || prop::option::of(1..4_u32);
    (1..8_u32, each(), each()).prop_map(|(fleet, each_project, each_agent)| Room { fleet, each_project, each_agent })
}

fn same<T: PartialEq>(seats: &[Seat], of: impl Fn(&Seat) -> T, seat: &Seat) -> usize {
    seats.iter().filter(|other| of(other) == of(seat)).count()
}

proptest! {
    #[test]
    fn no_limit_is_ever_passed_and_nobody_is_kept_out_for_nothing(room in any_room(), asked in prop::collection::vec(any_seat(), 0..20)) {
        let slots = Slots::default();
        let mut held = Vec::new();
        for seat in asked {
            let before: Vec<Seat> = held.iter().map(|slot: &Slot| slot.seat.clone()).collect();
            let fits = before.len() < room.fleet as usize
                && room.each_agent.is_none_or(|most| same(&before, |seat| seat.agent.clone(), &seat) < most as usize)
                && (seat.project.is_none()
                    || room.each_project.is_none_or(|most| same(&before, |seat| seat.project.clone(), &seat) < most as usize));
            let taken = slots.take(seat, room);
            prop_assert_eq!(taken.is_ok(), fits);
            held.extend(taken);
        }
        prop_assert_eq!(slots.taken() as usize, held.len());
        held.clear();
        prop_assert_eq!(slots.taken(), 0);
    }
}

#[test]
fn a_slot_that_the_first_cannot_use_goes_to_the_next() {
    let room = Room { fleet: 2, each_project: None, each_agent: Some(1) };
    let slots = Slots::default();
    let (a, b) = (Seat::new("a", None), Seat::new("b", None));
    let _first = slots.take(a.clone(), room).unwrap();
    let second = slots.take(b.clone(), room).unwrap();
    let (mut waits_for_a, mut waits_for_b) = (Box::pin(slots.wait(&a, || room)), Box::pin(slots.wait(&b, || room)));
    assert!(waits_for_a.as_mut().now_or_never().is_none() && waits_for_b.as_mut().now_or_never().is_none());
    drop(second);
    assert!(waits_for_a.now_or_never().is_none(), "one of its kind runs still");
    assert!(waits_for_b.now_or_never().is_some());
}

#[test]
fn the_narrowest_limit_is_named() {
    let room = Room { fleet: 1, each_project: Some(1), each_agent: Some(1) };
    let slots = Slots::default();
    let seat = Seat::new("a", Some(&project(0)));
    let _taken = slots.take(seat.clone(), room).unwrap();
    assert_eq!(slots.take(seat, room).unwrap_err(), (Bound::Project(project(0)), 1));
    assert_eq!(slots.take(Seat::new("a", None), room).unwrap_err(), (Bound::Agent("a".to_owned()), 1));
    assert_eq!(slots.take(Seat::new("b", Some(&project(1))), room).unwrap_err(), (Bound::Fleet, 1));
}

fn mission(number: u8) -> MissionId {
    MissionId::from_code(&format!("aaaa{}", char::from(b'a' + number))).unwrap()
}

fn on(number: u8) -> Seat {
    Seat::new("a", None).on(Some(&mission(number)))
}

fn missions(numbers: &[u8]) -> BTreeSet<MissionId> {
    numbers.iter().copied().map(mission).collect()
}

const ONE: Room = Room { fleet: 1, each_project: None, each_agent: None };

#[test]
fn one_of_those_that_an_agent_waits_for_runs_on_its_place_at_a_time_and_nobody_else() {
    let slots = Slots::default();
    let parent = slots.take(on(0), ONE).unwrap();
    assert!(slots.take(on(1), ONE).is_err(), "nobody waits for it");
    slots.lend(&mission(0), missions(&[1, 2]));
    assert!(slots.take(on(3), ONE).is_err(), "nobody waits for this one");
    assert_eq!(slots.loans(), Loans { given: missions(&[]), open: missions(&[1, 2]) });
    let first = slots.take(on(1), ONE).unwrap();
    assert!(slots.take(on(2), ONE).is_err(), "a place is lent once");
    assert_eq!((slots.loans(), slots.taken()), (Loans { given: missions(&[1]), open: missions(&[]) }, 2));
    drop(first);
    let second = slots.take(on(2), ONE).unwrap();
    // The lender is gone: what it lent is a place like any other, and no more become free.
    drop(parent);
    assert_eq!((slots.loans(), slots.taken()), (Loans::default(), 1));
    assert!(slots.take(on(3), ONE).is_err());
    drop(second);
    assert!(slots.take(on(3), ONE).is_ok());
}

#[test]
fn whoever_has_no_place_lends_none_and_one_that_is_free_is_taken_first() {
    let slots = Slots::default();
    slots.lend(&mission(0), missions(&[1]));
    assert_eq!(slots.loans(), Loans::default());
    let room = Room { fleet: 2, ..ONE };
    let _parent = slots.take(on(0), room).unwrap();
    slots.lend(&mission(0), missions(&[1]));
    let _child = slots.take(on(1), room).unwrap();
    assert_eq!(slots.loans(), Loans { given: missions(&[]), open: missions(&[1]) });
    assert!(slots.take(on(2), room).is_err());
}

#[test]
fn one_that_waits_for_a_place_has_that_of_its_parent_as_soon_as_the_parent_waits() {
    let slots = Slots::default();
    let _parent = slots.take(on(0), ONE).unwrap();
    let child = on(1);
    let mut waits = Box::pin(slots.wait(&child, || ONE));
    assert!(waits.as_mut().now_or_never().is_none());
    slots.lend(&mission(0), missions(&[1]));
    assert!(waits.now_or_never().is_some());
}

proptest! {
    #[test]
    fn however_places_are_lent_those_that_count_are_never_more_than_there_may_be(
        steps in prop::collection::vec((0..6_u8, 0..6_u8, 0..3_u8), 0..40),
    ) {
        let slots = Slots::default();
        let room = Room { fleet: 2, ..ONE };
        let mut held: Vec<(u8, Slot)> = Vec::new();
        for (who, other, what) in steps {
            match what {
                0 if held.iter().all(|(number, _)| *number != who) => {
                    held.extend(slots.take(on(who), room).ok().map(|slot| (who, slot)));
                }
                1 => held.retain(|(number, _)| *number != who),
                _ => slots.lend(&mission(who), missions(&[other])),
            }
            let lent = slots.loans().given.len();
            prop_assert_eq!(slots.taken() as usize, held.len());
            prop_assert!(held.len() - lent <= 2, "{} run, {} of them on places that are lent", held.len(), lent);
        }
        held.clear();
        prop_assert_eq!((slots.taken(), slots.loans()), (0, Loans::default()));
    }
}
