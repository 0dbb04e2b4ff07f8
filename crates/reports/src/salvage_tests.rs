use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::samples::any_text;

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]\\PC{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-c]\\PC{0,3}", any_value(), 0..5).prop_map(|members| members.into_iter().collect())
}

/// Whether every part of a value is also in another, which may have more.
fn within(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| part == whole)
        }
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| within(part, whole)))
        }
        (part, whole) => part == whole,
    }
}

proptest! {
    #[test]
    fn whole_json_is_read_as_it_is(object in any_object(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
        let found = read(&text);
        prop_assert_eq!(found.repairs, BTreeSet::new());
        prop_assert_eq!(found.object, object);
    }

    #[test]
    fn of_json_that_is_cut_off_nothing_is_invented(object in any_object(), at in any::<prop::sample::Index>()) {
        let text = serde_json::to_string(&object).unwrap();
        let cut = &text[..text.floor_char_boundary(at.index(text.len()))];
        let found = read(cut);
        prop_assert_eq!(found.repairs, BTreeSet::from([Repair::CutOff]));
        prop_assert!(within(&Value::Object(found.object), &Value::Object(object)));
    }

    #[test]
    fn any_text_is_read_to_some_end(text in any_text()) {
        let _ = read(&text);
        let _ = read(&format!("{{{text}"));
    }
}

#[test]
fn each_liberty_is_noted() {
    for (text, repair, object) in [
        (r#"{"a": [1, 2,], "b": 3,}"#, Repair::ExtraComma, json!({"a": [1, 2], "b": 3})),
        (r#"{"a": [1 2] "b": 3}"#, Repair::MissingComma, json!({"a": [1, 2], "b": 3})),
        ("{\"a\": \"x\ny\"}", Repair::RawControl, json!({"a": "x\ny"})),
        (r#"{"a": "\d+ \u12"}"#, Repair::BadEscape, json!({"a": "\\d+ \\u12"})),
        (r#"{"a": 1, "b": {"c": [2, 3"#, Repair::CutOff, json!({"a": 1, "b": {"c": [2]}})),
        (r#"{"a": 1, b: 2}"#, Repair::Unreadable, json!({"a": 1})),
        (r#"{"a": 1, "b": yes, "c": 3}"#, Repair::Unreadable, json!({"a": 1})),
    ] {
        let found = read(text);
        assert_eq!(found.repairs, BTreeSet::from([repair]), "{text}");
        assert_eq!(Value::Object(found.object), object, "{text}");
    }
}

#[test]
fn pairs_of_escapes_are_one_character_and_halves_are_unknown() {
    let found = read(r#"{"a": "\ud83d\ude00 \ud83d \u00e4"}"#);
    assert_eq!(Value::Object(found.object), json!({"a": "\u{1f600} \u{fffd} ä"}));
}

#[test]
fn depth_has_an_end() {
    let found = read(&r#"{"a":["#.repeat(100_000));
    assert!(found.repairs.contains(&Repair::Unreadable));
}
