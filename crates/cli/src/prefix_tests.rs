//! Which texts are looked up, and where the ids found are put.

use api::{Code, Error};
use serde_json::json;

use super::*;
use crate::operations::entries;

fn fields_of(name: &str) -> Vec<Field> {
    let entry = entries().into_iter().find(|entry| entry.spec.name == name).unwrap();
    Field::all(&entry, &entry.input())
}

fn given(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("fields are an object") };
    fields
}

#[test]
fn ids_of_a_refused_call_are_suspects_and_other_texts_are_not() {
    let fields = given(json!({
        "project_id": "p-x7", "title": "m-x7", "detailed_prompt": "x",
        "depends_on": ["m-ab", "m-cd", "m-ab"], "parent_mission_id": "../..",
    }));
    for code in [Code::MISSION_NOT_FOUND, Code::FIELDS_INVALID, Code::PROJECT_UNKNOWN] {
        let suspects = suspects(&fields_of("mission_create"), &fields, &Error::new(code, "x"));
        assert_eq!(suspects, ["m-ab", "m-cd", "p-x7"]);
    }
}

#[test]
fn a_refusal_for_another_reason_raises_no_suspicion() {
    let fields = given(json!({"mission": "m-x7k2m"}));
    for code in [Code::MISSION_HELD, Code::ROLE_REFUSED, Code::SERVER_UNREACHABLE, Code::TOKEN_EXPIRED] {
        assert_eq!(suspects(&fields_of("mission_get"), &fields, &Error::new(code, "x")), [""; 0]);
    }
}

#[test]
fn whole_ids_take_the_place_of_their_beginnings_only_where_ids_belong() {
    let mut fields = given(json!({"project_id": "p-x7", "title": "p-x7", "depends_on": ["m-ab", "m-cdefg"]}));
    let whole = [("p-x7", "p-x7k2m"), ("m-ab", "m-abcde"), ("m-cdefg", "m-cdefg")];
    let whole = whole.map(|(beginning, id)| (beginning.to_owned(), id.to_owned()));
    assert!(replace(&fields_of("mission_create"), &mut fields, &whole));
    let expected = json!({"project_id": "p-x7k2m", "title": "p-x7", "depends_on": ["m-abcde", "m-cdefg"]});
    assert_eq!(Value::Object(fields), expected);
}

#[test]
fn an_id_that_is_whole_already_changes_nothing() {
    let mut fields = given(json!({"mission": "m-x7k2m"}));
    let whole = [("m-x7k2m".to_owned(), "m-x7k2m".to_owned())];
    assert!(!replace(&fields_of("mission_get"), &mut fields, &whole));
}

#[test]
fn a_beginning_is_a_letter_a_dash_and_more() {
    for (text, expected) in
        [("m-x", true), ("m-x7k2m", true), ("m-", false), ("mx", false), ("M-x", false), ("m-/", false)]
    {
        assert_eq!(is_beginning(text), expected, "{text}");
    }
}

#[test]
fn names_numbers_and_paths_are_looked_up_only_where_ids_belong() {
    let fields = given(json!({
        "project_id": "shop", "title": "kitchen", "detailed_prompt": "x", "depends_on": ["3", "m-ab", "../shop"],
    }));
    assert_eq!(names(&fields_of("mission_create"), &fields), ["../shop", "3", "shop"]);
}

#[test]
fn a_path_is_asked_for_whole_and_other_texts_as_they_are() {
    let asked = |text: &str| question(text, Some(Path::new("/srv/shop"))).1["prefix"].as_str().unwrap().to_owned();
    assert_eq!(asked("."), "/srv/shop");
    assert_eq!(asked("src/deep"), "/srv/shop/src/deep");
    assert_eq!(asked("/elsewhere"), "/elsewhere");
    assert_eq!((asked("shop"), asked("3"), asked("m-x7")), ("shop".to_owned(), "3".to_owned(), "m-x7".to_owned()));
    assert_eq!(question("3", Some(Path::new("/srv/shop"))).1["folder"], "/srv/shop");
}
