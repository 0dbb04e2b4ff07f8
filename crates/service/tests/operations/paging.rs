//! Every list that continues: whatever the size of its pages, each item once, in one order.

use fleet_service::Binding;
use serde_json::{Map, Value, json};

use crate::site::Scene;

/// The items of an answer: it is their list, or has it in one of its fields.
fn items(body: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(body).unwrap() {
        Value::Array(items) => items,
        Value::Object(fields) => fields.into_iter().find_map(|(_, value)| value.as_array().cloned()).unwrap(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => panic!("no list: {other}"),
    }
}

async fn walk(scene: &Scene, binding: &Binding, fields: &Map<String, Value>, limit: usize) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), None::<String>);
    loop {
        let mut input = fields.clone();
        input.insert("limit".to_owned(), json!(limit));
        input.extend(after.take().map(|after| ("after".to_owned(), json!(after))));
        let answer = scene.fleet.send(&testkit::owner(), binding.name, input.into()).await.unwrap();
        let page = items(&answer.body);
        assert!(page.len() <= limit, "{}: {} of {limit}", binding.name, page.len());
        all.extend(page);
        assert!(all.len() <= 100, "{} does not end", binding.name);
        match answer.next {
            Some(next) => after = Some(next),
            None => return all,
        }
    }
}

#[tokio::test]
async fn every_size_of_pages_covers_every_list_exactly_once() {
    let scene = Scene::new().await;
    let mut long = 0;
    for binding in testkit::bindings().filter(|binding| binding.is_paged) {
        // What a path needs is named; filters are left out.
        let example = scene.sites[0].input(binding, &scene.fleet, &testkit::owner());
        let in_path: Vec<_> = binding.spec.path_fields().collect();
        let kept = example.as_object().unwrap().iter().filter(|(name, _)| in_path.contains(&name.as_str()));
        let fields: Map<_, _> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        let whole = walk(&scene, binding, &fields, 1000).await;
        long += usize::from(whole.len() >= 3);
        for limit in [1, 2, 3, 4] {
            assert_eq!(walk(&scene, binding, &fields, limit).await, whole, "{} by {limit}", binding.name);
        }
    }
    assert!(long >= 6, "only {long} lists have several items");
}
