//! Plain records, whatever their kind: the walks make one of each by the example of its row.

use std::collections::BTreeMap;
use std::time::Duration;

use api::{Code, Target};
use fleet_service::{Binding, Caller};
use serde_json::{Value, json};
use testkit::Fleet;
use types::Role;

/// The records of a site, by the ids that the examples name them by.
#[derive(Debug, Clone)]
pub(crate) struct PlainRecords(BTreeMap<String, String>);

/// The kinds, by what their operations are called: `view` of `view_get`.
fn kinds() -> impl Iterator<Item = (&'static str, &'static Binding)> {
    let plain = |binding: &&Binding| matches!(binding.spec.targets, [Target::Record(_)]) && binding.tool.is_none();
    testkit::bindings().filter(plain).filter_map(|binding| Some((binding.name.strip_suffix("_get")?, binding)))
}

impl PlainRecords {
    /// Makes one of each kind under this name.
    pub(crate) async fn new(fleet: &Fleet, lead: &Caller, name: &str) -> Self {
        let mut all = BTreeMap::new();
        for (kind, get) in kinds() {
            let record = made(fleet, lead, kind, name).await.unwrap();
            all.insert(get.example["id"].as_str().unwrap().to_owned(), record["id"].as_str().unwrap().to_owned());
        }
        assert!(!all.is_empty());
        Self(all)
    }

    /// Returns the record that an example means.
    pub(crate) fn named(&self, example: &Value) -> String {
        self.0[example["id"].as_str().unwrap()].clone()
    }

    /// Each id of the examples, with the one it means.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        self.0.iter().map(|(example, own)| (example.as_str(), own.clone()))
    }
}

/// What a lead reads of every kind.
pub(crate) async fn lists(fleet: &Fleet, lead: &Caller) -> Vec<Value> {
    let mut lists = Vec::new();
    for (kind, _) in kinds() {
        lists.push(fleet.json(lead, &format!("{kind}_list"), json!({})).await.unwrap());
    }
    lists
}

async fn made(fleet: &Fleet, lead: &Caller, kind: &str, name: &str) -> Result<Value, api::Error> {
    let create = format!("{kind}_create");
    let mut said = testkit::bindings().find(|binding| binding.name == create).unwrap().example.clone();
    said["name"] = json!(name);
    fleet.json(lead, &create, said).await
}

#[tokio::test]
async fn a_record_keeps_what_an_update_leaves_out_and_is_gone_once_deleted() {
    let fleet = testkit::fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    for (kind, _) in kinds() {
        let record = made(&fleet, &lead, kind, "first").await.unwrap();
        let id = &record["id"];
        fleet.clock.advance(Duration::from_secs(1));
        let said = json!({ "id": id, "name": "second" });
        let renamed = fleet.json(&lead, &format!("{kind}_update"), said).await.unwrap();
        let mut expected = record.clone();
        (expected["name"], expected["updated_at"]) = (json!("second"), renamed["updated_at"].clone());
        assert_ne!(renamed["updated_at"], record["updated_at"], "{kind}");
        assert_eq!(renamed, expected, "{kind}");
        fleet.json(&lead, &format!("{kind}_delete"), json!({ "id": id })).await.unwrap();
        let gone = fleet.json(&lead, &format!("{kind}_get"), json!({ "id": id })).await.unwrap_err();
        assert_eq!(gone.code, Code::RECORD_NOT_FOUND, "{kind}");
        // Its name is free again.
        made(&fleet, &lead, kind, "second").await.unwrap();
    }
}

#[tokio::test]
async fn a_name_is_taken_once_in_a_team_and_lists_are_in_its_order() {
    let fleet = testkit::fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let other = fleet.join("beta", "lead", Role::TeamLead).await;
    for (kind, _) in kinds() {
        for name in ["pears", "apples"] {
            made(&fleet, &lead, kind, name).await.unwrap();
        }
        assert_eq!(made(&fleet, &lead, kind, "pears").await.unwrap_err().code, Code::RECORD_EXISTS, "{kind}");
        made(&fleet, &other, kind, "pears").await.unwrap();
        let list = fleet.json(&lead, &format!("{kind}_list"), json!({})).await.unwrap();
        let names: Vec<_> = list.as_array().unwrap().iter().map(|record| record["name"].clone()).collect();
        assert_eq!(names, ["apples", "pears"], "{kind}");
        let update = format!("{kind}_update");
        let said = json!({ "id": list[0]["id"], "name": "pears" });
        assert_eq!(fleet.json(&lead, &update, said).await.unwrap_err().code, Code::RECORD_EXISTS, "{kind}");
        let said = json!({ "id": list[0]["id"], "created_by": "another" });
        assert_eq!(fleet.json(&lead, &update, said).await.unwrap_err().code, Code::FIELDS_INVALID, "{kind}");
    }
}

#[tokio::test]
async fn a_team_with_five_hundred_records_of_a_kind_makes_no_more() {
    let fleet = testkit::fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let (kind, _) = kinds().next().unwrap();
    for number in 0..500 {
        made(&fleet, &lead, kind, &format!("n{number}")).await.unwrap();
    }
    assert_eq!(made(&fleet, &lead, kind, "one more").await.unwrap_err().code, Code::RECORDS_FULL);
}
