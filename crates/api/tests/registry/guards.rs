//! Who may call, what is refused, what is asked about first.

use api::{Access, Effect, Target, UnknownFields, Verb};
use serde_json::Value;

use crate::table::{Row, breakers, rows};

fn is(row: &Row, verb: Verb) -> bool {
    row.spec.rest.is_some_and(|rest| rest.verb == verb)
}

#[test]
fn a_get_is_open_to_readers_or_leads_and_changes_nothing() {
    let may_read = |access| matches!(access, Access::Public | Access::Read | Access::Lead);
    let changes = |row: &Row| row.spec.confirm || row.spec.detached || row.spec.effect == Effect::Remove;
    assert_eq!(breakers(|row| !is(row, Verb::Get) || (may_read(row.spec.access) && !changes(row))), [""; 0]);
}

#[test]
fn what_removes_something_is_asked_about_first_and_runs_to_its_end() {
    let removes = |row: &Row| row.spec.effect == Effect::Remove;
    assert_eq!(breakers(|row| !is(row, Verb::Delete) || removes(row)), [""; 0]);
    assert_eq!(breakers(|row| removes(row) == row.spec.confirm && removes(row) == row.spec.detached), [""; 0]);
}

/// Who may do what is decided from the targets that the row declares, so no field that names something is left out.
#[test]
fn every_field_that_names_something_is_a_target_unless_it_only_filters_what_is_seen() {
    let named = [
        "mission",
        "mission_id",
        "parent_mission_id",
        "depends_on",
        "blockedBy",
        "taskId",
        "session",
        "inherit",
        "project",
        "project_id",
        "projectId",
        "teamName",
        "approval",
        "landing",
        "server",
        "report",
    ];
    let keeps = |row: &Row| {
        let seen = row.spec.targets == [Target::Seen];
        let declares = |name: &str| row.spec.targets.iter().any(|target| target.field() == Some(name));
        let all = named.iter().filter(|name| row.field(name).is_some()).all(|name| declares(name));
        seen || all || row.spec.access == Access::Public
    };
    assert_eq!(breakers(keeps), [""; 0]);
    let exists =
        |row: &Row| row.spec.targets.iter().filter_map(|target| target.field()).all(|name| row.field(name).is_some());
    assert_eq!(breakers(exists), [""; 0]);
}

/// The list only shrinks: the handlers of these look up themselves which workspaces are the caller's.
#[test]
fn what_is_seen_is_only_read_and_what_belongs_to_nobody_is_not_changed() {
    let read_only = |row: &Row| row.spec.effect == Effect::Read || row.spec.access == Access::Public;
    let whole = |row: &Row| row.spec.targets.iter().any(|target| matches!(target, Target::Seen | Target::Nothing));
    let breaking = breakers(|row| !whole(row) || (row.spec.targets.len() == 1 && read_only(row)));
    assert_eq!(breaking, ["workspace_restore", "workspace_prune"]);
}

/// The list only shrinks: whatever stands here can be called by anyone who reaches the port.
#[test]
fn only_the_health_check_and_registration_need_no_token() {
    assert_eq!(breakers(|row| row.spec.access != Access::Public), ["health", "auth"]);
}

#[test]
fn a_role_that_only_reads_can_post_to_search_alone() {
    assert_eq!(breakers(|row| row.spec.access != Access::Read || !is(row, Verb::Post)), ["lineage_search"]);
}

#[test]
fn every_input_refuses_a_field_it_does_not_know() {
    assert_eq!(breakers(|row| row.input["additionalProperties"] == Value::Bool(false)), [""; 0]);
}

#[test]
fn unknown_fields_are_dropped_by_claude_fleets_operations_alone_whose_contract_says_so() {
    let expected = |row: &Row| match row.contract {
        "fleet" | "codefleet" => UnknownFields::Refuse,
        "devfleet" => UnknownFields::ReadBack,
        _ => UnknownFields::Drop,
    };
    assert_eq!(breakers(|row| row.spec.unknown_fields == expected(row)), [""; 0]);
}

#[test]
fn the_team_and_the_actor_are_texts_of_the_input() {
    for row in rows() {
        for name in team_of(&row).into_iter().chain(row.spec.actor_field) {
            let types = row.field(name).map(|schema| row.types_of(schema)).unwrap_or_default();
            let is_text = if row.requires(name) { types == ["string"] } else { types == ["string", "null"] };
            assert!(is_text, "{}.{name}: {types:?}", row.spec.name);
        }
    }
}

fn team_of(row: &Row) -> Option<&'static str> {
    row.spec.targets.iter().find(|target| matches!(target, Target::Team(_))).and_then(|target| target.field())
}
