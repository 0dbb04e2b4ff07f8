//! Whatever a client sends, it gets an answer or a refusal: never a fault, never a panic.

use std::sync::LazyLock;

use api::Code;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::world::World;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// Tells names; every case has a world of its own, in which the same seed has drawn the same ids.
static WORLD: LazyLock<World> = LazyLock::new(|| RUNTIME.block_on(World::new()));

/// Texts that have meant trouble somewhere. None is an absolute path: a tool makes the folder of a project.
const TEXTS: [&str; 18] = [
    "",
    " ",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "NaN",
    "[]",
    "[1",
    "{}",
    "\0",
    "m-22222",
    "p-22222",
    "../..",
    "é\u{202e}",
    "0000000000.0000000000000000000.m-22222",
    "18446744073709551616",
];

fn text() -> impl Strategy<Value = String> {
    let known = [
        WORLD.mission.clone(),
        WORLD.task.clone(),
        WORLD.project.to_string(),
        "alpha".into(),
        "scout-1".into(),
        "queued".into(),
    ];
    prop_oneof![
        proptest::sample::select(TEXTS.to_vec()).prop_map(str::to_owned),
        proptest::sample::select(known.to_vec()),
        "[^/]{0,12}",
        Just("x".repeat(400)),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        Just(json!(u64::MAX)),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{0,8}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// An operation, and an input of its fields (and perhaps another) with any values, on top of a right one or of nothing.
fn noise() -> impl Strategy<Value = (usize, bool, Vec<(usize, Value)>)> {
    let operations = 0..testkit::bindings().count();
    (operations, any::<bool>(), proptest::collection::vec((0_usize..24, json_value()), 0..6))
}

fn input(operation: usize, right: bool, noise: Vec<(usize, Value)>) -> (&'static str, Value) {
    let binding = testkit::bindings().nth(operation).unwrap();
    let caller = &WORLD.lead;
    let mut input = if right { WORLD.input(binding, caller) } else { json!({}) };
    let schema = &binding.contract().unwrap().schema;
    let fields = schema["properties"].as_object().cloned().unwrap_or_else(Map::new);
    for (at, value) in noise {
        let name = fields.keys().nth(at % (fields.len() + 1)).map_or("no_such_field", String::as_str);
        input[name] = value;
    }
    (binding.name, input)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_brings_about_a_fault(drawn in noise()) {
        let (operation, right, noise) = drawn;
        let (name, input) = input(operation, right, noise);
        let _entered = RUNTIME.enter();
        let world = RUNTIME.block_on(World::new());
        prop_assert_eq!(&world.mission, &WORLD.mission);
        for caller in [WORLD.lead.clone(), testkit::owner()] {
            let answer = RUNTIME.block_on(world.fleet.send(&caller, name, input.clone()));
            if let Err(error) = answer {
                prop_assert_ne!(error.code, Code::INTERNAL, "{} {}: {}", name, &input, &error);
                prop_assert_ne!(error.code, Code::STORE_UNAVAILABLE, "{} {}: {}", name, &input, &error);
                prop_assert!(!error.message.is_empty(), "{} {}", name, &input);
            }
        }
    }
}
