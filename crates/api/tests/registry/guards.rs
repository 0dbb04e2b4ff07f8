//! Who may call, what is refused, what is asked about first.

use api::{Access, UnknownFields, Verb};
use serde_json::{Value, json};

use crate::table::{Row, breakers, rows};

#[test]
fn reading_is_open_to_readers_or_leads_and_destroys_nothing() {
    let may_read = |access| matches!(access, Access::Public | Access::Read | Access::Lead);
    let keeps = |row: &Row| row.spec.verb != Verb::Get || (may_read(row.spec.access) && !row.spec.destructive);
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn deleting_is_destructive() {
    assert_eq!(breakers(|row| row.spec.verb != Verb::Delete || row.spec.destructive), [""; 0]);
}

/// The list only shrinks: whatever stands here can be called by anyone who reaches the port.
#[test]
fn only_the_health_check_and_registration_need_no_token() {
    assert_eq!(breakers(|row| row.spec.access != Access::Public), ["health", "auth"]);
}

#[test]
fn a_role_that_only_reads_can_post_to_tools_alone() {
    let keeps = |row: &Row| row.spec.access != Access::Read || row.spec.verb == Verb::Get || row.spec.tool.is_some();
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn every_input_refuses_a_field_it_does_not_know() {
    let refuses = |row: &Row| {
        let mut input = row.example();
        let stranger = input.as_object_mut().map(|members| members.insert("stranger".to_owned(), json!(1)));
        let error = (row.round_trip)(input).err().map(|error| error.to_string());
        stranger.is_some() && error.is_some_and(|error| error.starts_with("unknown field `stranger`"))
    };
    assert_eq!(breakers(refuses), [""; 0]);
    assert_eq!(breakers(|row| row.input["additionalProperties"] == Value::Bool(false)), [""; 0]);
}

#[test]
fn tools_and_our_own_operations_refuse_what_they_do_not_know_and_contracts_drop_it() {
    let expected = |row: &Row| match (row.contract, row.spec.tool) {
        ("fleet", _) | (_, Some(_)) => UnknownFields::Refuse,
        (_, None) => UnknownFields::Drop,
    };
    assert_eq!(breakers(|row| row.spec.unknown_fields == expected(row)), [""; 0]);
}

#[test]
fn the_team_and_the_actor_are_required_texts_of_the_input() {
    for row in rows() {
        for name in row.spec.team_field.into_iter().chain(row.spec.actor_field) {
            let types = row.field(name).map(|schema| row.types_of(schema));
            assert_eq!((types, row.requires(name)), (Some(vec!["string"]), true), "{}.{name}", row.spec.name);
        }
    }
}
