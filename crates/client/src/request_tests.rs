//! Where fields travel.

use api::{Access, UnknownFields, Verb};
use serde_json::json;

use super::*;

fn request(verb: Verb, path: &'static str, fields: Value) -> Result<Request, Error> {
    let base = Url::parse("http://127.0.0.1:3847").unwrap();
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    Request::new(&base, &Spec::new("test", Access::Read, &[], UnknownFields::Drop).at(verb, path), fields)
}

fn path_and_query(request: &Request) -> &str {
    request.url.as_str().strip_prefix("http://127.0.0.1:3847").unwrap()
}

#[test]
fn a_read_puts_what_is_not_in_the_path_into_the_query() {
    let made = request(
        Verb::Get,
        "/teams/{teamName}/tasks",
        json!({"teamName": "red", "limit": 5, "open": true, "after": "a b&c", "tag": null}),
    );
    let made = made.unwrap();
    assert_eq!(path_and_query(&made), "/teams/red/tasks?limit=5&open=true&after=a+b%26c");
    assert_eq!((made.method, made.body), ("GET", None));
}

#[test]
fn a_read_without_fields_has_no_query() {
    assert_eq!(path_and_query(&request(Verb::Get, "/health", json!({})).unwrap()), "/health");
    assert_eq!(path_and_query(&request(Verb::Delete, "/a/{b}", json!({"b": "c"})).unwrap()), "/a/c");
}

#[test]
fn a_write_puts_what_is_not_in_the_path_into_the_body() {
    for verb in [Verb::Post, Verb::Put, Verb::Patch] {
        let made = request(verb, "/tasks/{taskId}", json!({"taskId": "m-x7k2m", "status": "open", "note": null}));
        let made = made.unwrap();
        assert_eq!(path_and_query(&made), "/tasks/m-x7k2m");
        assert_eq!(made.body.map(Value::Object), Some(json!({"status": "open", "note": null})));
    }
}

#[test]
fn a_write_without_fields_has_an_empty_body() {
    let made = request(Verb::Post, "/login-links", json!({})).unwrap();
    assert_eq!(made.body, Some(Map::new()));
}

#[test]
fn a_field_of_the_path_stays_one_segment_whatever_is_in_it() {
    for (text, written) in [("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("50%", "50%25"), ("é ü", "%C3%A9%20%C3%BC")] {
        let made = request(Verb::Get, "/ids/{prefix}", json!({"prefix": text})).unwrap();
        assert_eq!(path_and_query(&made), format!("/ids/{written}"));
    }
}

#[test]
fn a_field_that_would_name_another_path_is_refused() {
    for (fields, message) in [
        (json!({"prefix": ".."}), "prefix: `..` cannot be part of a path"),
        (json!({"prefix": "."}), "prefix: `.` cannot be part of a path"),
        (json!({"prefix": ""}), "prefix: is required"),
        (json!({}), "prefix: is required"),
    ] {
        let error = request(Verb::Get, "/ids/{prefix}", fields).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::FIELDS_INVALID, message));
    }
}

#[test]
fn a_server_below_a_path_is_called_below_it() {
    for base in ["http://h/fleet", "http://h/fleet/"] {
        let spec = Spec::new("test", Access::Public, &[], UnknownFields::Drop).at(Verb::Get, "/health");
        let made = Request::new(&Url::parse(base).unwrap(), &spec, Map::new()).unwrap();
        assert_eq!(made.url.as_str(), "http://h/fleet/health");
    }
}

#[test]
fn every_operation_with_a_path_can_be_asked_for_by_its_example() {
    let base = Url::parse("http://127.0.0.1:3847").unwrap();
    for spec in api::specs().into_iter().filter(|spec| spec.rest.is_some()) {
        let made = Request::new(&base, &spec, serde_json::from_str(spec.example).unwrap()).unwrap();
        assert!(!made.url.as_str().contains('{'), "{}", spec.name);
    }
}
