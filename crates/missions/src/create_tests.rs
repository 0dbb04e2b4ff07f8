//! What a new mission is, whatever was said about it.

use proptest::prelude::*;
use types::{MissionState, Start};

use super::*;
use crate::samples::{any_statement, at, draft, handle, id, statement};

#[test]
fn a_mission_is_a_draft_until_somebody_says_otherwise() {
    assert_eq!(draft().state, MissionState::Draft);
}

#[test]
fn a_mission_that_starts_by_itself_or_is_given_to_somebody_is_ready_at_once() {
    let by_itself = Statement { start: Start::WhenReady, ..statement() };
    let given_away = Statement { assignee: Some(handle("ann")), ..statement() };
    for said in [by_itself, given_away] {
        let made = create(id(1), said, handle("bob"), at(7));
        assert_eq!(made.state, MissionState::Ready { since: at(7) });
    }
}

#[test]
fn a_project_comes_with_its_number_or_not_at_all() {
    let project: ProjectId = "p-x7k2m".parse().unwrap();
    let said = Statement { project: Some((project.clone(), 7)), ..statement() };
    let made = create(id(1), said, handle("bob"), at(0));
    assert_eq!((made.project, made.number), (Some(project), Some(7)));
    assert_eq!((draft().project, draft().number), (None, None));
}

#[test]
fn empty_texts_mean_none() {
    let nothing = || Some(String::new());
    let said = Statement { model: nothing(), cron: nothing(), callback_url: nothing(), ..statement() };
    assert_eq!(create(id(1), said, Handle::owner(), at(0)), draft());
}

#[test]
fn repeated_tags_and_dependencies_count_once_in_the_order_given() {
    let tags = ["b", "a", "b", "c", "a"].map(str::to_owned).to_vec();
    let said = Statement { tags, depends_on: vec![id(3), id(2), id(3)], ..statement() };
    let made = create(id(1), said, Handle::owner(), at(0));
    assert_eq!(made.tags, ["b", "a", "c"]);
    assert_eq!(made.depends_on, [id(3), id(2)]);
}

#[test]
fn a_schedule_is_in_force_as_soon_as_it_is_given() {
    let said = Statement { cron: Some("0 9 * * 1".to_owned()), ..statement() };
    let schedule = Schedule::new("0 9 * * 1".to_owned(), at(0));
    assert_eq!(create(id(1), said, Handle::owner(), at(0)).schedule, Some(schedule));
}

proptest! {
    #[test]
    fn a_new_mission_has_had_no_holder_no_change_and_no_empty_option(said in any_statement(), second in 0..100i64) {
        let made = create(id(1), said.clone(), handle("bob"), at(second));
        prop_assert_eq!((made.holders, made.created_at, made.updated_at), (0, at(second), at(second)));
        prop_assert_eq!(&made.created_by, &handle("bob"));
        for text in [&made.model, &made.callback_url].into_iter().flatten() {
            prop_assert!(!text.is_empty());
        }
        prop_assert_eq!(made.schedule.map(|schedule| schedule.cron), given(said.cron));
        prop_assert_eq!((made.title, made.prompt, made.priority), (said.title, said.prompt, said.priority));
    }

    #[test]
    fn the_list_kept_holds_each_item_of_the_list_given_once(list in prop::collection::vec(0..6u8, 0..12)) {
        let kept = distinct(list.clone());
        let mut sorted = kept.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), kept.len());
        prop_assert!(list.iter().all(|item| kept.contains(item)));
        let firsts: Vec<_> = kept.iter().map(|item| list.iter().position(|other| other == item)).collect();
        prop_assert!(firsts.is_sorted());
    }
}
