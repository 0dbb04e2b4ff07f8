//! What an edit changes, and what it never does.

use proptest::prelude::*;

use super::*;
use crate::samples::{any_edit, any_mission, at, draft, id};

fn scheduled(enabled: bool) -> Mission {
    let schedule = Schedule { enabled, fired_at: Some(at(3)), ..Schedule::new("0 9 * * 1".to_owned(), at(1)) };
    Mission { schedule: Some(schedule), ..draft() }
}

fn cron(text: &str) -> Edit {
    Edit { cron: Some(text.to_owned()), ..Edit::default() }
}

#[test]
fn a_new_expression_starts_the_schedule_afresh_and_in_force() {
    let edited = edit(&scheduled(false), cron("0 8 * * 1"), at(9));
    assert_eq!(edited.schedule, Some(Schedule::new("0 8 * * 1".to_owned(), at(9))));
}

#[test]
fn the_same_expression_said_again_changes_nothing() {
    assert_eq!(edit(&scheduled(false), cron("0 9 * * 1"), at(9)), scheduled(false));
}

#[test]
fn an_empty_expression_ends_the_schedule() {
    assert_eq!(edit(&scheduled(true), cron(""), at(9)), Mission { updated_at: at(9), ..draft() });
}

#[test]
fn the_switch_alone_keeps_the_expression_and_the_last_time_it_fired() {
    let off = Edit { schedule_enabled: Some(false), ..Edit::default() };
    assert_eq!(edit(&scheduled(true), off, at(9)), Mission { updated_at: at(9), ..scheduled(false) });
}

#[test]
fn the_switch_without_a_schedule_switches_nothing() {
    let on = Edit { schedule_enabled: Some(true), ..Edit::default() };
    assert_eq!(edit(&draft(), on, at(9)), draft());
}

#[test]
fn an_expression_may_be_given_together_with_its_switch() {
    let said = Edit { schedule_enabled: Some(false), ..cron("0 8 * * 1") };
    let schedule = Schedule { enabled: false, ..Schedule::new("0 8 * * 1".to_owned(), at(9)) };
    assert_eq!(edit(&draft(), said, at(9)).schedule, Some(schedule));
}

#[test]
fn empty_texts_mean_none() {
    let some = || Some("x".to_owned());
    let tools = Some(ToolChoice::Preset("x".to_owned()));
    let full = Mission { model: some(), allowed_tools: tools, callback_url: some(), ..draft() };
    let nothing = || Some(String::new());
    let said = Edit { model: nothing(), allowed_tools: Some(None), callback_url: nothing(), ..Edit::default() };
    assert_eq!(edit(&full, said, at(9)), Mission { updated_at: at(9), ..draft() });
}

#[test]
fn repeated_tags_and_dependencies_count_once() {
    let tags = Some(["b", "a", "b"].map(str::to_owned).to_vec());
    let edited = edit(&draft(), Edit { tags, depends_on: Some(vec![id(2), id(2)]), ..Edit::default() }, at(9));
    assert_eq!(edited.tags, ["b", "a"]);
    assert_eq!(edited.depends_on, [id(2)]);
}

proptest! {
    #[test]
    fn an_edit_that_says_nothing_gives_the_mission_back(mission in any_mission()) {
        prop_assert_eq!(edit(&mission, Edit::default(), at(500)), mission);
    }

    #[test]
    fn the_time_of_change_moves_exactly_when_something_else_did(mission in any_mission(), said in any_edit()) {
        let edited = edit(&mission, said, at(500));
        let same = Mission { updated_at: mission.updated_at, ..edited.clone() } == mission;
        prop_assert_eq!(edited.updated_at, if same { mission.updated_at } else { at(500) });
    }

    #[test]
    fn an_edit_made_twice_is_made_once(mission in any_mission(), said in any_edit()) {
        let once = edit(&mission, said.clone(), at(500));
        prop_assert_eq!(edit(&once, said, at(600)), once);
    }

    #[test]
    fn an_edit_never_touches_what_only_moves_or_the_store_may(mission in any_mission(), said in any_edit()) {
        let edited = edit(&mission, said, at(500));
        prop_assert_eq!((&edited.id, &edited.project, edited.number), (&mission.id, &mission.project, mission.number));
        prop_assert_eq!((&edited.state, edited.holders), (&mission.state, mission.holders));
        prop_assert_eq!((&edited.team, &edited.assignee), (&mission.team, &mission.assignee));
        prop_assert_eq!((&edited.created_by, edited.created_at), (&mission.created_by, mission.created_at));
    }

    #[test]
    fn what_is_not_spoken_of_stays(mission in any_mission(), said in any_edit()) {
        let edited = edit(&mission, said.clone(), at(500));
        prop_assert!(said.title.is_some() || edited.title == mission.title);
        prop_assert!(said.prompt.is_some() || edited.prompt == mission.prompt);
        prop_assert!(said.tags.is_some() || edited.tags == mission.tags);
        prop_assert!(said.depends_on.is_some() || edited.depends_on == mission.depends_on);
        prop_assert!(said.parent.is_some() || edited.parent == mission.parent);
        prop_assert!(said.model.is_some() || edited.model == mission.model);
        prop_assert!(said.turns_max.is_some() || edited.limits.turns_max == mission.limits.turns_max);
        prop_assert!(said.dollars_max.is_some() || edited.limits.dollars_max == mission.limits.dollars_max);
        prop_assert!(said.retries_max.is_some() || edited.retry.times_max == mission.retry.times_max);
        let untouched = said.cron.is_none() && said.schedule_enabled.is_none();
        prop_assert!(!untouched || edited.schedule == mission.schedule);
    }
}
