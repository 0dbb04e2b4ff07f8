//! The columns of every list.

use std::collections::BTreeSet;

use api::Operation;
use schemars::generate::SchemaSettings;
use serde_json::json;

use super::*;

/// Every list that a command shows, with the members of its rows.
fn lists() -> Vec<(&'static str, BTreeSet<String>)> {
    struct Lists(Vec<(&'static str, BTreeSet<String>)>);
    impl api::Visitor for Lists {
        fn operation<O: Operation>(&mut self) {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            let schema = settings.into_generator().into_root_schema_for::<O::Output>().to_value();
            if let (Some(_), Some(members)) = (O::SPEC.cli, schema["items"]["properties"].as_object()) {
                self.0.push((O::SPEC.name, members.keys().cloned().collect()));
            }
        }
    }
    let mut lists = Lists(Vec::new());
    api::visit(&mut lists);
    lists.0
}

#[test]
fn every_list_of_a_command_has_columns_that_its_rows_have() {
    let lists = lists();
    assert!(lists.len() > 15, "{lists:?}");
    for (operation, members) in lists {
        // Items of the inbox are read, and not compared.
        if operation == "inbox_list" {
            continue;
        }
        let columns = LISTS.iter().find(|(names, _)| names.contains(&operation)).map(|(_, columns)| declared(columns));
        let columns = columns.unwrap_or_else(|| panic!("{operation} has no columns"));
        for column in columns {
            assert!(members.contains(&column.key), "{operation} has no {}", column.key);
        }
    }
}

#[test]
fn ids_and_states_are_never_cut_and_columns_that_may_be_missing_are_last() {
    for (names, columns) in LISTS {
        let columns = declared(columns);
        assert!(columns.iter().all(|column| may_cut(&column.key) || !column.cuts), "{names:?}");
        let optional: Vec<_> = columns.iter().map(|column| column.optional).collect();
        assert!(optional.is_sorted(), "{names:?}");
        let widest = columns.iter().filter(|column| !column.yields && !column.cuts).count();
        assert!(widest <= 5, "{names:?} keeps too much for a narrow terminal");
    }
}

#[test]
fn a_list_without_columns_of_its_own_shows_what_tells() {
    let rows = json!([{ "x_uid": "1", "note": "", "what": "w", "id": "a", "status": "s", "long": "l".repeat(400) }]);
    let rows: Vec<_> = rows.as_array().unwrap().iter().filter_map(Value::as_object).collect();
    let keys: Vec<_> = of("unheard-of", &rows, false).into_iter().map(|column| column.key).collect();
    assert_eq!(keys, ["id", "status", "what"]);
}

#[test]
fn wide_adds_what_is_left_out_otherwise_behind_the_columns_that_are_always_there() {
    let rows = json!([{ "id": "m-x7k2m", "title": "t", "state": "draft", "agent": "sim", "session_id": "s-x7k2m" }]);
    let rows: Vec<_> = rows.as_array().unwrap().iter().filter_map(Value::as_object).collect();
    let keys = |wide| of("mission_list", &rows, wide).into_iter().map(|column| column.key).collect::<Vec<_>>();
    assert_eq!(keys(false), ["id", "title", "state", "agent"]);
    assert_eq!(keys(true), ["id", "title", "state", "agent", "session_id"]);
}
